"""Memory asked for before it is read, so that nothing waits for it: an instruction of processors that
numba has no function for. It changes no answer."""

from __future__ import annotations

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

LINE = 8  # numbers that come at once


@intrinsic
def fetch(context, array, place):
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
def fetch_row(row):
    for y in range(0, len(row), LINE):
        fetch(row, y)
