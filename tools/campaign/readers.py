"""Damaged files through every reader: whole, or refused in one line. A second, simple reader counts."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

from campaign.area import Area
from campaign.wild_text import list_notes
from crfdeid import corpora
from crfdeid.errors import CrfdeidError
from crfdeid.text.document import Document

NOTES = 4  # in a file
BYTES = b"\0\n\r\t \"'<>&;,{}[]:|/\\#=-_09azAZ\x7f\x80\xc3\xe2\xef\xff"
Counts = tuple[int, int]  # documents, spans


def count_lines(data: bytes) -> Counts:
    lines = [json.loads(line) for line in data.decode().split("\n") if line.strip("\ufeff \t\r")]
    spans = (line.get("spans", line.get("label", line.get("labels", ()))) for line in lines)
    return len(lines), sum(map(len, spans))


def count_tasks(data: bytes) -> Counts:
    tasks = json.loads(data)
    results = [r for task in tasks for a in task.get("annotations", ()) for r in a["result"]]
    values = [(id(r), label) for r in results for label in r.get("value", {}).get("labels", ())]
    return len(tasks), len(values)


def count_rows(data: bytes) -> Counts:
    csv.field_size_limit(2**30)
    head, *rows = [row for row in csv.reader(io.StringIO(data.decode(), newline="")) if row]
    where = head.index("spans") if "spans" in head else None
    return len(rows), 0 if where is None else sum(row[where].count('"start"') for row in rows)


def count_tokens(data: bytes) -> Counts:
    lines = data.decode().split("\n")
    begun = sum(line.startswith("# id = ") for line in lines)
    return begun, sum("\tB-" in line for line in lines if not line.startswith("# "))


def count_records(data: bytes) -> Counts:
    return len(re.findall(rb"<RECORD\s", data)), len(re.findall(rb"<PHI\s(?!TYPE=[^>]*></PHI>)", data))


def count_tags(data: bytes) -> Counts:
    block = data.partition(b"<TAGS>")[2]
    tags = re.findall(rb"<(?:PHI|NAME|PROFESSION|LOCATION|AGE|DATE|CONTACT|ID|OTHER)\s", block)
    return 1, len(tags)


def count_annotations(data: bytes) -> Counts:
    return 1, len(re.findall(rb"^T", data, re.M))


FORMATS: dict[str, tuple[str, Callable[[bytes], Counts] | None]] = {
    "jsonl": ("a.jsonl", count_lines), "doccano": ("a.jsonl", count_lines),
    "labelstudio": ("a.json", count_tasks), "table": ("a.csv", count_rows),
    "conll": ("a.conll", count_tokens), "i2b2-2006": ("a.xml", count_records),
    "i2b2": ("a.xml", count_tags), "brat": ("a.ann", count_annotations), "parquet": ("a.parquet", None),
    "text": ("a.txt", None), "hl7": ("a.hl7", None), "fhir": ("a.ndjson", None), "cda": ("a.xml", None),
}  # fmt: skip
OWN = {
    "hl7": "MSH|^~\\&|LAB|H|E|H|20610304||ORU^R01|7|P|2.5\rPID|1||4471902^^^H^MR||RUIZ^ANA||19700102|F\r"
           "OBX|1|TX|N^Note||Seen by Dr. Ruiz\\.br\\on 3/4/2061.||||||F\r",
    "fhir": '{"resourceType": "DocumentReference", "id": "n1", "status": "current", "content": '
            '[{"attachment": {"contentType": "text/plain", "data": "U2VlbiBieSBEci4gUnVpeg=="}}]}\n',
    "cda": '<?xml version="1.0"?><ClinicalDocument xmlns="urn:hl7-org:v3"><id root="1.2"/><component>'
           "<structuredBody><component><section><text>Seen by <b>Dr. Ruiz</b> on 3/4/2061.</text></section>"
           "</component></structuredBody></component></ClinicalDocument>",
}  # fmt: skip


@cache
def write_sound(format: str, place: Path) -> bytes:
    """The bytes of a sound file; the clinical ones are written here."""
    if format in OWN:
        return OWN[format].encode()
    notes = [Document(f"{n}-01", d.text[:400], tuple(s for s in d.spans if s.end <= 400), str(n))
             for n, d in enumerate(list_notes()[:NOTES])]  # fmt: skip
    single = corpora.FORMATS[format].render_document is not None
    folder = place / f"sound-{format}"
    corpora.write_each(notes[:1] if single else [], folder, format, overwrite=True)
    if single:
        return (folder / f"{notes[0].id}{Path(FORMATS[format][0]).suffix}").read_bytes()
    corpora.write(notes, folder / FORMATS[format][0], format, overwrite=True)
    return (folder / FORMATS[format][0]).read_bytes()


def mutate(draw: Random, data: bytes) -> bytes:
    """Change letters, lines or bytes, and cut the end off now and then."""
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        data = draw.choice((change_letter, change_letter, change_line, change_bytes))(draw, data)
    return data[: draw.randrange(len(data) + 1)] if draw.random() < 0.1 else data


def change_letter(draw: Random, data: bytes) -> bytes:
    """A letter becomes another one, a digit another digit."""
    at = draw.randrange(len(data) + 1)
    kinds = (b"0123456789", b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    others = next((kind for kind in kinds if data[at : at + 1] in kind and data[at:]), b"")
    return data[:at] + bytes([draw.choice(others)]) + data[at + 1 :] if others else data


def change_line(draw: Random, data: bytes) -> bytes:
    """A line is lost, there twice, or in another place."""
    lines = data.splitlines(keepends=True) or [b""]
    line = lines.pop(draw.randrange(len(lines)))
    for _ in range(draw.randrange(3)):
        lines.insert(draw.randrange(len(lines) + 1), line)
    return b"".join(lines)


def change_bytes(draw: Random, data: bytes) -> bytes:
    """Bytes are lost, there twice, or others."""
    a = draw.randrange(len(data) + 1)
    b = min(len(data), a + draw.choice((1, 1, 2, 8, 60)))
    other = bytes([draw.choice(BYTES)]), bytes(draw.choices(BYTES, k=b - a))
    return data[:a] + draw.choice((b"", data[a:b] * 2, *other)) + data[b:]


def run(draw: Random, place: Path) -> str:
    format = draw.choice(sorted(FORMATS))
    name, count = FORMATS[format]
    data = mutate(draw, write_sound(format, place.parent))
    (place / name).write_bytes(data)
    if format == "brat":
        (place / "a.txt").write_text(list_notes()[0].text[:400], newline="")
    try:
        found = list(corpora.read(place / name, format))
    except CrfdeidError as error:
        assert "\n" not in str(error), "an error of several lines"
        return "refused"
    if count is None:
        return "read"
    try:
        expected = count(data)
    except (ValueError, KeyError, TypeError, AttributeError):
        return "read, and the simple reader fails"
    own = len(found), sum(len(document.spans) for document in found)
    assert own[0] >= expected[0], f"{format}: {own[0]} documents of {expected[0]}"
    assert own[1] >= expected[1], f"{format}: {own[1]} spans of {expected[1]}"
    return "read whole"


AREA = Area("readers", 3, run)
