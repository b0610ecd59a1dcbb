"""Arrays of several notes against the plain definitions, one note after the other."""

import dataclasses

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_notes import SMALL, note

pytest.importorskip("numba")

from crfdeid.engine import crfsuite_file
from crfdeid.engine.arrays import vocabulary
from crfdeid.engine.arrays.batch import Batch, PlainStretches, Reader, decode_spans, encode_labels
from crfdeid.engine.arrays.structure_columns import count_before, find_far
from crfdeid.engine.decoding.tables import neighbour_pairs
from crfdeid.engine.decoding.tables import shift_codes as shift_in_sequences
from crfdeid.engine.training import training_set
from crfdeid.engine.training.train import refuse_too_large
from crfdeid.engine.training.training_set import _join_batches, narrow_type, shift_codes
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.feature_extraction.templates import parse_templates
from crfdeid.systems import model
from crfdeid.systems.model_folder import build_pipeline
from crfdeid.text import bio
from crfdeid.text.document import Document, Span
from crfdeid.text.tokenizer import TOKENIZERS

LABELS = ["O", "B-A", "I-A", "I-B"]


@st.composite
def batches(draw):
    """Notes of tokens of two letters with a blank between some, in sequences with tokens between some."""
    documents, starts, bounds, first, stop = [], [], [0], [], []
    for number in range(draw(st.integers(1, 3))):
        text = ""
        begin = len(starts)
        for size in draw(st.lists(st.integers(0, 4), max_size=3)):  # the tokens of each sequence
            first.append(len(starts))
            for _ in range(size):
                starts.append(len(text))
                text += "ab" + " " * draw(st.integers(0, 1))
            stop.append(len(starts))
            if draw(st.booleans()):  # a token outside the sequences
                starts.append(len(text))
                text += "\n\n"
        edges = draw(st.lists(st.integers(0, len(text)), max_size=6))
        pairs = zip(sorted(edges)[::2], sorted(edges)[1::2])
        spans = tuple(Span(a, b, draw(st.sampled_from("AB"))) for a, b in pairs if a < b)
        documents.append(Document(str(number), text, spans))
        bounds.append(bounds[-1] + len(starts) - begin)
    starts, first, stop = (np.array(one, np.int64) for one in (starts, first, stop))
    kept = first < stop
    none = np.zeros(len(starts), np.int64)
    return Batch(documents, none, starts, starts + 2, np.array(bounds), none, first[kept], stop[kept])


@given(batches())
def test_labels_are_those_of_each_note(batch):
    wanted = [
        label
        for number, document in enumerate(batch.documents)
        for label in bio.encode(batch.tokens(number), document.spans)
    ]
    assert encode_labels(batch) == wanted


@given(batches(), st.data())
def test_spans_are_those_of_each_sequence(batch, data):
    numbers = st.lists(st.integers(0, len(LABELS) - 1), min_size=len(batch), max_size=len(batch))
    path, sequence = np.array(data.draw(numbers), np.int64), batch.sequence
    wanted = [[] for _ in batch.documents]
    inside = np.zeros(len(batch), bool)
    for place, (a, b) in enumerate(zip(batch.first.tolist(), batch.stop.tolist())):
        owner = int(batch.document[a])
        tokens = batch.tokens(owner)[a - batch.bounds[owner] : b - batch.bounds[owner]]
        wanted[owner] += bio.decode(tokens, [LABELS[y] for y in path[a:b]])
        inside[a:b] = True
        assert (sequence[a:b] == place).all()
    assert (sequence[~inside] == -1).all()
    path[~inside] = -1
    assert decode_spans(batch, LABELS, path) == wanted


@given(batches(), st.integers(-3, 3))
def test_neighbours_are_in_the_same_sequence(batch, offset):
    codes = np.arange(len(batch)) + 100
    wanted = np.full(len(batch), -1)
    for a, b in zip(batch.first.tolist(), batch.stop.tolist()):
        for t in range(a, b):
            if a <= t + offset < b:
                wanted[t] = codes[t + offset]
    here, there = neighbour_pairs(batch.first, batch.stop, offset)
    assert here.tolist() == np.flatnonzero(wanted >= 0).tolist() and (there == here + offset).all()
    assert shift_in_sequences(codes, batch.first, batch.stop, offset).tolist() == wanted.tolist()


