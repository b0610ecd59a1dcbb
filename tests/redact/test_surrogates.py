"""Surrogates: names, places, contacts, identifiers of one patient."""

import re
from datetime import date

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from marked_notes import marked, redacted, replace_identifier

from crfdeid.lexicon import english, word_lists
from crfdeid.lexicon.letters import fold
from crfdeid.redact.surrogates import institutions, kinds, name_drawing, names, places
from crfdeid.redact.surrogates.dates import DateShifter
from crfdeid.redact.surrogates.dates.shift import Shift
from crfdeid.redact.surrogates.identifiers import find_checks
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient import PatientSurrogates, Rules
from crfdeid.redact.surrogates.patient_facts import PatientFacts, collect_facts
from crfdeid.redact.surrogates.search import PatientSearch
from crfdeid.text import ages
from crfdeid.text.document import Document, Span

SECRET = b"0123456789abcdef"


def patient(*names: str, id: str = "7") -> PatientSurrogates:
    """The surrogates of a patient whose notes contain these names."""
    notes = [
        Document(str(n), name, (Span(0, len(name), "PATIENT"),), patient=id) for n, name in enumerate(names)
    ]
    return PatientSurrogates(SECRET, id, collect_facts(notes))


def test_the_variants_of_a_name_stay_one_person():
    who = patient("Robert Smith", "Bob", "R. Smith", "SMITH, ROBERT", "Mr. Smith's", "Smtih", "RS")
    first, last = who.names.replace_names("Robert Smith").split()
    assert who.names.replace_names("SMITH, ROBERT") == f"{last.upper()}, {first.upper()}"
    assert who.names.replace_names("R. Smith") == f"{first[0]}. {last}"
    assert who.names.replace_names("Mr. Smith's") == f"Mr. {last}'s"
    assert who.names.replace_names("smith") == last.lower()
    assert who.names.replace_names("RS") == first[0] + last[0]
    assert who.names.replace_names("Bob") in (first, *word_lists.load_nicknames().get(fold(first), ()))
    assert (
        sorted(who.names.replace_names("Smtih").lower()) == sorted(last.lower())
        and who.names.replace_names("Smtih") != last
    )


@pytest.mark.parametrize(
    "text", ["Dr. Ruiz, MD", "van der Berg, Anna", "O'Neil-Smith", "de la Cruz", "J.R. Ewing III"]
)
def test_titles_particles_and_marks_keep_their_places(text):
    made = patient(text).names.replace_names(text)
    shape = "".join(c for c in text if not c.isalpha())
    assert made != text and "".join(c for c in made if not c.isalpha()) in (shape, shape.replace("'", ""))
    for kept in ("Dr.", "MD", "van der", "de la", "III"):
        assert (kept in made) == (kept in text)


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Anh Le", ""), ("Van Nguyen", ""), ("Anh Do", ""), ("Ruiz, M.D.", "M.D."), ("Ruiz DO", "DO"),
        ("Ana de la Ruiz", "de la"), ("Ana Van Ruiz", "Van"), ("Omar Al Fayed", "Al"), ("Ana Di Ruiz", "Di"),
        ("Ana Y Ruiz", ""), ("Ruiz, Al", ""), ("J.D. Ruiz", ""), ("Nurse Ruiz", "Nurse"),
        ("Ruiz Jr.", "Jr"), ("Dr", ""), ("MD", ""),
    ],
)  # fmt: skip
def test_only_what_is_not_a_name_is_kept(text, stays):
    before, after = (set(re.findall(r"\w+", t)) for t in (text, patient().names.replace_names(text)))
    assert before & after == set(re.findall(r"\w+", stays))


# Names, each with the words that stay, because they are titles, credentials, suffixes or particles here.
KEPT = """
Dr. Ruiz = Dr | Dr Ruiz MD = Dr MD | Ruiz, MD = MD | Ruiz, M.D. = M D | Ruiz, M.D., Ph.D. = M D Ph D
Ruiz M.D. Ph. D. = M D Ph D | Ruiz R.N. = R N | Ruiz, N.P. = N P | Ruiz P.A. = P A | M.D. Ruiz =
Ruiz D.O. = D O | Ruiz DO = DO | RUIZ DO = | RUIZ, DO = DO | Ruiz Do = | Ruiz do = | Ruiz PA = PA
Ruiz, pa = | Ruiz Pa = | Ruiz PA-C = PA | DO Ruiz = | Do Ruiz = | Nurse Ruiz = Nurse | Nurse, Ruiz =
Nurse = | Ruiz Nurse = | Dr. Nurse Ruiz = Dr Nurse | Ana Dr. Ruiz = Dr | Ruiz RN = RN | Ruiz rn = rn
Ruiz, RN, MSN = RN | van der Berg = van der | Van der Berg = der | van = | Van = | der = | Van Berg =
Ana Van Berg = Van | Ana van Berg = van | ana van berg = | ANA VAN BERG = | ANA DI RUIZ = | di Ruiz = di
Di Ruiz = | Dr. Di Ruiz = Dr | Dr. Van Ruiz = Dr | Ruiz, Van Ana = | Ruiz, di Ana = di
Ana di Ruiz = di | Ana DI Ruiz = | Ana Di = | Ana de la Cruz = de la | DE LA CRUZ = DE LA
De La Cruz = De La | Le Ruiz = | Ana Le Ruiz = Le | ana le ruiz = | y Ruiz = y | Ana y Ruiz = y
Ana Y Ruiz = | ana y ruiz = | Ana and Bob = and | ana and bob = and | AND Ruiz = AND | And Ruiz = And
the Ruiz = the | The Ruiz = The | Ruiz Jr = Jr | Ruiz Sr. = Sr | Ruiz III = III | Ruiz iii = iii
Ruiz IV = IV | Ruiz Esq. = Esq | ii = | Jr. Ruiz = Jr | Ruiz II MD = II MD | Mister Ruiz = Mister
Ruiz Mister = | Madam Ruiz = Madam | Sra. Ruiz = Sra | Professor Ana Ruiz = Professor
Prof. Dr. Ruiz = Prof Dr | Al Ruiz = | Omar al Fayed = al | Omar AL Fayed = | al Fayed = al | Ruiz 12 =
Ruiz12 = | Mrs = | Mr. and Mrs. Ruiz = Mr and Mrs | Sister Ruiz = Sister | Ruiz, Sister =
Ruiz PharmD = PharmD | Ruiz, PharmD = PharmD | PharmD Ruiz = PharmD | Bin Ruiz = | bin Ruiz = bin
Mr Al-Ruiz = Mr Al | AL-RUIZ Omar = AL | Al-Ruiz = Al
Ana bin Ruiz = bin | Ter Ruiz = | El Ruiz = | Da Ruiz = Da | DA RUIZ = DA | J. R. Ruiz =
"""


