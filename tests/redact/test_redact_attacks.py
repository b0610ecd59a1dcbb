"""What a hostile reader tries on redacted notes: each case was a leak of PHI, or could have been one."""

import json
import re
from itertools import product

import pytest
from marked_notes import SECRET, marked, redacted, replace_identifier

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates import places
from crfdeid.redact.surrogates.keyed_choice import THINGS, KeyedChoices
from crfdeid.redact.surrogates.patient import PatientSurrogates
from crfdeid.redact.surrogates.patient_facts import collect_facts
from crfdeid.text import ages
from crfdeid.text.document import Document, Span


def second(found: str, text: str, **choices) -> str:
    """Redact a second note of the same patient, in which nothing was found."""
    notes = [marked(found, "n1"), Document("n2", text, (), "7")]
    return Redactor(SECRET, **choices).redact(notes)[1].document.text


def alone(text: str) -> str:
    return Redactor(SECRET).redact([marked(text)])[0].document.text


@pytest.mark.parametrize(
    ("found", "text", "gone"),
    [
        ("<MEDICALRECORD 4471902>", "MRN 447-19-02", "447"),
        ("<MEDICALRECORD 447-19-02>", "#4471902", "4471902"),
        ("<MEDICALRECORD 4471902>", "MRN4471902.", "4471902"),
        ("<MEDICALRECORD 4471902>", "447 19 02", "447"),
        ("<MEDICALRECORD 66 32 94>", "#66 32 94", "66"),
        ("<MEDICALRECORD 12 345>", "MRN 12 345", "345"),
        ("<SSN 123-45-6789>", "SSN 123456789", "6789"),
        ("<SSN 123-45-6789>", "xxx-xx-6789", "6789"),
        ("<SSN 123-45-6789>", "last four 6789", "6789"),
        ("<SSN 123-45-6789>", "card ending in 6789", "6789"),
        ("<PHONE (617) 555-0148>", "call 617.555.0148", "617"),
        ("<PHONE (617) 555-0148>", "6175550148", "0148"),
        ("<PHONE 617-555-0148>", "617-555-\n0148", "0148"),
        ("<EMAIL b.ruiz@x.org>", "B.RUIZ@X.ORG", "RUIZ"),
        ("<PATIENT Ana Garcia>", "the Garcias came", "Garcia"),
        ("<PATIENT Ana Davis>", "the Davises", "Davis"),
        ("<PATIENT Okafor>", "OKAFORS", "OKAFOR"),
        ("<PATIENT José Peña>", "Jose\u0301 Pen\u0303a", "Jos"),
        ("<PATIENT Okafor>", "Oka\u200bfor", "for"),
        ("<PATIENT Okafor>", "Oka\u00adfor's", "Oka"),
        ("<PATIENT Okafor>", "Ｏｋａｆｏｒ", "Ｏｋａｆｏｒ"),
        ("<PATIENT O'Neil>", "O\u2019Neil", "Neil"),
        ("<PATIENT Okafor>", "jokafor@clinic.org", "okafor"),
        ("<PATIENT Okafor>", "okafor_j.pdf", "okafor"),
        ("<PATIENT Okafor>", "http://x.org/~okafor2", "okafor"),
        ("<PATIENT Okafor>", "Okafor-Lund", "Okafor"),
        ("<PATIENT Robert Lund>", "Bob came", "Bob"),
        ("<PATIENT Bob Lund>", "Robert came", "Robert"),
        ("<HOSPITAL Elmira Hill Clinic>", "at Elmira Hill\r\n  Clinic", "Elmira"),
        ("<STREET 12 Oak Lane>", "12 OAK  LANE", "OAK"),
        ("<CITY New Bedford>", "NEW\nBEDFORD", "BEDFORD"),
        ("<AGE 93>", "this 93-year-old man", "93"),
        ("<AGE 93>", "aged 93", "93"),
        ("<AGE ninety-three>", "is ninety three", "ninety"),
        ("<DATE 3/7/2067>", "on 3-7-2067", "3-7-2067"),
        ("<PATIENT Xqztl Vrbnk>", "Xqztl was seen", "Xqztl"),
        ("<PATIENT SMITH,ROBERT A>", "Rob Smith", "Smith"),
    ],
)
def test_what_was_found_is_found_again_however_it_is_written(found, text, gone):
    made = second(found, text)
    assert gone not in made and made != text


