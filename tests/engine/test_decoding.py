"""The engine against CRFsuite: model files, losses, labels, probabilities."""

import dataclasses
import itertools
from functools import cache, partial

import numpy as np
import pycrfsuite
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from small_notes import SMALL, note

from crfdeid.engine import crfsuite_file as weights
from crfdeid.engine.arrays.batch import Batch, PlainStretches, Reader, decode_spans
from crfdeid.engine.arrays.context_columns import BY_LOWERED_TEXT, FAST, ContextColumns
from crfdeid.engine.arrays.vocabulary import NONE, TokenVocabulary, flags, form, observe_texts
from crfdeid.engine.decoding import chain
from crfdeid.engine.decoding.chain import run_chain
from crfdeid.engine.decoding.decoder import AdaptiveDecoder, Decoder, shrink_codes
from crfdeid.engine.decoding.marginals import opening_scores
from crfdeid.engine.decoding.tables import Rows, Tables
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.feature_extraction import context, templates, token
from crfdeid.feature_extraction.context import chunk_shape
from crfdeid.feature_extraction.token import OfTable
from crfdeid.systems import model
from crfdeid.text import gazetteer, tokenizer
from crfdeid.text.document import Document, Span
from crfdeid.text.gazetteer import build_gazetteer

FEATURES = [["a", "b"], ["c"], ["a", "é"], ["c", "d"]]
LABELS = ["O", "B-AGE", "I-AGE", "O"]


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("crfsuite") / "m.crfsuite"
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.append(FEATURES, LABELS)
    trainer.append(FEATURES[:2], LABELS[:2])
    trainer.train(str(path))
    return path


def test_a_model_file_is_written_as_crfsuite_does(model_file, tmp_path):
    model = weights.read(model_file)
    weights.write(tmp_path / "copy", model.labels, model.attributes, model.records)
    assert (tmp_path / "copy").read_bytes() == model_file.read_bytes()


def test_crfsuite_finds_many_strings_again(tmp_path):
    names = [f"feature{n}=é{'x' * (n % 40)}" for n in range(3000)]
    rows = weights.make_records(weights.STATE, np.arange(3000), np.arange(3000) % 2, np.arange(3000) + 1.0)
    weights.write(tmp_path / "m", ["O", "X"], names, rows)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "m"))
    assert tagger.tag([[name] for name in names]) == ["OX"[n % 2] for n in range(3000)]


def test_one_weight_is_changed(model_file, tmp_path):
    path = tmp_path / "m"
    path.write_bytes(model_file.read_bytes())
    before = weights.read(path)
    changed = weights.add_to_weights(before, "a", {"O": -1.5}).records["weight"] - before.records["weight"]
    assert np.isclose(sorted(changed)[0], -1.5)
    assert np.count_nonzero(changed) == 1
    added = weights.add_to_weights(before, "new", {"B-AGE": 90.0})
    weights.write(path, added.labels, added.attributes, added.records)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    assert tagger.tag([["new"], ["c"]])[0] == "B-AGE"
    with pytest.raises(ModelError, match="no label X"):
        weights.add_to_weights(before, "a", {"X": 1.0})


@pytest.mark.parametrize("size", [0, 3, 47, 200])
def test_a_truncated_file_is_refused(model_file, tmp_path, size):
    path = tmp_path / "m"
    path.write_bytes(model_file.read_bytes()[:size])
    with pytest.raises(ModelError, match="not a CRFsuite model"):
        weights.read(path)


def swapped(data):
    return data[:4] + data[7:3:-1] + data[8:]


def of_version_7(data):
    return data[:12] + (7).to_bytes(4, "little") + data[16:]


def with_weight(weight, data):
    return data[:72] + np.array([weight], "<f8").tobytes() + data[80:]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (swapped, "big-endian"),
        (of_version_7, "format 7; wanted 100"),
        (partial(with_weight, np.inf), "not finite"),
        (partial(with_weight, -1e20), "over 1,000,000"),
    ],
)
def test_files_of_other_kinds_are_refused(model_file, tmp_path, change, message):
    path = tmp_path / "m"
    path.write_bytes(change(model_file.read_bytes()))
    with pytest.raises(ModelError, match=message):
        weights.read(path)


def test_marginals_are_crfsuites(small_model, notes):
    found_weights = weights.read(small_model.folder / "model.crfsuite")
    tagger = pycrfsuite.Tagger()
    tagger.open(str(small_model.folder / "model.crfsuite"))
    page, (sequence,) = small_model.pipeline.tokenize_document(notes[33])
    tagger.set(small_model.pipeline.extractor.features(page, sequence))
    wanted = [[tagger.marginal(label, t) for label in found_weights.labels] for t in range(len(sequence))]
    emissions = small_model.decoder.emissions(small_model.decoder.batch([notes[33]]))
    found = run_chain(emissions, found_weights.transitions).marginals()
    assert np.allclose(found, wanted, atol=1e-9)


