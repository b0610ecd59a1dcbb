"""Texts inside messages, and the way back: nothing else changes."""

from collections import Counter
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid.corpora.messages import (
    ATTACHMENTS,
    EMPTIED,
    UNKNOWN,
    Character,
    Collector,
    Container,
    Edit,
    Field,
    Message,
    Passage,
    apply_edits,
    count_attachments,
    join_nodes,
    list_characters,
)
from crfdeid.errors import FormatError
from crfdeid.text.document import Document, Span


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


@pytest.mark.parametrize(
    ("made", "text"),
    [
        ([(4, 7, "eva")], "ann eva kim"),
        ([(8, 11, "lou"), (0, 3, "eva")], "eva bob lou"),
        ([(0, 3, ""), (3, 8, " - ")], " - kim"),
        ([(0, 11, "")], ""),
    ],
)
def test_what_is_not_replaced_in_a_container_stays(made, text):
    container = Container("c", "ann bob kim", 1, 5, str)
    assert list(container.edit([Made(*each) for each in made])) == [Edit(1, 5, text)]


def test_edits_beside_each_other_are_made_in_their_order():
    assert (
        apply_edits("abcd", [Edit(2, 3, "z"), Edit(1, 2, "xy"), Edit(3, 3, "-"), Edit(0, 1, "")]) == "xyz-d"
    )
    assert apply_edits("abcd", []) == "abcd"


def test_a_message_has_a_document_for_its_fields_and_for_each_text():
    fields = [Field("Ana", "PATIENT", 0, 3, str, True), Field("7", "IDNUM", 4, 5, str)]
    container = Container("", "ill", 6, 9, str)
    message = Message("m", "Ana|7|ill", None, [container], fields, facts=[("DATE", "2061")])
    assert list(message.list_documents()) == [Document("m", "ill")]
    assert list(message.list_documents(fields=True)) == [
        Document("m.fields", "Ana\n7", (Span(0, 3, "PATIENT"), Span(4, 5, "IDNUM")), "m"),
        Document("m", "ill", patient="m"),
    ]
    assert message.list_facts() == [("PATIENT", "Ana"), ("DATE", "2061")]
    assert Message("m", "", "7").owner == "7" and not list(Message("m", "").list_documents(fields=True))
    made = {"m.fields": [Made(0, 3, "Eva"), Made(4, 5, "8")], "m": [Made(0, 3, "well")]}
    assert message.render(made, None) == "Eva|8|well"


def test_codes_are_written_only_where_they_are_made():
    message = Message(
        "m", "7|Ana|x", codes=[Field("7", "", 0, 1, lambda code: f"<{code}>")], masks=[Edit(2, 5, "")]
    )
    assert message.render({}, None) == "7||x"
    assert message.render({}, lambda code: code * 2) == "<77>||x"


def test_attachments_and_unknown_parts_are_counted():
    messages = [
        Message("a", "", masked=Counter({ATTACHMENTS: 2, EMPTIED: 1})),
        Message("b", "", masked=Counter({ATTACHMENTS: 1})),
    ]
    assert count_attachments(messages) == {ATTACHMENTS: 3}
    assert count_attachments([]) == {}
    assert count_attachments([Message("c", "", masked=Counter({UNKNOWN: 1}))]) == {UNKNOWN: 1}


def test_a_collector_has_short_texts_as_its_last_passage():
    class Parts(Collector):
        encode = staticmethod(str.upper)

    parts = Parts("a|b|c")
    parts.mask(2, 3, EMPTIED)
    parts.mask(4, 5, EMPTIED, "z")
    parts.patient = "7"
    message = parts.build("m")
    assert (message.passages, message.masked, message.patient) == ([], {EMPTIED: 2}, "7")
    assert message.render({}, None) == "a||z"
    parts.terms += [Character("a", 0, 1, 0)]
    message = parts.build("m")
    assert list(message.list_documents()) == [Document("m.terms", "a", patient="7")]
    assert message.render({"m.terms": [Made(0, 1, "x")]}, None) == "X||z"


def test_characters_of_one_text_share_its_place():
    def decode(source, start, end):
        yield from [("ab", start + 1), ("", start + 2), ("c", end)]

    found = list_characters("xyz", 0, 3, 4, decode)
    assert list(found) == [Character("a", 0, 1, 4), Character("b", 0, 1, 4), Character("c", 2, 3, 4)]


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
    passage, field, mask = build_passage("Ana", [(0, 3)]), Field("Ana", "X", 0, 3, str), Edit(0, 3, "Ana")
    container = Container("c", "Ana", 0, 3, str)
    message = Message("m", "Ana", "7", [passage], [field], [mask], [field], facts=[("X", "Ana")])
    assert repr(message) == "Message(id='m', masked=Counter(), encoding=None)"
    assert "Ana" not in repr(passage) + repr(field) + repr(container)


def test_no_text_is_in_the_repr_of_a_message():
    secret = "Zzyzx"
    passage = Passage("n", [Character(secret, 0, 5, 0)], str)
    container, value = Container("c", secret, 0, 5, str), Field(secret, "NAME", 0, 5, str)
    message = Message("m", secret, secret, [passage], [value], [Edit(0, 5, secret)], [value])
    known = Message("k", "", facts=[("NAME", secret)])
    for each in (passage, container, value, message, known):
        assert secret not in repr(each)