@pytest.mark.parametrize(
    ("found", "text"),
    [
        ("<MEDICALRECORD 12345>", "12.3 45 mg"),
        ("<MEDICALRECORD 4471902>", "44719025"),
        ("<AGE 93>", "93 mg"),
        ("<AGE 67>", "67-year-old"),
        ("<SSN 123-45-6789>", "6789 cells"),
        ("<PATIENT Ana Price>", "prices rose"),
        ("<DATE 3/7/67>", "3, 7, 67"),
        ("<USERNAME thedoctor>", "the doctor"),
        ("<PATIENT Will Roe>", "willing@heart"),
        ("<ID 1 2>", "1 2 3"),
    ],
)
def test_what_only_looks_similar_is_kept(found, text):
    assert second(found, text) == text


@pytest.mark.parametrize("text", ["xOkafor", "preOkaforian"])
def test_a_name_inside_another_word_is_kept_and_listed(text):
    notes = [marked("<PATIENT Okafor>", "n1"), Document("n2", text, (), "7")]
    found = Redactor(SECRET).redact(notes)[1]
    assert found.document.text == text
    assert [found.document.text_of(span).lower() for span in found.survivors] == ["okafor"]
    notes = [marked("<PATIENT Robert>", "n1"), Document("n2", "Robertson, mankind", (), "7")]
    assert not Redactor(SECRET).redact(notes)[1].survivors


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("<PATIENT Dr. Al Smith>", "Al"),
        ("<PATIENT Smith, Al B.>", "Al"),
        ("<PATIENT John Fellow>", "Fellow"),
        ("<PATIENT Fellow, John>", "Fellow"),
        ("<PATIENT Ann Nurse>", "Nurse"),
        ("<PATIENT KIM DO>", "DO"),
        ("<PATIENT van nguyen>", "van"),
        ("<PATIENT Do Kim>", "Do"),
        ("<PATIENT Di Smith>", "Di"),
        ("<PATIENT Mrs. Di Smith>", "Di"),
        ("<PATIENT Y. Smith>", "Y"),
        ("<PATIENT Ana Y. Smith>", "Y"),
        ("<PATIENT Smith, R. N.>", "R"),
        ("<STREET 12 North Street>", "North"),
        ("<STREET 45 Park Place>", "Park"),
        ("<STREET 9 Court St, Apt 4>", "Court"),
        ("<STREET 100 Broadway>", "Broadway"),
        ("<HOSPITAL Beth Israel Deaconess Medical Center>", "Deaconess"),
        ("<HOSPITAL New York Presbyterian Hospital>", "Presbyterian"),
        ("<HOSPITAL Mercy Hospital>", "Mercy"),
        ("<AGE 3/4/67>", "3"),
        ("<AGE 02139>", "02139"),
        ("<AGE 12 34 56 78>", "12"),
        ("<DATE 10/12 Ruiz>", "Ruiz"),
    ],
)
def test_nothing_that_identifies_stays_in_a_surrogate(text, gone):
    assert gone not in re.findall(r"\w+", alone(text))


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Ana Ruiz",
        "Mr. and Mrs. Ruiz",
        "Ana Ruiz, MD, PhD",
        "Ruiz, Ana, M.D., Ph.D.",
        "Nurse Ruiz",
        "Ludwig van Ruiz",
    ],
)
def test_titles_that_identify_nobody_stay(text):
    made = alone(f"<DOCTOR {text}>")
    stays = [w for w in re.findall(r"\w+", text) if w not in ("Ana", "Ruiz", "Ludwig")]
    assert [w for w in re.findall(r"\w+", made) if w in stays] == stays and "Ruiz" not in made


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("Monday", ("DATE", "PATIENT")),
        ("67", ("AGE", "IDNUM")),
        ("USA", ("COUNTRY", "PATIENT")),
        ("Park Hospital", ("HOSPITAL", "PATIENT")),
        ("Nurse Ruiz", ("DOCTOR", "CITY")),
        ("Monday 3/7", ("DATE", "PATIENT")),
    ],
)
def test_what_one_type_keeps_is_replaced_if_another_type_overlaps_it(text, types):
    for first, other in (types, types[::-1]):
        spans = (Span(0, len(text), first), Span(0, len(text.split()[0]), other))
        (found,) = Redactor(SECRET).redact([Document("n", text, spans)])
        assert not {*re.findall(r"\w+", text)} & {*re.findall(r"\w+", found.document.text)}


@pytest.mark.parametrize("by_note", [False, True])
def test_touching_spans_that_cover_the_whole_text_are_replaced(by_note):
    text = "Ana Ruiz3/7/206702115"
    spans = (
        Span(0, 3, "PATIENT"),
        Span(3, 4, "OTHER"),
        Span(4, 8, "PATIENT"),
        Span(8, 16, "DATE"),
        Span(16, 21, "ZIP"),
    )
    (found,) = Redactor(SECRET, by_note=by_note).redact([Document("n", text, spans)])
    assert len(found.document.spans) == 5 and found.document.spans[-1].end == len(found.document.text)
    assert not any(part in found.document.text for part in ("Ana", "Ruiz", "3/7", "2067", "02115"))
    empty = Redactor(SECRET, by_note=by_note).redact([Document("e", "")])[0]
    assert empty.document.text == "" and not empty.replacements


def test_people_with_similar_names_stay_two_people():
    """Few names begin with X or fit either gender; with few candidates no surrogate may be used twice."""
    for number in range(40):
        people = ["Olsen", "Ortiz", "Owens", "Pat", "Paris", "Ellis", "Xu", "Xiong", "Roger", "Bob"]
        notes = [marked(f"<PATIENT {name}>", f"n{n}", str(number)) for n, name in enumerate(people)]
        who = PatientSurrogates(SECRET, str(number), collect_facts(notes))
        made = [fold(who.names.replace_names(name)) for name in people]
        assert len({*made}) == len(made)
        roger, bob = made[-2:]
        assert bob not in word_lists.load_nicknames().get(roger, ())


@pytest.mark.parametrize("state", ["VT", "AK", "DE", "MA", "CA"])
def test_two_towns_stay_two_towns(state):
    towns = word_lists.group_towns("city_states")[state][:8]
    text = " ".join(f"<CITY {town}>, <STATE {state}>;" for town in towns)
    for number in range(25):
        (found,) = Redactor(SECRET).redact([marked(text, patient=str(number))])
        made = [found.document.text_of(s) for s in found.document.spans if s.type == "CITY"]
        assert len({*made}) == len(towns) and not {*made} & {*towns}


def test_short_numbers_stay_apart_and_none_is_another_real_one():
    numbers = [f"{n:04}" for n in range(1000, 1060)]
    note = marked(" ".join(f"<IDNUM {n}>" for n in numbers))
    (found,) = Redactor(SECRET).redact([note])
    made = [found.document.text_of(span) for span in found.document.spans]
    assert len({*made}) == len(numbers) and not {*made} & {*numbers}


def test_the_last_four_digits_agree_with_the_whole_number():
    (found,) = Redactor(SECRET).redact([marked("<SSN 123-45-6789>, last four <SSN 6789>, ending in 6789")])
    whole, *parts = (found.document.text_of(span) for span in found.document.spans)
    assert [whole[-4:]] * 2 == parts


def test_no_long_number_keeps_its_last_four_digits():
    patients = [KeyedChoices(SECRET, str(number)) for number in range(4)]
    for number in range(100_000, 103_000):
        for choices in patients:
            assert replace_identifier(f"MA {number}", choices)[-4:] != f"{number}"[-4:]


