"""The algebra of spans: tables of examples, and each operation against its definition."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from line_counts import check_proportion

from crfdeid.text import document as algebra
from crfdeid.text.document import Document, Span

TYPES = ("CITY", "DATE", "NAME")
#        0123456789012345678901234
TEXT = "  Ana Ruiz , \t 3/4/61.\n  "


@st.composite
def some_spans(draw, most=8):
    """Spans within 25 characters, none empty, in any order."""
    ends = st.tuples(st.integers(0, 24), st.integers(1, 12), st.sampled_from(TYPES))
    return [
        Span(start, min(start + size, 25), type) for start, size, type in draw(st.lists(ends, max_size=most))
    ]


def covered(spans):
    return {place for span in spans for place in range(span.start, span.end)}


def itself(span):
    return span


OVERLAPS = [
    ((0, 4), (4, 6), False),
    ((0, 4), (3, 6), True),
    ((0, 9), (3, 6), True),
    ((3, 6), (3, 6), True),
    ((7, 9), (0, 2), False),
]


@pytest.mark.parametrize(("one", "other", "expected"), OVERLAPS)
def test_two_spans_overlap_where_they_share_a_character(one, other, expected):
    a, b = Span(*one, "A"), Span(*other, "B")
    assert algebra.overlaps(a, b) == algebra.overlaps(b, a) == a.overlaps(b) == expected
    assert bool(covered([a]) & covered([b])) == expected


FIRST_OVERLAPS = [
    ([], None),
    ([(0, 4), (4, 6)], None),
    ([(4, 6), (0, 5)], ((0, 5), (4, 6))),
    ([(0, 20), (1, 2), (3, 4)], ((0, 20), (1, 2))),
    ([(0, 2), (5, 9), (8, 10), (9, 11)], ((5, 9), (8, 10))),
]


@pytest.mark.parametrize(("ranges", "expected"), FIRST_OVERLAPS)
def test_the_first_overlap_is_found(ranges, expected):
    found = algebra.find_overlap([Span(*range, "A") for range in ranges])
    assert (found and tuple((span.start, span.end) for span in found)) == expected


@given(some_spans())
def test_an_overlap_is_found_if_there_is_one(spans):
    pairs = [(a, b) for i, a in enumerate(spans) for b in spans[i + 1 :] if a.overlaps(b)]
    found = algebra.find_overlap(spans)
    assert bool(found) == bool(pairs)
    assert found is None or found[0].overlaps(found[1])


MERGES = [
    ([], []),
    ([(0, 4, "CITY"), (4, 6, "DATE")], [(0, 4, "CITY"), (4, 6, "DATE")]),
    ([(0, 4, "CITY"), (3, 8, "DATE")], [(0, 8, "DATE")]),
    ([(0, 4, "CITY"), (2, 6, "DATE")], [(0, 6, "CITY")]),  # a tie: the first
    ([(5, 9, "NAME"), (0, 6, "CITY"), (8, 12, "DATE")], [(0, 12, "CITY")]),
    ([(0, 9, "CITY"), (2, 4, "DATE"), (5, 12, "NAME")], [(0, 12, "CITY")]),
]


@pytest.mark.parametrize(("given", "expected"), MERGES)
def test_overlapping_spans_merge_into_one_of_the_longest_ones_type(given, expected):
    merged = algebra.merge_overlapping([Span(*one) for one in given])
    assert list(merged) == [Span(*one) for one in expected]


@given(some_spans())
def test_merging_covers_the_same_characters_with_spans_apart(spans):
    merged = algebra.merge_overlapping(spans)
    assert covered(merged) == covered(spans)
    assert algebra.find_overlap(merged) is None and list(merged) == sorted(merged)
    assert sorted(part for parts in merged.values() for part in parts) == sorted(spans)
    assert all(part.overlaps(span) for span, parts in merged.items() for part in parts)


@given(some_spans())
def test_a_group_is_a_run_and_groups_do_not_overlap(spans):
    groups = algebra.group_overlapping(sorted(spans), itself)
    assert [span for group in groups for span in group] == sorted(spans)
    reached = [covered(group) for group in groups]
    assert all(places == set(range(min(places), max(places) + 1)) for places in reached)
    assert sum(map(len, reached)) == len(covered(spans))


LONGEST = [
    ([(0, 4, "CITY"), (3, 8, "DATE")], [(3, 8, "DATE")]),
    ([(0, 4, "CITY"), (2, 6, "DATE")], [(0, 4, "CITY")]),  # a tie: the first
    ([(0, 5, "CITY"), (4, 12, "DATE"), (11, 15, "NAME")], [(4, 12, "DATE")]),
    ([(10, 15, "NAME"), (0, 5, "CITY"), (4, 6, "DATE")], [(0, 5, "CITY"), (10, 15, "NAME")]),
]


@pytest.mark.parametrize(("given", "expected"), LONGEST)
def test_the_longest_is_kept(given, expected):
    assert algebra.keep_longest([Span(*one) for one in given]) == [Span(*one) for one in expected]


@given(some_spans())
def test_what_is_dropped_overlaps_a_kept_span_at_least_as_long(spans):
    kept = algebra.keep_longest(spans)
    assert algebra.find_overlap(kept) is None and set(kept) <= set(spans) and kept == sorted(kept)
    for span in set(spans) - set(kept):
        assert any(
            span.overlaps(other) and other.end - other.start >= span.end - span.start for other in kept
        )


def list_many(size):
    return [Span(3 * number, 3 * number + 2, TYPES[number % 3]) for number in range(size)]


@pytest.mark.parametrize(
    "work",
    [algebra.keep_longest, lambda spans: [*map(algebra.SpanIndex(spans).find, spans)]],
    ids=["keep_longest", "SpanIndex"],
)
def test_the_spans_of_a_long_note_are_not_compared_with_each_other(work):
    check_proportion(lambda size: work(list_many(size)))


@given(some_spans(), st.integers(0, 25), st.integers(0, 25))
def test_an_index_finds_the_spans_that_overlap(spans, start, end):
    place = Span(start, end, "")
    found = algebra.SpanIndex(spans).find(place)
    assert found == sorted(span for span in spans if algebra.overlaps(span, place))


LEFTMOST = [
    ([(0, 4, "CITY"), (3, 8, "DATE")], [(0, 4, "CITY")]),
    ([(0, 4, "CITY"), (3, 8, "DATE"), (6, 9, "NAME")], [(0, 4, "CITY"), (6, 9, "NAME")]),
    ([(0, 4, "CITY"), (4, 8, "DATE")], [(0, 4, "CITY"), (4, 8, "DATE")]),
]


@pytest.mark.parametrize(("given", "expected"), LEFTMOST)
def test_the_leftmost_is_kept(given, expected):
    assert algebra.keep_leftmost([Span(*one) for one in given], itself) == [Span(*one) for one in expected]


@given(some_spans())
def test_the_leftmost_are_those_that_no_span_kept_before_overlaps(spans):
    kept: list[Span] = []
    for span in sorted(spans):
        kept += [] if any(span.overlaps(other) for other in kept) else [span]
    assert algebra.keep_leftmost(sorted(spans), itself) == kept


SUBTRACTIONS = [
    ((4, 10), [], [(4, 10)]),
    ((4, 10), [(0, 4), (10, 12)], [(4, 10)]),
    ((4, 10), [(6, 8)], [(4, 6), (8, 10)]),
    ((4, 10), [(0, 6), (9, 20)], [(6, 9)]),
    ((4, 10), [(0, 20)], []),
    ((4, 10), [(8, 9), (3, 5), (4, 6)], [(6, 8), (9, 10)]),
]


@pytest.mark.parametrize(("one", "others", "expected"), SUBTRACTIONS)
def test_what_others_cover_is_subtracted(one, others, expected):
    others = [Span(*other, "B") for other in others]
    assert list(algebra.subtract(Span(*one, "A"), others)) == expected


@given(some_spans(), st.integers(0, 20), st.integers(1, 12))
def test_subtraction_is_that_of_the_sets_of_characters(spans, start, size):
    span = Span(start, start + size, "A")
    left = list(algebra.subtract(span, spans))
    assert {place for a, b in left for place in range(a, b)} == covered([span]) - covered(spans)
    assert all(a < b < c for (a, b), (c, _) in zip(left, left[1:])) and all(a < b for a, b in left)


TRIMS = [
    ((0, 11), (2, 10)),  # the comma's blank goes, and the comma is another thing
    ((0, 12), (2, 12)),
    ((12, 25), (15, 22)),
    ((22, 25), None),
    ((3, 3), None),
]


@pytest.mark.parametrize(("range", "expected"), TRIMS)
def test_white_space_is_trimmed(range, expected):
    assert algebra.trim_range(TEXT, *range) == expected


@given(st.text(alphabet="aB ,\t\n\u2028\x1c", max_size=20))
def test_trimming_a_text_is_stripping_it(text):
    trimmed = algebra.trim_range(text, 0, len(text))
    assert (text[slice(*trimmed)] if trimmed else "") == text.strip()


def test_padding_is_what_the_caller_says():
    assert algebra.trim_range(TEXT, 10, 24, lambda character: character in " ,\t\n.") == (15, 21)


def test_trimmed_spans_keep_type_and_probability_and_blank_ones_go():
    spans = [Span(0, 6, "DATE", 0.5), Span(7, 9, "AGE"), Span(9, 11, "AGE")]
    found = list(algebra.trim_spans("3/4/1\n 57\n\n", spans))
    assert found == [Span(0, 5, "DATE"), Span(7, 9, "AGE")]
    assert found[0].probability == 0.5


WIDENED = [
    ("Smithson", [(0, 5)], [(0, 8)]),
    ("Smithson", [(3, 5)], [(0, 8)]),
    ("SMITHSON", [(3, 5)], [(0, 8)]),
    ("JaffreyMarital", [(0, 7)], [(0, 7)]),
    ("AnaRuiz", [(3, 7)], [(3, 7)]),
    ("MRN12345", [(4, 6)], [(3, 8)]),
    ("123mg", [(0, 3)], [(0, 3)]),
    ("Ana Ruiz", [(1, 6)], [(0, 8)]),
    ("Ana Ruiz", [(0, 3), (4, 8)], [(0, 3), (4, 8)]),
    ("Smithson", [(0, 3), (5, 8)], [(0, 5), (5, 8)]),
    ("Ana Smithson Ruiz", [(0, 3), (4, 7), (13, 17)], [(0, 3), (4, 12), (13, 17)]),
]


@pytest.mark.parametrize(("text", "spans", "expected"), WIDENED)
def test_a_span_that_cuts_a_word_covers_it_but_no_other_span(text, spans, expected):
    document = Document("1", text, tuple(Span(*one, "A") for one in spans))
    found = algebra.widen_cut_spans(document)
    assert [(span.start, span.end) for span in found.spans] == expected
    assert (found is document) == (spans == expected)


def test_an_age_has_the_ending_of_its_ordinal():
    """her 93rd birthday became her 90+rd birthday."""
    text = "93rd, 93 rd, 93rds"
    spans = tuple(Span(at, at + 2, "AGE") for at in (0, 6, 13))
    found = algebra.widen_cut_spans(Document("1", text, spans))
    assert [found.text_of(span) for span in found.spans] == ["93rd", "93", "93"]


@given(some_spans(), st.integers(0, 25), st.integers(0, 25))
def test_a_mask_and_what_it_leaves(spans, start, end):
    mask = algebra.mask_spans(25, spans)
    assert {place for place, marked in enumerate(mask) if marked} == covered(spans)
    left = list(algebra.find_unmasked(mask, start, end))
    assert {place for a, b in left for place in range(a, b)} == set(range(start, end)) - covered(spans)
    assert left == list(algebra.subtract(Span(start, end, "A"), spans))
