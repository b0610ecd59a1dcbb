"""CQDB, the hash table of strings inside CRFsuite's model file (Okazaki 2007).

A head, 256 references to hash tables, the strings with their numbers, the tables (twice as
many buckets as strings, linear probing), and the strings' places by number. The hash is
Jenkins' lookup3 ("hashlittle"), here for all strings at once.
"""

from __future__ import annotations

import struct

import numpy as np

HEAD = struct.Struct("<4sIIIII")
BYTE_ORDER = 0x62445371
TABLES = 256


def table(strings: list[str]) -> bytes:
    """The table of ``strings`` numbered from 0."""
    keys = [string.encode("utf-8") + b"\0" for string in strings]
    places, data = [], []
    position = HEAD.size + TABLES * 8
    for number, key in enumerate(keys):
        places.append(position)
        data.append(struct.pack("<II", number, len(key)) + key)
        position += len(data[-1])
    references, buckets = _buckets(hashes(keys).tolist(), places, position)
    backward = np.array(places, "<u4").tobytes()
    start = position + len(buckets)
    size = start + len(backward)
    head = HEAD.pack(b"CQDB", size, 0, BYTE_ORDER, len(keys), start)
    return head + references + b"".join(data) + buckets + backward


def _buckets(hashed: list[int], places: list[int], position: int) -> tuple[bytes, bytes]:
    groups: list[list[tuple[int, int]]] = [[] for _ in range(TABLES)]
    for value, place in zip(hashed, places):
        groups[value % TABLES].append((value, place))
    references, found = [], []
    for group in groups:
        count = 2 * len(group)
        references += [position if group else 0, count]
        slots = [(0, 0)] * count
        for value, place in group:
            k = (value >> 8) % count
            while slots[k][1]:
                k = (k + 1) % count
            slots[k] = (value, place)
        found += [number for slot in slots for number in slot]
        position += 8 * count
    return np.array(references, "<u4").tobytes(), np.array(found, "<u4").tobytes()


def hashes(keys: list[bytes]) -> np.ndarray:
    """lookup3's hashlittle with initial value 0, for keys of at least one byte.

    >>> hex(int(hashes([b"Four score and seven years ago"])[0]))
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
        live = blocks > block
        a[live] += words[live, 3 * block]
        b[live] += words[live, 3 * block + 1]
        c[live] += words[live, 3 * block + 2]
        more, last = blocks > block + 1, blocks == block + 1
        a[more], b[more], c[more] = _mix(a[more], b[more], c[more])
        c[last] = _final(a[last], b[last], c[last])
    return c


def _turn(x: np.ndarray, by: int) -> np.ndarray:
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))


def _mix(a, b, c):
    for first, second, third in ((4, 6, 8), (16, 19, 4)):
        a = (a - c) ^ _turn(c, first)
        c = c + b
        b = (b - a) ^ _turn(a, second)
        a = a + c
        c = (c - b) ^ _turn(b, third)
        b = b + a
    return a, b, c


def _final(a, b, c):
    c = (c ^ b) - _turn(b, 14)
    a = (a ^ c) - _turn(c, 11)
    b = (b ^ a) - _turn(a, 25)
    c = (c ^ b) - _turn(b, 16)
    a = (a ^ c) - _turn(c, 4)
    b = (b ^ a) - _turn(a, 14)
    return (c ^ b) - _turn(b, 24)
