"""The simulated review study: readers who miss what they are made to miss, and its tables."""

import importlib.util
import sys
from pathlib import Path

import pytest

for package in ("fastapi", "uvicorn", "argon2"):
    pytest.importorskip(package, reason="pip install 'crfdeid[review]'")

from crfdeid import synthetic  # noqa: E402
from crfdeid.review.study.study import open_study  # noqa: E402

PATH = Path(__file__).parents[2] / "benchmarks" / "review_study.py"


@pytest.fixture(scope="module")
def study():
    made = importlib.util.spec_from_file_location("review_study", PATH)
    module = importlib.util.module_from_spec(made)
    sys.modules[made.name] = module  # where its dataclasses look for their types
    made.loader.exec_module(module)
    yield module
    del sys.modules[made.name]


def test_readers_find_the_share_that_they_are_made_to_find_and_miss_dates_most(study):
    gold = list(synthetic.generate(40, 3))
    spans = [(note.id, span) for note in gold for span in note.spans]
    for reader in study.READERS:
        marked = {note.id: note.spans for note in study.simulate_reader(gold, reader, 3)}
        missed = [span for id, span in spans if not any(span.overlaps(mark) for mark in marked[id])]
        assert 1 - len(missed) / len(spans) == pytest.approx(reader.found, abs=0.03)
        rate = {dates: share(missed, spans, dates) for dates in (True, False)}
        assert rate[True] > rate[False]


def share(missed, spans, dates):
    of_all = sum((span.type == "DATE") is dates for _, span in spans)
    return sum((span.type == "DATE") is dates for span in missed) / of_all


@pytest.mark.slow
def test_the_consensus_and_the_tables(study, tmp_path, capsys):
    gold = study.create_study(tmp_path, 4, 2, model=None)
    opened = open_study(tmp_path / "study.db")
    with study.serve_study(opened) as desk:
        for reader in study.READERS:
            study.report_time(desk(reader.name), reader.pace)
        eve = desk("eve")
        unseen = study.adjudicate(eve, gold, 1)
        found = eve.ask("/api/measures")
    total = sum(len(note.spans) for note in gold[:3])
    lines = list(study.render_tables(found, unseen, total))
    opened.store.close()
    assert found["notes"] == 3
    means = [found["summary"][size]["sensitivity"]["mean"] for size in "123"]
    assert means == sorted(means)
    assert means[2] == 1  # with no system, the consensus is what the three found
    assert [round(voter["words_per_minute"]) for voter in found["voters"]] == [170, 240, 330]
    assert lines[-1].endswith(f"{unseen} of {total} spans.")
    assert sum(line.startswith("| ann |") for line in lines) == 1
