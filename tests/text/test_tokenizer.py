"""Both tokenizers: examples first, then what must hold for any text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.errors import ConfigurationError
from crfdeid.text import tokenizer

# He et al. 2015, table 1, with the punctuation of the last step cut off.
WI_DEID = [
    ("PEND01/26/2098", "PEND 01 / 26 / 2098"),
    ("45-year-old", "45 - year - old"),
    ("CABG6/95", "CABG 6 / 95"),
    ("x76221", "x 76221"),
    ("X1-1335", "X 1 - 1335"),
    ("47798497-045-1949", "47798 497 - 045 - 1949"),
    ("ALMarital", "AL Marital"),
    ("34712RadiologyExam", "34712 RadiologyExam"),
    ("JaffreyMarital", "Jaffrey Marital"),
    ("2106-02-12", "2106 - 02 - 12"),
    ("(Dr. Smith)", "( Dr . Smith )"),
]
FINE = [
    ("3041023MARY", "3041023 MARY"),
    ("Since6/03/04", "Since 6 / 03 / 04"),
    ("54yo", "54 yo"),
    ("91-year-old", "91 - year - old"),
    ("x5-3321", "x 5 - 3321"),
    ("(217)555-0199", "( 217 ) 555 - 0199"),
    ("Sergio-Steven", "Sergio - Steven"),
    ("34712RadiologyExam", "34712 Radiology Exam"),
    ("JaffreyMarital", "Jaffrey Marital"),
    ("ALMarital", "AL Marital"),
    ("O'Neil's", "O ' Neil ' s"),
    ("José Núñez-Ibáñez", "José Núñez - Ibáñez"),
    ("Jose\u0301 x", "Jose\u0301 x"),
    ("A\u0301\u0302na 9\u0301\u0302a", "A\u0301\u0302na 9 \u0301\u0302a"),
    ("李雷 Иванов", "李雷 Иванов"),
    ("_____ ----", "_____ ----"),
    ("👩‍⚕️ 5", "👩 \u200d ⚕ \ufe0f 5"),
]


@pytest.mark.parametrize(("text", "tokens"), WI_DEID)
def test_wi_deid(text, tokens):
    assert [token.text for token in tokenizer.wi_deid(text)] == tokens.split(" ")


def test_table_1_keeps_ages_together():
    for word in ("45-year-old", "JaffreyMarital-45-year-old"):  # a later rule would cut the second one
        assert list(tokenizer.cut_by_table_1(word, 0)) == [(0, word)]


def test_table_1_cuts_off_no_empty_part():
    assert list(tokenizer.cut_by_table_1("01/26/2098", 3)) == [(3, "01/26/2098")]
    assert list(tokenizer.cut_by_table_1("01/26/2098Exam", 0)) == [(0, "01/26/2098"), (10, "Exam")]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("a--b", "a--b"), ("_a__ --b", "_a__ - - b"), ("O'Neil, x", "O'Neil , x"), ("__", "__")],
)
def test_coarse(text, tokens):
    assert [token.text for token in tokenizer.coarse(text)] == tokens.split(" ")


def test_an_empty_line_is_no_sequence():
    assert tokenizer.split_sequences("a\n\nb\n", tokenizer.fine("a\n\nb\n"), "line") == [
        range(1),
        range(3, 4),
    ]


@pytest.mark.parametrize(("text", "tokens"), FINE)
def test_fine(text, tokens):
    assert [token.text for token in tokenizer.fine(text)] == tokens.split(" ")


@pytest.mark.parametrize("name", tokenizer.TOKENIZERS)
@given(text=st.text())
def test_tokens_are_slices_that_cover_all_but_white_space(name, text):
    tokens = tokenizer.find_tokenizer(name)(text)
    assert all(text[token.start : token.end] == token.text for token in tokens)
    assert all(a.end <= b.start for a, b in zip(tokens, tokens[1:]))
    covered = {i for token in tokens for i in range(token.start, token.end)}
    assert all(character.isspace() for i, character in enumerate(text) if i not in covered)


UNITS = [
    ("document", ["Seen by Dr . Ruiz . \n No pain . Left"]),
    ("line", ["Seen by Dr . Ruiz .", "No pain . Left"]),
    ("sentence", ["Seen by Dr . Ruiz .", "\n No pain .", "Left"]),
]


@pytest.mark.parametrize(("unit", "parts"), UNITS)
def test_a_sequence_is_a_note_a_line_or_a_sentence(unit, parts):
    text = "Seen by Dr. Ruiz.\nNo pain. Left"
    tokens = tokenizer.fine(text)
    found = tokenizer.split_sequences(text, tokens, unit)
    assert [" ".join(tokens[i].text for i in part) for part in found] == parts


@pytest.mark.parametrize("unit", tokenizer.SEQUENCES)
@given(text=st.text(alphabet="ab 1.\n\r:", max_size=80))
def test_sequences_hold_every_token_but_line_ends_once_and_in_order(unit, text):
    tokens = tokenizer.fine(text)
    indices = [i for part in tokenizer.split_sequences(text, tokens, unit) for i in part]
    assert indices == sorted(set(indices))
    left_out = set(range(len(tokens))) - set(indices)
    assert all(tokenizer.is_line_end(tokens[i]) for i in left_out)


def test_unknown_names_are_refused_with_the_near_one():
    with pytest.raises(ConfigurationError, match="did you mean fine"):
        tokenizer.find_tokenizer("fin")
    with pytest.raises(ConfigurationError, match="did you mean line"):
        tokenizer.split_sequences("", [], "lines")