def test_the_words_of_a_name_that_stay():
    found = []
    for row in KEPT.strip().replace("\n", " | ").split(" | "):
        text = re.split(" ?=", row)[0]
        words, made = (re.findall(r"[^\W\d]+", each) for each in (text, patient().names.replace_names(text)))
        assert len(words) == len(made)
        found.append(f"{text} = {' '.join(a for a, b in zip(words, made) if a == b)}".rstrip())
    assert found == KEPT.strip().replace("\n", " | ").split(" | ")


def test_a_surrogate_has_the_gender_of_the_name_and_the_initial_of_the_letter():
    who = patient("Margaret", "Thomas")
    for name, kind in (("Margaret", word_lists.FEMALE), ("Thomas", word_lists.MALE)):
        made = who.names.replace_names(name)
        assert any(made in names for names in word_lists.load_pool(kind).values())
        assert made[0] == who.names.replace_names(name[0])


def test_no_surrogate_is_a_real_name_of_the_patient():
    alone = patient("Robert Smith")
    made = [fold(word) for word in alone.names.replace_names("Robert Smith").split()]
    together = patient("Robert Smith", *made)
    real = {"robert", "smith", *made}
    assert not real & {fold(word) for word in together.names.replace_names("Robert Smith").split()}


def test_names_do_not_depend_on_the_order_of_the_notes():
    names = ["Robert Smith", "Smtih", "Bob", "Ana Ruiz", "Ann Ruis", "Maria", "Marie"]
    forward, backward = patient(*names), patient(*reversed(names))
    assert [forward.names.replace_names(n) for n in names] == [backward.names.replace_names(n) for n in names]


@pytest.mark.parametrize("type", ["PATIENT", "CITY"])
def test_many_names_do_not_depend_on_the_order_of_the_notes(type):
    """There are so many names that two draw the same surrogate; only one of them gets it."""
    names = sorted(word_lists.load_folded("surnames"))[:1500:10]
    notes = [Document(str(n), name, (Span(0, len(name), type),), "7") for n, name in enumerate(names)]
    made = []
    for ordered in (notes, notes[::-1]):
        who = PatientSurrogates(SECRET, "7", collect_facts(ordered))
        made.append({note.text: who.make_surrogate(note, note.spans[0]) for note in ordered})
    assert made[0] == made[1]


def test_short_numbers_do_not_depend_on_the_order_of_the_notes():
    notes = [Document(str(n), str(n), (Span(0, 2, "IDNUM"),), "7") for n in range(10, 60)]
    made = []
    for ordered in (notes, notes[::-1]):
        who = PatientSurrogates(SECRET, "7", collect_facts(ordered))
        made.append({note.text: who.make_surrogate(note, note.spans[0]) for note in ordered})
    assert made[0] == made[1] and len(set(made[0].values())) > 25


def test_patients_and_secrets_differ():
    texts = ["Robert Smith", "Boston", "4471902"]

    def made(who):
        return [
            who.names.replace_names(texts[0]),
            who.places.replace_city(texts[1]),
            replace_identifier(texts[2], who.choices),
        ]

    assert made(patient()) == made(patient())
    assert made(patient()) != made(patient(id="8")) != made(PatientSurrogates(b"another secret!!", "8"))


@example("NC\u00c0", "STATE")  # letters around an abbreviation that do not belong to it
@given(
    st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=30),
    st.sampled_from(sorted(kinds.KINDS)),
)
@settings(max_examples=400, deadline=None)
def test_any_text_of_any_type_is_replaced_by_another_or_not_read(text, type):
    note = Document("n", text, (Span(0, len(text), type),))
    who = PatientSurrogates(SECRET, "7")
    made = who.make_surrogate(note, note.spans[0])
    assert made is None or made != text or kinds.kind_of(type) in (kinds.AGE, kinds.DATE)


