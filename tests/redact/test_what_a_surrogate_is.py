"""What a surrogate is, at the edges where a small change of the code would make it something else."""

import re
from collections import Counter
from datetime import date

import pytest
from marked_notes import marked

from crfdeid.errors import ConfigurationError
from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold, pluralize
from crfdeid.lexicon.word_lists import LEAST
from crfdeid.redact.redactor import STYLES, Redactor
from crfdeid.redact.surrogates import name_drawing
from crfdeid.redact.surrogates.dates.parser import DateField
from crfdeid.redact.surrogates.dates.resolve import QUARTER, YEAR, generalize_text
from crfdeid.redact.surrogates.dates.shift import Shift, shift_decade
from crfdeid.redact.surrogates.generalize import generalize, hash_text
from crfdeid.redact.surrogates.identifiers import replace_characters
from crfdeid.redact.surrogates.institutions import KINDS, PHRASE, replace_kind
from crfdeid.redact.surrogates.keyed_choice import THINGS, Initials, KeyedChoices
from crfdeid.redact.surrogates.patient import PatientSurrogates, may_stay
from crfdeid.redact.surrogates.patient_facts import NoteWords, collect_facts
from crfdeid.redact.surrogates.places import find_state_beside, list_towns

SECRETS = [bytes([number]) * 32 for number in range(6)]


def replace(text, secret, **options):
    return Redactor(secret, **options).redact([marked(text)])[0].document.text


@pytest.mark.parametrize("secret", SECRETS)
def test_a_plural_becomes_the_plural_of_the_surrogate(secret):
    found = replace("<PATIENT Garcia> came; the Garcias wait.", secret)
    one, many = re.fullmatch(r"(\w+) came; the (\w+) wait\.", found).groups()
    assert one != "Garcia" and many == pluralize(one)


def test_a_listed_name_that_looks_like_a_plural_is_a_name():
    """Hays is a surname: its surrogate is not the plural of Hay's."""
    plural = [
        (pluralize(one), many)
        for one, many in (replace("<PATIENT Hay> <DOCTOR Hays>", secret).split() for secret in SECRETS)
    ]
    assert all(a != b for a, b in plural)


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    ("text", "form"), [("1990s", r"\d\d\d0s"), ("90s", r"\d0s"), ("1990's", r"\d\d\d0's")]
)
def test_a_decade_becomes_another_decade(secret, text, form):
    found = replace(f"<DATE 3/7/2061> in the <DATE {text}>", secret).split()[-1]
    assert re.fullmatch(form, found) and found != text


DECADES = [
    (1990, 1, "2000s"),
    (1990, 3, "2000s"), (1990, -3, "1980s"), (1990, 0, "1980s"), (1990, 12, "2000s"), (1990, -12, "1980s"),
    (1990, 14, "2000s"), (1990, -16, "1970s"), (1990, 25, "2020s"), (2000, -25, "1980s"),
]  # fmt: skip


@pytest.mark.parametrize(("decade", "years", "made"), DECADES)
def test_a_decade_moves_with_the_dates_and_at_least_to_the_next(decade, years, made):
    edits = shift_decade(DateField("decade", decade, 0, 4, str(decade)), Shift(years, 7 * 52 * years))
    assert f"{edits[0][2]}s" == made


@pytest.mark.parametrize("style", ["foo", "", "Surrogate", "surrogates"])
def test_a_style_that_does_not_exist_is_refused(style):
    with pytest.raises(ConfigurationError, match="not a style.*; the styles are surrogate"):
        Redactor(SECRETS[0], style=style)
    assert "surrogate" in STYLES