@given(st.lists(st.integers(0, 5), max_size=5), st.integers(-4, 4), st.booleans())
def test_codes_are_not_shifted_across_sequences(sizes, offset, several):
    bounds = np.cumsum([0, *sizes])
    codes = np.arange(bounds[-1], dtype=np.int32)
    wanted = [
        t + offset if a <= t + offset < b else -1 for a, b in zip(bounds, bounds[1:]) for t in range(a, b)
    ]
    found = shift_codes(np.stack([codes, codes]) if several else codes, bounds, offset)
    assert found.tolist() == ([wanted, wanted] if several else wanted)


@pytest.mark.parametrize(
    ("largest", "kind"), [(-1, "int8"), (127, "int8"), (128, "int16"), (32767, "int16"), (32768, "int32")]
)
def test_codes_have_the_narrowest_type(largest, kind):
    assert narrow_type(np.array([-1, largest])).dtype == kind


def test_observations_of_several_values_get_as_many_rows_as_the_largest():
    parts = [np.array([1, 2]), np.array([[3, 4], [5, 6]]), np.array([[7]])]
    assert _join_batches(parts).tolist() == [[1, 2, 3, 4, 7], [-1, -1, 5, 6, -1]]
    assert _join_batches(parts[:1] * 2).tolist() == [1, 2, 1, 2]


def test_a_model_does_not_depend_on_how_many_notes_are_observed_at_once(tmp_path, monkeypatch):
    chosen = dataclasses.replace(
        SMALL, features=("lexical", "context", "names"), crf=SMALL.crf | {"max_iterations": 4}
    )
    files = []
    for size in (20, 3, 1):
        monkeypatch.setattr("crfdeid.engine.training.training_set.BATCH", size)
        model.train([note(n) for n in range(7)], chosen, tmp_path / str(size), engine="fast")
        files.append((tmp_path / str(size) / "model.crfsuite").read_bytes())
    assert files[0] == files[1] == files[2]


def test_each_note_is_read_with_its_extra_columns(monkeypatch):
    monkeypatch.setattr("crfdeid.engine.training.training_set.BATCH", 2)
    notes = [Document(str(number), "a b") for number in range(5)]
    extra = [{"stage": [str(number), "O"]} for number in range(5)]
    reader = Reader(make_pipeline(), vocabulary.TokenVocabulary({}, lambda name, value: 0))
    batches = list(training_set.read_batches(reader, iter(notes), extra))
    assert [[own.id for own in batch.documents] for batch in batches] == [["0", "1"], ["2", "3"], ["4"]]
    assert [list(batch.extra_columns) for batch in batches] == [extra[:2], extra[2:4], extra[4:]]


def make_pipeline(**changes):
    return build_pipeline(dataclasses.replace(SMALL, **changes), (), {})


@pytest.mark.parametrize("size", [1, 2, 20])
def test_each_sequence_has_the_number_of_its_note(monkeypatch, size):
    """An empty note and one of blanks have no sequence."""
    monkeypatch.setattr("crfdeid.engine.training.training_set.BATCH", size)
    texts = ["Seen.\nWell.", "", "Home.", " \n", "Fever.\n\nPain.\nRest."]
    notes = [Document(str(number), text) for number, text in enumerate(texts)]
    built = training_set.build(make_pipeline(sequence="line"), notes)
    assert built.documents.tolist() == [0, 0, 2, 4, 4, 4]
    assert built.bounds.tolist() == [0, 2, 4, 6, 8, 10, 12]
    names = list(built.attributes)
    assert names[0] == "bias" and len(set(names)) == len(names)


TEMPLATES = (
    "lower[-2..2] shape[0] prefix3[-1] ngrams[0] word_before[0] word_after[1] line_position[-1..0] "
    "words_left[0] words_right[-1] lower[0]|shape[1] lower[-1]|word_before[0]|shape[0]"
)


@pytest.mark.parametrize("size", [1, 2, 20])
def test_tokens_have_the_attributes_of_the_plain_pipeline(monkeypatch, size):
    """Also those with several values, in the same sequences."""
    monkeypatch.setattr("crfdeid.engine.training.training_set.BATCH", size)
    groups = [template for part in TEMPLATES.split() for template in parse_templates(part)]
    pipeline = build_pipeline(dataclasses.replace(SMALL, sequence="line"), groups, {})
    notes = [note(1), Document("e", ""), note(2), Document("b", "||a|\n a||b Ana Ruiz\n")]
    built = training_set.build(pipeline, notes)
    examples = list(pipeline.make_examples(notes))
    assert np.diff(built.bounds).tolist() == [len(labels) for _, labels in examples]
    assert [built.labels[y] for y in built.gold] == [label for _, labels in examples for label in labels]
    ends, values = built.bundles.ends, built.bundles.values
    for token, wanted in enumerate(features for own, _ in examples for features in own):
        bundles = [column[token] for column in built.columns if column[token] >= 0]
        numbers = [number for one in bundles for number in values[ends[one] : ends[one + 1]].tolist()]
        assert sorted(built.attributes[number] for number in numbers) == sorted(wanted)


