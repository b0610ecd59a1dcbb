"""Contextual observations of this project."""

import pytest

from crfdeid.feature_extraction.context import document_case
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import fine

CASES = [
    ("SEEN BY DR. RUIZ\nON 3/4", "upper"),
    ("seen by dr. ruiz\non 3/4", "lower"),
    ("Seen by Dr. Ruiz", None),
    ("he was well. " * 20 + "Ruiz", "lower"),
    ("HE WAS WELL. " * 20 + "mg", "upper"),
    ("he was well. " * 5 + "Ruiz", None),
    ("3/4 - 5", None),
    ("李雷 3/4", None),
]


@pytest.mark.parametrize(("text", "case"), CASES)
def test_a_document_without_capitals_or_small_letters_is_seen_as_such(text, case):
    document = TokenizedDocument(text, fine(text))
    assert document_case(document) == [case] * len(document.tokens)
