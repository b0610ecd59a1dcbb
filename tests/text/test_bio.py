"""Spans to labels and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.errors import DocumentError
from crfdeid.text import bio
from crfdeid.text.document import Document, Span, keep_longest
from crfdeid.text.tokenizer import fine

TEXT = "Seen by Dr. Ana Ruiz on 3/4/61."
EXAMPLES = [
    ((), "O O O O O O O O O O O O O"),
    ((Span(12, 20, "DOCTOR"),), "O O O O B-DOCTOR I-DOCTOR O O O O O O O"),
    ((Span(12, 15, "DOCTOR"), Span(16, 20, "PATIENT")), "O O O O B-DOCTOR B-PATIENT O O O O O O O"),
    ((Span(13, 14, "DOCTOR"),), "O O O O B-DOCTOR O O O O O O O O"),
    ((Span(24, 30, "DATE"),), "O O O O O O O B-DATE I-DATE I-DATE I-DATE I-DATE O"),
]


@pytest.mark.parametrize(("spans", "labels"), EXAMPLES)
def test_encode(spans, labels):
    assert bio.encode(fine(TEXT), spans) == labels.split()


REPAIRS = [
    ("O I-AGE O", [(1, 1)]),
    ("B-AGE I-DATE I-DATE", [(0, 0), (1, 2)]),
    ("B-AGE B-AGE I-AGE", [(0, 0), (1, 2)]),
    ("I-AGE I-AGE O I-AGE", [(0, 1), (3, 3)]),
    ("", []),
]


@pytest.mark.parametrize(("labels", "found"), REPAIRS)
def test_illegal_labels_are_repaired_as_conlleval_does(labels, found):
    assert bio.find_labelled_runs(labels.split()) == found


@st.composite
def labelled(draw):
    """A text and spans on its token boundaries, none overlapping."""
    text = draw(st.text(alphabet="aB1 .-\n", min_size=1, max_size=60))
    tokens = [token for token in fine(text)]
    spans, index = [], 0
    while index < len(tokens):
        length = draw(st.integers(0, 3))
        chosen = tokens[index : index + length]
        if chosen:
            spans.append(Span(chosen[0].start, chosen[-1].end, draw(st.sampled_from(["AGE", "DATE"]))))
        index += max(length, 1)
    return text, spans


@given(labelled())
def test_decode_turns_encode_back(example):
    text, spans = example
    tokens = fine(text)
    assert bio.decode(tokens, bio.encode(tokens, spans)) == spans
    assert bio.count_cut_spans(tokens, spans) == 0


def test_overlaps_are_refused_with_the_choice_named():
    document = Document("n1", TEXT, (Span(8, 20, "DOCTOR"), Span(12, 15, "PATIENT")))
    with pytest.raises(DocumentError, match=r"n1: DOCTOR at 8-20 overlaps PATIENT at 12-15.*longest"):
        bio.refuse_overlaps(document)
    assert keep_longest(document.spans) == [Span(8, 20, "DOCTOR")]
