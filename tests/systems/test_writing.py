"""A note's line ends, dashes, quotes and spaces do not change what a system finds in it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid.systems import model
from crfdeid.systems.sklearn_estimator import CRFTagger
from crfdeid.text.document import Document

NOTE = (
    "PATIENT: Ana O'Neil-Ruiz\nMRN: 4482913  DOB: 3/4/1961\n\nMrs. Ruiz is a 54-year-old nurse from "
    "Erie, PA, seen by\n"
    "John Q. Smith, M.D.\nat Saint Luke's Hospital on 2061-03-14. Call 617-555-0101.\n\n"
    "Lee Wong, MD\ncc: Dr. Hale\n"
)
PIECES = st.sampled_from([
    "Dr. Ruiz", "Mary O'Neil", "Smith, M.D.", "3/4/61", "54-year-old", "617-555-0101", "MRN: 448291",
    "Erie, PA", "Saint Luke's Hospital", "seen by", "Name:", "the", "cc", ".", ",", ":", "-", " ", "  ", "\t",
    "\n", "\n\n",
])  # fmt: skip


@pytest.fixture(scope="module", params=["english", "english+rules", "rules"])
def tagger(request):
    return model.load(request.param)


def spans_of(tagger, text):
    return [(span.start, span.end, span.type) for span in tagger.tag(Document("n", text)).spans]


def rewrite(text, written):
    """The text with characters replaced, and the new offset of each old one."""
    pieces = [written.get(sign, sign) for sign in text]
    edges = [0]
    for piece in pieces:
        edges.append(edges[-1] + len(piece))
    return "".join(pieces), edges


WRITINGS = {
    "CRLF": {"\n": "\r\n"},
    "CR": {"\n": "\r"},
    "line separators": {"\n": "\u2028"},
    "en dashes": {"-": "\u2013"},
    "curly quotes": {"'": "\u2019", '"': "\u201d"},
    "no-break spaces": {" ": "\u00a0"},
}


def assert_found_alike(tagger, text, written):
    other, edges = rewrite(text, written)
    wanted = [(edges[start], edges[end], type) for start, end, type in spans_of(tagger, text)]
    assert spans_of(tagger, other) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("written", WRITINGS.values(), ids=list(WRITINGS))
def test_every_writing_of_a_note_has_the_same_spans(tagger, written):
    assert len(spans_of(tagger, NOTE)) > 5
    assert_found_alike(tagger, NOTE, written)


@given(st.lists(PIECES, max_size=40).map("".join), st.sampled_from(sorted(WRITINGS)))
@settings(max_examples=30, deadline=None)
def test_every_writing_of_any_text_has_the_same_spans(tagger, text, name):
    assert_found_alike(tagger, text, WRITINGS[name])


def test_invisible_characters_do_not_hide_a_name(tagger):
    plain, hidden = "seen by Dr. Ruiz on 3/4/61", "seen by Dr. Ru\u00adiz on 3/\u200b4/61"
    shown = [index for index, sign in enumerate(hidden) if sign not in "\u00ad\u200b"]
    wanted = [(shown[start], shown[end - 1] + 1, type) for start, end, type in spans_of(tagger, plain)]
    assert spans_of(tagger, hidden) == wanted != []


def test_several_notes_keep_their_own_texts_and_order(tagger):
    texts = [NOTE, NOTE.replace("\n", "\r\n"), "", "\r\n", NOTE.replace("-", "\u2013")]
    notes = [Document(str(number), text, patient="p") for number, text in enumerate(texts)]
    for found in (list(tagger.tag_all(notes)), tagger.tag_patient(notes)):
        assert [note.text for note in found] == texts
        assert len({tuple(found[0].text_of(span) for span in found[0].spans)}) == 1
        values = [[note.text_of(span).replace("\u2013", "-") for span in note.spans] for note in found]
        assert values[0] == values[4] and len(values[0]) == len(values[1])


def test_training_sees_the_same_whatever_the_writing(notes, small_model, tmp_path):
    other = []
    for note in notes[:30]:
        text, edges = rewrite(note.text, {"\n": "\r\n", "-": "\u2013", " ": "\u00a0"})
        spans = [type(span)(edges[span.start], edges[span.end], span.type) for span in note.spans]
        other.append(Document(note.id, text, tuple(spans), note.patient))
    again = model.train(other, small_model.config, tmp_path / "again", engine="crfsuite")
    same = [(d.folder / "model.crfsuite").read_bytes() for d in (small_model, again)]
    assert same[0] == same[1]


def test_the_estimator_sees_folded_texts(notes):
    estimator = CRFTagger(features=["lexical"], max_iterations=10).fit(notes[:10])
    plain = [estimator.predict([note])[0] for note in notes[10:14]]
    for note, spans in zip(notes[10:14], plain):
        text, edges = rewrite(note.text, {"\n": "\r\n"})
        assert [(s.start, s.end) for s in estimator.predict([Document("n", text)])[0]] == [
            (edges[span.start], edges[span.end]) for span in spans
        ]
