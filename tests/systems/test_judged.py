"""A CRF whose possible spans boosted trees judge once more."""

import dataclasses
import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_notes import SMALL, note

from crfdeid.engine.decoding.chain import Candidates
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.explain import thresholds
from crfdeid.explain.__main__ import main as explain
from crfdeid.share import attack
from crfdeid.systems import model, registry
from crfdeid.systems.crf import CrfTagger
from crfdeid.systems.judged import judged, rows, training, word_evidence
from crfdeid.text import gazetteer
from crfdeid.text.document import Document, Span
from crfdeid.text.tokenizer import fine

OPTIONS = {
    "inside": ["short_shape", "sentence_begin", "line_case"],
    "beside": ["short_shape"],
    "note_types": True,
    "trees": 20,
    "rows": 2,
}
JUDGED = dataclasses.replace(
    SMALL, system="judged", repair=False, options=OPTIONS, crf=SMALL.crf | {"max_iterations": 10}
)
SAID = " On 3/4/2061 Ruiz, 12 years, saw Dr. Ana."


@pytest.fixture(scope="module")
def tagger(notes, tmp_path_factory):
    return model.train(notes[:24], JUDGED, tmp_path_factory.mktemp("judged") / "m")


def test_it_finds_what_its_crf_finds(tagger, notes):
    bare = [document.with_spans(()) for document in notes[24:34]]
    assert [d.spans for d in tagger.tag_all(bare)] == [d.spans for d in notes[24:34]]
    assert isinstance(model.load(tagger.folder, engine="crfsuite"), CrfTagger)


def test_a_span_has_the_probability_that_decided_and_none_overlap(tagger, notes):
    document = Document("x", notes[0].text + SAID)
    found = tagger.tag(document, probabilities=True, threshold=0.01)
    assert found.spans and all(0.01 < span.probability <= 1 for span in found.spans)
    assert not any(a.overlaps(b) for a in found.spans for b in found.spans if a != b)
    assert all(span.probability is None for span in tagger.tag(document).spans)


def test_a_lower_threshold_finds_more_and_one_of_a_type_only_changes_it(tagger, notes):
    text = Document("x", notes[0].text + SAID)
    sizes = [len(tagger.tag(text, threshold=t).spans) for t in (0.01, 0.5, 1.0)]
    assert sizes == sorted(sizes, reverse=True) and sizes[2] == 0
    types = {span.type for span in tagger.tag(notes[0], threshold={"DATE": 1.0}).spans}
    assert types == {"DOCTOR", "AGE"}


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.6])
def test_the_curve_counts_the_tokens_that_a_threshold_covers(tagger, notes, threshold):
    margins = thresholds.measure_margins(tagger, notes[24:30])
    found = int((margins.margin >= -thresholds.threshold_to_bias(threshold)).sum())
    tagged = tagger.tag_all([document.with_spans(()) for document in notes[24:30]], threshold=threshold)
    assert found == sum(len(fine(d.text_of(span))) for d in tagged for span in d.spans) > 0


def test_what_is_tagged_does_not_depend_on_the_other_notes(tagger, notes):
    bare = [document.with_spans(()) for document in notes[24:30]] + [Document("empty", "")]
    together = [d.spans for d in tagger.tag_all(bare, probabilities=True)]
    alone = [tagger.tag(document, probabilities=True).spans for document in bare]
    assert [[(s, pytest.approx(s.probability)) for s in d] for d in together] == [
        [(s, s.probability) for s in d] for d in alone
    ]


def test_compiled_loops_and_a_forgotten_vocabulary_change_nothing(tagger, notes):
    bare = [document.with_spans(()) for document in notes[24:34]]
    other = model.load(tagger.folder)
    plain = list(other.tag_all(bare, probabilities=True))
    other.compile()
    assert other.compiled
    compiled = list(other.tag_all(bare, probabilities=True))
    assert [[(s, pytest.approx(s.probability)) for s in d.spans] for d in plain] == [
        [(s, s.probability) for s in d.spans] for d in compiled
    ]
    other.forget()
    assert list(other.tag_all(bare, probabilities=True)) == compiled


def test_the_same_notes_make_the_same_model(notes, tmp_path):
    files = []
    for name in ("a", "b"):
        folder = model.train(notes[:8], JUDGED, tmp_path / name).folder
        files.append({p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()})
    assert files[0] == files[1]
    assert not any(str(path).startswith("folds") for path in files[0])


