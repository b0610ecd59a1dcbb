"""Memory of freed arrays goes back to the system, so that the stages before training do not add up."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # glibc's malloc.h
LEAST = 1 << 16  # bytes of an array that is worth memory of its own
MOST = 32 << 20  # what glibc comes to by itself


@contextmanager
def given_back() -> Iterator[None]:
    """Let arrays of 64 kB or more go back when they are freed. As they come and go, glibc raises the
    size below which it keeps what is freed, up to 32 MB: that is sooner where arrays come again and
    again, and so it is afterwards. Other systems are left as they are."""
    _keep_below(LEAST)
    try:
        yield
    finally:
        _keep_below(MOST)


def _keep_below(size: int) -> None:
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, size)
            ctypes.CDLL(None).mallopt(M_TRIM_THRESHOLD, 2 * size)
