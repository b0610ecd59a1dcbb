"""CRFsuite's model file as arrays (format ``lCRF``, version 100, little-endian).

The file has a header of 48 bytes; ``FEAT``, records of (type, source, target, weight), where type 0 is
attribute to label and type 1 is label to label; two ``CQDB`` hash tables with the names of labels and
attributes; ``LFRF`` and ``AFRF``, the records of each label and of each attribute. pycrfsuite's
``Tagger.info()`` rounds weights to six decimals, so this module reads the file itself.

CQDB (Okazaki 2007) has a head, 256 references to hash tables, the strings with their numbers, the hash
tables (twice as many buckets as strings, linear probing), and the offsets of the strings by number. The
hash function is Jenkins' lookup3 ("hashlittle"), here for all strings at once.

A file whose name ends in .gz is the same, compressed."""

from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crfdeid.errors import ModelError
from crfdeid.files import open_whole

HEADER = struct.Struct("<4sI4sIIIIIIIII")
CHUNK = struct.Struct("<4sII")
RECORD = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
STATE, TRANSITION = 0, 1
VERSION = 100
LARGEST = 1_000_000  # a weight; with 1e20 the sums lose their digits, and probabilities are over 1
COMPRESSED = ".gz"  # the end of a compressed file's name
DIGITS = 16  # bits of a weight that :func:`shrink` keeps: 5 decimal digits
LENGTH_AND_NUMBER = 8  # bytes before a string of CQDB
Part = list[bytes | np.ndarray]  # bytes, or an array of them

HEAD = struct.Struct("<4sIIIII")
BEFORE = struct.Struct("<II")  # before each string: its number and size
BYTE_ORDER = 0x62445371
TABLES = 256
BATCH = 1 << 14  # strings that are encoded at once


@dataclass(frozen=True)
class Weights:
    """``records`` has one row for each feature (dtype :data:`RECORD`); ``transitions`` [labels, labels] are
    the weights from row to column, 0 where the file has none."""

    labels: list[str]
    attributes: list[str]
    records: np.ndarray
    transitions: np.ndarray


def read(path: Path | str) -> Weights:
    """Read a model file. Raises :class:`ModelError` where the file is not CRFsuite's, is cut short, has the
    other byte order or another version, or contains a weight that is not a finite number or is over
    :data:`LARGEST`, or a record of a label or an attribute that it does not have: compiled code would write
    out of bounds."""
    try:
        weights = parse(read_bytes(Path(path)))
    except OtherFormat as error:
        raise ModelError(f"{path}: {error}") from None
    except (struct.error, zlib.error, EOFError, gzip.BadGzipFile, ValueError, IndexError):
        raise ModelError(f"{path}: not a CRFsuite model, or damaged") from None
    if not np.isfinite(weights.records["weight"]).all():
        raise ModelError(f"{path}: contains weights that are not finite numbers")
    if (np.abs(weights.records["weight"]) > LARGEST).any():
        raise ModelError(f"{path}: contains weights over {LARGEST:,}, which no training gives")
    if not has_sound_records(weights):
        raise ModelError(f"{path}: contains weights of labels or attributes that it does not have")
    return weights


def read_bytes(path: Path) -> bytes:
    """Read a model file as CRFsuite has it; of a compressed one, not more than the size in its header and a
    byte."""
    if path.suffix != COMPRESSED:
        return path.read_bytes()
    with gzip.open(path) as file:
        head = file.read(HEADER.size)
        return head + file.read(max(0, HEADER.unpack(head)[1] - len(head)) + 1)


def has_sound_records(weights: Weights) -> bool:
    """Whether each record is of one of the two kinds, and of labels and attributes that the model has."""
    kind, source, target = (weights.records[name] for name in ("kind", "source", "target"))
    labels, attributes = len(weights.labels), len(weights.attributes)
    sources = np.where(kind == STATE, source < attributes, source < labels)
    return bool((np.isin(kind, (STATE, TRANSITION)) & sources & (target < labels)).all())


class OtherFormat(Exception):
    """The file is CRFsuite's, in a format that this module does not read."""


def parse(data: bytes) -> Weights:
    """The weights in the bytes of a file. Raises :class:`OtherFormat`, or an error of the standard library
    where the bytes are damaged."""
    magic, size, _, version, _, _, _, features, labels, attributes, _, _ = HEADER.unpack_from(data)
    if magic != b"lCRF":
        raise ValueError("not lCRF")
    if size == int.from_bytes(len(data).to_bytes(4, "little"), "big"):
        raise OtherFormat("written on a big-endian machine; wanted little-endian")
    if size != len(data):
        raise ValueError("cut short")
    if version != VERSION:
        raise OtherFormat(f"CRFsuite format {version}; wanted {VERSION}")
    _, _, count = CHUNK.unpack_from(data, features)
    records = np.frombuffer(data, RECORD, count, features + CHUNK.size)
    names = read_strings(data, labels)
    transitions = np.zeros((len(names), len(names)))
    rows = records[records["kind"] == TRANSITION]
    transitions[rows["source"], rows["target"]] = rows["weight"]
    return Weights(names, read_strings(data, attributes), records, transitions)


def read_strings(data: bytes, start: int) -> list[str]:
    """The strings of the CQDB table at byte ``start``, in the order of their numbers."""
    _, _, _, _, count, table = struct.unpack_from("<4sIIIII", data, start)
    begin = np.frombuffer(data, "<u4", count, start + table).astype(np.int64) + start + LENGTH_AND_NUMBER
    bytes_of = np.frombuffer(data, np.uint8)
    lengths = np.stack([bytes_of[begin - place] for place in (4, 3, 2, 1)], axis=1).view("<u4").ravel()
    ends = begin + lengths - 1  # before the zero
    return [data[a:b].decode("utf-8") for a, b in zip(begin.tolist(), ends.tolist())]


