"""CRFsuite's model file as arrays (format ``lCRF``, version 100, little-endian).

The file has a header of 48 bytes; ``FEAT``, records of (type, source, target, weight), where type 0 is
attribute to label and type 1 is label to label; two ``CQDB`` hash tables with the names of labels and
attributes; ``LFRF`` and ``AFRF``, the records of each label and of each attribute. pycrfsuite's
``Tagger.info()`` rounds weights to six decimals, so this module reads the file itself.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crfdeid.engine.crfsuite_file import cqdb
from crfdeid.errors import ModelError
from crfdeid.files import open_whole

HEADER = struct.Struct("<4sI4sIIIIIIIII")
CHUNK = struct.Struct("<4sII")
RECORD = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
STATE, TRANSITION = 0, 1
VERSION = 100
LARGEST = 1_000_000  # a weight; with 1e20 the sums lose their digits, and probabilities are over 1
LENGTH_AND_NUMBER = 8  # bytes before a string of CQDB
Part = list[bytes | np.ndarray]  # bytes, or an array of them


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
        weights = parse(Path(path).read_bytes())
    except OtherFormat as error:
        raise ModelError(f"{path}: {error}") from None
    except (struct.error, ValueError, IndexError, UnicodeDecodeError):
        raise ModelError(f"{path}: not a CRFsuite model, or damaged") from None
    if not np.isfinite(weights.records["weight"]).all():
        raise ModelError(f"{path}: contains weights that are not finite numbers")
    if (np.abs(weights.records["weight"]) > LARGEST).any():
        raise ModelError(f"{path}: contains weights over {LARGEST:,}, which no training gives")
    if not has_sound_records(weights):
        raise ModelError(f"{path}: contains weights of labels or attributes that it does not have")
    return weights


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


def drop_small_weights(path: Path, least: float) -> None:
    """Leave out the state weights of the model file at ``path`` that are smaller than ``least``."""
    model = read(path)
    rows = model.records
    kept = (rows["kind"] != STATE) | (np.abs(rows["weight"]) >= least)
    write(path, model.labels, model.attributes, rows[kept])


def make_records(kind: int, source: np.ndarray, target: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Make rows of :data:`RECORD` for the weights that are not zero."""
    keep = values != 0
    rows = np.zeros(int(keep.sum()), RECORD)
    rows["kind"] = kind
    rows["source"], rows["target"], rows["weight"] = source[keep], target[keep], values[keep]
    return rows


def write(path: Path | str, labels: list[str], attributes: Sequence[str], rows: np.ndarray) -> None:
    """Write a model file byte for byte as CRFsuite does: attributes without a weight are left out."""
    with open_whole(path, "wb") as file:
        for part in render(labels, attributes, rows):
            file.writelines(part)


def render(labels: list[str], attributes: Sequence[str], rows: np.ndarray) -> Iterator[Part]:
    """Yield the parts of a model file."""
    is_state = rows["kind"] == STATE
    used = np.zeros(len(attributes), bool)
    used[rows["source"][is_state]] = True
    rows = rows.copy()
    rows["source"][is_state] = (np.cumsum(used) - 1)[rows["source"][is_state]]
    names = np.flatnonzero(used).tolist()
    parts: list[Part] = [
        [CHUNK.pack(b"FEAT", CHUNK.size + rows.nbytes, len(rows)), rows.view(np.uint8)],
        [cqdb.build_table(labels)],
        [cqdb.build_table(attributes[number] for number in names)],
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