@given(st.from_regex(r"[A-Z0-9]{3,12}(-[0-9]{1,4})?", fullmatch=True))
@settings(max_examples=200, deadline=None)
def test_an_identifier_keeps_its_pattern_and_its_checks(text):
    made = replace_identifier(text, KeyedChoices(SECRET, "7"))

    def pattern(text):
        return "".join("9" if c.isdecimal() else "A" if c.isalpha() else c for c in text)

    assert made != text and pattern(made) == pattern(text) and find_checks(text) <= find_checks(made)
    assert replace_identifier(text.replace("-", ""), KeyedChoices(SECRET, "7")) == made.replace("-", "")


CHECKED = ["4111111111111111", "1234567893", "9434765919", "AB1234563", "1M8GDM9AXKP042788"]


@pytest.mark.parametrize("number", CHECKED)
def test_a_surrogate_passes_the_check_of_the_real_number_or_never_any(number):
    for seed in range(50):
        choices = KeyedChoices(SECRET, str(seed))
        assert find_checks(number) == find_checks(replace_identifier(number, choices))
        assert not find_checks(replace_identifier(number, choices, check_digits="never"))


def test_a_number_that_passes_no_check_gets_one_that_passes_none():
    made = [replace_identifier("4111111111111112", KeyedChoices(SECRET, str(seed))) for seed in range(200)]
    assert not any(map(find_checks, made))


def test_an_address_is_coherent():
    text = "Boston, MA 02115"
    spans = (Span(0, 6, "CITY"), Span(8, 10, "STATE"), Span(11, 16, "ZIP"))
    note = Document("n", text, spans)
    for number in range(40):
        city, state, zip = (
            PatientSurrogates(SECRET, str(number)).make_surrogate(note, span) for span in spans
        )
        assert city in places.list_towns(state)
        assert places.find_zip_state(zip) == state and len(zip) == 5
        alone = Document("m", "Boston", (Span(0, 6, "CITY"),))
        assert PatientSurrogates(SECRET, str(number)).make_surrogate(alone, alone.spans[0]) == city


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("12 Oak Street, Apt 4", "Street, Apt"),
        ("5th Ave. N", "Ave. N"),
        ("Flat 2, 81 Oak Street", "Flat"),
        ("P.O. Box 123", "P.O. Box"),
        ("OAK ST", "ST"),
    ],
)
def test_a_street_keeps_its_kind(text, kept):
    made = patient().institutions.replace_street(text)
    assert kept in made and "Oak" not in made and "OAK" not in made and made != text
    assert [c.isdecimal() for c in made if not c.isalpha()] == [
        c.isdecimal() for c in text if not c.isalpha()
    ]


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("Okafor & Sons Funeral Home", "& Sons Funeral Home"),
        ("Quevix Nursery", "Nursery"),
        ("Quevix Blood Bank", "Blood Bank"),
        ("Quevix House Shelter", "House Shelter"),
        ("QUEVIX ORTHO CLINIC", "ORTHO CLINIC"),
    ],
)
def test_the_words_for_the_kind_of_an_organization_stay(text, stays):
    made = patient().institutions.replace_institution(text)
    assert made.endswith(stays) and "quevix" not in made.lower() and "Okafor" not in made


def test_no_house_has_the_number_zero():
    made = {patient(id=str(number)).institutions.replace_street(f"{n} Oak St")[0]
            for n in range(1, 10) for number in range(9)}  # fmt: skip
    assert made == set("123456789")