def test_small_weights_are_left_out_and_transitions_stay(notes, tmp_path):
    found = [
        model.train(
            notes[:8], dataclasses.replace(JUDGED, options=OPTIONS | {"least_weight": least}), tmp_path / name
        )
        for name, least in (("all", 0.0), ("large", 0.2))
    ]
    every, large = (tagger.weights for tagger in found)
    np.testing.assert_allclose(large.transitions, every.transitions, rtol=1e-4)
    assert len(large.records) < len(every.records)
    small = [row for row in every.records.tolist() if row[0] == 0 and abs(row[3]) < 0.2]
    assert len(every.records) - len(large.records) == len(small)


def test_tables_are_compressed_where_small_weights_are_left_out(notes, tmp_path):
    options = OPTIONS | {"least_weight": 0.2}
    tagger = model.train(
        notes[:8], dataclasses.replace(JUDGED, options=options, tables=("en_roles",)), tmp_path / "m"
    )
    table = tmp_path / "m/gazetteers/en_roles.txt.gz"
    roles = tagger.pipeline.gazetteers["en_roles"].columns["role"]
    assert dict(roles) == dict(gazetteer.read_list(gazetteer.find_gazetteer("en_roles")).columns["role"])
    public, others = attack.list_public(tmp_path / "m")
    assert table.name in public and not others
    table.write_bytes(gzip.compress(b"# columns: role\nzubrin|staff\n"))
    assert attack.list_public(tmp_path / "m")[1] == [table.name]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds = 1: wanted a whole number, 2 or more"),
        ({"least": 0}, "least = 0: wanted a number above 0"),
        ({"least_weight": -1}, "least_weight = -1: wanted 0 or more"),
        ({"least_owners": 0}, "least_owners = 0: wanted a whole number"),
        ({"group": "("}, "group: not a regular expression"),
        ({"inside": ["word_before"]}, "options.observations: word_before: its value is a word"),
    ],
)
def test_options_that_do_not_fit_are_refused(notes, tmp_path, options, message):
    with pytest.raises(ConfigurationError, match=message):
        model.train(notes[:6], dataclasses.replace(JUDGED, options=options), tmp_path / "m")


def test_its_threshold_is_a_setting():
    registry.check(dataclasses.replace(JUDGED, span_threshold={"DATE": 0.3}))
    with pytest.raises(ConfigurationError, match="no type of scheme"):
        registry.check(dataclasses.replace(JUDGED, span_threshold={"DAY": 0.3}))


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("trees.npz", judged.read_trees),
        ("values.json", judged.read_values),
        ("word_shares.json.gz", word_evidence.read_shares),
    ],
)
def test_a_model_without_one_of_its_files_is_refused(tmp_path, name, read):
    with pytest.raises(ModelError, match=f"{name}: missing, or not"):
        read(tmp_path / name)
    (tmp_path / name).write_text("[1]")
    with pytest.raises(ModelError, match=f"{name}: missing, or not"):
        read(tmp_path / name)


def test_groups_of_notes_are_never_parted():
    documents = [Document(f"{hand}-{n}", "", patient=f"{hand}-{n}") for hand in "abcd" for n in range(3)]
    for rest, held_out in training.make_group_folds(documents, judged.Options(group="[^-]+")):
        hands = [{document.id[0] for document in part} for part in (rest, held_out)]
        assert not hands[0] & hands[1] and len(rest) + len(held_out) == 12
    whole = [
        part for pair in training.make_group_folds(documents[:3], judged.Options(group=".")) for part in pair
    ]
    assert all(whole)  # one group: each patient is one
    parts = list(training.make_group_folds(documents, judged.Options(folds=3)))
    assert len(parts) == 3 and all(len(held_out) == 4 for _, held_out in parts)