def add_to_weights(model: Weights, attribute: str, amounts: Mapping[str, float]) -> Weights:
    """Return the model with ``amounts``, by label, added to the state weights of one attribute; a weight that
    it does not have counts as 0. Raises :class:`ModelError` where the model does not have a label."""
    names = model.attributes if attribute in model.attributes else [*model.attributes, attribute]
    source, rows = names.index(attribute), model.records.copy()
    for label, amount in amounts.items():
        if label not in model.labels:
            raise ModelError(f"the model has no label {label}")
        target = model.labels.index(label)
        found = (rows["kind"] == STATE) & (rows["source"] == source) & (rows["target"] == target)
        if found.any():
            rows["weight"][found] += amount
        else:
            rows = np.concatenate([rows, np.array([(STATE, source, target, amount)], RECORD)])
    return replace(model, attributes=names, records=rows)


def add_to_transitions(path: Path, pairs: Iterable[tuple[str, str]], amount: float) -> None:
    """Add ``amount`` to the weights of the transitions ``pairs`` of the model file at ``path``."""
    model = read(path)
    number = {label: place for place, label in enumerate(model.labels)}
    table = model.transitions.copy()
    for before, label in pairs:
        table[number[before], number[label]] += amount
    states = model.records[model.records["kind"] == STATE]
    source, target = np.indices(table.shape).reshape(2, -1)
    rows = make_records(TRANSITION, source, target, table.reshape(-1))
    write(path, model.labels, model.attributes, np.concatenate([states, rows]))


def shrink(path: Path, least: float) -> None:
    """Put a compressed file in the place of the model file at ``path``, without the state weights that are
    smaller than ``least``; the others keep :data:`DIGITS` bits."""
    model = read(path)
    rows = model.records
    rows = rows[(rows["kind"] != STATE) | (np.abs(rows["weight"]) >= least)]
    part, power = np.frexp(rows["weight"])
    rows["weight"] = np.ldexp(np.round(part * 2**DIGITS), power - DIGITS)
    write(path.with_name(path.name + COMPRESSED), model.labels, model.attributes, rows)
    path.unlink()


def make_records(kind: int, source: np.ndarray, target: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Make rows of :data:`RECORD` for the weights that are not zero."""
    keep = values != 0
    rows = np.zeros(int(keep.sum()), RECORD)
    rows["kind"] = kind
    rows["source"], rows["target"], rows["weight"] = source[keep], target[keep], values[keep]
    return rows


def write(path: Path | str, labels: list[str], attributes: Sequence[str], rows: np.ndarray) -> None:
    """Write a model file byte for byte as CRFsuite does: attributes without a weight are left out. Where the
    name ends in .gz, it is compressed then."""
    data = render(labels, attributes, rows)
    with open_whole(path, "wb") as file:
        file.write(gzip.compress(data, mtime=0) if Path(path).suffix == COMPRESSED else data)


def render(labels: list[str], attributes: Sequence[str], rows: np.ndarray) -> bytes:
    """Return the bytes of a model file."""
    return b"".join(bytes(each) for part in list_parts(labels, attributes, rows) for each in part)


def list_parts(labels: list[str], attributes: Sequence[str], rows: np.ndarray) -> Iterator[Part]:
    """Yield the parts of a model file."""
    is_state = rows["kind"] == STATE
    used = np.zeros(len(attributes), bool)
    used[rows["source"][is_state]] = True
    rows = rows.copy()
    rows["source"][is_state] = (np.cumsum(used) - 1)[rows["source"][is_state]]
    names = np.flatnonzero(used).tolist()
    parts: list[Part] = [
        [CHUNK.pack(b"FEAT", CHUNK.size + rows.nbytes, len(rows)), rows.view(np.uint8)],
        [build_table(labels)],
        [build_table(attributes[number] for number in names)],
    ]
    parts[2].append(b"\0" * (-(HEADER.size + sum(map(_size, parts))) % 4))
    lists = ((b"LFRF", ~is_state, len(labels), 2), (b"AFRF", is_state, len(names), 0))
    for chunk, mask, count, spare in lists:
        start = HEADER.size + sum(map(_size, parts))
        parts.append(_references(chunk, rows["source"][mask], np.flatnonzero(mask), count, spare, start))
    *starts, size = np.cumsum([HEADER.size, *map(_size, parts)]).tolist()
    yield [HEADER.pack(b"lCRF", size, b"FOMC", VERSION, 0, len(labels), len(names), *starts)]
    yield from parts


def _size(part: Part) -> int:
    return sum(map(len, part))


def _references(
    chunk: bytes, owners: np.ndarray, numbers: np.ndarray, count: int, spare: int, start: int
) -> Part:
    """A table of the records of each label or attribute: absolute offsets of lists, each a count and the
    numbers of the records. The offsets end with ``spare`` empty ones (two for labels)."""
    order = np.argsort(owners, kind="stable")
    ends = np.searchsorted(owners[order], np.arange(count + 1))
    first = start + CHUNK.size + 4 * (count + spare)
    offsets = np.zeros(count + spare, "<u4")
    heads = ends[:-1] + np.arange(count)
    offsets[:count] = first + 4 * heads
    lists = np.zeros(len(owners) + count, "<u4")
    listed = np.ones(len(lists), bool)
    listed[heads] = False
    lists[heads] = np.diff(ends)
    lists[listed] = numbers[order]
    size = CHUNK.size + offsets.nbytes + lists.nbytes
    return [CHUNK.pack(chunk, size, count + spare), offsets.view(np.uint8), lists.view(np.uint8)]


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