def test_an_ordinal_has_the_ending_of_its_new_number():
    made = [patient().institutions.replace_street(f"{number}th Street") for number in range(1, 250)]
    numbers = [re.match(r"\d+", street)[0] for street in made]
    endings = [
        "th" if n[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(n[-1], "th") for n in numbers
    ]
    assert made == [f"{number}{ending} Street" for number, ending in zip(numbers, endings)]
    assert {number[-2:] for number in numbers} >= {"11", "12", "13", "21", "22", "23"}
    assert patient().institutions.replace_street("12TH ST").removesuffix(" ST")[-2:].isupper()


def test_a_place_without_a_free_surrogate_gets_an_invented_one():
    who = patient("Boston").institutions
    made = who.choose_free("Quevix Town", lambda number: "Boston", "place quevix")
    assert re.fullmatch(r"[A-Z][a-z]{5} [A-Z][a-z]{3}", made) and made != "Quevix Town"
    assert who.choose_free("Boston", lambda number: ["Boston", "Dover"][number > 5], "place x") == "Dover"


def test_a_hospital_agrees_with_its_acronym():
    who = patient()
    full, short = (
        who.institutions.replace_institution("Massachusetts General Hospital"),
        who.institutions.replace_institution("MGH"),
    )
    kind = full.partition(" ")[2]
    assert kind in institutions.KINDS[0] and kind != "General Hospital"
    assert short == full[0] + "".join(word[0] for word in kind.split())
    assert who.institutions.replace_institution("Ruiz Clinic").partition(" ")[2] in institutions.KINDS[1]
    assert who.institutions.replace_institution("UNIVERSITY OF OHIO").startswith("UNIVERSITY OF ")


def test_user_names_and_addresses_follow_the_person():
    who = patient("Robert Smith")
    first, last = who.names.replace_names("Robert Smith").lower().split()
    assert who.contacts.replace_email("rsmith@clinic.org").startswith(f"{first[0]}{last}@")
    assert who.contacts.replace_email("robert.smith@clinic.org").startswith(f"{first}.{last}@")
    assert who.contacts.replace_email("robertsmith@clinic.org").startswith(f"{first}{last}@")
    assert who.contacts.replace_username("rs12").startswith(f"{first[0]}{last[0]}")
    assert who.contacts.replace_email("rsmith@clinic.org").endswith(".org")
    assert "clinic" not in who.contacts.replace_email("rsmith@clinic.org")


@pytest.mark.parametrize("text", ["10.1.22.123", "::1", "fe80::1ff:fe23:4567:890a"])
def test_an_ip_address_stays_one(text):
    made = patient().contacts.replace_ip(text)
    assert made != text and [c for c in made if c in ".:"] == [c for c in text if c in ".:"]
    assert "." not in text or all(int(octet) < 256 for octet in made.split("."))


@pytest.mark.parametrize(
    "text", ["http://www.smith.com/~rs/a.html", "https://portal.clinic.org?id=12", "smith.co.uk"]
)
def test_a_url_keeps_its_form(text):
    made = patient().contacts.replace_url(text)
    assert "smith" not in made and "clinic" not in made and "12" not in made
    assert made.split("//")[0].split(".")[0][:4] == text.split("//")[0].split(".")[0][:4] or "//" not in text


@pytest.mark.parametrize(
    ("text", "after", "made"),
    [
        ("89", "", "89"), ("90", "", "90+"), ("104 y/o", "", "90+ y/o"), ("92", "-month-old", "92"),
        ("ninety", "", "90+"), ("a hundred and two", "", "90+"), ("late 90s", "", "late 90+"),
        ("forty", "", "forty"), ("Zanzibarova", "", None), ("5 months", "", "5 months"),
        ("67F", "", "67F"), ("90+", "", "90+"),
    ],
)  # fmt: skip
def test_ages(text, after, made):
    assert ages.generalise_age(text, after) == made


def test_hospitals_are_called_as_real_ones():
    """Kinds as often as real hospitals have them, saints for saints, towns for towns."""
    made = [
        redacted(
            [
                marked(
                    "<HOSPITAL St. Mary's Regional Hospital>; <HOSPITAL Worcester Medical Center>",
                    "1",
                    f"{n}",
                )
            ]
        )["1"]
        for n in range(200)
    ]
    pairs = [[note.text_of(span) for span in note.spans] for note in made]
    regional = sum("Regional" in name for pair in pairs for name in pair) / 400
    assert 0 < regional < 0.1
    saints = {re.split(r"['’ ]", first.removeprefix("St. "))[0] for first, _ in pairs}
    assert saints <= {*institutions.SAINTS.values()} and "Mary" not in saints and len(saints) > 5
    towns = {town for town, _ in word_lists.load_pairs("city_states")}
    assert all(second.split()[0] in towns for _, second in pairs)


def test_an_address_agrees_with_itself():
    """Town, state, ZIP code and area code are drawn together."""
    text = "<CITY Boston>, <STATE MA> <ZIP 02115>, <PHONE 617-555-0148>; <ZIP 02115>; <PHONE (800) 555-0148>"
    for seed in range(40):
        made = redacted([marked(text)], f"secret {seed}".encode())["1"]
        town, state, zip, phone, again, free = map(made.text_of, made.spans)
        codes = places.load_town_codes().get((fold(town), state))
        areas = codes.areas if codes else places.list_areas(state)
        assert phone[:3] in areas and zip == again and places.find_zip_state(zip) == state
        assert codes is None or zip in codes.zips
        assert free[1:4] in places.TOLL_FREE and phone[4:7] != "911" and phone[5:7] != "11"


def test_towns_of_large_states_become_listed_towns_by_size():
    """A quarter of the surrogates of towns were invented, and small towns were as frequent as large ones."""
    codes, sizes = places.load_town_codes(), []
    for seed in range(300):
        made = redacted([marked("<CITY Boston>, <STATE MA>")], f"secret {seed}".encode())["1"]
        town, state = map(made.text_of, made.spans)
        assert town in word_lists.group_towns("city_states")[state]
        sizes.append(len(codes.get((fold(town), state), places.NO_CODES).zips))
    assert sum(sizes) / len(sizes) > 3


def test_states_with_few_listed_towns_become_others_with_few():
    many, few = places.group_states()
    assert {"CA", "MA", "TN"} <= {*many} and {"VT", "KY", "DC"} <= {*few}
    assert sorted((*many, *few)) == sorted(places.STATES)
    for seed in range(20):
        states = PatientSurrogates(SECRET, str(seed)).places.states
        assert all((state in many) == (new in many) and state != new for state, new in states.items())
    assert places.find_zip_state("20121") == "VA" and places.find_zip_state("20001") == "DC"


def test_every_area_code_is_assigned_and_no_exchange_is_n11():
    for number in range(300):
        made = redacted([marked(f"<PHONE {300 + number}-{200 + number}-0148>")])["1"].text
        assert made[:3] in {*places.load_area_states(), *places.TOLL_FREE} and made[5:7] != "11"


def test_a_zip_code_is_cut_to_the_three_digits_of_the_safe_harbor():
    assert [places.generalise_zip(z) for z in ("02115", "02115-1234", "03601", "K1A 0B1")] == [
        "021",
        "021",
        "000",
        "000",
    ]
    assert sum(len(places.list_prefixes(state)) for state in places.STATES) == len(
        set(places.list_prefixes(None))
    )


def test_the_repr_of_facts_never_shows_a_name():
    assert "Smith" not in repr(collect_facts([Document("n", "Smith", (Span(0, 5, "PATIENT"),))])) and repr(
        PatientFacts()
    )


@pytest.mark.parametrize(
    ("a", "b", "similar"),
    [
        ("smith", "smth", True), ("smith", "smiith", True), ("smith", "smits", True),
        ("smith", "smtih", True),
        ("smith", "smiht", True), ("smith", "smithx", True), ("smith", "sxith", True), ("abcd", "acbd", True),
        ("smith", "smithxy", False), ("smith", "simht", False), ("smith", "smxyh", False),
        ("smith", "smith", False), ("smith", "tmith", False), ("smith", "msith", False),
        ("ann", "anna", False),
        ("anna", "annab", True), ("abcde", "adcbe", False),
        ("abcdef", "abcfed", False), ("kimb", "timb", False),
        ("smithson", "smith", False),
    ],
)  # fmt: skip
def test_two_names_are_one_edit_apart(a, b, similar):
    assert names.is_one_edit(a, b) is names.is_one_edit(b, a) is similar


@pytest.mark.parametrize(
    ("counts", "roots"),
    [
        ({"okafor": 3, "okafro": 1}, {"okafro": "okafor"}), ({"smith": 1, "smtih": 5}, {"smtih": "smith"}),
        ({"zzokafor": 2, "zzokafro": 1}, {"zzokafro": "zzokafor"}), ({"marie": 1, "maria": 1}, {}),
        ({"zzokafro": 2, "zzokafor": 2}, {"zzokafro": "zzokafor"}), ({"kim": 1, "kin": 1}, {}),
        ({"paul": 9, "paula": 1}, {}), ({"eric": 3, "erica": 1}, {}),
        ({"zzokafro": 3, "zzokafor": 2}, {"zzokafor": "zzokafro"}),
        ({"okafor": 1, "okafr": 1, "okaforr": 1}, {"okafr": "okafor", "okaforr": "okafor"}),
        ({"ellsworth": 1, "ellswort": 3, "elsworth": 2}, {"ellswort": "ellsworth", "elsworth": "ellsworth"}),
    ],
)  # fmt: skip
def test_a_rare_name_one_edit_from_a_better_one_is_its_misspelling(counts, roots):
    assert names.find_misspellings(counts) == roots


@pytest.mark.parametrize(
    ("right", "wrong", "made"),
    [
        ("Weber", "smiith", {"Weeber", "Webber", "Webeer", "Weberr"}),
        ("Weber", "smth", {"Wber", "Weer", "Webr", "Webe"}),
        ("Weber", "smtih", {"Wbeer", "Weebr", "Webre"}),
        ("Anna", "smtih", {"Anan"}), ("Bob", "smtih", {"Bbo"}),
    ],
)  # fmt: skip
def test_a_misspelling_of_a_surrogate_has_the_same_kind_of_edit(right, wrong, made):
    choices = [KeyedChoices(SECRET, str(number)) for number in range(60)]
    assert {names.misspell(right, wrong, "smith", each, 0) for each in choices} == made


def test_a_changed_letter_stays_a_vowel_or_a_consonant():
    made = {names.misspell("Weber", "smits", "smith", KeyedChoices(SECRET, str(n)), 0) for n in range(400)}
    vowels = {f"W{letter}ber" for letter in "aiou"} | {f"Web{letter}r" for letter in "aiou"}
    consonants = {f"We{letter}er" for letter in "cdfghklmnprstvw"} | {
        f"Webe{letter}" for letter in "bcdfghklmnpstvw"
    }
    assert made == vowels | consonants


@pytest.mark.parametrize(
    ("name", "kind"),
    [("dorsey", "male or surname"), ("kyle", "male or surname"), ("margaret", "female"),
     ("brooks", "surname")],
)  # fmt: skip
def test_a_name_is_of_one_kind_if_more_than_5_or_20_times_as_many_have_it_so(name, kind):
    """Exactly five times as many have the surname Dorsey, 20 times as many the first name Kyle."""
    assert word_lists.classify_name(name) == kind


def test_a_misspelling_of_two_names_is_of_the_better_one():
    assert names.find_misspellings({"marvin": 5, "martin": 3, "marxin": 1})["marxin"] == "marvin"
    assert names.find_misspellings({"marvin": 3, "martin": 5, "marxin": 1})["marxin"] == "martin"


def test_a_surrogate_that_is_taken_comes_before_a_real_name():
    who = patient("Ana Okafor").names
    who.taken.add("dover")
    assert who._choose_free("okafor", lambda number: "Dover" if number > 5 else "Ana") == "Dover"
    assert who._choose_free("okafor", lambda number: "Reed" if number == 150 else "Dover") == "Reed"


def test_a_name_to_avoid_is_no_surrogate():
    first = patient("Okafor").names.replace_names("Okafor")
    facts = collect_facts([Document("1", "Okafor", (Span(0, 6, "PATIENT"),))])
    facts.avoid = lambda low: low == fold(first)
    assert PatientSurrogates(SECRET, "7", facts).names.replace_names("Okafor") not in (first, "Okafor")


def test_the_full_name_of_a_nickname_is_taken_too():
    who = patient("Bob Okafor").names
    assert "robert" in who.assigned and {fold(made) for made in who.assigned.values()} <= who.taken


def test_a_nickname_of_a_surrogate_is_no_word_of_the_notes():
    shorts = {short for names in word_lists.load_nicknames().values() for short in names}
    for number in range(20):
        text = "Robert Bob; " + " ".join(sorted(shorts))
        facts = collect_facts([Document("1", text, (Span(0, 10, "PATIENT"),))])
        who = PatientSurrogates(SECRET, str(number), facts).names
        assert who.replace_names("Bob") == who.replace_names("Robert")


def test_the_ending_of_an_ordinal_has_the_capitals_of_its_last_letter():
    for street, is_upper in (("12Th St", False), ("12tH St", True), ("12TH St", True)):
        ending = re.fullmatch(r"\d+(\w\w) St", patient().institutions.replace_street(street))[1]
        assert (ending.isupper(), ending.islower()) == (is_upper, not is_upper)


def test_a_number_of_64_characters_is_found_however_it_is_grouped_and_a_longer_one_as_it_was_written():
    for size in (64, 65):
        number = ("4471902" * 10)[:size]
        search = PatientSearch({"IDNUM": [number]})
        for text in (number, f"{number[:9]}-{number[9:]}"):
            found = search.find_missed(Document("n", text), ())
            assert len(found) == (text == number or size == 64)


def test_no_name_of_a_patient_has_the_surrogate_of_a_doctor_of_all_patients():
    listed = sorted(word_lists.load_folded("surnames"))
    notes = [
        Document(f"{type} {name}", name, (Span(0, len(name), type),), "7")
        for type, chosen in (("PATIENT", listed[::150]), ("DOCTOR", listed[7::150]))
        for name in chosen
    ]
    who = PatientSurrogates(SECRET, "7", collect_facts(notes), Rules(same_doctors=True))
    made = {note.id: fold(who.make_surrogate(note, note.spans[0])) for note in notes}
    patients, doctors = ({made[id] for id in made if id.startswith(type)} for type in ("PATIENT", "DOCTOR"))
    assert not patients & doctors


def test_a_word_of_many_letters_is_no_misspelling():
    """Each of its letters would make a form as long as the word."""
    assert len(names.shorten_name("abc" * 20)) > 1 and not names.shorten_name("abc" * 20 + "a")


def test_names_of_other_initials_are_no_misspellings():
    assert names.find_misspellings({"okafor": 3, "ukafor": 1}) == {}
    assert names.find_misspellings({"zzokafor": 3, "zokafzor": 1}) == {}


@pytest.mark.parametrize(
    ("text", "after", "made"), [("92", " months", "92"), ("92", " years", "90+"), ("92", "", "90+")]
)
def test_the_unit_behind_an_age_counts(text, after, made):
    note = Document("n", f"12 months: {text}{after}", (Span(11, 13, "AGE"),))
    assert PatientSurrogates(SECRET, "7").make_surrogate(note, note.spans[0]) == made


def test_the_towns_of_a_state_become_different_towns_whatever_the_order_of_the_notes():
    """Two of them draw the same town, which only one gets."""
    towns = word_lists.group_towns("city_states")["MA"][::3]
    notes = [Document(str(n), town, (Span(0, len(town), "CITY"),), "7") for n, town in enumerate(towns)]
    made = []
    for ordered in (notes, notes[::-1]):
        who = PatientSurrogates(SECRET, "7", collect_facts(ordered), keeps_states=True)
        made.append({note.text: who.make_surrogate(note, note.spans[0]) for note in ordered})
    assert made[0] == made[1] and len({*made[0].values()}) == len(made[0]) > 9


@pytest.mark.parametrize("secret", range(20))
def test_a_name_of_nearly_only_women_becomes_one(secret):
    """Karen is in the list of men too, and became a man under 34 of 60 secrets."""
    who = PatientSurrogates(b"%016d" % secret, "7", collect_facts([marked("<PATIENT Karen Okafor>")]))
    assert word_lists.classify_name(fold(who.names.replace_names("Karen"))).startswith(("female", "either"))
    assert (word_lists.find_gender("karen"), word_lists.find_gender("juan")) == ("female", "male")


@pytest.mark.parametrize("kind", [word_lists.SURNAME, word_lists.FEMALE, word_lists.MALE])
def test_an_invented_name_begins_as_names_do(kind):
    """Hdann and Lder were invented: the first letter was any letter of a name."""
    choices = KeyedChoices(SECRET, "7")
    begun = {name[:2] for name in map(fold, word_lists.list_pool(kind))}
    made = [name_drawing.invent_name(kind, letter, choices, n) for letter in "BDHKLMT" for n in range(30)]
    assert {fold(name)[:2] for name in made} <= begun


@pytest.mark.parametrize("text", ["Engineer", "Architect", "Nurse", "UNIVERSITY TEACHER", "X-ray technician"])
def test_a_job_takes_the_article_of_the_job_before(text):
    for number in range(10):
        who = PatientSurrogates(b"%016d" % number, "7")
        made = who.institutions.replace_job(text)
        assert made and fold(made) != fold(text)
        assert english.takes_an(made) == english.takes_an(text)


@pytest.mark.parametrize(
    "text",
    [
        "an <HOSPITAL Ashland Clinic>", "a <HOSPITAL Franklin Hospital>", "a <HOSPITAL St. Agnes Hospital>",
        "an <ORGANIZATION Airdale Foods>", "an <HOSPITAL MGH>", "a <HOSPITAL UCLA>", "an <HOSPITAL AGH>",
        "a <HOSPITAL Cancer Institute>", "an <DEPARTMENT 8th Floor>", "a <DEPARTMENT 7th Floor>",
        "an <CITY Atlanta>", "a <CITY Fargo>", "a <CITY UTICA>", "An <CITY Oakland>",
        "an <STREET Elm Street>",
        "a <PROFESSION nurse>", "an <AGE 8>-year-old",
    ],
)  # fmt: skip
def test_a_surrogate_fits_the_article_before_it(text):
    """An Ashland clinic became an Franklin clinic."""
    for secret in range(12):
        note = marked(f"{text} man. He was seen in winter.")
        made = redacted([note], b"%016d" % secret)["1"]
        surrogate = made.text_of(made.spans[0])
        assert english.takes_an(surrogate) == text.lower().startswith("an "), surrogate
        assert surrogate != note.text_of(note.spans[0]) or "AGE" in text


@pytest.mark.parametrize("text", ["an Ashland Clinic", "An MGH", "the Ashland unit", "a Fargo Clinic"])
def test_an_article_in_a_span_stays(text):
    """The model takes it into the span, and "an" became a name in small letters."""
    article = text.split()[0]
    for secret in range(12):
        made = redacted([marked(f"seen at <HOSPITAL {text}> in winter")], b"%016d" % secret)["1"]
        first, rest = made.text_of(made.spans[0]).split(" ", 1)
        assert first == article and rest.split()[0] not in text
        assert article == "the" or english.takes_an(rest) == (article.lower() == "an")


def test_a_place_has_one_surrogate_with_an_article_and_without():
    notes = [
        marked("<CITY Atlanta>: <HOSPITAL Ashland Clinic>", "1"),
        marked("an <CITY Atlanta> man of an <HOSPITAL Ashland> unit", "2"),
        marked("An Ashland unit, an Atlanta man: nothing marks them.", "3"),
    ]
    for secret in range(12):
        made = redacted(notes, b"%016d" % secret)
        first, second, third = (made[id] for id in "123")
        town, clinic = map(first.text_of, first.spans)
        assert [*map(second.text_of, second.spans)] == [town, clinic.split()[0]]
        assert third.text == f"An {clinic.split()[0]} unit, an {town} man: nothing marks them."
        assert english.takes_an(town) and english.takes_an(clinic)


@pytest.mark.parametrize("text", ["a <CITY Atlanta> man", "vitamin A. <CITY Atlanta>", "pa <CITY Atlanta>"])
def test_an_article_that_the_real_one_does_not_fit_changes_nothing(text):
    plain = redacted([marked("in <CITY Atlanta>")], SECRET)["1"]
    made = redacted([marked(text)], SECRET)["1"]
    assert made.text_of(made.spans[0]) == plain.text_of(plain.spans[0])


def test_each_note_by_itself_has_the_surrogates_of_the_others():
    """An article in one note must not give its town another surrogate than in the next."""
    notes = [marked("an <CITY Atlanta> man", "1"), marked("in <CITY Atlanta>", "2")]
    for secret in range(12):
        made = redacted(notes, b"%016d" % secret, by_note=True).values()
        assert len({note.text_of(note.spans[0]) for note in made}) == 1


def test_a_spanish_preposition_is_no_article():
    plain, made = (
        redacted([marked(text)], SECRET, rules=Rules(language="spanish"))["1"]
        for text in ("en <TERRITORIO Barcelona>", "a <TERRITORIO Barcelona>")
    )
    assert made.text_of(made.spans[0]) == plain.text_of(plain.spans[0])


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("an <AGE 8>-year-old", "under 10"), ("an <AGE 18>-year-old", "under 20"), ("an <AGE 83>", "80-89"),
        ("a <AGE 7>-year-old", "0-9"), ("an <AGE 11> month old", "under 120"), ("<AGE 18>", "10-19"),
        ("an <AGE 18 y/o>", "under 20 y/o"), ("an <AGE eighteen-year-old>", "under 20-year-old"),
        ("a <AGE 78>-year-old", "70-79"),
    ],
)  # fmt: skip
def test_the_band_of_an_age_fits_the_article_before_it(text, made):
    note = marked(text)
    span = note.spans[0]
    assert PatientSurrogates(SECRET, "7").generalize(note, span, "", None) == made