NOTES = [note(n).text for n in range(5)]
TEXT = st.text(alphabet="aB1 .:|=\n", max_size=60) | st.sampled_from(NOTES)
PARTS = [
    "NHC: 12", "12", "el 3 de mayo de 2016", "14/03/2016", "su madre", "varón de 54 años de edad",
    "hace dos meses", ".", ";", "\n", "Médico: Ana", "Ana", "mes de enero", "2016", "a los 3 días", "x " * 26,
    "Hospital Clínico Avda. Denia, 103. 03013 Alicante", "C/ Colón", "s/n", "Fax 948136286", "@", "(", ")",
    ",", "(Cavit®, Espe)", "dos hermanas mayores", "tercer mes de vida", "sesenta y tres años de edad",
    "22 y 24 años", "recién nacido", "Avda. Mayor 3, 2º A",
]  # fmt: skip
SPANISH = st.lists(st.sampled_from(PARTS), max_size=14).map(" ".join)


ADDRESS = gazetteer.read_list(gazetteer.find_gazetteer("es_address"))
GROUPS = ("lexical", "orthographic", "context", "layout", "form", "names")


@pytest.fixture(scope="module", params=["document", "line", "sentence"])
def three_engines(request, notes, tmp_path_factory):
    """python-crfsuite, the engine in numpy, and the engine compiled, over one model."""
    pytest.importorskip("numba")
    from crfdeid.engine.decoding import numba_kernels

    chosen = dataclasses.replace(SMALL, features=GROUPS, sequence=request.param)
    folder = tmp_path_factory.mktemp("three") / "m"
    odd = Document("odd", "| a |= 3/4 | New York: Mr. Ruiz", (Span(5, 10, "DATE"),))
    model.train([*notes[:20], odd, odd], chosen, folder, engine="crfsuite")
    reference, plain, fast = (model.load(folder, engine) for engine in ("crfsuite", "fast", "fast"))
    fast.decoder = Decoder(fast.weights, fast.pipeline, numba_kernels)
    return reference, plain, fast


@settings(deadline=None)
@given(texts=st.lists(TEXT, max_size=4))
def test_labels_are_crfsuites_on_any_text(three_engines, texts):
    documents = [Document(str(n), text) for n, text in enumerate(texts)]
    wanted, *found = ([d.spans for d in tagger.tag_all(documents)] for tagger in three_engines)
    assert found == [wanted, wanted]


TINY = {  # bounds of what is kept or looked up at once
    "arrays.context_columns": {"REMEMBERED": 1, "AT_ONCE": 2},
    "arrays.structure_columns": {"REMEMBERED": 1, "MOST_KEPT": 1},
    "decoding.decoder": {"REMEMBERED": 4, "FORMS": 2, "RESERVED": 4000, "LONG": 0},
    "decoding.numba_kernels": {"PART": 9},
    "decoding.packed_tables": {"DIRECT": 0},
    "decoding.tables": {"COMBINATIONS": 1},
}


@pytest.mark.slow
@pytest.mark.parametrize(("changed", "filled"), [([], 10**6), (list(TINY), 0)], ids=["large", "tiny"])
def test_labels_do_not_depend_on_the_sizes_of_tables(three_engines, notes, monkeypatch, changed, filled):
    """Few texts are kept, combinations are not looked up together, rows are whole or lists of weights."""
    reference, *own = three_engines
    untouched = Decoder(own[0].weights, own[0].pipeline)
    documents = [*notes[28:30], Document("words", " ".join(f"w{n}" for n in range(1100))), *notes[30:33]]
    wanted = [document.spans for document in reference.tag_all(documents)]
    scores = untouched.emissions(untouched.batch(documents))
    for name in changed:
        for constant, value in TINY[name].items():
            monkeypatch.setattr(f"crfdeid.engine.{name}.{constant}", value)
    monkeypatch.setattr("crfdeid.engine.decoding.tables.FILLED", filled)
    for tagger in own:
        decoder, before = Decoder(tagger.weights, tagger.pipeline, tagger.decoder.kernels), 0
        for start in range(0, len(documents), 3):
            batch = decoder.batch(documents[start : start + 3])
            labels = decode_spans(batch, decoder.labels, decoder.path(batch))
            assert [tuple(spans) for spans in labels] == wanted[start : start + 3]
            found = decoder.emissions(batch)[:, : len(decoder.labels)]
            assert np.allclose(found, scores[before : before + len(batch)])
            before += len(batch)


