"""Memory of freed arrays goes back to the system, so that stages of training do not add up."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

M_MMAP_THRESHOLD = -3  # glibc's malloc.h
LEAST = 1 << 16  # bytes of an array that is worth memory of its own


def give_back_freed() -> None:
    """Let arrays of 64 kB or more go back when they are freed, from here on in this process. As they
    come and go, glibc raises the size below which it keeps what is freed, up to 32 MB. Other
    systems are left as they are."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LEAST)
