"""Memory in training: fetched before it is needed, and returned when it is no longer needed."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

LINE = 8  # numbers that come at once


@intrinsic
def prefetch(context, array, place):
    """Ask for ``array[place]``, of an array of one dimension (LLVM Language Reference, llvm.prefetch)."""

    def generate(context, builder, signature, arguments):
        first = make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.gep(first, [arguments[1]])
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag])
        function = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        builder.call(function, [address, flag(0), flag(3), flag(1)])  # to read, into all caches, data
        return context.get_dummy_value()

    return types.void(array, types.uintp), generate


@njit(nogil=True, cache=True, forceinline=True)
def prefetch_row(row):
    for y in range(0, len(row), LINE):
        prefetch(row, y)  # type: ignore[call-arg]  # numba itself passes the context


M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # glibc's malloc.h
LEAST = 1 << 16  # bytes of an array that is worth memory of its own
MOST = 32 << 20  # what glibc comes to by itself


@contextmanager
def return_freed_memory() -> Iterator[None]:
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