@pytest.mark.parametrize("part", [1, 127, 128, 300])
def test_a_batch_whose_columns_are_stacked_in_parts_has_the_same_scores(
    three_engines, notes, monkeypatch, part
):
    from crfdeid.engine.decoding import numba_kernels

    decoder = three_engines[2].decoder
    long = Document("long", "\n".join(each.text for each in notes[:22]))
    batch = decoder.batch([notes[23], long, notes[24]])
    scores, path = decoder.emissions(batch), decoder.path(batch)
    assert len(batch) > 600
    monkeypatch.setattr(numba_kernels, "PART", part)
    assert np.array_equal(decoder.emissions(batch), scores)
    assert np.array_equal(decoder.path(batch), path)
    scored, best = decoder.score_path(batch)
    assert len(scored) == len(batch) and np.array_equal(best, path)
    for own in (slice(None), slice(0, 1), slice(126, 131), slice(len(batch) - 1, None)):
        assert np.array_equal(scored[own][:, : scores.shape[1]], scores[own])


def test_the_codes_of_a_long_batch_take_two_bytes_where_they_fit(three_engines, monkeypatch):
    """And the texts between white space of a batch are forgotten with it."""
    monkeypatch.setattr("crfdeid.engine.decoding.decoder.LONG", 3)
    decoder = Decoder(three_engines[1].weights, three_engines[1].pipeline)
    for text, size in (("a b c", 4), ("a b c d", 2)):
        columns = decoder.observe(decoder.batch([Document("n", text)]))
        assert {column.itemsize for column in columns.values()} == {size}
        assert decoder.columns.numbered is None
    few, many = np.array([-1, 32767], np.int32), np.array([[-1, 32768]], np.int32)
    assert shrink_codes(few).dtype == np.int16 and shrink_codes(few).tolist() == [-1, 32767]
    assert shrink_codes(many) is many and shrink_codes(many[:, :0]).shape == (1, 0)


def test_texts_and_forms_that_are_too_many_are_forgotten(small_model, monkeypatch):
    monkeypatch.setattr("crfdeid.engine.decoding.decoder.REMEMBERED", 4)
    monkeypatch.setattr("crfdeid.engine.decoding.decoder.FORMS", 3)
    decoder = Decoder(small_model.weights, small_model.pipeline)
    begun = []
    for text in ("a b", "a b c", "d e", "d", "f"):  # five texts are known after the third
        before = decoder.vocabulary
        decoder.observe(decoder.batch([Document("n", text)]))
        begun.append(decoder.vocabulary is not before)
    assert begun == [False, False, False, True, False]
    monkeypatch.setattr("crfdeid.engine.decoding.decoder.REMEMBERED", 1000)
    decoder.forget()
    assert len(decoder.scorer.window) == 1001  # one more than it may know before it forgets
    kept = []
    for text in ("A", "a", "1", "Aa", "aa", "AA", "11", "aaa"):
        decoder.observe(decoder.batch([Document("n", text)]))
        kept.append(len(decoder.forms))
    assert kept == [1, 2, 3, 4, 1, 2, 3, 4]
    tagger = AdaptiveDecoder(small_model.weights, small_model.pipeline)
    tagger.forget_texts()
    assert "decoder" not in vars(tagger)  # none is made for it
    before = tagger.decoder.vocabulary
    tagger.forget_texts()
    assert tagger.decoder.vocabulary is not before


def test_only_compiled_decoders_use_compiled_loops(small_model, notes, tmp_path):
    """In numpy, nothing of numba is loaded. A tokenizer that has no compiled version stays as it is."""
    pytest.importorskip("numba")
    from crfdeid.engine.arrays.compiled_columns import CompiledStretches
    from crfdeid.engine.decoding import numba_kernels
    from crfdeid.engine.decoding.scanner import Scanner

    model.train(notes[:3], dataclasses.replace(SMALL, tokenizer="coarse"), tmp_path / "m")
    other = model.load(tmp_path / "m", "fast")
    for tagger, compiled, scans in (
        (small_model, False, False), (small_model, True, True), (other, False, False), (other, True, False),
    ):  # fmt: skip
        kernels = (numba_kernels,) if compiled else ()
        decoder = Decoder(tagger.weights, tagger.pipeline, *kernels)
        assert isinstance(decoder.reader.scan, Scanner) is scans
        assert decoder.columns.make_stretches is (CompiledStretches if compiled else PlainStretches)
        assert (decoder.columns.fast == FAST) is not compiled


