"""Every rule by its examples; repeats over notes; overlaps; observations; caseless notes."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rules_edges import EDGES
from rules_examples import EXAMPLES

from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction import rule_matches
from crfdeid.lexicon import letters, ordinary, word_lists
from crfdeid.rules import RULES
from crfdeid.rules.note import CAPITAL, DIGIT, LETTER, IndexedNote, find_caseless, read_words
from crfdeid.rules.note import SMALL as SMALL_LETTER
from crfdeid.rules.rule import Finding, find_all
from crfdeid.rules.tagger import KnownNames, RuleSet, load_shipped, resolve_overlaps
from crfdeid.systems.rule_based import make_heuristic
from crfdeid.text.document import Document, Span, find_overlap
from crfdeid.text.scheme import read_scheme as scheme
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import fine


def unmarked(line: str) -> tuple[str, set[tuple[int, int]]]:
    """The note of an example, and the offsets between its brackets."""
    found, text = set(), ""
    for piece in re.split(r"(\[[^]]*\])", line):
        if piece.startswith("["):
            found.add((len(text), len(text) + len(piece) - 2))
            piece = piece[1:-1]
        text += piece
    return text, found


def outermost(found: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
    """Without those that lie in another, which the resolution of overlaps takes in."""
    edges = set(found)
    return {(a, b) for a, b in edges if not any(c <= a and b <= d and (a, b) != (c, d) for c, d in edges)}


@pytest.mark.parametrize("name", [*EXAMPLES])
def test_a_rule_finds_what_its_examples_mark(name):
    for line in filter(None, map(str.strip, f"{EXAMPLES[name]}\n{EDGES.get(name, '')}".splitlines())):
        text, wanted = unmarked(line.replace("¶", "\n") + "\n")
        found = outermost(RULES[name].find(IndexedNote(text), ordinary.load_shipped()))
        assert found == wanted, [text[a:b] for a, b in found]


def test_every_rule_has_two_examples_of_each_kind():
    for name in RULES:
        lines = EXAMPLES[name].split("\n")[1:-1]
        assert sum("[" in line for line in lines) >= 2, name
        assert sum("[" not in line for line in lines) >= 2, name
    assert EXAMPLES.keys() == RULES.keys() >= EDGES.keys()


def test_every_rule_says_what_it_is_and_where_it_is_from():
    for rule in RULES.values():
        assert rule.about.endswith((".", '"')), rule.name
        assert re.search(r"(Douglass|Tafvizi|Sibanda|ours)", rule.source), rule.name
        assert rule.type in scheme().types


NOTE = (
    "Record date: 2067-05-03\n\nMr. Owen Marchetti is a 67-year-old retired bus driver, seen with his wife "
    "Leila by Dr. Priya Raman at Lakeview General Hospital. MRN 4471902.\nBP 132/84; cholecystectomy, 2061.\n"
    "Questions: (617) 555-0148 or p.raman@lakeview.example.org\n"
)


def test_a_note_is_tagged_and_explained():
    document = Document("1", NOTE, (Span(0, 6, "CITY"),))
    tagged = load_shipped().tag(document)
    explained = load_shipped().explain(document)
    assert [span for span, _ in explained] == list(tagged.spans)
    assert {(document.text_of(span), span.type, rule) for span, rule in explained} == {
        ("2067-05-03", "DATE", "date_ymd"),
        ("Owen Marchetti", "PATIENT", "patient_title"),
        ("67", "AGE", "age_after"),
        ("retired bus driver", "PROFESSION", "profession"),
        ("Leila", "PATIENT", "relative"),
        ("Priya Raman", "DOCTOR", "doctor_title"),
        ("Lakeview General Hospital", "HOSPITAL", "hospital_head"),
        ("4471902", "MEDICALRECORD", "medical_record_number"),
        ("2061", "DATE", "year_beside_event"),
        ("(617) 555-0148", "PHONE", "phone_with_area"),
        ("p.raman@lakeview.example.org", "EMAIL", "email"),
    }


def test_years_are_held_against_the_date_at_the_top():
    text = "Record date: {}\nAppendectomy in 1950."
    dates = ("2010-05-03", "2110-05-03")
    found = [load_shipped().tag(Document("1", text.format(date))).spans[1:] for date in dates]
    assert [len(spans) for spans in found] == [1, 0]


def test_names_found_in_one_note_are_found_in_the_patients_others():
    first = Document("1", "Seen by Dr. Quevix, lives in Zimmstraboro.", patient="7")
    second = Document("2", "Quevix agrees. Back to Zimmstraboro; quest.", patient="7")
    assert load_shipped().tag(second).spans == ()
    _, tagged = load_shipped().tag_patient([first, second])
    found = [(second.text_of(span), span.type) for span in tagged.spans]
    assert found == [("Quevix", "DOCTOR"), ("Zimmstraboro", "CITY")]


def test_rules_that_cannot_know_whose_name_it_is_guess_its_type():
    guesses = """
        clear_first_name clear_surname first_and_surname initials_surname misspelt_name name_in_page_head
        name_over_address other_title popular_name popular_surname repeated_name surname_comma_first
        surname_prefix
    """
    assert {name for name, rule in RULES.items() if rule.guess} == set(guesses.split())


def test_a_guessed_type_follows_a_known_one():
    document = Document("1", "Dr. Ramirez called. Later Ramirez came.")
    assert [span.type for span in load_shipped().tag(document).spans] == ["DOCTOR", "DOCTOR"]


GUESSED = {
    "clear_first_name": "Latoya came.",
    "clear_surname": "Haddad came.",
    "first_and_surname": "Patricia Quevix came.",
    "initials_surname": "J. Ramirez came.",
    "misspelt_name": "Patrcia came.",
    "name_in_page_head": "Mercy Clinic  QUEVIXO  09/28/2016",
    "name_over_address": "Ana Quevix\n12 Elm Street",
    "other_title": "Captain Nowak came.",
    "popular_name": "Jennifer came.",
    "popular_surname": "Ramirez came.",
    "surname_comma_first": "Quevix, Patricia came.",
    "surname_prefix": "O'Malley came.",
}


@pytest.mark.parametrize("name", GUESSED)
def test_what_a_rule_guesses_gets_the_type_that_a_title_gives_in_another_note(name):
    rules = RuleSet(ordinary.load_shipped(), ["doctor_title", name])
    note = Document("1", GUESSED[name], patient="7")
    (alone,) = rules.tag(note).spans
    assert alone.type == "PATIENT"
    called = f"Dr. {note.text_of(alone).split()[-1]} called."
    (found,) = rules.tag_patient([note, Document("2", called, patient="7")])[0].spans
    assert (found.start, found.end, found.type) == (alone.start, alone.end, "DOCTOR")


def test_a_patient_and_a_doctor_can_have_one_surname():
    document = Document("1", "Mr. Haddad was seen by Dr. Haddad; Ms. Haddad came, too.")
    assert [span.type for span in load_shipped().tag(document).spans] == ["PATIENT", "DOCTOR", "PATIENT"]


def test_only_what_the_chosen_rules_find_is_found_again():
    rules = RuleSet(ordinary.load_shipped(), ["patient_title", "repeated_name"])
    document = Document("1", "Mr. Quevix and Dr. Zimmstra came. Quevix left; Zimmstra left.")
    assert [document.text_of(span) for span in rules.tag(document).spans] == ["Quevix", "Quevix"]


@pytest.mark.parametrize("order", [1, -1])
def test_a_known_type_holds_in_all_notes_of_a_patient_and_a_guess_does_not_undo_it(order):
    texts = ["Everard van Tijlen.", "Dr. Tijlen.", "Tijlen left."][::order]
    notes = [Document(str(number), text, patient="7") for number, text in enumerate(texts)]
    tagged = load_shipped().tag_patient(notes)
    assert [[span.type for span in note.spans] for note in tagged] == [["DOCTOR"]] * 3


def test_what_a_list_or_a_rule_of_numbers_finds_is_not_learned():
    note = IndexedNote("Dr. Quevix, Zimmstra Hospital, Ana van Tijlen: Haddad, Boston, 3 May 2061, JRM/abc")
    known, shipped = KnownNames(), ordinary.load_shipped()
    known.learn(note, shipped, find_all(note, shipped, RULES.values()))
    assert known.names == {"quevix": "DOCTOR", "ana": "PATIENT", "tijlen": "PATIENT"}
    assert known.places == {"zimmstra": {("zimmstra", "hospital"): "HOSPITAL"}}


def test_a_note_without_capitals_is_read_all_the_same():
    document = Document("1", "seen by dr. quevix with his wife leila. " + "no pain today. " * 20)
    found = {document.text_of(span) for span in load_shipped().tag(document).spans}
    assert {"quevix", "leila"} <= found


SMALL = "seen by dr. quevix with his wife leila. " + "no pain today, he eats and walks well. " * 4
CAPITALS = "PLAN:\nCONTINUE ASPIRIN AND RETURN IN TWO WEEKS. CALL WITH ANY CONCERN, OR COME TO THE CLINIC.\n"


@pytest.mark.parametrize("parts", [(SMALL, CAPITALS), (CAPITALS, SMALL), (SMALL, "Discussed With The Team.")])
def test_a_paragraph_in_capitals_does_not_blind_the_rules_elsewhere(parts):
    document = Document("1", "\n \n".join(parts))
    found = {document.text_of(span) for span in load_shipped().tag(document).spans}
    assert found == {"quevix", "leila"}


# Four notes as in Douglass 2005, appendix B: in small letters, as sentences, in capitals, with her surrogate
# names and words of our own. GH is her fictitious hospital, which no list has.
NURSING_NOTES = """ccu admission, 12 am: 57yo f, known to dr healey at gh, brought by amb from kernan hosp.
felt weak at home, fell against the sink; no loc. lac to scalp closed with sutures, tet tox given per rn. per
report hct 25, k 5.1, bp down to 70's, started on dopa at 8mcg. neuro a&ox3, mae. resp crackles at bases,
sat 98% on 5l. gi obese, (+)bs. access 2 #22 iv's, #18 ac. social-pt is married and lives in catonsville,
husband did not come to gh.