def test_only_the_fine_tokenizer_is_compiled():
    assert training_set.compiled_scanner(make_pipeline(tokenizer="fine")) is not None
    for name in TOKENIZERS.keys() - {"fine"}:
        assert training_set.compiled_scanner(make_pipeline(tokenizer=name)) is None


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_table_of_strings_does_not_depend_on_how_many_are_encoded_at_once(monkeypatch, size):
    names = [f"name {n * n} é" for n in range(21)]
    whole = crfsuite_file.build_table(names)
    monkeypatch.setattr(crfsuite_file, "BATCH", size)
    assert crfsuite_file.build_table(iter(names)) == whole
    assert crfsuite_file.read_strings(b"head" + whole, 4) == names
    assert crfsuite_file.read_strings(crfsuite_file.build_table([]), 0) == []


@pytest.mark.parametrize(("weight", "sound"), [(1e6, True), (-1e6, True), (1e6 + 0.5, False), (-1e7, False)])
def test_a_weight_is_a_million_at_most(tmp_path, weight, sound):
    rows = crfsuite_file.make_records(
        crfsuite_file.STATE, np.zeros(1, int), np.zeros(1, int), np.array([weight])
    )
    crfsuite_file.write(tmp_path / "m", ["O"], ["a"], rows)
    if sound:
        assert crfsuite_file.read(tmp_path / "m").records["weight"].tolist() == [weight]
    else:
        with pytest.raises(ModelError, match="weights over 1,000,000"):
            crfsuite_file.read(tmp_path / "m")


def test_weights_are_added_to_transitions(tmp_path):
    rows = np.concatenate([
        crfsuite_file.make_records(crfsuite_file.STATE, np.array([0]), np.array([1]), np.array([2.0])),
        crfsuite_file.make_records(
            crfsuite_file.TRANSITION, np.arange(2), np.array([1, 0]), np.array([0.5, 3])
        ),
    ])  # fmt: skip
    crfsuite_file.write(tmp_path / "m", ["O", "B-AGE", "I-AGE"], ["a", "unused"], rows)
    crfsuite_file.add_to_transitions(tmp_path / "m", [("O", "B-AGE"), ("I-AGE", "I-AGE")], -0.25)
    found = crfsuite_file.read(tmp_path / "m")
    assert found.transitions.tolist() == [[0, 0.25, 0], [3, 0, 0], [0, 0, -0.25]]
    assert found.attributes == ["a"] and found.records[0].tolist() == (0, 0, 1, 2.0)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "m"))
    assert tagger.tag([["a"]]) == ["B-AGE"]


class Size(list):
    labels = ("O", "B-AGE")


def test_memory_is_counted_in_numbers_of_eight_bytes(monkeypatch):
    """Rows and expectations by thread, 22 vectors of all variables, three tables of transitions."""
    needed = 8 * (10 * 8 * 3 + 22 * 100 + 3 * 8 * 8)
    pages = {"SC_PAGE_SIZE": 4, "SC_PHYS_PAGES": needed // 4}
    monkeypatch.setattr("os.sysconf", pages.__getitem__)
    refuse_too_large(Size(range(100)), 10, 8, 2, 6)
    pages["SC_PHYS_PAGES"] -= 1
    with pytest.raises(
        ConfigurationError, match=r"about 0\.0 GB for 2 labels, 10 rows and 100 features; this"
    ):
        refuse_too_large(Size(range(100)), 10, 8, 2, 6)
    pages["SC_PHYS_PAGES"] += 2 * 8 * 100 // 4
    refuse_too_large(Size(range(100)), 10, 8, 2, 6)
    with pytest.raises(ConfigurationError):  # another correction is two vectors
        refuse_too_large(Size(range(100)), 10, 8, 2, 7)
    pages["SC_PHYS_PAGES"] = 5 * 10**8
    with pytest.raises(ConfigurationError, match=r"needs about 16\.3 GB for .*; this machine has 2\.0 GB: "):
        refuse_too_large(Size(range(100)), 85 * 10**6, 8, 2, 6)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("\n", "LINE_END"),
        ("3/", ""),
        ("3/4", "LONG"),
        ("ab", "ALPHABETIC LOWERED_ALPHABETIC CASED WITH_SMALL"),
        ("Ruiz", "ALPHABETIC LOWERED_ALPHABETIC CAPITALISED LONG CASED WITH_CAPITAL WITH_SMALL"),
        ("A1", "CAPITALISED CASED WITH_CAPITAL"),
        ("1Ab", "LONG CASED WITH_CAPITAL WITH_SMALL"),
        ("\u0130", "ALPHABETIC CAPITALISED CASED WITH_CAPITAL"),  # two characters in lower case
        ("\u01c5", "ALPHABETIC LOWERED_ALPHABETIC CASED WITH_CAPITAL WITH_SMALL"),  # a titlecase letter
        ("\u674e", "ALPHABETIC LOWERED_ALPHABETIC"),
    ],
)
def test_what_is_known_of_a_text(text, names):
    assert vocabulary.flags(text) == sum(getattr(vocabulary, name) for name in names.split())


