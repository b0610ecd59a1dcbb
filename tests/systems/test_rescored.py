"""Spans of several CRFs that boosted trees judge once more."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_notes import SMALL, note

from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.explain import thresholds
from crfdeid.explain.__main__ import main as explain
from crfdeid.systems import model, registry
from crfdeid.systems.judged import judged, rescored, rows, span_features, training
from crfdeid.systems.judged.candidates import Candidates, Note
from crfdeid.text.document import Document, Span
from crfdeid.text.tokenizer import fine

MEMBERS = {"all": {}, "few": {"features": ["lexical"], "crf": {"max_iterations": 5}}}
OPTIONS = {"members": MEMBERS, "expressions": {"es_date": "DATE"}, "trees": 20, "rows": 2}
RESCORED = dataclasses.replace(
    SMALL, system="rescored", repair=False, options=OPTIONS, crf=SMALL.crf | {"max_iterations": 10}
)


@pytest.fixture(scope="module")
def ensemble(notes, tmp_path_factory):
    return model.train(notes[:24], RESCORED, tmp_path_factory.mktemp("rescored") / "m")


def index(text, *spans):
    return Note(Document("n", text, spans), fine(text))


def test_the_ensemble_finds_what_its_members_find(ensemble, notes):
    bare = [document.with_spans(()) for document in notes[24:34]]
    assert [d.spans for d in ensemble.tag_all(bare)] == [d.spans for d in notes[24:34]]
    assert list(ensemble.bases) == ["all", "few"]


def test_a_span_has_the_probability_that_decided_and_none_overlap(ensemble, notes):
    document = Document("x", notes[0].text + "On 3/4/2061 Ruiz, 12 years, saw Dr. Ana.", ())
    found = ensemble.tag(document, probabilities=True, threshold=0.01)
    assert all(0.01 < span.probability < 1 for span in found.spans)
    assert not any(a.overlaps(b) for a in found.spans for b in found.spans if a != b)
    assert all(span.probability is None for span in ensemble.tag(document).spans)


def test_a_lower_threshold_finds_more_and_one_of_a_type_only_changes_it(ensemble, notes):
    text = Document("x", notes[0].text + "On 3/4/2061 Ruiz, 12 years, saw Dr. Ana.", ())
    sizes = [len(ensemble.tag(text, threshold=t).spans) for t in (0.01, 0.5, 1.0)]
    assert sizes == sorted(sizes, reverse=True) and sizes[2] == 0
    types = {span.type for span in ensemble.tag(notes[0], threshold={"DATE": 1.0}).spans}
    assert types == {"DOCTOR", "AGE"}


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.6])
def test_the_curve_counts_the_tokens_that_a_threshold_covers(ensemble, notes, threshold):
    margins = thresholds.measure_margins(ensemble, notes[24:30])
    found = int((margins.margin >= -thresholds.threshold_to_bias(threshold)).sum())
    tagged = ensemble.tag_all([document.with_spans(()) for document in notes[24:30]], threshold=threshold)
    assert found == sum(len(fine(d.text_of(span))) for d in tagged for span in d.spans) > 0


def test_what_is_tagged_does_not_depend_on_the_other_notes(ensemble, notes):
    bare = [document.with_spans(()) for document in notes[24:30]] + [Document("empty", "")]
    together = [d.spans for d in ensemble.tag_all(bare, probabilities=True)]
    alone = [ensemble.tag(document, probabilities=True).spans for document in bare]
    assert [[(s, pytest.approx(s.probability)) for s in d] for d in together] == [
        [(s, s.probability) for s in d] for d in alone
    ]


def test_the_same_notes_make_the_same_model(notes, tmp_path):
    files = []
    for name in ("a", "b"):
        folder = model.train(notes[:8], RESCORED, tmp_path / name).folder
        files.append({p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()})
    assert files[0] == files[1]
    assert not any(str(path).startswith("folds") for path in files[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"members": {}}, "members: wanted a table of settings"),
        ({"members": {"A": {}}}, "wanted a name of small letters"),
        ({"members": MEMBERS, "folds": 1}, "folds = 1: wanted a whole number, 2 or more"),
        ({"members": MEMBERS, "least": 0}, "least = 0: wanted a number above 0"),
        ({"members": {"svm": {"system": "svm"}}}, "options.members.svm: wanted a crf"),
        ({"members": MEMBERS, "expressions": {"lower": "DATE"}}, "options.expressions.lower: not an observ"),
        ({"members": MEMBERS, "expressions": {"es_date": "DAY"}}, "es_date: no type of scheme i2b2-2014"),
    ],
)
def test_options_that_do_not_fit_are_refused(notes, tmp_path, options, message):
    with pytest.raises(ConfigurationError, match=message):
        model.train(notes[:6], dataclasses.replace(RESCORED, options=options), tmp_path / "m")


def test_the_threshold_of_the_ensemble_is_a_setting():
    registry.check(dataclasses.replace(RESCORED, span_threshold={"DATE": 0.3}))
    with pytest.raises(ConfigurationError, match="no type of scheme"):
        registry.check(dataclasses.replace(RESCORED, span_threshold={"DAY": 0.3}))


@pytest.mark.parametrize("name", ["trees.npz", "texts.json"])
def test_a_model_without_one_of_its_files_is_refused(ensemble, tmp_path, name):
    with pytest.raises(ModelError, match=f"{name}: missing, or not"):
        (judged.read_trees if name == "trees.npz" else span_features.read_texts)(tmp_path / name)


def test_candidates_are_possible_spans_expressions_and_repeats():
    own = index("Ruizes 14/03/2016\nRuizes x")
    spans = [
        [Span(0, 6, "DOCTOR", 0.9), Span(7, 18, "DATE", 0.2), Span(7, 17, "DATE", 0.3), Span(1, 6, "AGE", 1)]
    ]
    expressions = rescored.find_observations(
        rescored.Options(members=MEMBERS, expressions={"es_date": "DATE"})
    )
    found = Candidates(own, spans, expressions)
    assert found.probabilities == {(0, 0, "DOCTOR"): [0.9], (1, 5, "DATE"): [0.5], (7, 7, "DOCTOR"): [0.0]}
    assert found.kinds == {(1, 5, "DATE"): "dmy"} and found.repeats == {(7, 7, "DOCTOR")}


def test_texts_are_counted_as_training_labels_them(tmp_path):
    one = index("Dr. Ruiz saw Ruiz in York", Span(4, 8, "DOCTOR"), Span(21, 25, "CITY"))
    found = span_features.count_texts([(one, rescored.list_gold(one))])
    found.write(tmp_path / "t.json")
    found = span_features.read_texts(tmp_path / "t.json")
    other = index("Dr. Ruiz saw York and Ana")
    keys = [(2, 2, "DOCTOR"), (2, 2, "CITY"), (4, 4, "CITY"), (6, 6, "CITY")]
    rows = [dict(zip(span_features.NAMES, found.describe(other, key), strict=True)) for key in keys]
    names = ["seen as the type", "seen as others", "seen at all", "share of the type"]
    assert [[row[name] for name in names] for row in rows] == [
        [1, 0, 2, 0.5], [0, 1, 2, 0], [1, 0, 1, 1], [0, 0, 0, -1],
    ]  # fmt: skip
    assert [row["type by word before"] for row in rows] == [1, 0, -1, -1]
    assert [row["type by two words before"] for row in rows] == [1, 0, -1, -1]
    assert [row["type by label of the line"] for row in rows] == [0.5, 0.5, 0.5, 0.5]
    assert [row["type of all by first word"] for row in rows] == [0.5, 0, 1, -1]
    assert [row["share inside of word before"] for row in rows] == [0.05 / 2] * 3 + [-1]
    assert [row["least share inside"] for row in rows] == [1.05 / 3, 0.05 / 3, 1.05 / 2, 0.3]
    assert [row["mean share inside"] for row in rows] == [row["least share inside"] for row in rows]
    assert [row["share inside of word after"] for row in rows] == [0.05 / 2, 0.05 / 2, -1, -1]
    assert [row["word before ends"] for row in rows] == [0.05 / 2] * 3 + [-1]
    assert [row["word after begins"] for row in rows] == [0.05 / 2, 0.05 / 2, -1, -1]
    assert [row["first word begins"] for row in rows] == [1.05 / 3, 1.05 / 3, 1.05 / 2, -1]
    assert [row["last word ends"] for row in rows] == [1.05 / 3, 1.05 / 3, 1.05 / 2, -1]


RANGES = st.lists(
    st.tuples(st.integers(0, 150), st.integers(0, 5), st.integers(0, 2)), min_size=1, max_size=12
)


@settings(max_examples=60, deadline=None)
@given(ranges=RANGES, seed=st.integers(0, 99))
def test_rivals_are_those_that_a_comparison_of_all_finds(ranges, seed):
    spans = sorted(set(ranges))
    first, last = (np.array([a + more * n for a, more, _ in spans]) for n in (0, 1))
    types, mean = np.array([k for *_, k in spans]), np.random.default_rng(seed).random(len(spans))
    found = rows.describe_rivals(first, last, types, mean)
    for n in range(len(spans)):
        assert found[n] == pytest.approx(compare_with_all(n, first, last, types, mean))


def compare_with_all(n, first, last, types, mean):
    """The columns of one candidate by their definition."""
    others = [m for m in range(len(first)) if m != n]
    over = [m for m in others if first[m] <= last[n] and last[m] >= first[n]]
    near = [m for m in others if m not in over and types[m] == types[n] and mean[m] > rows.LIKELY]
    reach = rows.NEAR
    groups = [
        over,
        [m for m in over if types[m] == types[n]],
        [m for m in over if (first[m], last[m]) == (first[n], last[n])],
        [m for m in over if first[m] <= first[n] and last[m] >= last[n]],
        [m for m in over if first[m] >= first[n] and last[m] <= last[n]],
    ]
    best = [max((mean[m] for m in group), default=0.0) for group in groups]
    count = sum(first[m] <= last[n] + reach and last[m] >= first[n] - reach for m in near)
    return [best[0], sum(mean[m] for m in over), *best[1:], count]


def test_each_column_has_a_name(ensemble, notes):
    found = ensemble.find_candidates([note(3)])
    table = span_features.describe_candidates(found, [ensemble.texts], ensemble.types, ensemble.kinds)
    own = ["mean", *ensemble.members, "type", "expression", "sure ones near"]
    names = (span_features.OF_PLACE, span_features.NAMES, span_features.OF_TEXT, rows.RIVALS)
    assert table.shape == (len(found[0].probabilities), len(own) + sum(map(len, names)))


def test_arrays_give_the_probabilities_of_scikit_learn(tmp_path, monkeypatch):
    import sklearn.ensemble

    made = []

    class Kept(sklearn.ensemble.HistGradientBoostingClassifier):
        def fit(self, *args):
            made.append(self)
            return super().fit(*args)

    monkeypatch.setattr(sklearn.ensemble, "HistGradientBoostingClassifier", Kept)
    random = np.random.default_rng(5)
    rows = random.normal(size=(300, 4))
    found = training.fit_trees(
        rows, rows[:, 0] + rows[:, 1] ** 2 + random.normal(size=300) > 0.5, 30, 0.1, 8, 5, 0
    )
    training.write_trees(tmp_path / "t.npz", found)
    found = judged.read_trees(tmp_path / "t.npz")
    other = random.normal(size=(100, 4))
    assert judged.apply_trees(found, other) == pytest.approx(made[0].predict_proba(other)[:, 1], abs=1e-12)


@pytest.mark.parametrize(
    ("is_right", "probability"), [([True] * 3, 0.9999), ([False] * 3, 0.0001), ([], 0.0001)]
)
def test_where_all_candidates_are_alike_there_is_nothing_to_learn(is_right, probability):
    found = training.fit_trees(np.zeros((len(is_right), 2)), np.array(is_right, bool), 5, 0.1, 4, 1, 0)
    assert judged.apply_trees(found, np.zeros((2, 2))) == pytest.approx(probability)


def test_trees_with_pickled_objects_are_refused(tmp_path):
    np.savez(tmp_path / "t.npz", feature=np.array([{}], object))
    with pytest.raises(ModelError):
        judged.read_trees(tmp_path / "t.npz")


def test_explain_shows_what_each_member_said(ensemble, tmp_path, capsys):
    path = tmp_path / "note.txt"
    path.write_text("Seen by Dr. Ruiz on 3/4/2061.\n", encoding="utf-8")
    explain(["--note", str(path), str(ensemble.folder)])
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["offsets", "type", "span", "probability", "all", "few", "also", "text"]
    (date,) = [row.split() for row in rows if row.startswith("20-28 ")]
    assert (date[1], date[2], date[6], date[7]) == ("DATE", "yes", "dmy", "3/4/2061")
    with pytest.raises(ConfigurationError, match="wanted --note, without"):
        explain([str(ensemble.folder)])