def test_shares_are_of_words_of_enough_owners(tmp_path):
    one = ("1", ["by", "ana", "ruiz", "ana"], [(1, 2, 0)])
    two = ("2", ["ana", "by"], [(0, 0, 1)])
    found = word_evidence.count_shares([one, two], 2, 2)
    assert found.words == ["ana", "by"]
    assert [*map(found.number, ("ana", "by", "ana"))] == [1, 2, 1]
    inside, first, last, before, after = found.shares[:, 1:]
    assert inside[0] == pytest.approx([1.05 / 4, 1.05 / 4]) and first[0] == pytest.approx(inside[0])
    assert last[0] == pytest.approx([0.05 / 4, 1.05 / 4]) and before[1] == pytest.approx([1.05 / 3, 0.05 / 3])
    assert after[1] == pytest.approx([0.05 / 3, 1.05 / 3])
    assert (found.shares[:, found.number("ruiz")] == word_evidence.UNKNOWN).all()
    found.write(tmp_path / "s.json")
    again = word_evidence.read_shares(tmp_path / "s.json")
    assert again.words == found.words and again.number("by") == 1
    assert (again.shares[:, 1] == found.shares[:, 2]).all()  # in the order in which they are asked for
    none = word_evidence.count_shares([one, two], 2, 3)
    assert not none.words and (none.shares == word_evidence.UNKNOWN).all()


def test_columns_of_words_are_those_of_the_candidate_and_of_what_is_beside_it():
    shares = word_evidence.count_shares([("1", ["by", "ana", "ruiz", "ana"], [(1, 2, 0)])], 1, 1)
    texts = ["by", "ana", "ruiz"]
    numbers = np.array([*map(shares.number, texts), shares.number(word_evidence.EMPTY)])
    found = Candidates(*np.array([[1], [2], [0]]), np.array([0.5]))
    (row,) = shares.describe(numbers, np.array([[0, 3]]), found)
    columns = dict(zip(word_evidence.SHARE_NAMES, row, strict=True))
    assert columns["least inside"] == pytest.approx(1.05 / 3)
    assert columns["mean inside"] == pytest.approx((1.05 / 3 + 1.05 / 2) / 2)
    assert columns["before"] == pytest.approx(1.05 / 2) and columns["after"] == word_evidence.UNKNOWN


def describe_types(tagger, texts, spans):
    """The columns of token_types for candidates (document, first, last, type, probability)."""
    batch = tagger.batch([Document(str(n), text) for n, text in enumerate(texts)])
    lower = tagger.decoder.vocabulary.lower.rows[batch.texts]
    owners, first, last, types, probabilities = (np.array(column) for column in zip(*spans))
    start = batch.bounds[owners]
    found = Candidates(start + first, start + last, types, probabilities.astype(float))
    bounds = np.column_stack([start, batch.bounds[owners + 1]])
    described = word_evidence.describe_token_types(batch, found, 3, lower, bounds)
    return [dict(zip(word_evidence.TYPE_NAMES, row, strict=True)) for row in described.tolist()]


def test_the_trees_see_how_a_word_is_labelled_elsewhere_in_the_note(tagger):
    texts = ["by Ruiz\nsaid RUIZ ruiz", "Ruiz"]  # tokens: by Ruiz - said RUIZ ruiz
    spans = [(0, 1, 1, 0, 0.9), (0, 1, 1, 1, 0.1), (0, 4, 4, 1, 0.6), (1, 0, 0, 2, 0.8)]
    doctor, patient, other, alone = describe_types(tagger, texts, spans)
    assert doctor["type of first word elsewhere"] == 0 and doctor["times of first word elsewhere"] == 3
    assert doctor["other types of last word elsewhere"] == pytest.approx(0.6 / 2)
    assert patient["best of the type of last word elsewhere"] == 0.6
    assert other["best other type of first word elsewhere"] == 0.9
    assert other["type of first word elsewhere"] == pytest.approx(0.1 / 2)
    assert alone["type of first word elsewhere"] == -1 and alone["times of first word elsewhere"] == 1


def test_the_trees_see_what_is_beside_a_candidate_and_what_the_note_is_full_of(tagger):
    spans = [(0, 0, 0, 0, 0.9), (0, 1, 1, 1, 0.3), (0, 1, 1, 0, 0.2), (0, 4, 4, 2, 0.8), (1, 0, 0, 2, 0.7)]
    _, one, _, last, alone = describe_types(tagger, ["Dr Ruiz\nsaid no", "Ana"], spans)
    assert [one[f"sure span before: {name}"] for name in word_evidence.NEAR] == [0, 1, 0]
    assert [one[f"sure span after: {name}"] for name in word_evidence.NEAR] == [2, 3, 1]
    assert [last[f"sure span after: {name}"] for name in word_evidence.NEAR] == [-1, 60, 20]
    assert [alone[f"sure span before: {name}"] for name in word_evidence.NEAR] == [-1, 60, 20]
    assert one["type in note"] == 0.3 and one["all types in note"] == pytest.approx(2.2)
    assert one["rival type in note"] == pytest.approx(1.1) and one["rival type at first"] == 0
    assert one["outside at last"] == pytest.approx(0.5) and one["its probability at last"] == 0.2
    assert (one["type before"], one["any type before"], one["any type after"]) == (0, 0.9, 0)


