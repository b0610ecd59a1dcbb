"""Folding of typography: examples first, then what must hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.text import tokenizer
from crfdeid.text.document import Document, Span, Token
from crfdeid.text.tokenizer import fold_document, fold_text, is_folded

EXAMPLES = [
    ("54\u2013year\u2013old", "54-year-old"),
    ("O\u2019Neil\u2019s \u201cEd\u201d", "O'Neil's \"Ed\""),
    ("5\u203210\u2033", "5'10\""),
    ("a\r\nb\rc\n", "a\nb\nc\n"),
    ("a\x0cb\u2028c\x85", "a\nb\nc\n"),
    ("Dr.\u00a0Ruiz\u3000x", "Dr. Ruiz x"),
    ("Ru\u00adiz \u200bAna\ufeff", "Ruiz Ana"),
    ("Gri\ufb03n", "Griffin"),
    ("3\u204414", "3/14"),
    ("\uff11\uff12 \uff21\uff4e\uff41", "12 Ana"),
    ("\uff01\uff5e", "!~"),
]
UNTOUCHED = ["", "Ana Ruiz, 3/4/61\n\tx", "José Núñez 李雷 Jose\u0301", "• 5 µg ± 2 °C, 3 × 4 « x » \uff5f"]
SIGNS = st.text(st.sampled_from("aA1 \n\r\v\u2013\u2019\u00a0\u00ad\u200b\ufb03\uff11é李"))


@pytest.mark.parametrize(("text", "folded"), EXAMPLES)
def test_typography_is_folded(text, folded):
    assert fold_text(text).text == folded


@pytest.mark.parametrize("text", UNTOUCHED)
def test_other_text_stays_the_same_object(text):
    document = Document("n", text)
    assert fold_text(text).text is text and fold_document(document) is document


def test_a_span_covers_the_same_characters_in_both_texts():
    text = "\ufeffMr.\u00a0O\u2019\u00adNeil\r\n54\u2013year"
    folded = fold_document(Document("n", text, (Span(5, 12, "PATIENT", 0.5), Span(14, 16, "AGE"))))
    assert [folded.text_of(span) for span in folded.spans] == ["O'Neil", "54"]
    back = fold_text(text).unfold_document(folded)
    assert back.text == text and [text[span.start : span.end] for span in back.spans] == [
        "O\u2019\u00adNeil",
        "54",
    ]
    assert back.spans[0].probability == 0.5


def test_a_span_of_invisible_characters_is_left_out():
    assert fold_document(Document("n", "a\u00ad\u200b", (Span(1, 3, "AGE"),))).spans == ()


def test_half_a_ligature_is_the_whole_ligature():
    found = fold_text("Gri\ufb03n")
    assert [found.unfold(Span(*edges, "DOCTOR")).end for edges in ((0, 4), (0, 6))] == [4, 4]
    assert found.unfold_token(Token("in", 5)) == Token("\ufb03n", 3)
    longer = fold_text("Gri\ufb03n\u2019s dog")
    assert longer.unfold_token(Token("Griffin", 0)) == Token("Gri\ufb03n", 0)
    assert longer.unfold_token(Token("'", 7)) == Token("\u2019", 5)


@given(SIGNS)
def test_folding_leaves_nothing_to_fold(text):
    assert is_folded(fold_text(text).text)


@given(SIGNS | st.text())
def test_offsets_lead_back_in_order(text):
    found = fold_text(text)
    origins = [found.find_origin(index) for index in range(len(found.text))]
    assert origins == sorted(origins) and all(0 <= origin < len(text) for origin in origins)
    for index, origin in enumerate(origins):
        sign = text[origin]
        assert found.text[index] in tokenizer.LIGATURES.get(sign, tokenizer.PLAIN.get(sign, sign))


@given(SIGNS, st.data())
def test_a_folded_span_comes_back(text, data):
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 2)))
    found = fold_text(text)
    span = found.fold(Span(first, last, "AGE"))
    if span:
        back = found.unfold(span)
        assert first <= back.start < back.end <= last
        assert found.fold(back) == span


@given(st.text(st.sampled_from("aA1. \n\t\u2013é")))
def test_line_ends_of_any_kind_fold_to_the_same_text(text):
    wanted = fold_text(text).text
    assert [fold_text(text.replace("\n", end)).text for end in ("\r\n", "\r", "\u2028")] == [wanted] * 3
