"""The least time that a token's rows need: to add them in the nearest cache, to read them in a row."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numba import njit

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.decoding.compiled_patterns import BLOCK, plan_searches
from crfdeid.engine.decoding.compiled_rows import list_block, make_lists
from crfdeid.engine.decoding.decoder import Decoder

NEAREST = 1 << 14  # bytes that lie in the nearest cache
FAR = 1 << 26  # bytes that no cache holds
TRIES = 7


def find_floor(decoder: Decoder, batches: list[Batch]) -> tuple[float, float]:
    """Seconds for a token of the batches: of the additions of its rows, and of reading them from memory."""
    width = decoder.scorer.width
    rows = sum(count_rows(decoder, batch) for batch in batches) / sum(map(len, batches))
    return rows * width * time_addition(width), rows * width * 8 * time_byte()


def count_rows(decoder: Decoder, batch: Batch) -> int:
    """The rows of all tokens of a batch; texts and combinations must be known."""
    parts = decoder.scorer.stack_parts(batch, decoder.observe(batch), 0, len(batch))
    return sum(int(count_listed(*arguments)) for _, arguments in parts)


@njit(nogil=True, cache=True)
def count_listed(first, stop, texts, sequence, offsets, columns, packed, rows, bundles):
    lists = make_lists(offsets, columns, packed, rows, bundles)
    searches = plan_searches(first, columns, packed)
    count = 0
    for begin in range(first, stop, BLOCK):
        end = min(begin + BLOCK, stop)
        list_block(begin, end, texts, sequence, offsets, columns, packed, rows, bundles, searches, lists)
        count += lists.counts[: end - begin].sum()
    return count


def time_addition(width: int) -> float:
    """Seconds of one addition of rows that lie in the nearest cache, four rows at a time."""
    table = np.ones((NEAREST // 8 // width // 4 * 4, width))
    into, rounds = np.zeros(width), 2000
    return time_best(lambda: add_rounds(table, into, rounds)) / (table.size * rounds)


@njit(nogil=True, cache=True)
def add_rounds(table, into, rounds):
    for _ in range(rounds):
        for r in range(0, np.uint64(len(table)), 4):
            for y in range(np.uint64(len(into))):
                into[y] += (table[r, y] + table[r + 1, y]) + (table[r + 2, y] + table[r + 3, y])


def time_byte() -> float:
    """Seconds of one byte when much memory is read in a row."""
    many = np.ones(FAR // 8)
    return time_best(many.sum) / FAR


def time_best(call: Callable[[], object]) -> float:
    """The least processor time of some tries."""
    call()
    found = []
    for _ in range(TRIES):
        began = time.process_time()
        call()
        found.append(time.process_time() - began)
    return min(found)