@pytest.mark.parametrize("thing", THINGS)
def test_no_initial_becomes_q_or_x_and_q_and_x_do_not_stay(thing):
    """Hardly a name begins with Q or X: an initial that stays, or becomes one, would stand out."""
    for number in range(20):
        initials = Initials(KeyedChoices(SECRETS[0], f"p{number}"))
        found = {letter: initials.replace_letter(letter, thing) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
        assert not set(found.values()) & {"Q", "X"}
        assert all(found[letter] in "BCDGHLMPRSW" for letter in "QX")
        assert initials.replace_letter("q", thing) == found["Q"].lower()


def test_identifiers_of_five_characters_are_found_again_and_shorter_ones_are_not():
    text = "<MEDICALRECORD 44719> <MEDICALRECORD 8302> then 44719 and 8302 of them"
    for secret in SECRETS:
        rest = replace(text, secret).split(" then ")[1]
        assert "44719" not in rest and " 8302 " in rest


@pytest.mark.parametrize(
    ("text", "note", "quarter"),
    [("March 2067", "2067-06-01", "Q1 2067"), ("September", "2067-03-16", "Q3 2066"),
     ("September", "2067-03-17", "Q3 2067")],
)  # fmt: skip
def test_a_month_without_a_day_is_its_middle(text, note, quarter):
    """From 16 March, 15 September of the year before is 182 days away, and the next one 183."""
    when = date.fromisoformat(note)
    assert generalize_text(text, QUARTER, when) == quarter
    assert generalize_text(text, YEAR, when) == quarter.split()[1]


@pytest.mark.parametrize(
    ("text", "lost"),
    [("<PATIENT Okaf>or came. Okafor left.", "kafor"), ("Ok<PATIENT afor> came. Okafor left.", "kafor"),
     ("MRN <MEDICALRECORD 4471>902 and 4471902", "902"), ("<PATIENT OKAF>OR and OKAFOR", "KAFOR")],
)  # fmt: skip
def test_a_span_that_cuts_a_word_is_widened_and_the_word_is_found_again(text, lost):
    for secret in SECRETS:
        assert lost not in replace(text, secret)


@pytest.mark.parametrize("text", ["<PATIENT Okafor>Marital", "MARY<MEDICALRECORD 3041023>", "<AGE 54>yo"])
def test_a_span_beside_another_kind_of_character_is_not_widened(text):
    rest = re.sub(r"<\w+ \w+>", "", text)
    for secret in SECRETS:
        assert rest in replace(text, secret)


def test_a_span_is_not_widened_into_another():
    found = Redactor(SECRETS[0]).redact([marked("<MEDICALRECORD 4471902><IDNUM 303107>")])[0]
    assert [made.end - made.start for made in found.replacements] == [7, 6]


POSITIONS = [
    ("<PATIENT Ana Ruiz>", "ana", "ruiz"), ("<PATIENT Ruiz, Ana>", "ana", "ruiz"),
    ("<PATIENT Ana Maria Ruiz's>", "ana", "ruiz"), ("<PATIENT van der Berg, Ana Maria>", "ana", "berg"),
    ("Mr. <PATIENT Ruiz>", "", "ruiz"), ("PROF <PATIENT Ruiz>", "", "ruiz"),
    ("Doctor <PATIENT Ruiz>", "", "ruiz"), ("A professor <PATIENT Ruiz>", "", "ruiz"),
    ("by Miss <PATIENT Ruiz>", "", "ruiz"), ("Dr. of <PATIENT Ruiz>", "", ""), ("<PATIENT Ruiz>", "", ""),
    ("Cedr. <PATIENT Ruiz>", "", ""), ("Dr.  <PATIENT Ruiz>", "", ""), ("<PATIENT Ruiz,>", "", ""),
    ("<PATIENT , Ana>", "ana", ""), ("Mrs. <PATIENT --> <CITY Ana Ruiz>", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "first", "last"), POSITIONS)
def test_the_place_of_a_word_in_a_name_says_what_it_is(text, first, last):
    facts = collect_facts([marked(text)])
    assert (facts.first_names, facts.surnames) == ({*first.split()}, {*last.split()})


def test_a_name_that_is_used_as_first_and_last_name_is_of_the_kind_of_the_lists():
    def classify(*texts, complete=True):
        return collect_facts(map(marked, texts), complete).classify_name("jordan")

    listed = word_lists.classify_name("jordan")
    assert listed.endswith(word_lists.OR_SURNAME)
    assert classify("<PATIENT Ana Jordan>") == word_lists.SURNAME
    assert classify("<PATIENT Jordan Ruiz>") == listed.removesuffix(word_lists.OR_SURNAME)
    assert classify("<PATIENT Ana Jordan>", "<PATIENT Jordan Ruiz>") == listed == classify("none")
    assert classify("<PATIENT Ana Jordan>", complete=False) == listed
    assert collect_facts([marked("<PATIENT Smith, Okafor>")]).classify_name("okafor") == word_lists.EITHER


def test_the_words_of_notes_are_all_words_of_three_letters():
    words = NoteWords()
    words.add("Ana OKAFOR-Lee, 12x")
    for _ in range(60):  # the first words that are asked for are looked for one by one
        assert "okafor" in words and "lee" in words and "ana" in words
        assert not {"okafo", "kafor", "12x", "rose"} & {word for word in ("okafo", "kafor", "12x", "rose")
                                                       if word in words}  # fmt: skip
    words.add("Núñez")
    assert "nunez" in words and words.list_all() == {"ana", "okafor", "lee", "nunez"}


ADDRESSES = [
    ("<CITY Boston><STATE Ohio>", "OH"), ("<CITY Boston>,  <STATE Ohio>", "OH"),
    ("<CITY Boston>,   <STATE Ohio>", None), ("<CITY Boston> <ZIP 45501>", "OH"),
    ("<STATE Ohio> <CITY Boston>", None), ("<CITY Boston> <STATE Quebec> <ZIP 45501>", None),
    ("<CITY Boston> <AGE 19> <STATE Ohio>", None), ("<CITY Boston>", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "state"), ADDRESSES)
def test_the_state_beside_a_town_is_at_most_three_characters_behind_it(text, state):
    note = marked(text)
    assert find_state_beside(note, next(span for span in note.spans if span.type == "CITY")) == state


@pytest.mark.parametrize(
    ("text", "stays"),
    [("<CITY Rye><COUNTRY USA>", True), ("<CITY Rye>,  <COUNTRY USA>", True),
     ("<ZIP 10580> <COUNTRY USA>", True), ("<CITY Rye>,   <COUNTRY USA>", False),
     ("<COUNTRY USA>, <CITY Rye>", False), ("<COUNTRY USA>", False),
     ("<CITY Rye>, <COUNTRY Canada>", False), ("<STREET 9 Elm>, <COUNTRY USA>", False),
     ("<DATE Monday>", True), ("<DATE summer>", True), ("<DATE 7>", False), ("<DATE 3/7>", False)],
)  # fmt: skip
def test_the_usa_of_an_american_address_and_weekdays_stay(text, stays):
    note = marked(text)
    assert may_stay(note, next(span for span in note.spans if span.type in ("COUNTRY", "DATE"))) is stays


def test_a_state_becomes_another_unless_states_are_kept():
    made = {PatientSurrogates(SECRETS[0], f"p{n}").places.replace_state("MA") for n in range(8)}
    assert len(made) > 3 and "MA" not in made
    assert PatientSurrogates(SECRETS[0], "p", keeps_states=True).places.replace_state("MA") == "MA"


def test_a_town_with_a_state_that_does_not_exist_is_in_its_listed_state():
    for secret in SECRETS:
        who = PatientSurrogates(secret, "7", collect_facts([marked("<CITY Boston>, <STATE Quebec>")]))
        assert who.places.replace_city("Boston") in list_towns(who.places.states["MA"])


@pytest.mark.parametrize(
    ("text", "made"),
    [("<ZIP 02115>", "021"), ("<ZIP 02115-1234>", "021"), ("<ZIP 021151234>", "021"),
     ("<ZIP 0211512>", "000"), ("<ZIP K1A 0B1>", "000"), ("<ZIP MA>", None), ("<AGE 67>-year-old", "60-69"),
     ("<AGE 18> months", "0-119"), ("18 months <AGE 67>", "60-69"),
     ("<STATE Mass.>", "Mass."), ("<STATE Guam>", "Guam"), ("<COUNTRY Peru>", "Peru"),
     ("<STATE Okafor>", None), ("<COUNTRY Okafor>", None), ("<DATE 3/7/2067>", "2067"), ("<DATE soon>", None),
     ("<CITY Boston>", "Massachusetts"), ("<HOSPITAL Boston>, <STATE OH>", "Ohio"), ("<CITY Quevix>", None),
     ("<PATIENT Boston>", None)],
)  # fmt: skip
def test_what_is_generalized_without_a_unit(text, made):
    note = marked(text)
    dates = PatientSurrogates(SECRETS[0], "7").dates
    assert generalize(note, note.spans[0], "", dates, date(2067, 5, 1)) == made


def test_a_hash_has_sixteen_hexadecimal_digits():
    made = hash_text("447-19", "IDNUM", KeyedChoices(SECRETS[0], "7"))
    assert re.fullmatch(r"\[IDNUM:[0-9a-f]{16}\]", made)


def test_an_invented_name_has_the_letters_that_initials_become():
    initials = Initials(KeyedChoices(SECRETS[0], "7"))
    one = {letter: initials.replace_letter(letter) for letter in "Aokafrsx"}
    assert initials.invent_name("okafor") == one["o"].upper() + "".join(one[letter] for letter in "kafor")
    assert initials.invent_name("o") == one["o"].upper() + one["x"]
    assert initials.replace_letter("ß") == one["s"] and initials.replace_letter("á") == one["a"]


def test_words_for_a_kind_of_institution_are_replaced_as_a_whole():
    for phrase in (each for phrases in KINDS for each in phrases):
        for text in (phrase, phrase.upper(), phrase.replace(" ", "  ")):
            assert [match[0] for match in PHRASE.finditer(f"the {text}.")] == [text]
            made = replace_kind(text, KeyedChoices(SECRETS[0], "7"), changes=True)
            assert made.split() != text.split() and made.isupper() == text.isupper()
    for text in ("xClinic", "Clinics", "xManor", "Manors", "Nursing homely"):
        assert not PHRASE.search(text)


def test_letters_of_an_institution_get_no_name_and_an_abbreviated_ward_is_a_specialty():
    who = PatientSurrogates(SECRETS[0], "7", collect_facts([marked("<HOSPITAL Q. V. Quevix Clinic>")]))
    assert [key for key in who.assigned if key.startswith("place ")] == ["place quevix"]
    specialties = {each.upper() for each in word_lists.load_sorted("specialty")}
    for ward in ("Cardiac Rehab", "Surgical Ctr", "Cardiology"):
        assert who.institutions.replace_department(ward.upper()) in specialties


@pytest.mark.parametrize("initial", "AIUYZ")
@pytest.mark.parametrize("kind", ["female", "male", "surname", "either", "male or surname"])
def test_names_are_drawn_from_their_band_or_the_next_or_all(kind, initial):
    shares = name_drawing.load_shares(kind)
    everyone = word_lists.load_pool(kind)[initial]
    by_band = [[name for name in everyone if name_drawing.band_of(shares.get(fold(name)) or LEAST) == band]
               for band in range(4)]  # fmt: skip
    for band in range(3):
        wanted = by_band[band] or by_band[band + 1] or everyone
        assert {*name_drawing.find_pool(kind, band, initial).names} == {*wanted}
    assert {*name_drawing.find_pool(kind, -1, initial).names} == {*everyone}


def test_the_letters_that_follow_others_are_counted_in_all_names():
    names = [fold(name) for name in word_lists.list_pool(word_lists.FEMALE)]
    for run in ("s", "an", "ann", "ari", "qa"):
        follows = Counter(
            f"{name}$"[at + len(run)] for name in names for at in range(len(name)) if name.startswith(run, at)
        )
        counts = name_drawing.count_followers(word_lists.FEMALE)[len(run) - 1]
        row = counts[name_drawing.encode_letters(run)].tolist()
        assert dict(zip(name_drawing.LETTERS, row)) == {each: follows[each] for each in name_drawing.LETTERS}


def test_an_invented_name_has_four_to_ten_letters():
    made = [
        name_drawing.invent_name(kind, initial, KeyedChoices(SECRETS[0], str(number)))
        for kind in ("female", "surname") for initial in "BKA" for number in range(40)
    ]  # fmt: skip
    assert {min(map(len, made)), max(map(len, made))} == {4, 10}


@pytest.mark.parametrize(
    ("name", "kind"), [("brokna", "female"), ("zaqia", "female"), ("kimarius", "male"), ("okafq", "surname")]
)
def test_an_unlisted_name_is_classified_by_its_ending(name, kind):
    assert word_lists.classify_by_ending(name) == kind


@pytest.mark.parametrize(
    ("text", "states"),
    [("<CITY Boston><STATE Ma>", {"boston": {"MA": 1}}),
     ("<CITY Boston>,  <STATE MA>", {"boston": {"MA": 1}}),
     ("<CITY Boston>,   <STATE MA>", {}), ("<STATE MA> <CITY Boston>", {}),
     ("<CITY Rye>, <STATE NY>; <CITY RYE>, <STATE NH>; <CITY Rye> <STATE NY>", {"rye": {"NY": 2, "NH": 1}})],
)  # fmt: skip
def test_the_states_written_behind_towns_are_counted(text, states):
    assert collect_facts([marked(text)]).states == states


def test_a_number_whose_surrogates_are_all_refused_gets_the_first_of_them():
    tried = []
    made = replace_characters(
        "44719", KeyedChoices(SECRETS[0], "7"), "x", is_refused=lambda one: not tried.append(one), tries=9
    )
    assert made == tried[0] != "44719" and 2 < len(tried) <= 9


def test_dates_that_prove_an_order_are_counted():
    facts = collect_facts([marked("<DATE 25/12/2066> <DATE 12/25/66> <DATE 13/1/66> <DATE 1/2/66>")])
    assert facts.orders == {"day first": 2, "month first": 1} and not facts.month_first