def test_loops_are_compiled_after_enough_characters(small_model, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr("crfdeid.engine.decoding.decoder.WORTH_COMPILED", 10)
    tagger = AdaptiveDecoder(small_model.weights, small_model.pipeline)
    seen = []
    for text in ("1234", "12345", "1", "1"):
        tagger.batch([Document("a", text)])
        seen.append(tagger.compiled)
    assert seen == [False, False, True, True]
    decoder = tagger.decoder
    tagger.compile()
    assert tagger.decoder is decoder


def test_a_model_without_window_rows_tags_as_in_numpy(notes, tmp_path):
    """All observations of the group look at context, so no text has a row of its own."""
    pytest.importorskip("numba")
    from crfdeid.engine.decoding import numba_kernels

    model.train(notes[:4], dataclasses.replace(SMALL, features=("mimic",)), tmp_path / "m")
    plain, fast = (model.load(tmp_path / "m", "fast") for _ in range(2))
    fast.decoder = Decoder(fast.weights, fast.pipeline, numba_kernels)
    assert not len(fast.decoder.offsets)
    assert list(fast.tag_all(notes)) == list(plain.tag_all(notes))


@cache
def shorten(found):
    """A list with only the entries that begin as a word of the texts, which is as sharp and built at once."""
    texts = [*NOTES, *PARTS, "a b Dr. Li O. Xu"]
    words = {one.text.lower() for text in texts for one in tokenizer.fine(text)}
    kept = frozenset(e for e in found.longer if e[0] in words)
    return dataclasses.replace(found, single=found.single & words, longer=kept)


def make_columns(line, texts, compiled, known=None):
    """The columns of all observations, the observations, the batch, and the numbers of their values; only of
    the ``known`` ones, if there are any."""
    numbers: dict[str, dict] = {}
    names = FAST.keys() | {f"phrase_{name}" for name in line.gazetteers}
    names |= {f"{observation}_es_address" for observation in context.OBSERVATIONS}
    gazetteers = {name: shorten(found) for name, found in line.gazetteers.items()} | {"es_address": ADDRESS}
    contextual = templates.resolve_names(names, gazetteers).contextual
    number = lambda name, value: numbers.setdefault(name, {}).setdefault(value, len(numbers[name]))  # noqa: E731
    if known:
        number = lambda name, value: known.get(name, {}).get(value, NONE)  # noqa: E731
    table = TokenVocabulary(dict.fromkeys(BY_LOWERED_TEXT, str.lower), number)
    batch = Reader(line, table).batch([Document(str(n), text) for n, text in enumerate(texts)])
    from crfdeid.engine.arrays.compiled_columns import COMPILED, CompiledStretches

    loops = (CompiledStretches, COMPILED) if compiled else (PlainStretches, {})
    return ContextColumns(contextual, gazetteers, table, number, *loops), contextual, batch, numbers


LINES = """NHC: 4410 Médico: Ana Ruiz 12: x :y
Dr. Li saw DR ANNE, Mr. Al and Ms. Bo.Dr
www. www.x at a.org, o@b.org; 1.2.3.4

Mr Li: (Cavit®, Espe, a, b, c, d™, e) x (f (g) h, i) j) k, (l
Past medical history of an old man: no
one two three four five six: no heading, or is it
one 2 two 3 three 4 four 5 five 6 six 7 seven 8 eight: a
UPPER CASE: 12
A
A B
12 34
lower words only: ana 4410 ruiz ana
"""
PROSE = "ruiz 4410 li . " + "w x; y. z " * 7 + "ana 4410\n"  # more than 25 tokens
WORDS = "w " * 18  # a word in twenty may be in capitals
CASES = [WORDS + "w Aa", WORDS + "Aa", WORDS.upper() + "W aa", WORDS.upper() + "aa", "w " * 38 + "Aa Bb", ""]


@pytest.mark.parametrize("compiled", [False, True])
@settings(deadline=None)
@given(texts=st.lists(TEXT | SPANISH, min_size=1, max_size=3))
@example(texts=["Dr. Li saw Mr. O. Li, Ms. Xu\n", "Dr. Li"])
@example(texts=[LINES + PROSE * 6 + LINES, PROSE, "", "ruiz: 4410", LINES])
@example(texts=CASES)
@example(texts=["\u0643\u0644\u0645\u0629 \u0643\u0644\u0645\u0629\n12 \u0643 AB\nab \u0643"])
@example(
    texts=["\n".join("abcdefgh"), "a\nb\nc", "a: b a b a b a", "a b a b a b a: b aa: ab aa ab x x x x aa"]
)
def test_array_columns_equal_the_plain_observations(three_engines, compiled, texts):
    columns, contextual, batch, numbers = make_columns(three_engines[1].pipeline, texts, compiled)
    for _ in range(2):
        compare_columns(columns, contextual, batch, numbers)


def compare_columns(columns, contextual, batch, numbers):
    for name, observe in sorted(contextual.items()):
        found = columns.column(name, batch).tolist()
        values = {code: value for value, code in numbers.get(name, {}).items()} | {NONE: None}
        plain = [v for n in range(len(batch.documents)) for v in observe(batch.tokenized(n))]
        assert [values[c] for c in found] == plain


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("odd", [False, True])
def test_a_value_without_a_number_is_none(three_engines, compiled, odd):
    """A model has weights for some of the values that it has seen, and none for others."""
    line, texts = three_engines[1].pipeline, [LINES + PROSE, " ".join(PARTS), LINES]
    columns, contextual, batch, numbers = make_columns(line, texts, compiled)
    compare_columns(columns, contextual, batch, numbers)
    known = {
        name: {value: code for value, code in own.items() if value and code % 2 == odd}
        for name, own in numbers.items()
    }
    columns, contextual, batch, _ = make_columns(line, texts, compiled, known)
    for name, observe in sorted(contextual.items()):
        plain = [v for n in range(len(texts)) for v in observe(batch.tokenized(n))]
        assert columns.column(name, batch).tolist() == [known.get(name, {}).get(v, NONE) for v in plain]


@pytest.mark.parametrize("compiled", [False, True])
def test_columns_begin_again_with_another_vocabulary(three_engines, compiled):
    """What was known of the numbers of texts, stretches and headings is forgotten."""
    line = three_engines[1].pipeline
    columns, contextual, batch, numbers = make_columns(line, [LINES, "in New York: 3/4 Dr. Li"], compiled)
    compare_columns(columns, contextual, batch, numbers)
    table = TokenVocabulary(dict.fromkeys(BY_LOWERED_TEXT, str.lower), columns.number)
    columns.forget(table)
    texts = ["Dr. Ruiz, C/ Colón: a.b@c.org", "NHC New York: " + LINES[::-1]]
    again = Reader(line, table).batch([Document(str(n), text) for n, text in enumerate(texts)])
    compare_columns(columns, contextual, again, numbers)


@pytest.mark.parametrize("compiled", [False, True])
def test_values_are_numbered_in_the_order_of_the_notes(three_engines, compiled):
    """In the order of a set, a model's bytes would depend on the hash seed of the process."""
    texts = [
        " ".join(f"{'a' * n}-{'1' * m} {'b/' * n}c" for n in range(1, 7) for m in range(1, 7)),
        "A-1 b.c",
    ]
    columns, contextual, batch, numbers = make_columns(three_engines[1].pipeline, texts, compiled)
    for name in sorted(contextual):
        columns.column(name, batch)
    plain = [value for n in range(len(texts)) for value in contextual["chunk"](batch.tokenized(n))]
    assert list(numbers["chunk"]) == [value for value in dict.fromkeys(plain) if value]


@settings(max_examples=300)
@given(text=st.text(alphabet=st.characters(codec="ascii"), min_size=1, max_size=12))
def test_ascii_texts_of_one_shape_have_the_same_flags_and_observations(text):
    like = form(text)
    assert like == token.CAPITAL.sub("A", token.SMALL.sub("a", token.DIGIT.sub("0", text)))
    assert flags(like) == flags(text)
    assert chunk_shape(like) == chunk_shape(text)
    assert {n: token.LEXICAL[n](like) for n in token.OF_SHAPE} == {
        n: token.LEXICAL[n](text) for n in token.OF_SHAPE
    }


def test_the_same_notes_make_the_same_file_wherever_arrays_lie(notes, tmp_path):
    settings = dataclasses.replace(SMALL, crf=SMALL.crf | {"max_iterations": 15})
    files = set()
    for number in range(5):
        kept = np.zeros(1 + 37 * number)  # moves what is allocated after it
        model.train(notes[:8], settings, tmp_path / str(number))
        files.add((tmp_path / str(number) / "model.crfsuite").read_bytes())
        del kept
    assert len(files) == 1


LETTERS = st.text(alphabet="aZé\u0301\u0345ªǅß1٣-=_ \t\n\r\x85\u2028\x1f😀.", max_size=30)


@settings(max_examples=500, deadline=None)
@given(texts=st.lists(LETTERS, max_size=3))
@example(
    [
        "\u0301" * 5,
        "\u0301\u0301a\u0301b\u0301\u0301A\u0301\u0301\u0301",
        "\u0301 \u0301\u0301é1\u0301\u0301Á",
    ]
)
def test_the_compiled_tokenizer_equals_fine(texts):
    pytest.importorskip("numba")
    from crfdeid.engine.decoding.scanner import Scanner

    scanner, table = Scanner(), TokenVocabulary({}, lambda name, value: 0)
    for _ in range(2):
        numbers, starts, ends, bounds = scanner(texts, table)
        found = [(table.strings[n], a, b) for n, a, b in zip(numbers, starts, ends)]
        parts = [tokenizer.fine(text) for text in texts]
        assert found == [(t.text, t.start, t.end) for part in parts for t in part]
        assert np.diff(bounds).tolist() == [len(part) for part in parts]


@settings(deadline=None)
@given(texts=st.lists(TEXT, min_size=1, max_size=9))
def test_stretches_have_the_same_numbers_compiled(three_engines, texts):
    from crfdeid.engine.arrays.compiled_columns import CompiledStretches

    line = three_engines[1].pipeline
    reader = Reader(line, TokenVocabulary({}, lambda name, value: 0))
    both = PlainStretches(), CompiledStretches()
    for text in texts:
        batch = reader.batch([Document("a", text), Document("b", text[3:])])
        (plain, plain_new), (compiled, compiled_new) = (one.number(batch) for one in both)
        assert (plain.tolist(), plain_new.tolist()) == (compiled.tolist(), compiled_new.tolist())


@settings(max_examples=300)
@given(texts=st.lists(st.text(alphabet="aZÀσΣİßǅ1.-", min_size=1, max_size=7), min_size=1, unique=True))
def test_observations_of_many_texts_are_those_of_each(texts):
    lists = {f"in_{word}": token.gazetteer_word(build_gazetteer(word, [word])) for word in ("a", "az")}
    values = {"a": "0132", "A": "12", "zσ": ""}
    tables = {f"table_{length}": OfTable(values, length) for length in (None, 2)}
    tables["table_second"] = OfTable(values, place=2)
    for name, observe in (token.LEXICAL | lists | tables).items():
        found = observe_texts(name, observe, texts, [text.lower() for text in texts], list(map(form, texts)))
        assert found == [observe(text) for text in texts]


def test_the_compiled_table_of_texts_grows():
    pytest.importorskip("numba")
    from crfdeid.engine.decoding.scanner import Scanner

    scanner, table = Scanner(), TokenVocabulary({}, lambda name, value: 0)
    words = [f"{first}{second}x" for first in "abcdefghijklmnopqrstuvwxyz" * 9 for second in range(40)]
    for _ in range(2):
        numbers, *_ = scanner([" ".join(words)], table)
        assert [table.strings[n] for n in numbers] == [t.text for t in tokenizer.fine(" ".join(words))]


@pytest.mark.parametrize("kernels", ["tables", "numba_kernels"])
@settings(deadline=None)
@given(data=st.data())
def test_pruning_is_exact_and_ties_go_to_the_lowest_label(kernels, data):
    kernels = pytest.importorskip(f"crfdeid.engine.decoding.{kernels}")
    size, length = data.draw(st.integers(1, 6)), data.draw(st.integers(0, 7))
    score = st.sampled_from([0.0, 1.0, -1.0, 2.5, 1e4, -1e4])
    emissions = np.array([data.draw(score) for _ in range(size * length)]).reshape(length, size)
    transitions = np.array([data.draw(score) for _ in range(size * size)]).reshape(size, size)
    cut = data.draw(st.integers(0, length))
    bounds = [(a, b) for a, b in ((0, cut), (cut, length)) if a < b]
    first, stop = np.array(bounds, np.int64).reshape(-1, 2).T
    tables = Tables((), Rows(np.zeros((0, size)), np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0)))
    scorer = kernels.Scorer(tables, np.zeros(1, np.int64), np.zeros(size), transitions)
    none = np.zeros(length, np.int64)
    batch = Batch([], none, none, none, none, none, first, stop)
    path = scorer.find_best_paths(batch, emissions.copy())
    parts = emissions[:cut], emissions[cut:]
    assert path.tolist() == [y for part in parts for y in plain_viterbi(part, transitions)]


