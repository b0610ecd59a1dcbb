"""Texts inside messages, and the way back: nothing else changes."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.corpora.messages import (
    Character,
    Container,
    Edit,
    Field,
    Message,
    Passage,
    apply_edits,
    join_nodes,
)
from crfdeid.errors import FormatError


@dataclass
class Made:
    start: int
    end: int
    replacement: str


def build_passage(source: str, nodes: list[tuple[int, int]]) -> Passage:
    characters = [
        [Character(source[at], at, at + 1, number) for at in range(start, end)]
        for number, (start, end) in enumerate(nodes)
    ]
    return Passage("p", join_nodes(characters), str.upper)


@pytest.mark.parametrize(
    ("made", "clean"),
    [
        ((4, 7, "ben"), "x|sam BEN|lee is|ill"),
        ((4, 11, "ben\nkim"), "x|sam BEN|KIM is|ill"),  # a line for each node
        ((4, 11, "ben kim"), "x|sam BEN KIM| is|ill"),  # the first has all
        ((7, 8, "\n"), "x|sam ann|lee is|ill"),  # no character of the source
        ((0, 18, ""), "x|||"),
    ],
)
def test_a_replacement_goes_back_to_its_nodes(made, clean):
    source = "x|sam ann|lee is|ill"
    passage = build_passage(source, [(2, 9), (10, 16), (17, 20)])
    assert passage.text == "sam ann\nlee is\nill"
    assert apply_edits(source, passage.edit([Made(*made)])) == clean


@given(
    st.text("ab|", min_size=1), st.lists(st.tuples(st.integers(0, 9), st.text("xy", max_size=3)), max_size=4)
)
def test_other_characters_stay(source, changes):
    passage = build_passage(source, [(0, len(source))])
    chosen = {at: Made(at, at + 1, text) for at, text in changes if at < len(source)}
    expected = "".join(chosen[at].replacement.upper() if at in chosen else c for at, c in enumerate(source))
    assert apply_edits(source, passage.edit(chosen.values())) == expected


def test_a_container_is_written_anew_only_if_something_changes():
    container = Container("c", "ann", 1, 5, lambda text: text.encode().hex())
    assert list(container.edit([])) == []
    assert list(container.edit([Made(0, 1, "o")])) == [Edit(1, 5, "6f6e6e")]


def test_edits_that_overlap_are_refused():
    with pytest.raises(FormatError, match="overlap"):
        apply_edits("abc", [Edit(0, 2, ""), Edit(1, 3, "")])


def test_a_field_without_its_replacement_stops_the_message():
    field = Field("Ana", "PATIENT", 0, 3, str)
    message = Message("m", "Ana|", "7", fields=[field])
    (document,) = message.list_documents(fields=True)
    assert [document.text_of(span) for span in document.spans] == ["Ana"]
    assert message.render({document.id: [Made(0, 3, "Eva")]}, str) == "Eva|"
    with pytest.raises(FormatError, match="a field was not replaced"):
        message.render({document.id: []}, str)


def test_no_text_is_in_the_repr():
    message = Message("m", "Ana", "7", [build_passage("Ana", [(0, 3)])], [Field("Ana", "X", 0, 3, str)])
    assert "Ana" not in repr(message) + repr(message.passages[0]) + repr(message.fields[0])