Sinus rhythm, no ectopy. Lungs clear on 6L. NPO except sips. Heparin by protocol for PTT.

0730: PT AXOX3, VSS, AFEB. NTG AND HEPARIN CONTINUE. TO CATH LAB AT 0730, EXPLAINED BY RN. PT STABLE.

PT LIVES IN CATONSVILLE. SON VISITING FROM CHICAGO. DR. HEALEY IS AWARE."""


def test_nursing_notes_in_small_and_capital_letters_are_read_as_one_text():
    document = load_shipped().tag(Document("1", NURSING_NOTES))
    found = [(document.text_of(span), span.type) for span in document.spans]
    assert found == [
        ("57", "AGE"),
        ("healey", "DOCTOR"),
        ("kernan hosp", "HOSPITAL"),
        ("catonsville", "CITY"),
        ("CATONSVILLE", "CITY"),
        ("CHICAGO", "CITY"),
        ("HEALEY", "DOCTOR"),
    ]


def test_words_have_the_kind_of_their_first_character():
    kinds = [CAPITAL, SMALL_LETTER, LETTER, DIGIT, CAPITAL, DIGIT]
    assert read_words("Ü é 李 ٣ Ana 3").kinds == bytes(kinds)


@pytest.mark.parametrize(("text", "count"), [("a " * 29, 0), ("a " * 30, 1), ("3 " * 30, 0)])
def test_few_words_do_not_show_that_capitals_are_missing(text, count):
    assert len(find_caseless(text, read_words(text))) == count


@pytest.mark.parametrize("capitals, small, wanted", [(1, 99, True), (2, 98, False)])
def test_one_capital_in_a_hundred_words_is_a_slip(capitals, small, wanted):
    text = "A " * capitals + "a " * small
    assert bool(find_caseless(text, read_words(text))) == wanted


@pytest.mark.parametrize("capitals, small, wanted", [(99, 1, 2), (98, 2, 0)])
def test_a_paragraph_in_capitals_has_one_small_word_in_a_hundred_at_most(capitals, small, wanted):
    paragraphs = ["a " * 20, "a " * 20, "A " * capitals + "a " * small]
    text = "\n\n".join(paragraphs)  # the short ones are judged with the long one, if that has small words
    assert len(find_caseless(text, read_words(text))) == wanted


def test_a_word_has_its_combining_marks():
    text = "Rene\u0301e Jose\u0301 Ve\u0323\u0301lez e\u0301e\u0301ab 3"
    assert read_words(text).lowered == text.lower().split()


def test_small_words_of_a_note_with_capitals_are_no_names():
    cased = "Mr. Ruiz was seen. " * 20
    document = Document("1", f"{cased}\n\nthe will of the patient, mark the leila in may, {'6.5 ' * 40}")
    assert {document.text_of(span) for span in load_shipped().tag(document).spans} == {"Ruiz"}


def test_rules_can_be_left_out():
    document = Document("1", "on 3/14/2061")
    some = RuleSet(ordinary.load_shipped(), [name for name in RULES if name != "date_mdy"])
    assert load_shipped().tag(document).spans and not some.tag(document).spans
    with pytest.raises(ConfigurationError, match="date_mdi: no such rule; did you mean date_ymd"):
        RuleSet(ordinary.load_shipped(), ["date_mdi"])


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("hospital_head", "at Bridge Hospital", "Bridge Hospital"),
        ("hospital_head", "at Summer Hospital", "Summer Hospital"),
        ("doctor_title", "Dr. Will", "Will"),
    ],
)
def test_with_strict_lists_an_ordinary_word_is_never_phi(name, text, wanted):
    shipped = ordinary.load_shipped()
    found = [
        {text[a:b] for a, b in RULES[name].find(IndexedNote(text), each)}
        for each in (shipped, shipped.make_strict())
    ]
    assert found == [{wanted}, set()]


def test_strict_lists_have_no_ordinary_names():
    strict = ordinary.load_shipped().make_strict()
    assert {"leila", "hope"} & ordinary.load_shipped().first_names == {"leila", "hope"}
    assert {"leila", "hope"} & strict.first_names == {"leila"}


def test_strict_lists_stop_few_surnames():
    """Douglass 2005, table 5.1: of the 100 most popular last names, 93 are not common English words."""
    shares = word_lists.load_shares(word_lists.SURNAME)
    popular = sorted(shares, key=lambda name: -shares[name])[:100]
    shipped = ordinary.load_shipped()
    stopped = list(filter(shipped.make_strict().is_ordinary, popular))
    assert len(stopped) <= 7 and {"young", "long", "price"} < set(stopped)
    assert sum(map(shipped.is_ordinary, popular)) == 60  # where the context may decide


@pytest.mark.parametrize("text", ["Seen by M. Patel.", "Seen by J. Smith.", "Mr. Morgan is well."])
def test_heuristic_finds_a_common_surname(text):
    (found,) = make_heuristic().tag(Document("1", text)).spans
    assert text[found.start : found.end].split()[-1] in ("Patel", "Smith", "Morgan")


def test_what_is_clearly_a_name_has_three_letters_and_is_in_the_lists():
    shipped = ordinary.load_shipped()
    assert [shipped.is_clear(name) for name in ("anh", "yu", "pain", "boston")] == [True, False, False, False]
    assert [shipped.is_clear_first_name(name) for name in ("anh", "quevix")] == [True, False]


def test_a_misspelling_has_five_letters():
    shipped = ordinary.load_shipped()
    assert [shipped.is_misspelling(word) for word in ("ailce", "alce", "alice")] == [True, False, False]


def finding(start: int, end: int, rule: str) -> Finding:
    return Finding(Span(start, end, RULES[rule].type), RULES[rule])


def test_overlaps_lose_no_character():
    text = "Ana Ruiz 3/4/2061 xx"
    rank = {name: number for number, name in enumerate(RULES)}
    found = resolve_overlaps(
        text,
        [
            finding(0, 3, "popular_name"), finding(0, 8, "doctor_title"), finding(4, 8, "clear_surname"),
            finding(9, 17, "date_mdy"), finding(13, 20, "long_number"),
        ],
        rank,
    )  # fmt: skip
    assert [(f.span, f.rule.name) for f in found] == [
        (Span(0, 8, "DOCTOR"), "doctor_title"),
        (Span(9, 17, "DATE"), "date_mdy"),
        (Span(18, 20, "IDNUM"), "long_number"),
    ]


def test_a_type_that_is_known_wins_over_a_guess_for_the_same_name():
    rank = {name: number for number, name in enumerate(RULES)}
    known = Finding(Span(4, 8, "DOCTOR"), RULES["clear_surname"])  # a guess that a title settled
    for first in ("other_title", "first_and_surname"):
        (found,) = resolve_overlaps("Ana Ruiz", [finding(0, 8, first), known], rank)
        assert (found.span, found.rule.name) == (Span(0, 8, "DOCTOR"), "clear_surname")


def test_what_is_left_of_a_shorter_finding_has_a_letter_or_a_digit():
    rank = {name: number for number, name in enumerate(RULES)}
    for text, left in (("3/4/2061.", []), ("3/4/2061(", []), ("3/4/2061x", [Span(8, 9, "IDNUM")])):
        found = resolve_overlaps(text, [finding(0, 8, "date_mdy"), finding(5, 9, "long_number")], rank)
        assert [f.span for f in found] == [Span(0, 8, "DATE"), *left]


DRAWN = ["doctor_title", "clear_surname", "date_mdy", "state"]


@given(
    st.lists(
        st.tuples(st.integers(0, 28), st.integers(1, 12), st.sampled_from(DRAWN)),
        max_size=8,
    )
)  # fmt: skip
def test_resolved_spans_do_not_overlap_and_cover_the_same_letters(drawn):
    text = "ab cd, efg hij kl-mn op. qrs tuv wxyz 12 34"
    found = [finding(start, start + size, rule) for start, size, rule in drawn]
    spans = [f.span for f in resolve_overlaps(text, found, {name: n for n, name in enumerate(RULES)})]
    assert find_overlap(spans) is None

    def letters(spans):
        return {i for span in spans for i in range(span.start, span.end) if text[i].isalnum()}

    assert letters(spans) >= letters(f.span for f in found)


PIECES = [
    "Dr.", "Mr", "Ana", "RUIZ,", "wife", "(", ")", "at", "Hospital", "of", "St.", "MA", "3/4",
    "/2061", "in", "1999", "MRN:", "12345678", "\n", "  ", "'", "O'", "-", "x12345", "age", "97",
    "years old", "é", "\u0301", "😀", "MD", "R.", "lives in", "İ", "ß", "Drs.", "and", "March", "1st",
    "\r\n", "\t", "\0",
]  # fmt: skip


@example("²AAA")  # a digit that is no number
@example("12²4 in May ²")
@given(st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join) | st.text(max_size=60))
def test_any_text_gives_spans_inside_it(text):
    spans = load_shipped().tag(Document("1", text)).spans
    assert find_overlap(spans) is None
    assert all(text[s.start : s.end].strip() == text[s.start : s.end] for s in spans)


def test_observations_mark_the_tokens_of_what_a_rule_finds():
    text = "Seen by Dr. Ruiz-Nowak on 3/4/2061."
    page = TokenizedDocument(text, fine(text))
    assert set(rule_matches.CONTEXTUAL) == {f"rule_{name}" for name in RULES}
    marked = {
        name: [t.text for t, value in zip(page.tokens, rule_matches.CONTEXTUAL[name](page)) if value == "1"]
        for name in ("rule_doctor_title", "rule_date_mdy", "rule_email")
    }
    assert marked == {
        "rule_doctor_title": ["Ruiz", "-", "Nowak"],
        "rule_date_mdy": ["3", "/", "4", "/", "2061"],
        "rule_email": [],
    }


@given(st.text("abcde", min_size=5, max_size=9), st.text("abcde", min_size=5, max_size=9))
def test_close_words_are_those_within_the_slips(word, name):
    wanted = word[0] == name[0] and letters.count_edits(word, name) <= letters.count_allowed_typos(len(name))
    assert (letters.find_close_name(word, frozenset([name])) == name) == wanted


@pytest.mark.parametrize(
    ("word", "name", "typos", "close"),
    [
        ("robertt", "robert", 1, True),
        ("robrt", "robert", 1, True),
        ("ribert", "robert", 1, True),
        ("kobert", "robert", 1, False),  # another first letter
        ("orbert", "robert", 1, False),
        ("rboert", "robert", 1, True),
        ("robetr", "robert", 1, True),
        ("rbeort", "robert", 2, False),  # the same remains without one letter
        ("wliilam", "william", 2, False),  # two typos in seven letters
        ("patrciai", "patricia", 2, True),  # two in eight
        ("patrca", "patricia", 2, True),
        ("patca", "patricia", 3, False),
        ("chrsitpoehr", "christopher", 3, False),
        ("chrisstoppher", "christopher", 2, True),  # the longest word that is looked up
        ("mari", "maria", 1, True),
        ("johnn", "john", 1, False),  # none in four
        ("jonh", "john", 1, False),
        ("ba", "ab", 1, False),
        ("bca", "abc", 2, False),
        ("aaa", "a", 2, False),
        ("", "ab", 2, False),
        ("ab", "", 2, False),
    ],
)
def test_a_misspelling_has_one_typo_or_two_in_a_long_name(word, name, typos, close):
    assert letters.count_edits(word, name) == typos
    assert letters.find_close_name(word, frozenset([name])) == (name if close else None)


def test_the_documentation_has_a_line_for_each_rule():
    docs = Path(__file__).parents[2] / "docs" / "rules.md"
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", docs.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows == {rule.name: f"{rule.type} | {rule.source} | {rule.about}" for rule in RULES.values()}


def test_no_name_is_in_the_repr():
    assert "quevix" not in repr(KnownNames({"quevix": "DOCTOR"}, {"quevix": {("quevix", "town"): "CITY"}}))
