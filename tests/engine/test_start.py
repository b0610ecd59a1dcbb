"""What the start of the compiled loops loads."""

import subprocess
import sys
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from crfdeid.engine.decoding import without_scipy

CODE = """
import sys
import crfdeid
tagger = crfdeid.load()
tagger.compile()
note = tagger.tag(crfdeid.Document("1", "Seen by Dr. Ruiz on 3/4/2061."))
print(len(note.spans), "scipy.linalg" in sys.modules)
import scipy.linalg.cython_blas
import numba, numpy
print(numba.njit(lambda a: a @ a)(numpy.eye(2)).sum())
"""


@pytest.mark.slow
def test_compiled_loops_start_without_scipy_which_is_there_for_other_code():
    found = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["2 False", "2.0"]


@pytest.mark.parametrize(
    ("loaded", "threads", "hidden"),
    [((), 1, True), (("numba",), 1, False), (("scipy.linalg",), 1, False), ((), 2, False)],
)
def test_scipy_is_hidden_only_where_nobody_else_can_miss_it(monkeypatch, loaded, threads, hidden):
    modules = dict.fromkeys(loaded)
    seen = []

    def load(name):
        seen.append((name, dict(modules)))
        raise KeyboardInterrupt

    monkeypatch.setattr(without_scipy, "sys", SimpleNamespace(modules=modules))
    monkeypatch.setattr(without_scipy, "threading", SimpleNamespace(active_count=lambda: threads))
    monkeypatch.setattr(without_scipy, "import_module", load)
    with pytest.raises(KeyboardInterrupt) if hidden else nullcontext():
        without_scipy.load_numba()
    assert seen == [("numba.np.arraymath", {"scipy.linalg.cython_blas": None})] * hidden
    assert modules == dict.fromkeys(loaded)  # also after Ctrl-C
