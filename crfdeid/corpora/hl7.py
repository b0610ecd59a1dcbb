r"""HL7 v2 messages in ER7 (``MSH|^~\&|``): the texts of OBX-5 (TX, FT, ST) and NTE-3, and all other fields.

    file ─▶ messages ─▶ segments ─▶ values ─▶ passages, fields, masks

Consecutive OBX segments of one observation are the lines of one passage, and so are consecutive NTE segments.
Short texts (the names of codes, ST) are the lines of the passage ``terms``. A file may hold several messages,
also in a batch (FHS, BHS), each with separators of its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from crfdeid.corpora import hl7_fields as rules
from crfdeid.corpora.format import Format
from crfdeid.corpora.hl7_fields import (
    Part,
    Segment,
    Separators,
    build_decoder,
    encode,
    list_segments,
    split,
    split_messages,
)
from crfdeid.corpora.messages import (
    ATTACHMENTS,
    EMPTIED,
    TERMS,
    UNKNOWN,
    Character,
    Edit,
    Field,
    Kept,
    Message,
    Passage,
    build_reader,
    join_nodes,
    list_characters,
)
from crfdeid.corpora.storage import open_text
from crfdeid.lexicon.ordinary import is_display
from crfdeid.text.document import Document

DATE = re.compile(
    r"([12][0-9]{3})([01][0-9])?([0-3][0-9])?((?<=[0-9]{8})[0-9]{2,6})?(\.[0-9]+)?([+-][0-9]{4})?"
)
WRITTEN_DATE = re.compile(r"[12][0-9]{3}(-[01][0-9](-[0-3][0-9])?)?")
FIELD = "field"
DELETED = '""'  # a value that the receiver deletes
COUNTRIES = ("USA", "US")  # that stay
YEARS, OLDEST = ("a", "yr", "yrs", "y", "year", "years"), 89
TEXT_FIELDS = {"OBX": 5, "NTE": 3}  # which fields hold texts
STANDARD = Separators("|", "^", "~", "\\", "&")


class Value(NamedTuple):
    """A subcomponent of a segment, or a line of a text, and the rule for it."""

    segment: Segment
    field: int
    part: Part
    rule: rules.Rule


def read_messages(path: Path, encoding: str = "utf-8") -> Iterator[Message]:
    """Yield the messages of a file. Raises :class:`FormatError`, which names message and segment, for what is
    no HL7 v2."""
    with open_text(path, encoding) as file:
        for number, source in enumerate(split_messages(file), 1):
            yield parse_message(source, f"{path.stem}.{number}", f"{path}, message {number}")


def parse_message(source: str, id: str, where: str) -> Message:
    """Parse a message, or the head of a batch."""
    segments = list(list_segments(source, where))
    values = [value for segment in segments for value in list_values(source, segment)]
    fates = sort_values(source, values)
    passages = list(build_passages(source, segments))
    if terms := fates[rules.TEXT]:
        passages.append(build_passage(source, TERMS[1:], terms[0].segment, [value.part for value in terms]))
    return Message(
        id,
        source,
        find_patient(source, values),
        passages,
        [build_field(source, value) for value in fates[FIELD]],
        [Edit(value.part.start, value.part.end, "") for value in fates[rules.EMPTY]],
        masked=count_emptied(source, fates[rules.EMPTY]),
        kept=[build_kept(source, value) for value in fates[rules.KEEP]],
    ).mask_own()


def list_values(source: str, segment: Segment) -> Iterator[Value]:
    """Yield the subcomponents of the fields of a segment, except empty fields and those that are lines of a
    text."""
    marks = segment.separators
    narrative = TEXT_FIELDS[segment.name] if is_narrative(source, segment) else None
    for number, field in segment.fields.items():
        if field.start == field.end or number == narrative:
            continue
        datatype = find_datatype(source, segment) if (segment.name, number) == ("OBX", 5) else ""
        for repetition in split(source, *field[1:], marks.repetition):
            components = list(split(source, *repetition[1:], marks.component))
            for component in components:
                rule = rules.find_rule(segment.name, number, component.number, datatype)
                is_name = rule.action == rules.TEXT and component.number in rules.DISPLAYS
                if is_name and is_coded(source, (segment.name, number), components, component):
                    rule = rule._replace(action=rules.DISPLAY)
                for part in split(source, *component[1:], marks.subcomponent):
                    yield Value(segment, number, part, rule)


def is_coded(source: str, field: tuple[str, int], components: Sequence[Part], component: Part) -> bool:
    """Whether a component is the name of a code of a public system."""
    code, *system = (
        source[part.start : part.end]
        for part in components
        if part.number in (component.number - 1, component.number + 1)
    )
    return bool(code) and (field in rules.DEMOGRAPHY or any(map(rules.SYSTEMS.fullmatch, system)))


def find_datatype(source: str, segment: Segment) -> str:
    """Return the datatype of OBX-5; none for an age over 89, which does not go out."""
    unit, value = (segment.read(source, field) for field in (6, 5))
    is_age = unit.partition(segment.separators.component)[0].lower() in YEARS
    if is_age and rules.is_kept(rules.NUMBER, value) and abs(float(value)) > OLDEST:
        return rules.NO_TYPE
    return segment.read(source, 2) or rules.NO_TYPE


def is_narrative(source: str, segment: Segment) -> bool:
    """Whether the segment holds lines of a text."""
    return segment.name == "NTE" or (segment.name == "OBX" and segment.read(source, 2) in rules.NARRATIVE)


def build_passages(source: str, segments: Iterable[Segment]) -> Iterator[Passage]:
    """Yield the texts of consecutive segments of one observation."""

    def find_text(segment: Segment) -> tuple[str, str] | None:
        if not is_narrative(source, segment):
            return None
        return segment.name, segment.read(source, 3) if segment.name == "OBX" else ""

    for key, group in groupby(segments, find_text):
        lines = list(group) if key else []
        fields = [(line, line.fields.get(TEXT_FIELDS[line.name])) for line in lines]
        parts = [
            part for line, field in fields if field
            for part in split(source, *field[1:], line.separators.repetition)
        ]  # fmt: skip
        if parts:
            yield build_passage(source, f"{lines[0].name}.{lines[0].number}", lines[0], parts)


def build_passage(source: str, address: str, segment: Segment, parts: Sequence[Part]) -> Passage:
    decode = build_decoder(segment.separators)
    nodes: list[list[Character]] = [
        list(list_characters(source, part.start, part.end, number, decode))
        for number, part in enumerate(parts)
    ]
    return Passage(address, join_nodes(nodes), partial(encode, segment.separators))


def is_filled(source: str, value: Value) -> bool:
    return source[value.part.start : value.part.end] not in ("", DELETED)


def read_value(source: str, value: Value) -> str:
    """Return the text of a value without its escapes."""
    text, separators = source[value.part.start : value.part.end], value.segment.separators
    if separators.escape not in text:
        return text
    return "".join(text for text, _ in build_decoder(separators)(source, value.part.start, value.part.end))


def sort_values(source: str, values: Iterable[Value]) -> dict[str, list[Value]]:
    """Return the values that are not empty by what becomes of them."""
    found: dict[str, list[Value]] = {rules.KEEP: [], rules.TEXT: [], FIELD: [], rules.EMPTY: []}
    for value in values:
        if is_filled(source, value):
            found[find_fate(value.rule.action, read_value(source, value))].append(value)
    return found


def find_fate(action: str, text: str) -> str:
    """Return what becomes of a value: it is kept, a short text, a field that gets a surrogate, or emptied,
    because no rule knows it or it does not look as its rule says.

    >>> find_fate("flag", "F"), find_fate("flag", "Ana Eze"), find_fate("DATE", "20610402")
    ('keep', 'empty', 'field')
    """
    if action == rules.DISPLAY:
        return rules.KEEP if is_display(text) else rules.TEXT
    if action == rules.TEXT:
        return rules.KEEP if rules.is_kept(rules.RANGE, text) else rules.TEXT
    if action in rules.SHAPES:
        return rules.KEEP if rules.is_kept(action, text) else rules.EMPTY
    if action == "COUNTRY" and text in COUNTRIES:
        return rules.KEEP
    is_field = action.isupper() and (DATE.fullmatch(text) if action == rules.DATE else text.strip())
    return FIELD if is_field else rules.EMPTY


def build_kept(source: str, value: Value) -> Kept:
    is_fixed = (value.segment.name, value.field) in rules.KEPT_FIELDS
    place = value.part.start, value.part.end
    return Kept(
        read_value(source, value), *place, None if is_fixed else "", value.rule.action == rules.DISPLAY
    )


def build_field(source: str, value: Value) -> Field:
    """Build the field of a value. A date is read as ``2061-03-07`` and keeps its time."""
    text, action = read_value(source, value), value.rule.action
    write = partial(encode, value.segment.separators)
    if action == rules.DATE and (found := DATE.fullmatch(text)):
        text, rest = "-".join(filter(None, found.groups()[:3])), "".join(filter(None, found.groups()[3:]))
        write = partial(write_date, rest, len(text))
    is_known, segment = value.rule.is_known and len(text) > 1, value.segment.name
    is_own = segment in rules.OWN_SEGMENTS and (is_known or action != rules.DATE)
    is_own |= segment in rules.KIN_SEGMENTS and action == "PATIENT"
    return Field(text, action, value.part.start, value.part.end, write, is_known, is_own)


def write_date(rest: str, size: int, text: str) -> str:
    """Return a date as HL7 writes it, with the time that followed if it is as exact as before; nothing for
    what is not a date.

    >>> write_date("1230", 10, "2061-03-07"), write_date("1230", 10, "2061"), write_date("", 10, "[**DATE**]")
    ('206103071230', '2061', '')
    """
    if not WRITTEN_DATE.fullmatch(text):
        return ""
    return text.replace("-", "") + (rest if len(text) == size else "")


def count_emptied(source: str, emptied: Iterable[Value]) -> Counter[str]:
    """Count by reason what does not go out: whole segments, attachments, and other fields."""
    fields = {(value.segment.number, value.field): value.segment for value in emptied}
    counts = Counter(
        ATTACHMENTS if is_attachment(source, segment, field) else EMPTIED
        for (_, field), segment in fields.items() if segment.name in rules.SEGMENTS
    )  # fmt: skip
    unknown = {segment.number for segment in fields.values() if segment.name not in rules.SEGMENTS}
    return counts + Counter({UNKNOWN: len(unknown)})


def is_attachment(source: str, segment: Segment, field: int) -> bool:
    """Whether a field is an OBX-5 of a datatype that no rule knows, such as ED."""
    datatype = segment.read(source, 2)
    known = rules.SAME_TYPES.get(datatype, datatype) in rules.COMPONENTS
    return (segment.name, field) == ("OBX", 5) and not known


def find_patient(source: str, values: Iterable[Value]) -> str | None:
    """Return the first identifier of PID-3, without which a message has no patient."""
    listed = (value for value in values if (value.segment.name, value.field) == ("PID", 3))
    ids = (each for each in listed if each.rule.action == "MEDICALRECORD" and is_filled(source, each))
    return next((read_value(source, value) for value in ids), None)


def render_corpus(documents: Iterable[Document]) -> Iterator[str]:
    """Yield a message (MDM^T02) for each document, whose text is one OBX-5."""
    write = partial(encode, STANDARD)
    for document in documents:
        yield (
            f"MSH|^~\\&|||||||MDM^T02|{write(document.id)}|P|2.5.1\r"
            f"PID|1||{write(document.patient or '')}\r"
            f"OBX|1|FT|||{write(document.text)}\r"
        )


FORMAT = Format(
    "hl7",
    (".hl7",),
    read=build_reader(read_messages),
    render_corpus=render_corpus,
    has_spans=False,
    read_messages=read_messages,
)
