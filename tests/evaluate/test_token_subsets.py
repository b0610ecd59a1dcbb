"""Scores on the tokens that are ambiguous or in no list."""

import pytest

from crfdeid.corpora.token_marks import TokenMark
from crfdeid.errors import FormatError
from crfdeid.evaluate.paper_counts import count_tokens, format_table, select_marks
from crfdeid.text.document import Document, Span

TEXT = "Mr. May walks in May. Ruiz"
GOLD = Document("1-1", TEXT, (Span(4, 7, "PATIENT"), Span(22, 26, "DOCTOR")))
AMBIGUOUS = [TokenMark("1-1", start, start + 3, "", True, False, "host") for start in (4, 17)]
UNSEEN = TokenMark("1-1", 22, 26, "DOCTOR", False, True, "host")
MARKS = [*AMBIGUOUS, UNSEEN]

TABLES = [  # the spans of the system, and the rows: precision only where both classes have tokens
    ([Span(0, 8, "CITY")], ["ambiguous   PHI            1   1.0000 1.0000 1.0000",
                            "ambiguous   Non-PHI        1   1.0000 1.0000 1.0000",
                            "unseen      PHI            1   -      0.0000 -"]),
    ([Span(4, 20, "CITY")], ["ambiguous   PHI            1   0.5000 1.0000 0.6667",
                             "ambiguous   Non-PHI        1   0.0000 0.0000 0.0000",
                             "unseen      PHI            1   -      0.0000 -"]),
    ([Span(22, 26, "CITY")], ["ambiguous   PHI            1   0.0000 0.0000 0.0000",
                              "ambiguous   Non-PHI        1   0.5000 1.0000 0.6667",
                              "unseen      PHI            1   -      1.0000 -"]),
]  # fmt: skip


@pytest.mark.parametrize(("spans", "rows"), TABLES)
def test_each_kind_of_token_has_its_rows(spans, rows):
    head = "kind        class     tokens   P      R      F1       95% interval of R"
    table = format_table([GOLD], [GOLD.with_spans(spans)], MARKS, resamples=0)
    assert table.splitlines() == [head, *rows]


def test_tokens_without_phi_have_no_precision_either():
    system = GOLD.with_spans([Span(17, 20, "CITY")])
    (line,) = format_table([GOLD], [system], AMBIGUOUS[1:], resamples=0).splitlines()[1:]
    assert line == "ambiguous   Non-PHI        1   -      0.0000 -"


def test_intervals_are_those_of_recall():
    """Of two notes one has all PHI: drawn with replacement, recall is between none and all."""
    notes = [Document(id, TEXT, GOLD.spans) for id in ("1-1", "2-1")]
    marks = [mark._replace(document=note.id) for note in notes for mark in MARKS]
    found = format_table(notes, [notes[0], notes[1].with_spans([])], marks, resamples=200)
    assert found.splitlines()[1] == "ambiguous   PHI            2   1.0000 0.5000 0.6667   0.0000-1.0000"


def test_only_tokens_of_the_kind_are_counted():
    assert select_marks(MARKS, "ambiguous") == AMBIGUOUS and select_marks(MARKS, "unseen") == [UNSEEN]
    with pytest.raises(FormatError, match="unsen: not a kind of tokens; did you mean unseen.; wanted amb"):
        select_marks(MARKS, "unsen")


@pytest.mark.parametrize(
    ("mark", "message"),
    [
        (UNSEEN._replace(end=27), "1-1: the marked token 22-27 leaves the text"),
        (UNSEEN._replace(document="2-1"), "2-1: a marked token, but no such document in gold"),
        (UNSEEN._replace(document="Ruiz"), "marked token 4: a marked token, but no such document in gold"),
    ],
)
def test_a_mark_that_fits_no_note_is_refused(mark, message):
    with pytest.raises(FormatError) as caught:
        count_tokens([GOLD], [GOLD], [*MARKS, mark])
    assert str(caught.value) == message
    assert count_tokens([GOLD], [GOLD], [UNSEEN]).tolist() == [[[1, 0, 0], [0, 0, 0]]]  # at the end


def test_ten_thousand_resamples_unless_another_number_is_said():
    notes = [Document(f"{n}-1", TEXT, GOLD.spans) for n in range(30)]
    found = [note.with_spans(note.spans[: n % 3]) for n, note in enumerate(notes)]
    marks = [mark._replace(document=note.id) for note in notes for mark in MARKS]
    assert format_table(notes, found, marks) == format_table(notes, found, marks, resamples=10_000)