@pytest.mark.parametrize("size", [9, 64, 65, 130])
@pytest.mark.parametrize("spread", [0.3, 3.0])
def test_compiled_viterbi_is_exact_for_many_labels_and_tokens(size, spread):
    """Several words of bits, several blocks of tokens, few and many labels that stay."""
    kernels = pytest.importorskip("crfdeid.engine.decoding.numba_kernels")
    random = np.random.default_rng(size)
    transitions = np.where(random.random((size, size)) < 0.1, random.normal(size=(size, size)), 0.0)
    emissions = spread * random.normal(size=(400, size))
    emissions[:, size // 2] += 3 * spread  # a label that is nearly always the best
    length = len(emissions)
    first, stop = np.array([0, 30]), np.array([30, length])
    tables = Tables((), Rows(np.zeros((0, size)), np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0)))
    scorer = kernels.Scorer(tables, np.zeros(1, np.int64), np.zeros(size), transitions)
    none = np.zeros(length, np.int64)
    path = scorer.find_best_paths(Batch([], none, none, none, none, none, first, stop), emissions)
    parts = emissions[:30], emissions[30:]
    assert path.tolist() == [y for part in parts for y in plain_viterbi(part, transitions)]


@given(data=st.data())
def test_the_n_best_are_those_of_brute_force(data):
    size, length, n = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 4)), data.draw(st.integers(1, 7))
    score = st.floats(-3, 3)
    emissions = np.array([data.draw(score) for _ in range(size * length)]).reshape(length, size)
    transitions = np.array([data.draw(score) for _ in range(size * size)]).reshape(size, size)
    every = list(itertools.product(range(size), repeat=length))

    def total(ys):
        steps = [transitions[pair] for pair in zip(ys, ys[1:])]
        return sum(emissions[t, y] for t, y in enumerate(ys)) + sum(steps)

    found = chain.find_n_best(emissions, transitions, n)
    assert np.allclose([score for score, _ in found], sorted(map(total, every), reverse=True)[:n])
    assert np.allclose([score for score, _ in found], [total(path) for _, path in found])
    assert len({tuple(path) for _, path in found}) == min(n, len(every))


