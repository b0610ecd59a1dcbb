"""The types of arrays in annotations."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]  # of any size, signed or not
Bools = npt.NDArray[np.bool_]
