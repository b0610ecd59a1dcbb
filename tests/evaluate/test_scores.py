"""Scores: cases whose numbers follow from the rules by reasoning, then properties."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_counts import check_proportion

from crfdeid.errors import SchemeError
from crfdeid.evaluate import official, scores
from crfdeid.evaluate.matching import (
    ALL_CRITERIA,
    Criterion,
    PairError,
    ScoredDocument,
    ScoredTag,
    is_in_hipaa,
    pair_documents,
    split_tag,
)
from crfdeid.evaluate.scores import Counts, order_as_script, order_keys
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

SCHEME = scheme.read_scheme()
TEXT = "Ana Ruiz-Gil saw Dr. Tom Nowak on 3/14/61 at 12 Elm St, Ames."
#       0123456789012345678901234567890123456789012345678901234567890


def spans(*triples):
    return tuple(Span(*triple) for triple in triples)


def document(*triples, id="a", text=TEXT):
    return Document(id, text, spans(*triples))


PATIENT, DOCTOR, DATE = (0, 12, "PATIENT"), (21, 30, "DOCTOR"), (34, 41, "DATE")

# gold, system, then tp, fp, fn under strict, relaxed and token
CASES = [
    ((PATIENT,), (PATIENT,), (1, 0, 0), (1, 0, 0), (3, 0, 0)),
    ((PATIENT,), (), (0, 0, 1), (0, 0, 1), (0, 0, 3)),
    ((), (PATIENT,), (0, 1, 0), (0, 1, 0), (0, 3, 0)),
    # relaxed forgives an end that is one or two off, not three; the cut word is not a token
    ((DOCTOR,), ((21, 29, "DOCTOR"),), (0, 1, 1), (1, 0, 0), (1, 1, 1)),
    ((DOCTOR,), ((21, 28, "DOCTOR"),), (0, 1, 1), (1, 0, 0), (1, 1, 1)),
    ((DOCTOR,), ((21, 27, "DOCTOR"),), (0, 1, 1), (0, 1, 1), (1, 1, 1)),
    # the start must be exact
    ((DOCTOR,), ((20, 30, "DOCTOR"),), (0, 1, 1), (0, 1, 1), (2, 0, 0)),
    # another type
    ((DOCTOR,), ((21, 30, "PATIENT"),), (0, 1, 1), (0, 1, 1), (0, 2, 2)),
    # two spans of one word each for one of two
    ((DOCTOR,), ((21, 24, "DOCTOR"), (25, 30, "DOCTOR")), (0, 2, 1), (0, 2, 1), (2, 0, 0)),
    # identical spans count once, near-duplicates of one side once under relaxed
    ((DOCTOR,), (DOCTOR, DOCTOR), (1, 0, 0), (1, 0, 0), (2, 0, 0)),
    ((DOCTOR,), (DOCTOR, (21, 31, "DOCTOR")), (1, 1, 0), (1, 0, 0), (2, 0, 0)),
    # ends 38 and 41 stay apart; 40 and 39 are near both: one system key, two gold keys matched
    (((34, 38, "DATE"), (34, 41, "DATE")), ((34, 39, "DATE"),), (0, 1, 2), (1, 0, 0), (2, 0, 1)),
    # the same with a system span that gold does not have: on a tie the system's matches count
    (((34, 38, "DATE"), (34, 41, "DATE")), ((34, 39, "DATE"), DOCTOR), (0, 2, 2), (1, 1, 0), (2, 2, 1)),
    # a span without a word is an empty token at its end
    (((61, 62, "CITY"),), ((61, 62, "CITY"),), (1, 0, 0), (1, 0, 0), (1, 0, 0)),
    (((60, 61, "CITY"),), ((60, 61, "CITY"),), (1, 0, 0), (1, 0, 0), (1, 0, 0)),
]


@pytest.mark.parametrize(("gold", "system", "strict", "relaxed", "token"), CASES)
def test_the_three_criteria(gold, system, strict, relaxed, token):
    text = TEXT + "!"
    found = scores.score([document(*gold, text=text)], [document(*system, text=text)], SCHEME)
    counts = [found.micro(Criterion(criterion)) for criterion in ("strict", "relaxed", "token")]
    assert counts == [Counts(*strict), Counts(*relaxed), Counts(*token)]


def test_hipaa_keeps_its_types_on_both_sides():
    gold = document(PATIENT, DOCTOR, (45, 54, "STREET"), (56, 60, "IDNUM"))
    system = document(PATIENT, (21, 30, "PATIENT"), (56, 60, "IDNUM"))
    script, published = (scores.score([gold], [system], SCHEME, rule) for rule in ("script", "list"))
    assert script.micro(Criterion("strict", hipaa=True)) == Counts(1, 1, 1)
    assert published.micro(Criterion("strict", hipaa=True)) == Counts(2, 1, 1)


def test_the_scheme_is_that_of_i2b2_2014_unless_another_is_said():
    found = scores.score([document(DOCTOR)], [document(DOCTOR)])
    assert found.scheme == SCHEME and found.micro(Criterion("strict"), "NAME", "DOCTOR") == Counts(1, 0, 0)
    small = scheme.Scheme("small", {"A": ("B",)})
    one = scores.score([document((0, 3, "B"))], [document((0, 3, "B"))], small)
    assert one.scheme == small and one.micro(Criterion("strict"), "A") == Counts(1, 0, 0)


def test_binary_ignores_types():
    found = scores.score([document(DOCTOR, DATE)], [document((21, 30, "PATIENT"), DATE)], SCHEME)
    assert found.micro(Criterion("strict", binary=True)) == Counts(2, 0, 0)
    assert found.micro(Criterion("strict")) == Counts(1, 1, 1)
    assert found.micro(Criterion("token", hipaa=True, binary=True)) == Counts(3, 2, 0)


def test_categories_and_types_partition_the_whole():
    found = scores.score([document(PATIENT, DOCTOR, DATE)], [document(PATIENT, DATE)], SCHEME)
    assert found.micro(Criterion("strict"), "NAME") == Counts(1, 0, 1)
    assert found.micro(Criterion("strict"), "NAME", "DOCTOR") == Counts(0, 0, 1)
    assert found.micro(Criterion("strict"), "ID") == Counts()


def test_macro_averages_documents_and_then_takes_f1():
    gold = [document(PATIENT, DOCTOR, id="a"), document(PATIENT, id="b"), document(id="c")]
    system = [document(PATIENT, id="a"), document(DATE, id="b"), document(id="c")]
    macro = scores.score(gold, system, SCHEME).macro(Criterion("strict"))
    assert macro.precision == pytest.approx(1 / 3)  # 1, 0, 0/0
    assert macro.recall == pytest.approx(1 / 6)  # 1/2, 0, 0/0
    assert macro.f1 == pytest.approx(2 / 9)
    assert macro.precision_sd == pytest.approx(math.sqrt(2) / 3)


def test_the_last_digit_of_a_mean_halfway_between_two_is_that_of_the_script():
    """Eight notes with a mean recall of exactly 7/32 = 0.21875. In the order of their names the sum is
    0.2188 as printed; the script's order (from Python 2.7.18) and numpy's sum give 0.2187."""
    shares = [(0, 1), (0, 1), (0, 1), (2, 3), (1, 3), (0, 1), (3, 4), (0, 1)]
    marks = [(n, n + 1, "DATE") for n in range(4)]
    ids = [f"{number}-01" for number in range(100, 108)]
    gold = [document(*marks[:size], id=id) for id, (_, size) in zip(ids, shares)]
    system = [document(*marks[:right], id=id) for id, (right, _) in zip(ids, shares)]
    assert f"{scores.score(gold, system, SCHEME).macro(Criterion('strict')).recall:.4}" == "0.2187"


@pytest.mark.parametrize(
    ("ids", "order"),  # of set(ids) & set(ids) in Python 2.7.18
    [
        (range(100, 105), range(100, 105)),
        (range(100, 108), [105, 107, 101, 104, 100, 106, 102, 103]),
        (range(100, 112), [110, 109, 105, 107, 108, 101, 104, 111, 100, 106, 102, 103]),
    ],
)
def test_notes_have_the_order_of_the_script(ids, order):
    names = [f"{number}-01" for number in ids]
    assert [names[place] for place in order_as_script(names)] == [f"{number}-01" for number in order]


def test_two_notes_with_one_slot_change_places_each_time():
    assert order_as_script(["206-01", "383-05"]) == [1, 0]  # as in Python 2.7.18


def test_a_large_set_has_the_order_of_python_2():
    """From 50,000 keys on a full table has twice as many slots as keys, and no longer four times."""
    keys = order_keys(b"%06d" % number for number in range(87_400))
    assert [keys[place] for place in (0, 1, 43_700, -1)] == [b"081860", b"081867", b"020756", b"036517"]


@given(st.lists(st.text(max_size=9), unique=True, max_size=60))
def test_the_order_of_the_script_has_every_note_once(ids):
    assert sorted(order_as_script(ids)) == list(range(len(ids)))


def test_case_matters_only_for_tokens_and_hipaa():
    gold = ScoredDocument(document(), (ScoredTag("ID", "DEVICE", 34, 41), ScoredTag("DATE", "DATE", 34, 41)))
    system = ScoredDocument(
        document(), (ScoredTag("ID", "device", 34, 41), ScoredTag("DATE", "date", 34, 41))
    )
    found = scores.score_pairs([(gold, system)], SCHEME)
    assert found.micro(Criterion("strict")) == Counts(2, 0, 0)
    assert found.micro(Criterion("token")) == Counts(0, 6, 6)
    assert found.micro(Criterion("strict", hipaa=True)) == Counts(1, 0, 1)


def test_a_ratio_without_a_denominator_is_0():
    found = scores.score([document()], [document()], SCHEME)
    assert (found.micro(Criterion("strict")).f1, Counts().precision, Counts().recall) == (0, 0, 0)
    assert math.isnan(found.macro(Criterion("strict")).f1)


def test_the_table_shows_only_types_that_occur():
    found = scores.score([document(PATIENT)], [document(PATIENT, DOCTOR)], SCHEME)
    lines = scores.format_scores(found, types=True).splitlines()[2:]
    assert [line.split()[0] for line in lines] == ["all", "HIPAA", "NAME", "PATIENT", "DOCTOR"]
    assert "      1      2      1   0.5000 1.0000 0.6667" in lines[0]


def test_pieces_of_a_tag_stop_at_its_ends():
    assert [(p.start, p.end) for p in split_tag(ScoredTag("NAME", "PATIENT", 1, 7), TEXT)] == [(1, 3), (4, 7)]


# gold, system and counts of MEDDOCAN's sub-tracks 1, 2 strict and 2 merged
MEDDOCAN = [
    ((PATIENT,), (PATIENT,), (1, 0, 0), (1, 0, 0), (1, 0, 0)),
    ((PATIENT,), ((0, 12, "DOCTOR"),), (0, 1, 1), (1, 0, 0), (1, 0, 0)),
    # two neighbours for one: merged, they match, and all strict errors lie inside
    ((PATIENT,), ((0, 3, "PATIENT"), (4, 12, "PATIENT")), (0, 2, 1), (0, 2, 1), (1, 0, 0)),
    # a strict match inside a merged match counts beside it
    (((0, 3, "CITY"), (4, 12, "CITY")), ((0, 3, "CITY"), (4, 8, "CITY"), (9, 12, "CITY")),
     (1, 2, 1), (1, 2, 1), (2, 0, 0)),
    # a word between keeps them apart
    ((PATIENT, DOCTOR), ((0, 30, "PATIENT"),), (0, 1, 2), (0, 1, 2), (0, 1, 2)),
]  # fmt: skip


INSIDE = [((0, 3), 1), ((0, 12), 0), ((4, 12), 0), ((4, 13), 1), ((3, 8), 1), ((5, 7), 0), ((20, 22), 1)]


@pytest.mark.parametrize(("span", "outside"), INSIDE)
def test_a_wrong_span_inside_a_matched_one_is_forgiven(span, outside):
    matched = [(0, 12)] if span == (0, 12) else [(4, 12), (30, 40)]
    assert official.count_outside([span], matched) == outside


NESTED = [((1, 2), 0), ((7, 9), 0), ((7, 11), 1), ((10, 12), 0), ((12, 13), 1)]


@pytest.mark.parametrize(("span", "outside"), NESTED)
def test_a_matched_span_may_end_after_those_that_begin_later(span, outside):
    assert official.count_outside([span], [(2, 4), (0, 10), (10, 12)]) == outside


def test_wrong_spans_are_looked_for_in_matched_ones_in_proportion_to_them():
    def count(size: int) -> None:
        matched = [(9 * at, 9 * at + 4) for at in range(size)]
        assert (
            official.count_outside([(9 * at, 9 * at + 2 + at % 4) for at in range(size)], matched)
            == size // 4
        )

    check_proportion(count)


def test_the_table_of_meddocan():
    scores = dict.fromkeys(("ner", "strict", "merged"), Counts(3, 2, 1))
    row = "      4      5   0.6000 0.7500 0.6667"
    assert official.format_scores(scores).splitlines() == [
        "                       gold system   P      R      F1",
        f"sub-track 1         {row}",
        f"sub-track 2 strict  {row}",
        f"sub-track 2 merged  {row}",
    ]


@pytest.mark.parametrize(
    ("element", "type", "types", "counts"),
    [
        ("NAME", "PATIENT", {"PATIENT"}, True),
        ("NAME", "patient", {"PATIENT"}, False),
        ("DATE", "date", {"DATE"}, True),  # whatever its type
        ("AGE", "x", {"AGE"}, True),
        ("AGE", "x", {"DATE"}, False),
        ("PHONE", "x", {"PHONE"}, False),
    ],
)
def test_what_the_script_counts_in_the_hipaa_subset(element, type, types, counts):
    assert is_in_hipaa(ScoredTag(element, type, 0, 1), frozenset(types)) is counts


@pytest.mark.parametrize(("gold", "system", "ner", "strict", "merged"), MEDDOCAN)
def test_meddocan(gold, system, ner, strict, merged):
    found = official.score_documents([document(*gold)], [document(*system)])
    assert found == {"ner": Counts(*ner), "strict": Counts(*strict), "merged": Counts(*merged)}
    assert "sub-track 2 merged" in official.format_scores(found)


CANARY = "Zebulon"
REFUSED = [
    (["a"], ["b"], "", "no common documents: 1 in gold, 1 in system"),
    (["a", "a"], ["a"], "", "document 2: two gold documents have this id"),
    (["a"], ["a", "a"], "", "document 2: two system documents have this id"),
    (["a", "b"], ["a"], "", "document number 2 is in gold but not in system"),
    (["a", "b-1"], ["a"], "", "document b-1 is in gold but not in system"),
    (["a", *"bcd"], ["a"], "", "documents number 2, number 3, number 4 are in gold but not in system"),
    (["a", "b-1", "b-2"], ["a"], "", "documents b-1, b-2 are in gold but not in system"),
    (["a", *"bcde"], ["a"], "", "documents number 2, number 3, number 4 and 1 more are in gold"),
    (["a"], ["a", "b"], "", "document number 2 is in system but not in gold"),
    (["a", "note-1"], ["a", "note-2"], "", "note-2 is in system but not in gold; did you mean note-1?"),
    (["a"], ["a"], "!", "length 1: gold and system texts differ at offset 7 (lengths 7 and 8)"),
]


@pytest.mark.parametrize(("gold", "system", "more", "message"), REFUSED)
def test_sides_that_cannot_be_compared_are_refused(gold, system, more, message):
    with pytest.raises(PairError) as caught:
        pair_documents([Document(id, CANARY) for id in gold], [Document(id, CANARY + more) for id in system])
    assert message in str(caught.value)
    assert CANARY not in str(caught.value)


def test_where_texts_differ_is_said():
    documents = [Document("7", text) for text in ("Ana Ruiz", "Ana Roez")]
    with pytest.raises(PairError, match=r"^7: gold and system texts differ at offset 5 \(lengths 8 and 8\)"):
        pair_documents(*([each] for each in documents))


def test_missing_documents_can_be_ignored():
    assert len(pair_documents([Document("a", "x"), Document("b", "x")], [Document("a", "x")], "ignore")) == 1


def test_a_type_outside_the_scheme_is_refused():
    with pytest.raises(SchemeError, match=r"document 1: the type at 0-12 .* did you mean PATIENT\?"):
        scores.score([document((0, 12, "PACIENT"))], [document()], SCHEME)


@st.composite
def annotations(draw):
    start = draw(st.integers(0, 60))
    end = draw(st.integers(start + 1, min(start + 12, 61)))
    return start, end, draw(st.sampled_from(("PATIENT", "DOCTOR", "IDNUM", "CITY")))


sides = st.lists(annotations(), max_size=8)


@given(sides)
def test_a_side_scores_1_against_itself(side):
    found = scores.score([document(*side)], [document(*side)], SCHEME)
    assert all(
        found.micro(criterion).f1 == 1 for criterion in ALL_CRITERIA if found.statistics[criterion].sum()
    )
    merged = official.score_documents([document(*side)], [document(*side)])["merged"]
    assert (merged.fp, merged.fn) == (0, 0)


@given(sides, sides)
def test_precision_and_recall_change_places_with_the_sides(one, other):
    there = scores.score([document(*one)], [document(*other)], SCHEME)
    back = scores.score([document(*other)], [document(*one)], SCHEME)
    for criterion in ALL_CRITERIA:
        a, b = there.micro(criterion), back.micro(criterion)
        assert (a.fp, a.fn) == (b.fn, b.fp)
        if criterion.name != "relaxed":
            assert a.tp == b.tp


@given(sides, sides)
def test_the_categories_sum_to_the_whole(gold, system):
    found = scores.score([document(*gold)], [document(*system)], SCHEME)
    for criterion in (Criterion("strict"), Criterion("token"), Criterion("strict", hipaa=True)):
        parts = [found.micro(criterion, category) for category in SCHEME.categories]
        assert sum(parts, Counts()) == found.micro(criterion)