def test_a_model_without_the_types_of_the_note_has_fewer_columns(notes, tmp_path):
    plain = dataclasses.replace(JUDGED, options=OPTIONS | {"note_types": False, "trees": 3})
    tagger = model.train(notes[:8], plain, tmp_path / "m")
    assert not set(tagger.view.rows.list_names()) & set(word_evidence.TYPE_NAMES)
    assert next(tagger.tag_all([notes[9]])).spans


def test_the_type_in_doubt_and_the_place_not(tagger, monkeypatch):
    batch = tagger.batch([Document("n", "Ana came")])
    found = Candidates(*np.array([[0, 0, 1], [0, 0, 1], [0, 1, 0]]), np.array([0.4, 0.5, 0.005]))
    monkeypatch.setattr(tagger, "judge", lambda batch: found)
    kept = tagger.choose(batch)
    assert kept.types.tolist() == [1] and kept.probabilities == pytest.approx([0.9])


def test_values_are_numbered_in_order():
    numbers = rows.ValueNumbers(["x"])
    assert [numbers.number("x", value) for value in ("10", "b", None, "2", "b")] == [0, 1, -1, 2, 1]
    assert numbers.sort() == {"x": ["2", "10", "b"]}
    known = rows.ValueNumbers((), numbers.sort())
    assert [known.number("x", value) for value in ("10", "b", "c", None)] == [1, 2, -1, -1]


def test_line_ends_at_the_ends_of_candidates_go(tagger):
    batch = tagger.batch([Document("n", "\nAna\nRuiz\n")])
    found = Candidates(
        np.array([0, 0, 1, 1, 3]),
        np.array([0, 2, 1, 3, 4]),
        np.zeros(5, int),
        np.array([0.1, 0.2, 0.3, 0.4, 0.9]),
    )
    kept = rows.trim_candidates(batch, found)
    assert list(zip(kept.first.tolist(), kept.last.tolist())) == [(1, 1), (1, 3), (3, 3)]
    assert kept.probabilities == pytest.approx([0.5, 0.4, 0.9])


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_compiled_trees_give_the_same_bits(seed):
    generator = np.random.default_rng(seed)
    table = generator.normal(size=(60, 4)).astype(np.float32)
    fitted = training.fit_trees(table, table[:, 0] + table[:, 1] > 0.1, 5, 0.3, 4, 2, 0)
    assert (judged.apply_trees(fitted, table) == judged.apply_trees(fitted, table, compiled=True)).all()


def test_a_note_of_another_one_is_not_near(tagger):
    text = "Dr. Ruiz came."
    one, two = note(0), Document("b", text, (Span(4, 8, "DOCTOR"),))
    batch = tagger.batch([one, two])
    found = judged.find_batch_candidates(tagger, batch, 0.01)
    together = tagger.view.rows.describe(tagger, batch, found, tagger.view.shares)
    alone = tagger.batch([two])
    own = judged.find_batch_candidates(tagger, alone, 0.01)
    assert np.allclose(
        together[-len(own.first) :], tagger.view.rows.describe(tagger, alone, own, tagger.view.shares)
    )
    assert together.shape[1] == len(tagger.view.rows.list_names())


def test_explain_says_what_the_crf_and_the_trees_say(tagger, tmp_path, capsys):
    (tmp_path / "note.txt").write_text(note(30).text)
    explain([str(tagger.folder), "--note", str(tmp_path / "note.txt")])
    table = capsys.readouterr().out.split("The possible spans as the trees judge them:\n")[1]
    rows = [line.split() for line in table.splitlines()]
    assert rows[0] == ["offsets", "type", "span", "judged", "CRF", "text"]
    assert [row[1:3] + row[5:] for row in rows if row[2] == "yes"] == [
        ["DOCTOR", "yes", "Tanaka"], ["DATE", "yes", "3/4/2061"], ["AGE", "yes", "39"],
    ]  # fmt: skip
