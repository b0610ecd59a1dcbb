"""Measures by the thesis's rules (Douglass 2005, section 3.4), agreement, words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.evaluate.scores import Counts
from crfdeid.review.measures import counting, figures
from crfdeid.review.measures.counting import (
    CountingRules,
    MarkedNote,
    Outcome,
    combine_outcomes,
    measure_note,
)
from crfdeid.review.study import agreement, marks
from crfdeid.review.study.consensus import Consensus
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

TEXT = "dr. everard van tijlen of New York City; on 24/06 and 24/06 schedule, ward Vent. Charity Dawson"


def span(part, type="DOCTOR", text=TEXT, after=0):
    start = text.index(part, after)
    return Span(start, start + len(part), type)


def measure_notes(notes: list[MarkedNote], rules: CountingRules | None = None) -> Outcome:
    chosen = rules or CountingRules()
    return combine_outcomes(((note.number, measure_note(note, chosen)) for note in notes), chosen)


GOLD = [span("everard van tijlen"), span("New York City", "CITY"), span("Charity Dawson", "PATIENT")]

# What was marked; the rule that is switched off, if any; true positives, false positives, false negatives.
CASES = [
    ("nothing", [], None, (0, 0, 3)),
    ("all", GOLD, None, (3, 0, 0)),
    ("in part is found", [span("everard")], None, (1, 0, 2)),
    ("in part, part off", [span("everard")], "part", (0, 0, 3)),
    ("word by word is once", [span("everard"), span("van"), span("tijlen")], None, (1, 0, 2)),
    ("word by word covers, part off", [span("everard"), span("van"), span("tijlen")], "part", (1, 0, 2)),
    ("outer punctuation is nothing", [span("City; ", "CITY")], None, (1, 0, 2)),
    ("extra words", [span("dr. everard van tijlen of")], None, (1, 0, 2)),
    ("extra words, extra off", [span("dr. everard van tijlen of")], "extra", (1, 1, 2)),
    ("same mistake twice", [span("24/06", "DATE"), span("24/06", "DATE", after=50)], None, (0, 1, 3)),
    (
        "same, systematic off",
        [span("24/06", "DATE"), span("24/06", "DATE", after=50)],
        "systematic",
        (0, 2, 3),
    ),
    ("every word, once off", GOLD, "once", (8, 0, 0)),
    ("words found, once off", [span("everard")], "once", (1, 0, 7)),
    ("another type", [Span(GOLD[0].start, GOLD[0].end, "PATIENT")], None, (1, 0, 2)),
    ("two mistakes side by side are two", [span("ward", "DATE"), span("Vent", "DATE")], None, (0, 2, 3)),
]


@pytest.mark.parametrize(("marked", "off", "wanted"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_the_rules_of_the_thesis(marked, off, wanted):
    rules = CountingRules(**{off: False}) if off else CountingRules()
    assert measure_notes([MarkedNote(1, TEXT, GOLD, marked)], rules).counts == Counts(*wanted)


def test_types_count_where_asked_for():
    marked = [Span(GOLD[0].start, GOLD[0].end, "PATIENT")]
    assert measure_notes([MarkedNote(1, TEXT, GOLD, marked)], CountingRules(types=True)).counts == Counts(
        0, 1, 3
    )


def test_a_mark_of_an_ambiguous_term_is_not_a_mistake():
    vent = span("Vent", "HOSPITAL")
    notes = [MarkedNote(1, TEXT, GOLD, [vent], [(vent.start, vent.end)])]
    assert measure_notes(notes).counts == Counts(0, 0, 3)
    assert measure_notes(notes, CountingRules(excused=False)).counts == Counts(0, 1, 3)
    assert [mistake.counted for mistake in measure_notes(notes).mistakes if mistake.kind == "spurious"] == [
        False
    ]


def test_the_example_of_figure_2_5():
    """Edwin against the consensus: right are 764, 895 and 1381 ("wil, updated" holds wil); 646 is a
    mistake, and so are 681 and jane fairfax, two words that the adjudicator counted once."""
    text = "WILL (WILL) 24/06/12/18 bennet; wil, updated jane fairfax"
    gold = [
        span("WILL", text=text),
        span("WILL", text=text, after=2),
        span("bennet", text=text),
        span("wil,", text=text),
    ]
    gold += [span("jane fairfax", text=text)]
    edwin = [span("WILL", text=text), span("(WILL)", text=text), span("24/06/12/18", text=text)]
    found = measure_notes([MarkedNote(1, text, gold, [*edwin, span("wil, updated", text=text)])])
    assert found.counts == Counts(tp=3, fp=1, fn=2)
    assert found.sensitivity == 0.6 and found.ppv == 0.75


@pytest.mark.parametrize("between", [" ", "\n", ", "])
def test_two_spans_side_by_side_are_two_instances(between):
    """Whoever finds one of two neighbours missed one, whether or not they have the same type."""
    text = f"3/4{between}5/6"
    gold = [Span(0, 3, "DATE"), Span(len(text) - 3, len(text), "DATE")]
    assert measure_notes([MarkedNote(1, text, gold, gold[:1])]).counts == Counts(1, 0, 1)


def test_an_excused_mark_does_not_excuse_the_next_of_its_text():
    text = "Vent, later Vent, and Vent again"
    marked = [span("Vent", "HOSPITAL", text, after) for after in (0, 6, 20)]
    note = MarkedNote(1, text, [], marked, [(0, 4)])
    assert [mistake.counted for mistake in measure_notes([note]).mistakes] == [False, True, False]
    assert measure_notes([note], CountingRules(systematic=False)).counts == Counts(0, 2, 0)


stretch = st.tuples(st.integers(0, 80), st.integers(1, 10)).map(lambda p: Span(p[0], p[0] + p[1], "DATE"))
some = st.lists(stretch, max_size=6).map(
    lambda spans: [s for n, s in enumerate(spans) if not any(s.overlaps(o) for o in spans[:n])]
)


@given(some, some, some, st.builds(CountingRules, *[st.booleans()] * 4))
def test_a_union_never_finds_less(gold, first, second, rules):
    alone = measure_notes([MarkedNote(1, TEXT, gold, first)], rules)
    both = measure_notes([MarkedNote(1, TEXT, gold, sorted({*first, *second}))], rules)
    assert both.counts.tp >= alone.counts.tp
    assert both.counts.tp + both.counts.fn == alone.counts.tp + alone.counts.fn


@given(some, st.builds(CountingRules, *[st.booleans()] * 4))
def test_what_is_marked_exactly_is_right(gold, rules):
    counts = measure_notes([MarkedNote(1, TEXT, gold, gold)], rules).counts
    assert counts.fn == counts.fp == 0


@given(st.dictionaries(st.sampled_from("abc"), some, min_size=1))
def test_every_mark_is_in_one_item(votes):
    items = agreement.build_items(votes)
    for name, spans in votes.items():
        assert sorted(span for item in items for span in item.votes[name]) == sorted(spans)
    assert all(a.end <= b.start for a, b in zip(items, items[1:]))
    assert all(
        item.agreement == "all" for item in agreement.build_items({name: votes[min(votes)] for name in votes})
    )


def test_agreement_between_two_readers():
    ann, bob = [Span(0, 4, "DATE"), Span(6, 9, "AGE")], [Span(0, 4, "DATE"), Span(6, 9, "DATE")]
    assert agreement.count_equal_spans(ann, bob).f1 == agreement.count_equal_spans(bob, ann).f1 == 0.5
    found = agreement.label_tokens("On 3/4\nby Ruiz", {"ann": [Span(3, 6, "DATE")], "bob": []})
    assert found == {"ann": ["O", "DATE", "DATE", "DATE", "O", "O"], "bob": ["O"] * 6}


def test_unions_are_all_teams():
    teams = counting.list_teams(["cy", "ann", "bob"])
    assert teams == [
        ("ann",),
        ("bob",),
        ("cy",),
        ("ann", "bob"),
        ("ann", "cy"),
        ("bob", "cy"),
        ("ann", "bob", "cy"),
    ]


@given(st.text("ab .,;:/(\n'é1"), st.integers(0, 30))
def test_a_word_is_one_of_the_words(text, offset):
    found = marks.find_word(text, min(offset, len(text)))
    if found:
        assert found in marks.find_words(text)
        assert text[found[0]].isalnum() and text[found[1] - 1].isalnum()


def test_only_teams_that_read_a_whole_set_are_in_the_summary():
    """As in the thesis, whose teams read a quarter each: one shared note weighs nothing."""
    gold, right, wrong = Consensus(), (Span(0, 3, "DATE"),), ()
    votes = [
        ("a", {"ann": right, "bob": right}),
        ("a", {"ann": right, "bob": right, "cy": wrong}),
        ("b", {"cy": right}),
    ]
    notes = [
        figures.DecidedNote(Document(str(n), "3/4"), n, name, 1, gold, found, scheme.read_scheme("i2b2-2014"))
        for n, (name, found) in enumerate(votes)
    ]
    rows = figures.measure_teams(notes, ["ann", "bob", "cy"], CountingRules())
    assert [(row["voters"], row["set"], row["notes"], row["whole"]) for row in rows["1"]] == [
        (["ann"], "a", 2, True), (["bob"], "a", 2, True), (["cy"], "a", 1, False), (["cy"], "b", 1, True),
    ]  # fmt: skip
    assert [row["voters"] for row in rows["2"] if row["whole"]] == [["ann", "bob"]]
    assert figures.summarize_teams(rows["3"]) == {"sensitivity": None, "ppv": None}


def test_shares_and_their_summary_where_there_is_nothing_to_divide():
    assert counting.compute_share(3, 1) == 0.75 and counting.compute_share(0, 0) is None
    assert [counting.compute_share(*pair) for pair in ((0, 2), (2, 0), (2, 2))] == [0, 1, 0.5]
    found = measure_notes([])
    assert (found.sensitivity, found.ppv, found.counts, found.mistakes) == (None, None, Counts(), ())
    assert counting.summarize_values([None, 0.5, 1.0, 0.0]) == {"min": 0.0, "max": 1.0, "mean": 0.5}
    assert counting.summarize_values([None]) is None
    assert counting.list_teams("ab", (2,)) == [("a", "b")]
    assert CountingRules().names == ["once", "part", "extra", "systematic", "excused", "types"]


def test_every_mistake_has_its_place():
    text = "Vent and  vent; Ana of Rome"
    marked = [Span(0, 4, "AGE"), Span(10, 14, "AGE"), Span(23, 27, "CITY")]
    notes = [MarkedNote(number, text, [Span(16, 19, "PATIENT")], marked, [(23, 25)]) for number in (4, 5)]
    assert measure_notes(notes).mistakes == (
        (4, 16, 19, "missed", True),
        (4, 0, 4, "spurious", True),
        (4, 10, 14, "spurious", False),
        (4, 23, 27, "spurious", False),
        (5, 16, 19, "missed", True),
        (5, 0, 4, "spurious", False),
        (5, 10, 14, "spurious", False),
        (5, 23, 27, "spurious", False),
    )
    off = CountingRules(systematic=False, excused=False)
    assert all(mistake.counted for mistake in measure_notes(notes, off).mistakes)


@pytest.mark.parametrize(
    ("range", "excused"), [((4, 6), True), ((0, 5), True), ((0, 4), False), ((8, 9), False), ((7, 9), True)]
)
def test_a_mark_is_excused_where_it_touches_what_is_ambiguous(range, excused):
    note = MarkedNote(1, "and Vent", [], [], [range])
    assert counting.is_excused(Span(4, 8, "AGE"), note) is excused


def test_marks_are_joined_by_type_where_types_count():
    spans = [Span(0, 4, "A"), Span(2, 6, "B"), Span(3, 8, "A"), Span(6, 9, "B")]
    joined = [Span(0, 8, "A"), Span(2, 6, "B"), Span(6, 9, "B")]
    assert counting.join_marks("abcdefghi", spans, types=True) == joined
    assert counting.join_marks("abcdefghi", spans) == [Span(0, 9, "A")]
    assert counting.join_marks("...", [Span(0, 3, "A")]) == [Span(0, 3, "A")]


def test_a_mark_of_another_type_finds_nothing_where_types_count():
    gold, other = [Span(0, 8, "A")], [Span(0, 8, "B")]
    note = MarkedNote(1, "New York", gold, other)
    for rules in (
        CountingRules(types=True),
        CountingRules(types=True, part=False),
        CountingRules(types=True, extra=False),
    ):
        assert measure_notes([note], rules).counts == Counts(0, 1, 1)
    assert measure_notes([note], CountingRules(part=False, extra=False)).counts == Counts(1, 0, 0)


def test_without_part_the_marks_together_cover_all_but_the_blanks():
    gold = [Span(0, 8, "A")]
    halves = MarkedNote(1, "New York", gold, [Span(0, 3, "A"), Span(4, 8, "A")])
    less = MarkedNote(1, "New York", gold, [Span(0, 3, "A"), Span(4, 7, "A")])
    assert measure_notes([halves], CountingRules(part=False)).counts == Counts(1, 0, 0)
    assert measure_notes([less], CountingRules(part=False)).counts == Counts(0, 0, 1)
    nothing = MarkedNote(1, "...", [Span(0, 3, "A")], [])
    assert measure_notes([nothing], CountingRules(part=False)).counts == Counts(0, 0, 1)


def test_the_figures_of_the_thesis_are_those_of_its_table_4_1():
    assert counting.PUBLISHED == {
        "1": {"sensitivity": (0.63, 0.94, 0.81), "ppv": (0.95, 1.0, 0.98)},
        "2": {"sensitivity": (0.89, 0.98, 0.94), "ppv": (0.95, 0.99, 0.97)},
        "3": {"sensitivity": (0.98, 0.99, 0.98), "ppv": (0.95, 0.99, 0.97)},
    }
    assert CountingRules() == CountingRules(
        once=True, part=True, extra=True, systematic=True, excused=True, types=False
    )