def list_hospitals(text, number=40):
    """The surrogates of an institution under many secrets."""
    return [
        PatientSurrogates(b"%016d" % secret, "7").institutions.replace_institution(text)
        for secret in range(number)
    ]


def test_a_clinic_mostly_stays_a_clinic_as_real_ones_are():
    """None did, so that every clinic that was left was real."""
    made = [name.removeprefix(name.split()[0]).strip() for name in list_hospitals("Kestrelby Clinic")]
    assert 25 < made.count("Clinic") < 40 and {*made} <= institutions.KIND_OF["clinic"].keys()


def test_a_word_of_religion_becomes_another():
    names = [name.split()[0] for name in list_hospitals("Mercy Hospital")]
    assert len(set(names)) > 5 and "Mercy" not in names
    assert sum(name in institutions.FAITHS.split() for name in names) > 30


@pytest.mark.parametrize(("text", "band"), [("Smith Hospital", 2), ("Northquill Hospital", 0)])
def test_a_hospital_is_called_after_names_as_frequent(text, band):
    """Most words in names of hospitals are no surnames, and all of their surrogates were frequent ones."""
    names = [fold(name.split()[0]) for name in list_hospitals(text)]
    assert sum(institutions.find_band(name) == band for name in names) > 36
    assert not any(name in word_lists.locate_towns("city_states") for name in names)


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("Beth Israel Deaconess Medical Center", 2),
        ("St. Quevixo Zamengo Oremund Ilkester Hospital", 3),  # St. is one of the words that stay
        ("Quevixo Zamengo Oremund, Ilkester Hospital", 3),
    ],
)
def test_a_hospital_is_not_called_by_three_surnames(text, most):
    made = patient("Ana").institutions.replace_institution(text)
    rest = institutions.PHRASE.sub("", made)
    assert 1 < len(re.findall(r"[A-Z][a-z]+", rest)) <= most


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("her 90s", "her 90s or older"),
        ("early 90's", "90s or older"),
        ("nineties", "90s or older"),
        ("93", "90+"),
        ("80s", "80s"),
    ],
)
def test_a_decade_of_an_old_age_reads_as_a_decade(text, made):
    note = Document("n", f"in {text}", (Span(3, 3 + len(text), "AGE"),))
    assert PatientSurrogates(SECRET, "7").make_surrogate(note, note.spans[0]) == made


