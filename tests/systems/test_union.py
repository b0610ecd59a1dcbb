"""Several taggers as one."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_notes import SMALL

from crfdeid.errors import ConfigurationError
from crfdeid.systems import model
from crfdeid.systems.tagger import Union, unite_spans
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span

TEXT = "Seen by Dr. Ana Ruiz, Jr. on 3/4."


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        ([], [(21, 24, "X")], [(21, 24, "X")]),
        ([(16, 20, "A")], [(16, 20, "B")], [(16, 20, "A")]),
        ([(16, 20, "A")], [(12, 25, "B")], [(12, 15, "B"), (16, 20, "A"), (22, 24, "B")]),
        ([(12, 20, "A")], [(16, 21, "B")], [(12, 20, "A")]),
        ([(12, 20, "A")], [(8, 12, "B"), (29, 32, "C")], [(8, 12, "B"), (12, 20, "A"), (29, 32, "C")]),
    ],
)
def test_what_no_earlier_span_covers_is_added(first, second, wanted):
    found = unite_spans(TEXT, [[Span(*span) for span in first], [Span(*span) for span in second]])
    assert [(span.start, span.end, span.type) for span in found] == wanted


def spans(length):
    ends = st.lists(st.integers(0, length), unique=True, max_size=8).map(sorted)
    return ends.map(lambda e: [Span(a, b, "T") for a, b in zip(e[::2], e[1::2])])


@given(text=st.text("a .1", min_size=12, max_size=12), lists=st.lists(spans(12), min_size=1, max_size=3))
def test_the_union_covers_every_letter_that_any_covers_and_never_overlaps(text, lists):
    found = unite_spans(text, lists)
    covered = lambda spans: {i for s in spans for i in range(s.start, s.end) if text[i].isalnum()}  # noqa: E731
    assert covered(found) == set().union(*map(covered, lists))
    assert set(lists[0]) <= set(found)
    assert not any(a.overlaps(b) for n, a in enumerate(found) for b in found[:n])


@pytest.mark.slow
def test_models_are_joined_by_name(small_model, capsys, tmp_path):
    text = "Mr. Ruiz called (617) 555-0148 on 3/4/2061."
    (tmp_path / "n.txt").write_text(text)
    (tmp_path / "a+b.txt").write_text("a name with a plus is a name")
    joined = model.load(f"{small_model.folder}+rules")
    parts = [small_model, model.load("rules")]
    found = joined.tag(Document("n", text)).spans
    assert list(found) == unite_spans(text, [part.tag(Document("n", text)).spans for part in parts])
    tag.main([str(tmp_path / "n.txt"), "--model", f"{small_model.folder}+rules"])
    alone = capsys.readouterr().out
    tag.main([str(tmp_path / "n.txt"), "--model", f"{small_model.folder}+rules", "--jobs", "2"])
    assert alone == capsys.readouterr().out
    assert len(alone.splitlines()) == len(found) + 1
    assert model.load("english").folder == model.load().folder


def test_notes_of_a_patient_are_still_seen_together():
    notes = [
        Document("1", "Mr. Zorvane was seen.", patient="p"),
        Document("2", "Zorvane came again.", patient="p"),
    ]
    rules = model.load("rules")
    assert list(Union([rules, rules]).tag_all(notes)) == list(rules.tag_all(notes))


def test_other_types_are_refused(small_model, tmp_path):
    spanish = Document("1", "Nombre: Ana", (Span(8, 11, "NOMBRE_SUJETO_ASISTENCIA"),))
    settings = replace(SMALL, scheme="meddocan", crf={"max_iterations": 2})
    other = model.train([spanish] * 3, settings, tmp_path / "other")
    with pytest.raises(ConfigurationError, match="scheme meddocan; wanted i2b2-2014"):
        Union([small_model, other])
