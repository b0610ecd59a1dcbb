"""What the structure of a note shows."""

import pytest

from crfdeid.feature_extraction import structure
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import fine

NOTE = "NHC: 150679\nMédico: Ana Ruiz\n\nIngresa. Ana consulta; dolor\nRemitido por Ana Ruiz, 150679"


def observe(name, text):
    """The pairs of a token and its value, for tokens that have one."""
    document = TokenizedDocument(text, fine(text))
    values = structure.CONTEXTUAL[name](document)
    assert len(values) == len(document.tokens)
    return [(token.text, value) for token, value in zip(document.tokens, values) if value is not None]


EXAMPLES = [
    ("line_label", "a b: c", [("a", "a b"), ("b", "a b"), (":", "a b"), ("c", "b")]),
    ("line_label", "1: 2", []),
    ("line_label", "a: b c: d", [(w, v) for w, v in zip(["a", ":", "b", "c", ":", "d"], "aaaaac")]),
    ("label_elsewhere", "NHC: 77\n1 2 3 4 5 6\n77", [("77", "nhc")]),
    ("label_elsewhere", "NHC: 77\n77", []),  # too near
    ("label_elsewhere", "NHC: 7\n1 2 3 4 5 6\n7", []),  # one character says nothing
    ("label_elsewhere", "X: " + "a " * 30 + "77\n1 2 3 4 5 6\n77", []),  # prose is not a form
    ("seen_before", "a, b A", [("a", "0"), ("b", "0"), ("A", "1")]),
    ("seen_before", "a a a a a a", [("a", str(n)) for n in (0, 1, 2, 3, 4, 4)]),
    ("line_length", "a b c\nd", [("a", "2"), ("b", "2"), ("c", "2"), ("\n", "2"), ("d", "0")]),
    ("line_part", "a. b; c", [(w, f"x.{n}") for w, n in zip(["a", ".", "b", ";", "c"], (0, 0, 1, 1, 2))]),
    ("bracket_part", "(b®, c) d", [("(", "0"), ("b", "0"), ("®", "0r"), (",", "1r"), ("c", "1r")]),
    ("bracket_part", "(a, (b", [("(", "0"), ("a", "0"), (",", "1"), ("(", "0"), ("b", "0")]),
    ("bracket_part", "(a\nb, c)", [("(", "0"), ("a", "0"), ("\n", "0")]),
    ("bracket_part", "(,,,,,", [("(", "0"), (",", "1"), (",", "2"), (",", "3"), (",", "3"), (",", "3")]),
    ("bracket_left", "a (b, c)", [("b", "1"), (",", "1"), ("c", "0"), (")", "0")]),
    ("bracket_left", "(a (b)", [("b", "0"), (")", "0")]),
    ("bracket_left", "(a\nb)", [("b", "0"), (")", "0")]),
    ("sentence_begin", "Pt seen. Ada\n- Ivo: Now", [("Pt", "1"), ("Ada", "1"), ("Ivo", "1"), ("Now", "1")]),
    ("sentence_begin", "1 of 2", [("of", "1")]),  # the first word, behind a number
    ("written_elsewhere", "Rose rose", [("Rose", "small")]),
    ("written_elsewhere", "rose rose", []),  # it has no capital
    ("written_elsewhere", "Ivo. Saw Ivo", [("Ivo", "inside"), ("Ivo", "begin")]),
    ("written_elsewhere", "Ivo saw A. A came", []),  # once, and a single letter
    ("written_elsewhere", "a Bo, a Bo, a bo", [("Bo", "small"), ("Bo", "small")]),  # small goes before inside
    ("written_elsewhere", "a BO, a Bo", [("BO", "inside"), ("Bo", "inside")]),
    ("sentence_first", "A b. C", [("A", "a"), ("b", "a"), (".", "a"), ("C", "c")]),
]


@pytest.mark.parametrize(("name", "text", "wanted"), EXAMPLES)
def test_an_observation_of_structure(name, text, wanted):
    assert observe(name, text) == wanted


def test_a_footer_shows_the_labels_of_the_header():
    assert observe("label_elsewhere", NOTE)[-3:] == [("Ana", "médico"), ("Ruiz", "médico"), ("150679", "nhc")]


def test_the_lines_of_prose_are_counted():
    long = "word " * 26
    values = [value for _, value in observe("line_part", f"{long}\nshort\n{long}")]
    assert (values[0], values[27], values[-1]) == ("0.0", "x.0", "1.0")