def test_of_the_best_with_equal_scores_those_that_end_in_the_lower_label_come_first():
    found = chain.find_n_best(np.zeros((2, 2)), np.zeros((2, 2)), 9)
    assert found == [(0.0, [0, 0]), (0.0, [1, 0]), (0.0, [0, 1]), (0.0, [1, 1])]
    assert chain.find_n_best(np.zeros((2, 2)), np.zeros((2, 2)), 3) == found[:3]
    assert chain.find_n_best(np.zeros((1, 3)), np.zeros((3, 3)), 2) == [(0.0, [0]), (0.0, [1])]


def test_labels_that_are_just_not_behind_are_not_pruned():
    """The label 1 is behind, and gains by a transition to itself."""
    for gain, behind, best in ((2.0, 2.0, [0.0, 0.0]), (3.0, 2.0, [0.0, 1.0]), (2.0, 3.0, [0.0, 0.0])):
        transitions = np.array([[0.0, 0.0], [0.0, gain]])
        lead = chain.label_leads(transitions)
        assert lead.tolist() == [[0.0, gain], [0.0, 0.0]]
        assert chain.best_step(np.array([0.0, -behind]), transitions, lead).tolist() == best


# Sums of these are exact, so that a tie is a tie in whatever order weights are added.
WIDE = st.sampled_from([0.0, 1.0, -1.0, 0.125, 2.5, 1e4, -1e4])


