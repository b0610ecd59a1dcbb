"""CQDB, the hash table of strings inside CRFsuite's model file (Okazaki 2007).

The table has a head, 256 references to hash tables, the strings with their numbers, the hash tables (twice
as many buckets as strings, linear probing), and the offsets of the strings by number. The hash function
is Jenkins' lookup3 ("hashlittle"), here for all strings at once.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from itertools import islice

import numpy as np
import numpy.typing as npt

HEAD = struct.Struct("<4sIIIII")
BEFORE = struct.Struct("<II")  # before each string: its number and size
BYTE_ORDER = 0x62445371
TABLES = 256
BATCH = 1 << 14  # strings that are encoded at once


def build_table(strings: Iterable[str]) -> bytes:
    """Build the table of ``strings``, which are numbered from 0."""
    data, hashed, sizes, count = bytearray(), [hash_keys([])], [np.zeros(0, np.int64)], 0
    waiting = iter(strings)
    while keys := [string.encode("utf-8") + b"\0" for string in islice(waiting, BATCH)]:
        data += b"".join(BEFORE.pack(number, len(key)) + key for number, key in enumerate(keys, count))
        hashed.append(hash_keys(keys))
        sizes.append(np.array([BEFORE.size + len(key) for key in keys]))
        count += len(keys)
    first = HEAD.size + TABLES * 8
    ends = first + np.cumsum(np.concatenate(sizes))
    places = np.concatenate([[first], ends])[:-1]
    references, buckets = _buckets(np.concatenate(hashed), places, first + len(data))
    start = first + len(data) + len(buckets)
    head = HEAD.pack(b"CQDB", start + 4 * count, 0, BYTE_ORDER, count, start if count else 0)
    return b"".join([head, references, data, buckets, places.astype("<u4").tobytes()])


def _buckets(hashed: np.ndarray, places: np.ndarray, position: int) -> tuple[bytes, bytes]:
    """The references to the hash tables, which begin at byte ``position``, and their buckets (hash and
    offset of each string)."""
    group = hashed % TABLES
    order = np.argsort(group, kind="stable")
    counts = 2 * np.bincount(group, minlength=TABLES)
    starts = np.cumsum(counts) - counts
    references = np.column_stack([np.where(counts, position + 8 * starts, 0), counts])
    start, count = starts[group[order]], counts[group[order]]
    wanted = (hashed[order] >> 8) % count
    taken, where = bytearray(int(counts.sum())), []
    for first, size, k in zip(start.tolist(), count.tolist(), wanted.tolist()):
        while taken[first + k]:
            k = (k + 1) % size
        taken[first + k] = 1
        where.append(first + k)
    buckets = np.zeros((len(taken), 2), "<u4")
    buckets[where] = np.column_stack([hashed[order], places[order]])
    return references.astype("<u4").tobytes(), buckets.tobytes()


def hash_keys(keys: list[bytes]) -> np.ndarray:
    """Hash keys of at least one byte with lookup3's hashlittle, initial value 0.

    >>> hex(int(hash_keys([b"Four score and seven years ago"])[0]))
    '0x17770551'
    """
    if not keys:
        return np.zeros(0, np.uint32)
    lengths = np.array([len(key) for key in keys], np.uint32)
    blocks = (lengths + 11) // 12
    words = np.zeros((len(keys), int(blocks.max()) * 3), np.uint32)
    for row, key in zip(words, keys):
        row[: -(-len(key) // 4)] = np.frombuffer(key + b"\0" * (-len(key) % 4), "<u4")
    a = np.uint32(0xDEADBEEF) + lengths
    b, c = a.copy(), a.copy()
    for block in range(words.shape[1] // 3):
        a += words[:, 3 * block]  # 0 after the end of a key
        b += words[:, 3 * block + 1]
        c += words[:, 3 * block + 2]
        more, last = blocks > block + 1, blocks == block + 1
        a[more], b[more], c[more] = _mix(a[more], b[more], c[more])
        c[last] = _final(a[last], b[last], c[last])
    return c


Hashes = npt.NDArray[np.uint32]


def _rotate(x: Hashes, by: int) -> Hashes:
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))


def _mix(a: Hashes, b: Hashes, c: Hashes) -> tuple[Hashes, Hashes, Hashes]:
    for first, second, third in ((4, 6, 8), (16, 19, 4)):
        a = (a - c) ^ _rotate(c, first)
        c = c + b
        b = (b - a) ^ _rotate(a, second)
        a = a + c
        c = (c - b) ^ _rotate(b, third)
        b = b + a
    return a, b, c


def _final(a: Hashes, b: Hashes, c: Hashes) -> Hashes:
    c = (c ^ b) - _rotate(b, 14)
    a = (a ^ c) - _rotate(c, 11)
    b = (b ^ a) - _rotate(a, 25)
    c = (c ^ b) - _rotate(b, 16)
    a = (a ^ c) - _rotate(c, 4)
    b = (b ^ a) - _rotate(a, 14)
    return (c ^ b) - _rotate(b, 24)
