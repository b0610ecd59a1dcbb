"""What the start of the compiled loops loads."""

import subprocess
import sys

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


def test_compiled_loops_start_without_scipy_which_is_there_for_other_code():
    found = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == ["2 False", "2.0"]