@settings(max_examples=30, deadline=None)
@given(data=st.data(), size=st.sampled_from([1, 2, 7, 48, 200]))
def test_labels_are_crfsuites_for_any_weights(three_engines, tmp_path_factory, data, size):
    """Models of any size with ties and large weights, over texts that they know only in part."""
    reference, plain, fast = three_engines
    labels = ["O", "B-AGE", "I-AGE", "B-DATE", "I-DATE", "B-CITY", "I-CITY"]
    labels = (labels + [f"{'BI'[n % 2]}-T{n // 2}" for n in range(200)])[:size]
    drawn = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    names = data.draw(st.lists(st.sampled_from(reference.weights.attributes), min_size=1, unique=True))
    values = np.array(data.draw(st.lists(WIDE, min_size=1, max_size=9)))
    pairs = drawn.integers(0, [len(names), size], (3 * len(names), 2))
    jumps = drawn.integers(0, size, (min(size * size, 300), 2))
    rows = np.concatenate([
        weights.make_records(kind, *found.T, drawn.choice(values, len(found)))
        for kind, found in (
            (weights.STATE, np.unique(pairs, axis=0)),
            (weights.TRANSITION, np.unique(jumps, axis=0)),
        )
    ])  # fmt: skip
    path = tmp_path_factory.mktemp("random") / "m"
    weights.write(path, labels, names, rows)
    crfsuite = pycrfsuite.Tagger()
    crfsuite.open(str(path))
    batch = plain.decoder.reader.batch([Document("n", data.draw(TEXT))])
    for tagger in (plain, fast):
        decoder = Decoder(weights.read(path), tagger.pipeline, tagger.decoder.kernels)
        batch = decoder.batch(batch.documents)
        found = [labels[y] if y != NONE else None for y in decoder.path(batch).tolist()]
        for first, stop in zip(batch.first.tolist(), batch.stop.tolist()):
            features = tagger.pipeline.extractor.features(batch.tokenized(0), range(first, stop))
            assert found[first:stop] == crfsuite.tag(features)