def test_marks_and_titles_are_known_in_small_letters_and_capitals():
    table = vocabulary.TokenVocabulary({}, lambda name, value: 0)
    assert table.number_texts([":", ".", "Dr", "dr", ":"]) == [0, 1, 2, 3, 0]
    marks = vocabulary.COLON | vocabulary.FULL_STOP | vocabulary.TITLE
    found = [vocabulary.COLON, vocabulary.FULL_STOP, vocabulary.TITLE, vocabulary.TITLE]
    assert (table.flags.rows[:4] & marks).tolist() == found
    assert table.lower.rows[:4].tolist() == [0, 1, 2, 2]
    assert len(table) == 4
    assert table.number_texts(["Mr", "dr", "Mr"]) == [4, 3, 4]
    assert table.strings == [":", ".", "Dr", "dr", "Mr"] and len(table) == 5
    assert table.forms == [":", ".", "Aa", "aa", "Aa"]


@pytest.mark.parametrize(("size", "rows"), [(3, 4), (4, 4), (5, 6), (6, 6), (7, 7), (9, 9)])
def test_arrays_grow_by_half_or_to_the_size_that_is_needed(size, rows):
    whole = np.arange(8).reshape(4, 2)
    found = vocabulary.enlarge(whole, size)
    assert found.tolist() == whole.tolist() + [[0, 0]] * (rows - 4)
    assert (found is whole) == (size <= 4)


def test_stretches_are_numbered_by_their_text_and_end_with_a_note():
    """Two notes end at the offset where the next text begins; an empty note is between the first ones."""
    documents = [
        Document("1", "a/"),
        Document("2", ""),
        Document("3", "  b/ a/ c"),
        Document("4", " " * 9 + "d"),
    ]
    starts, ends = np.array([0, 1, 2, 3, 5, 6, 8, 9]), np.array([1, 2, 3, 4, 6, 7, 9, 10])
    none = np.zeros(8, np.int64)
    batch = Batch(documents, none, starts, ends, np.array([0, 2, 2, 7, 8]), none, none, none)
    stretches = PlainStretches()
    numbers, new = stretches.number(batch)
    assert numbers.tolist() == [0, 0, 1, 1, 0, 0, -1, -1]
    assert new.tolist() == [[0, 2], [2, 4]] and len(stretches) == 2
    numbers, new = stretches.number(batch)
    assert numbers.tolist() == [0, 0, 1, 1, 0, 0, -1, -1] and new.shape == (0, 2)


def test_a_word_elsewhere_is_more_than_six_tokens_away():
    """In 20 tokens, the word 0 is at the tokens 3 and 12, and the word 1 at 5."""
    known, tokens = np.array([3, 12, 25]), np.array([3, 5, 6, 9, 10, 13, 18, 19])
    assert find_far(known, 0 * tokens, tokens, 20).tolist() == [12, 12, -1, -1, 3, 3, 3, 3]
    assert find_far(known, 0 * tokens + 20, tokens, 20).tolist() == [-1, -1, -1, -1, -1, 5, 5, 5]
    assert find_far(known[:0], 0 * tokens, tokens, 20).tolist() == [-1] * 8
    assert find_far(np.array([20]), 0 * tokens, tokens, 20).tolist() == [-1] * 8  # the word 1, at 0


def test_marked_places_are_counted_from_a_place_on():
    marked, since = np.array([True, False, True, True]), np.array([0, 0, 0, 2])
    assert count_before(marked, since).tolist() == [0, 1, 1, 1]
