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

from crfdeid.engine.kept_loops import ARE_KEPT

LINE = 8  # doubles in a line of the cache


@intrinsic
def prefetch(context, array, place):
    """Fetch ``array[place]`` into the cache before it is read, for an array of one dimension. This
    instruction of processors has no function in numba (LLVM Language Reference, llvm.prefetch)."""

    def generate(context, builder, signature, arguments):
        first = make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.gep(first, [arguments[1]])
        flag = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [address.type, flag, flag, flag])
        function = builder.module.declare_intrinsic("llvm.prefetch", [address.type], kind)
        builder.call(function, [address, flag(0), flag(3), flag(1)])  # to read, into all caches, data
        return context.get_dummy_value()

    return types.void(array, types.uintp), generate


@njit(nogil=True, cache=ARE_KEPT, forceinline=True)
def prefetch_row(row):
    for y in range(0, len(row), LINE):
        prefetch(row, y)  # type: ignore[call-arg]  # numba itself passes the context


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
