"""Lines, chunks and written words of a tokenized document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.text.tokenized import TokenizedDocument, find_chunks, find_words
from crfdeid.text.tokenizer import TOKENIZERS, fine

TEXT = "seen by Dr. (Ruiz),\n3/4 x"


def tokenize(text, tokenizer=fine):
    return TokenizedDocument(text, tokenizer(text))


def test_a_line_has_its_line_end():
    document = tokenize(TEXT)
    assert [document.text_of(line) for line in document.lines] == ["seen by Dr. (Ruiz),\n", "3/4 x"]


def test_there_is_no_line_behind_the_last_line_end():
    assert tokenize("").lines == []
    assert tokenize("x\n\n").lines == [range(0, 2), range(2, 3)]


def test_chunks_are_the_text_between_white_space():
    document = tokenize("seen by Dr. (Ruiz), 3/4 x")
    assert [document.text_of(part) for part in find_chunks(document)] == [
        "seen",
        "by",
        "Dr.",
        "(Ruiz),",
        "3/4",
        "x",
    ]


def test_words_are_chunks_without_outer_marks_which_are_words_themselves():
    words = [word for word, _ in tokenize(TEXT).words]
    assert words == ["seen", "by", "Dr", ".", "(", "Ruiz", ")", ",", "\n", "3/4", "x"]


@pytest.mark.parametrize("tokenizer", TOKENIZERS.values(), ids=TOKENIZERS)
@given(text=st.text(alphabet="aB1 .-(/\n", max_size=40))
def test_lines_chunks_and_words_each_hold_every_token_once(tokenizer, text):
    document = tokenize(text, tokenizer)
    everything = list(range(len(document.tokens)))
    for parts in (document.lines, find_chunks(document), find_words(document)):
        assert [index for part in parts for index in part] == everything