def plain_viterbi(emissions, transitions):
    """As CRFsuite does it: every label, the first of the best."""
    if not len(emissions):
        return []
    scores, back = emissions[0], []
    for emission in emissions[1:]:
        every = scores[:, None] + transitions
        back.append(every.argmax(axis=0))
        scores = every.max(axis=0) + emission
    path = [int(scores.argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    return path[::-1]


def spans_of(labels):
    """Brute force: the repaired spans with their types."""
    from crfdeid.text.bio import find_labelled_runs

    return {(first, last, labels[first][2:]) for first, last in find_labelled_runs(labels)}


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_a_spans_probability_is_the_sum_over_all_labellings_that_have_it(data):
    labels = ["O", "B-AGE", "I-AGE", "I-DATE"]
    size = data.draw(st.integers(1, 4))
    numbers = st.floats(-3, 3)
    emissions = np.array(data.draw(st.lists(numbers, min_size=4 * size, max_size=4 * size))).reshape(size, 4)
    transitions = np.array(data.draw(st.lists(numbers, min_size=16, max_size=16))).reshape(4, 4)
    every = list(itertools.product(range(4), repeat=size))
    scores = np.array([
        sum(emissions[t, y] for t, y in enumerate(ys)) + sum(transitions[a, b] for a, b in zip(ys, ys[1:]))
        for ys in every
    ])  # fmt: skip
    shares = np.exp(scores - np.logaddexp.reduce(scores))
    found = run_chain(emissions, transitions)
    for first, last in itertools.combinations_with_replacement(range(size), 2):
        has_it = [(first, last, "AGE") in spans_of([labels[y] for y in ys]) for ys in every]
        wanted = shares[has_it].sum()
        assert np.isclose(found.span_probability(first, last, opening_scores(labels, "AGE"), 2), wanted)


CRF_SETTINGS = [
    {},
    {"c2": 0.0},
    {"c1": 0.0},
    {"c1": 0.0, "c2": 0.02, "feature.possible_transitions": True},
    {"feature.minfreq": 3},
    {"feature.possible_transitions": True},
    {"feature.possible_states": True, "c1": 1.0},
]


@pytest.mark.slow
@pytest.mark.parametrize("changes", CRF_SETTINGS, ids=str)
def test_training_has_crfsuites_losses_and_labels(notes, tmp_path, changes):
    pytest.importorskip("numba")
    chosen = dataclasses.replace(
        SMALL, features=("lexical", "context", "layout"), crf=SMALL.crf | {"max_iterations": 12} | changes
    )
    losses: dict[str, list[float]] = {"fast": [], "crfsuite": []}
    models = {}
    for engine, heard in losses.items():
        models[engine] = model.train(
            notes[:20], chosen, tmp_path / engine, lambda _, loss, heard=heard: heard.append(loss), engine
        )
    assert np.allclose(losses["fast"], losses["crfsuite"], rtol=1e-6, atol=2e-6)
    assert [models["fast"].tag(n).spans for n in notes] == [models["crfsuite"].tag(n).spans for n in notes]


@pytest.mark.parametrize("engine", ["fast", "crfsuite"])
def test_a_corpus_of_one_label(tmp_path, engine):
    documents = [Document(str(n), "Ruiz", (Span(0, 4, "DOCTOR"),)) for n in range(3)]
    chosen = dataclasses.replace(SMALL, recall_bias=1.0)
    tagger = model.train(documents, chosen, tmp_path / "m", engine=engine)
    assert tagger.tag(Document("n", "Nowak")).spans == (Span(0, 5, "DOCTOR"),)


def test_the_n_best_labellings_of_a_document(small_model, notes):
    found = small_model.find_n_best(notes[31], 5)
    assert found[0][1].spans == small_model.tag(notes[31]).spans
    assert [p for p, _ in found] == sorted((p for p, _ in found), reverse=True)
    assert len({d.spans for _, d in found}) > 1 and sum(p for p, _ in found) <= 1.0 + 1e-9
    assert small_model.find_n_best(Document("e", ""), 3) == [(1.0, Document("e", ""))]


def test_a_training_too_large_for_memory_is_refused(notes, tmp_path, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr("os.sysconf", lambda name: 100)
    with pytest.raises(ConfigurationError, match=r"training needs about .* GB for \d+ labels"):
        model.train(notes[:20], SMALL, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []
