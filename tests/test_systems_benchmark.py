"""The comparison of all systems on a few notes, and its figures by hand."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import SMALL, note

from crfdeid import model, scheme
from crfdeid.document import Span
from crfdeid.experiment import Experiment
from crfdeid.scores import score

sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import outside
import systems as benchmark

GIVEN = SimpleNamespace(iterations=20, epochs=12, folds=2)


def test_the_table_and_what_is_kept(tmp_path, capsys):
    arguments = ["--out", str(tmp_path), "--documents", "6", "--test", "3", "--only", "hmm"]
    benchmark.main(arguments)
    first = capsys.readouterr().out
    row = next(line for line in first.splitlines() if line.startswith("hmm"))
    assert len(row.split()) == 13 and 0 < float(row.split()[7]) <= 1
    (kept,) = tmp_path.iterdir()
    when = kept.stat().st_mtime_ns
    benchmark.main(arguments)
    assert capsys.readouterr().out == first and kept.stat().st_mtime_ns == when
    assert "IFinder PHI" in first and "0.602" in first


def test_a_curve_runs_from_precision_to_recall(notes, tmp_path):
    settings = Experiment(system="svm", features=SMALL.features, options={"cost": 0.001})
    rows = benchmark.curve(model.train(notes[:5], settings, tmp_path / "m"), notes[20:])
    recalls = [recall for _, recall, _ in rows]
    assert recalls == sorted(recalls) and recalls[0] < recalls[-1] == 1.0
    assert max(precision for _, _, precision in rows) > rows[-1][2]


def test_a_difference_by_hand():
    """Of 3 spans a note the first system finds 2 and the second 3: recall from 2/3 to 1 in every
    resample."""
    gold = [note(n) for n in range(6)]
    less = [n.with_spans(n.spans[:2]) for n in gold]
    one, other = (score(gold, found, scheme.read()) for found in (less, gold))
    told = benchmark.difference(one, other, "strict", resamples=50)
    assert "recall 0.6667 -> 1.0000, +0.3333 (95% interval +0.3333 to +0.3333" in told
    same = benchmark.difference(one, one, "strict", resamples=50)
    assert "+0.0000 (95% interval +0.0000 to +0.0000, p = 1.000)" in same


def test_sklearn_crfsuite_learns(notes, tmp_path):
    pytest.importorskip("gruut_lang_en")
    tag = outside.sklearn_crfsuite(notes[:30], tmp_path / "m", GIVEN)
    bare = [n.with_spans(()) for n in notes[30:]]
    assert [found.spans for found in tag(bare)] == [n.spans for n in notes[30:]]


@pytest.mark.filterwarnings("ignore")
def test_spacy_learns(notes, tmp_path):
    pytest.importorskip("spacy")
    tag = outside.spacy(notes[:30], tmp_path / "m", GIVEN)
    found = list(tag([n.with_spans(()) for n in notes[30:]]))
    right = sum(len(set(f.spans) & set(n.spans)) for f, n in zip(found, notes[30:]))
    assert right >= 20 and all(isinstance(span, Span) for f in found for span in f.spans)
