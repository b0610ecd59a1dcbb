"""The comparison of all systems on a few notes, and its figures by hand."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from small_notes import SMALL, note

from crfdeid.config import Config
from crfdeid.evaluate.matching import Criterion
from crfdeid.evaluate.scores import score
from crfdeid.explain import thresholds
from crfdeid.systems import model
from crfdeid.text import scheme
from crfdeid.text.document import Span

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

import outside
import paired
import systems as benchmark
import systems_measure

pytestmark = pytest.mark.slow

GIVEN = SimpleNamespace(iterations=20, epochs=12, folds=2)


def test_the_table_and_what_is_kept(tmp_path, capsys):
    rows = ["--seeds", "1", "2", "--only", "hmm", "heuristic", "mega: mimic"]
    arguments = ["--out", str(tmp_path), "--documents", "6", "--test", "3", *rows]
    benchmark.main(arguments)
    first = capsys.readouterr().out
    row = next(line for line in first.splitlines() if line.startswith("hmm"))
    assert len(row.split()) == 16 and 0 < float(row.split()[7]) <= 1
    assert "tables 2 and 4: hmm -> heuristic" in first and "IFinder PHI" in first and "0.602" in first
    assert "mega: mimic, token recall at precision by recall_bias" in first
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    benchmark.main(arguments)
    assert capsys.readouterr().out == first
    assert len(kept) == 6 and all(path.stat().st_mtime_ns == when for path, when in kept.items())


def test_runs_of_several_seeds_are_joined_and_a_patient_keeps_its_runs(notes):
    runs = [
        systems_measure.Result(train, 1.0, 2.0, [[train]], {"": notes[:2], "member": notes[:2]})
        for train in (3.0, 5.0)
    ]
    joined = benchmark.join_runs(runs)
    assert joined[:4] == (4.0, 1.0, 2.0, [[3.0]]) and list(joined.found) == ["", "member"]
    assert len({document.id for document in joined.found[""]}) == 4
    assert len({document.owner for document in joined.found[""]}) == 2


def test_rows_are_those_of_the_configuration_made_shorter():
    rows = benchmark.build_configs(GIVEN)
    assert {"crf", "two_stage", "svm", "mega", "multi", "hmm", "snow", "rules", "heuristic"} < set(rows)
    assert rows["crf"].crf["max_iterations"] == 20 and rows["two_stage"].options["folds"] == 2
    illinois = rows["multi"].options["bases"]["illinois"]
    assert illinois["crf"]["max_iterations"] == 20 and illinois["options"]["folds"] == 2
    assert {settings.recall_bias for settings in rows.values()} == {0.0}
    better = {name for pairs in benchmark.CLAIMS.values() for pair in pairs for name in pair}
    members = {f"multi: {name}" for name in rows["multi"].options["bases"]}
    assert better <= rows.keys() | members


def test_members_of_a_stack_are_scored(notes, tmp_path):
    svm = {"system": "svm", "features": list(SMALL.features)}
    options = {"folds": 2, "bases": {"one": svm, "two": {"system": "hmm"}}}

    def make(folder):
        return model.train(notes[:20], Config(system="multi", options=options), folder)

    found = systems_measure.read_or_measure(
        tmp_path / "multi.json",
        notes[20:],
        lambda: systems_measure.measure_tagger(make, "multi", notes[:20], notes[20:], GIVEN),
    )
    assert list(found.found) == ["", "one", "two"] and len(found.curve) == len(thresholds.BIASES)
    scores = benchmark.score_results({"multi": found}, notes[20:])
    assert list(scores) == ["multi", "multi: one", "multi: two"]
    blank, head, *rows = benchmark.format_table({"multi": found}, scores, 100)
    assert not blank and [len(row.split()) for row in (head, *rows)] == [29, 16, 14, 14]


def test_a_difference_by_hand():
    """Of 3 spans a note the first system finds 2 and the second 3: recall from 2/3 to 1 in every
    resample."""
    gold = [note(n) for n in range(6)]
    less = [n.with_spans(n.spans[:2]) for n in gold]
    one, other = (score(gold, found, scheme.read_scheme()) for found in (less, gold))
    told = paired.format_difference(one, other, Criterion("strict"), resamples=50)
    assert told.startswith("recall 0.6667 -> 1.0000, +0.3333 (+0.3333 to +0.3333); F1 0.8000 -> 1.0000")
    assert "+0.0000 (+0.0000 to +0.0000)" in paired.format_difference(
        one, one, Criterion("strict"), resamples=50
    )


def test_a_second_stage_is_shown_at_other_biases(small_model, notes, tmp_path):
    """More taken off O's score finds more; the model that it was made of stays."""
    pytest.importorskip("faker")
    import second_stage

    found = {}
    for more in (-30.0, 0.0, 30.0):
        tagger = second_stage.copy_with_bias(small_model, more, tmp_path)
        found[more] = second_stage.count_covered(notes[30:], second_stage.tag_documents(tagger, notes[30:]))
    assert found[0.0].tolist() == [[3, 0, 0]] * 10
    assert found[-30.0][:, 0].sum() < 30
    assert second_stage.measure.compute_precision(notes[30:], notes[30:]) == 1.0
    assert model.load(small_model.folder).weights.records.tolist() == small_model.weights.records.tolist()


def test_sklearn_crfsuite_learns(notes, tmp_path):
    pytest.importorskip("gruut_lang_en")
    tag = outside.train_sklearn_crfsuite(notes[:30], tmp_path / "m", GIVEN)
    bare = [n.with_spans(()) for n in notes[30:]]
    assert [found.spans for found in tag(bare)] == [n.spans for n in notes[30:]]


@pytest.mark.filterwarnings("ignore")
def test_spacy_learns(notes, tmp_path):
    pytest.importorskip("spacy")
    tag = outside.train_spacy(notes[:30], tmp_path / "m", GIVEN)
    found = list(tag([n.with_spans(()) for n in notes[30:]]))
    right = sum(len(set(f.spans) & set(n.spans)) for f, n in zip(found, notes[30:]))
    assert right >= 20 and all(isinstance(span, Span) for f in found for span in f.spans)
