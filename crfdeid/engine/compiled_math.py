"""Functions for the compiled loops of decoding and training: hash tables, memory fetched ahead, exponentials,
and the sums of trees and of a network.

A hash table has whole numbers as keys: open addressing, one slot after the other.
"""

from __future__ import annotations

from math import factorial

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from crfdeid.engine.arrays.vocabulary import NONE
from crfdeid.engine.kept_loops import ARE_KEPT, INLINED, OPTIONS

MIX = np.uint64(0x9E3779B97F4A7C15)
LINE = 8  # doubles in a line of the cache
LOG2E, LN2_HIGH, LN2_LOW = 1.4426950408889634, 0.693147180369123816490, 1.90821492927058770002e-10
ROUND = 1.5 * 2.0**52  # added to a number, it leaves its nearest integer in the last bits
TAYLOR = tuple(1.0 / factorial(n) for n in range(14))


@njit(**INLINED)
def find_slot(key, bits, base, slot_keys):
    """The slot of a key, or a free slot where it has none, in the table of 2 ** ``bits`` slots that begins at
    ``base``."""
    one, start = np.uint64(1), np.uint64(base)  # without sign: never from the end
    mask = (one << np.uint64(bits)) - one
    slot = (np.uint64(key) * MIX) >> np.uint64(64 - bits)
    while slot_keys[start + slot] != NONE and slot_keys[start + slot] != key:
        slot = (slot + one) & mask
    return start + slot


@njit(**OPTIONS)
def fill_slots(keys, places, bits, base, slot_keys, slot_places):
    """Put the place of each key into its slot: of a hash table, or ``base + key`` where ``bits`` is 0."""
    for number in range(len(keys)):
        key = keys[number]
        slot = find_slot(key, bits, base, slot_keys) if bits else np.uint64(base + key)
        slot_keys[slot] = key
        slot_places[slot] = places[number]


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


@njit(nogil=True, cache=ARE_KEPT, forceinline=True, fastmath={"contract"})
def exponentiate(row, real, rest, powers, bits):
    """Write exp(x) over each x: exp(x) = 2^n exp(r), where n is the integer nearest to x / log 2 and r, the
    rest, is below 0.35, so that 14 terms of the series of exp(r) are enough for a double. ``bits`` are
    those of ``powers``. Four times as fast as libm, since one call computes a whole row; only the last bit
    can differ."""
    for y in range(len(row)):
        n = row[y] * LOG2E + ROUND
        powers[y] = n
        n -= ROUND
        rest[y] = (row[y] - n * LN2_HIGH) - n * LN2_LOW
    for y in range(len(row)):
        bits[y] = (bits[y] + 1023) << 52  # the exponent of a double
    for y in range(len(row)):
        r = rest[y]
        p = TAYLOR[13] * r + TAYLOR[12]
        p = p * r + TAYLOR[11]
        p = p * r + TAYLOR[10]
        p = p * r + TAYLOR[9]
        p = p * r + TAYLOR[8]
        p = p * r + TAYLOR[7]
        p = p * r + TAYLOR[6]
        p = p * r + TAYLOR[5]
        p = p * r + TAYLOR[4]
        p = p * r + TAYLOR[3]
        p = p * r + TAYLOR[2]
        p = p * r + 1.0
        p = p * r + 1.0
        row[y] = p * powers[y] * real[y]


@njit(**OPTIONS)
def add_leaves(rows, feature, limit, left, right, value, roots, base):
    odds = np.full(len(rows), base[0])
    for row in range(len(rows)):
        for root in roots:
            node = root
            while feature[node] >= 0:  # a leaf has none
                node = left[node] if rows[row, feature[node]] <= limit[node] else right[node]
            odds[row] += value[node]
    return odds


@njit(**OPTIONS)
def add_rows(sums, rows, numbers):
    """Add to each token of ``sums`` [tokens, width] the sum of its rows; ``numbers`` [observations, tokens]
    are -1 where it has none."""
    total = np.zeros_like(sums[:1])[0]
    for token in range(len(sums)):
        total[:] = 0
        for name in range(len(numbers)):
            if numbers[name, token] >= 0:
                row = rows[numbers[name, token]]
                for y in range(len(total)):
                    total[y] += row[y]
        into = sums[token]
        for y in range(len(total)):
            into[y] += total[y]


@njit(**OPTIONS)
def add_seen(hidden, seen, shift, gap):
    """As :func:`crfdeid.systems.judged.network.add_seen`, without changing ``seen``."""
    size, width = hidden.shape
    nothing = np.zeros_like(shift)
    for token in range(size):
        before = seen[token - gap, :width] if token >= gap else nothing
        after = seen[token + gap, 2 * width :] if token + gap < size else nothing
        own, into = seen[token, width : 2 * width], hidden[token]
        for y in range(width):
            into[y] += max(own[y] + before[y] + after[y] + shift[y], np.float32(0))


@njit(error_model="numpy", **OPTIONS)  # a test for a division by zero would make it half as fast
def move_numbers(array, slope, mean, square, numbers):
    """As :func:`crfdeid.systems.judged.network_training.move_numbers`, without changing ``slope``."""
    shrink, own, own_square, spread = numbers[0], numbers[1], numbers[2], numbers[3]
    tiny, kept, step = numbers[4], numbers[5], numbers[6]
    for y in range(len(array)):
        ahead = slope[y] * shrink
        mean[y] += own * (ahead - mean[y])
        square[y] += own_square * (ahead * ahead - square[y])
        array[y] = array[y] * kept - mean[y] / (np.sqrt(square[y]) / spread + tiny) * step
