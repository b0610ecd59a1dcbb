"""The benchmarks of the engine run on a few notes, and what they compare is equal."""

import argparse
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from small_notes import note

from crfdeid import corpora

pytest.importorskip("numba")
sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import engine
import engine_kernels
import whole

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def documents():
    return [note(number) for number in range(3)]


def test_the_engine_has_the_labels_of_python_crfsuite(documents, capsys):
    engine.compare_labels(documents)
    different, tokens, apart = re.search(
        r"labels: (\d+) of (\d+) .* at most (\S+)", capsys.readouterr().out
    ).groups()
    assert int(different) == 0 and int(tokens) > 30 and float(apart) < 1e-8


def test_the_stages_are_all_of_the_time_and_the_floor_is_a_part(documents, capsys):
    engine.print_stages(documents)
    floor, *stages = map(int, re.findall(r"(\d+)%", capsys.readouterr().out))
    assert 0 < floor < 100 and len(stages) == 4 and 96 <= sum(stages) <= 104


@pytest.mark.skipif(not shutil.which("cc"), reason="needs a C compiler")
def test_loops_in_c_and_in_numba_have_equal_results(documents, tmp_path, capsys):
    corpora.write(documents, tmp_path / "notes.jsonl", "jsonl")
    args = argparse.Namespace(data=tmp_path / "notes.jsonl", documents=2, repeat=1)
    library = engine_kernels.build_library(tmp_path)
    engine_kernels.compare_training(args, library, engine_kernels.compare_tagging(args, library))
    lines = capsys.readouterr().out.splitlines()
    assert [line[:16].strip() for line in lines] == ["window rows", "Viterbi", "forward-backward"]
    assert all(float(line.rpartition(" ")[2]) < 1e-9 for line in lines)
    assert np.float64(sys.float_info.min) / 4 > 0  # tiny numbers are still what they were


def test_whole_processes_are_compared_with_a_bare_start_and_their_outputs_are_equal(capsys):
    whole.main(["--documents", "4", "--slow", "2", "--rounds", "1"])
    first, _, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("4 notes, ")
    assert [line.split()[0] for line in lines[: len(whole.ALWAYS)]] == list(whole.ALWAYS)
    ratios = [line.partition(":")[0] for line in lines if "goal:" in line]
    assert ratios == ["help", "note", "redact", "tag-2", "redact-2"]
    assert [line.split(": ")[1] for line in lines[-2:]] == ["the outputs are equal"] * 2