def test_no_surrogate_is_a_name_that_was_missed_in_the_notes():
    note = marked("<PATIENT Robert Smith> is here")
    given = Redactor(SECRET).redact([note])[0].document.text.split()[:2]
    (found,) = Redactor(SECRET).redact([marked(note.text.replace("Robert Smith", "<PATIENT Robert Smith>")
                                                 + f" with {' and '.join(given)}")])  # fmt: skip
    assert not {*given} & {*found.document.text_of(found.document.spans[0]).split()}


def test_no_hospital_or_town_is_named_after_the_patient():
    names = sorted(name for name in word_lists.load_pool(word_lists.SURNAME)["B"])[:900]
    people = " ".join(f"<PATIENT {name}>" for name in names)
    (found,) = Redactor(SECRET).redact([marked(f"{people} <HOSPITAL Elmira Clinic> <STREET 4 Oak Lane>")])
    assert not {*names} & {*re.findall(r"\w+", found.document.text)}


def test_a_zip_code_and_its_longer_form_agree():
    (found,) = Redactor(SECRET).redact([marked("<ZIP 02115> <ZIP 02115-1234> <ZIP 021151234>")])
    five, nine, joined = (found.document.text_of(span) for span in found.document.spans)
    assert nine.startswith(five) and nine.replace("-", "") == joined and len(nine) == 10
    assert places.find_zip_state(five) is not None and not nine.endswith("1234")


def test_ids_that_contain_phi_are_counted():
    note = marked("<PATIENT Robert Smith>, <MEDICALRECORD 4471902>", "SMITH_ROBERT-01", "447-1902")
    assert Redactor(SECRET).redact([note])[0].id_has_phi
    assert Redactor(SECRET).redact([Document("n1", note.text, note.spans, "4471902")])[0].id_has_phi
    assert not Redactor(SECRET).redact([Document("n1", note.text, note.spans, "7")])[0].id_has_phi


@pytest.mark.parametrize(
    ("text", "after", "made"),
    [
        ("in her nineties", "", "in her 90+"),
        ("90", "", "90+"),
        ("89", "", "89"),
        ("91 y/o", "", "90+ y/o"),
        ("2 1/2", " years", "2 1/2"),
        ("5 years 3 months", "", "5 years 3 months"),
        ("1900", "", None),
        ("Ⅸ", "", None),
    ],
)
def test_odd_ages(text, after, made):
    assert ages.generalise_age(text, after) == made


def test_ten_thousand_letters_take_no_time():
    long = "a" * 10_000 + " " + "1-" * 5_000 + " " + "Okafor " * 2_000
    made = second("<PATIENT Okafor> <PATIENT Aaaa> <MEDICALRECORD 11111111> <AGE 93> <DATE 1/1/2067>", long)
    assert "Okafor" not in made


def test_every_letter_has_one_letter():
    for number in range(30):
        initials = PatientSurrogates(SECRET, str(number)).names.initials
        for letter, thing in product("ABCDEFGHIJKLMNOPQRSTUVWXYZÉØ", THINGS):
            made = initials.replace_letter(letter, thing)
            assert made.lower() == initials.replace_letter(letter.lower(), thing) != letter.lower()


def test_the_order_of_the_notes_does_not_matter_with_all_kinds_of_phi():
    notes = [
        marked("<PATIENT Ana Garcia>, <SSN 123-45-6789>, <CITY Boston>, <STATE MA>; <IDNUM 1234>", "a"),
        marked(
            "the <PATIENT Garcias>, <SSN 6789>, <ZIP 02115-1234>, <IDNUM 4321>, <CITY Lynn>, <STATE MA>", "b"
        ),
        marked("<HOSPITAL Elm Hospital>, <PATIENT Pat>, <PATIENT Bob>, <CITY Salem>. 6789", "c"),
    ]
    for by_note in (False, True):
        assert redacted(notes, by_note=by_note) == redacted(notes[::-1], by_note=by_note)
    assert json.dumps(KeyedChoices(SECRET, "7").draw_number(10, "x"))
