"""Load numba without scipy.

numba looks for scipy's routines to multiply matrices when it loads its functions of arrays; to import these
takes as long as to load all compiled loops, which multiply none. Where they are missing, numba multiplies in
a loop, and looks for them again when a program compiles what needs them.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import MutableMapping
from importlib import import_module
from types import ModuleType

ROUTINES = "scipy.linalg.cython_blas"


def load_numba() -> None:
    """Import numba's functions of arrays. Where scipy is loaded already, or another thread could import it
    at this moment, numba imports it."""
    modules: MutableMapping[str, ModuleType | None] = sys.modules  # type: ignore[assignment]
    if "numba" in modules or "scipy.linalg" in modules or threading.active_count() > 1:
        return
    modules[ROUTINES] = None  # an import of it fails
    try:
        import_module("numba.np.arraymath")
    finally:
        del modules[ROUTINES]
