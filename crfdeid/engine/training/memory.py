"""Memory in training, returned when it is no longer needed."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # glibc's malloc.h
LEAST = 1 << 16  # bytes of the smallest array that is returned to the system
MOST = 32 << 20  # the threshold to which glibc rises by itself


@contextmanager
def return_freed_memory() -> Iterator[None]:
    """Return the memory of arrays of 64 kB or more to the system when they are freed, so that the stages
    before training do not add up. (As arrays come and go, glibc raises the size below which it keeps freed
    memory, up to 32 MB. This is faster where equal arrays come again and again, so it is set afterwards.)
    Only for glibc; other systems do not change."""
    _set_threshold(LEAST)
    try:
        yield
    finally:
        _set_threshold(MOST)


def _set_threshold(size: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, size)
            ctypes.CDLL(None).mallopt(M_TRIM_THRESHOLD, 2 * size)