@pytest.mark.parametrize(
    "text", ["<DATE Labor Day> weekend", "<DATE Labor Day weekend>", "<DATE Thanksgiving> week"]
)
def test_a_weekend_has_no_day_of_a_month(text):
    """Labor Day weekend became August 25 weekend."""
    note = marked(f"<DATE 3/7/2061> the {text} went well")
    who = PatientSurrogates(SECRET, "7")
    made = who.make_surrogate(note, note.spans[1], date(2061, 3, 7))
    assert re.fullmatch(r"(?:early|mid|late) [A-Z]\w+(?: weekend)?", made)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("Thanksgiving break", "fall break"),
        ("<DATE Thanksgiving> break", "fall break"),
        ("Thanksgiving Break 2061", "Fall Break 2052"),
        ("the Christmas holidays", "the winter holidays"),
        ("christmastime", "wintertime"),
        ("Christmas time", "winter time"),
        ("the Easter season", "the spring season"),
        ("Easter vacation", "spring vacation"),
        ("last Easter weekend", "last mid April weekend"),
        ("the weekend before Easter", "the weekend before April 14"),
        ("last Easter", "last April 14"),
        ("every Xmas Eve", "every December 29"),
        ("over Christmas", "over December 30"),
        ("Thanksgiving dinner", "November 30 dinner"),
        ("Easter Sat", "April 13"),
        ("Boxing Day 2060", "December 31 2051"),
        ("in Lent", "in February"),
        ("Lent week", "February week"),
        ("the Lent season", "the winter season"),
        ("Diwali dinner", "October 29 dinner"),
        ("During Ramadan fasting", "During January fasting"),
        ("Eid al-Fitr 2061", "February 26 2052"),
        ("Yom Kippur fast", "October 9 fast"),
        ("last Passover", "last April 9"),
        ("Chinese New Year celebration", "January 26 celebration"),
        ("St. Stephen's Day 2060", "December 31 2051"),
        ("after Eid-ul-Fitr", "after February 26"),
        ("Tisha B’Av 2060", "August 10 2051"),
        ("Tết", "January 26"),
    ],
)
def test_a_feast_with_a_word_beside_it_moves(text, made):
    """They became markers."""
    note = marked(text if "<" in text else f"<DATE {text}>")
    shifter = DateShifter(Shift(-9, -3283))
    span = note.spans[0]
    after = note.text[span.end :]
    assert shifter.shift_text(note.text_of(span), date(2061, 3, 7), after) + after == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("<DATE Thanksgiving> break", "Fall"), ("He fell. <DATE Thanksgiving break> was long", "Fall break"),
        ("Stable.\n\n<DATE Labor Day weekend>", "Mid August weekend"),
        ("over <DATE Thanksgiving> break", "fall"), ("over\n<DATE Thanksgiving break>", "fall break"),
        ("No. <DATE thanksgiving break>", "fall break"), ("“Why?” <DATE THANKSGIVING break>", "Fall break"),
    ],
)  # fmt: skip
def test_a_season_at_the_start_of_a_sentence_has_a_capital(text, made):
    note, who = marked(text), PatientSurrogates(SECRET, "7")
    who.dates = DateShifter(Shift(-9, -3311))
    assert who.make_surrogate(note, note.spans[0], date(2061, 3, 7)) == made


@pytest.mark.parametrize(
    "text", ["Easter lily", "Christmas Okafor", "break", "last dinner", "the Okafor season"]
)
def test_another_word_beside_a_feast_is_not_kept(text):
    assert DateShifter(Shift(-9, -3283)).shift_text(text, date(2061, 3, 7)) is None


def test_a_surname_does_not_become_a_large_town():
    assert [names.is_town(name) for name in ("hollywood", "osaka", "lancaster")] == [True, True, False]

    class Draws(names.Names):
        def choose(self):
            return self._choose_free("okafor", lambda n: ("Osaka", "Hollywood", "Weber")[min(n, 2)])

    assert Draws(KeyedChoices(SECRET, "7"), PatientFacts()).choose() == "Weber"
