"""Texts inside a message (HL7, FHIR, CDA), and how redacted ones go back to their place.

    source ─▶ passages ─▶ documents ─▶ replacements ─▶ edits of the source

A message is never written anew: only the characters of a replacement change, so everything else stays to the
byte. Each character of a :class:`Passage` knows its place in the source. A :class:`Field` is a value that is
PHI as a whole, such as a name in PID-5. ``masks`` replace all that no table allows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, compress, groupby, repeat
from pathlib import Path
from typing import NamedTuple, Protocol

from crfdeid.corpora.own_texts import OwnTexts
from crfdeid.errors import FormatError
from crfdeid.text.document import Document, Span

UNKNOWN, ATTACHMENTS = "segments or elements that are not known", "attachments that are not text"
EMPTIED = "fields that no rule lets out"
OWN = "values that say who the patient is"
FIELDS = ".fields"  # ends the id of the document that holds a message's fields
TERMS = ".terms"  # ends that of its short texts, one a line
BORN = "born "  # before a birth date in that document, so that it is read as one
Encode = Callable[[str], str]
ReadMessages = Callable[[Path, str], Iterator["Message"]]


class Replaced(Protocol):
    """The treatment of ``text[start:end]`` of a document."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def replacement(self) -> str: ...


class Edit(NamedTuple):
    """The replacement of ``source[start:end]``."""

    start: int
    end: int
    text: str


class Character(NamedTuple):
    """A character of a passage, and its place in the source. ``node`` is the number of the value or of the
    XML text that holds it; a replacement never reaches from one node into the next."""

    text: str
    start: int
    end: int
    node: int


GLUE = Character("\n", -1, -1, -1)  # separates two nodes of a passage; the source has no such character


@dataclass(frozen=True)
class Passage:
    """A text for a tagger. ``encode`` writes a text as the source does."""

    address: str
    characters: Sequence[Character] = field(repr=False)
    encode: Encode

    @property
    def text(self) -> str:
        return "".join(character.text for character in self.characters)

    def edit(self, replacements: Iterable[Replaced]) -> Iterator[Edit]:
        """Yield the edits of the source. Of a replacement over several nodes each gets a line if it has as
        many lines, otherwise the first gets all."""
        for made in replacements:
            runs = list(self._find_runs(made.start, made.end))
            lines = made.replacement.split("\n")
            texts = lines if len(lines) == len(runs) else chain([made.replacement], repeat(""))
            yield from (Edit(*run, self.encode(text)) for run, text in zip(runs, texts))

    def _find_runs(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the places in the source, one for each node."""
        for node, group in groupby(self.characters[start:end], key=lambda each: each.node):
            if node != GLUE.node:
                run = list(group)
                yield run[0].start, run[-1].end


@dataclass(frozen=True)
class Container:
    """A text for a tagger that the source holds in another code (base64). It is written anew as a whole."""

    address: str
    text: str = field(repr=False)
    start: int
    end: int
    encode: Encode

    def edit(self, replacements: Iterable[Replaced]) -> Iterator[Edit]:
        pieces, at = [], 0
        for made in sorted(replacements, key=lambda made: made.start):
            pieces += [self.text[at : made.start], made.replacement]
            at = made.end
        if at:
            yield Edit(self.start, self.end, self.encode("".join([*pieces, self.text[at:]])))


@dataclass(frozen=True)
class Field:
    """A value that is PHI of ``type``. ``encode`` gives what the source has in place of another value. A
    field of the patient or of kin ``is_known``: it is searched in the patient's texts. One of the patient
    ``is_own``: it is searched in the values that are kept."""

    text: str = field(repr=False)
    type: str
    start: int
    end: int
    encode: Encode
    is_known: bool = False
    is_own: bool = False

    @property
    def label(self) -> str:
        """The words before the value, in the document of the fields."""
        return BORN if self.is_known and self.type == "DATE" else ""


class Kept(NamedTuple):
    """A value that goes out as it is, and what takes its place if it says who the patient is: nothing can
    (None) where the message could not be read without it. One that ``is_display`` is the name of a code of a
    public system."""

    text: str
    start: int
    end: int
    absent: str | None = ""
    is_display: bool = False

    def find(self, own: OwnTexts) -> str | None:
        """Return the type of what it says of the patient."""
        return own.find_in_display(self.text) if self.is_display else own.find(self.text)


@dataclass(frozen=True)
class Message:
    """A message, a resource or a document: the texts and values of ``source``, which goes on where the one of
    the message before ends. ``masks`` replace what is not let out, counted by reason in ``masked``. ``codes``
    are ids that other messages refer to, and ``kept`` are values that stay. ``facts`` are types and texts of
    the patient that stand in no field. ``own`` are the texts of the patient that are searched in ``kept``.
    ``encoding`` is the encoding of the file, where the message names one."""

    id: str
    source: str = field(repr=False)
    patient: str | None = field(default=None, repr=False)
    passages: Sequence[Passage | Container] = field(default=(), repr=False)
    fields: Sequence[Field] = field(default=(), repr=False)
    masks: Sequence[Edit] = field(default=(), repr=False)
    codes: Sequence[Field] = field(default=(), repr=False)
    masked: Counter[str] = field(default_factory=Counter)
    facts: Sequence[tuple[str, str]] = field(default=(), repr=False)
    encoding: str | None = None
    kept: Sequence[Kept] = field(default=(), repr=False)
    own: OwnTexts = field(default=OwnTexts(), repr=False)

    @property
    def owner(self) -> str:
        """Whose the texts and fields are, which are redacted together: the patient, or the message itself."""
        return self.patient or self.id

    @property
    def fields_id(self) -> str:
        return f"{self.id}{FIELDS}"

    def list_documents(self, fields: bool = False) -> Iterator[Document]:
        """Yield a document for each passage; with ``fields`` first one with all fields, one in each line, and
        the patient of all is the :attr:`owner`."""
        if fields and self.fields:
            yield self._build_fields()
        patient = self.owner if fields else self.patient
        for passage in self.passages:
            yield Document(self._name(passage), passage.text, patient=patient)

    def _name(self, passage: Passage | Container) -> str:
        """The id of the document of a passage; one without an address has the message's."""
        return f"{self.id}.{passage.address}" if passage.address else self.id

    def _build_fields(self) -> Document:
        spans, at = [], 0
        for each in self.fields:
            at += len(each.label)
            spans.append(Span(at, at + len(each.text), each.type))
            at += len(each.text) + 1
        text = "\n".join(each.label + each.text for each in self.fields)
        return Document(self.fields_id, text, tuple(spans), self.owner)

    def list_facts(self) -> list[tuple[str, str]]:
        """Return the types and texts that are known of the patient."""
        return [*((each.type, each.text) for each in self.fields if each.is_known), *self.facts]

    def mask_own(self, others: Iterable[tuple[str, str]] = ()) -> Message:
        """Return the message without the kept values that say who its patient is. ``others`` are types and
        texts that other parts of the same source say of the patient."""
        own = OwnTexts.of([*self.list_own(), *others])
        if not own:
            return self
        said = [each.absent is not None and each.find(own) is not None for each in self.kept]
        masks = [Edit(*each[1:3], each.absent or "") for each in compress(self.kept, said)]
        kept = [each for each, is_said in zip(self.kept, said) if not is_said]
        masked = self.masked + Counter({OWN: len(masks)})
        return replace(self, masks=[*self.masks, *masks], kept=kept, masked=masked, own=own)

    def list_own(self) -> list[tuple[str, str]]:
        """Return the types and texts of the fields that say who the patient is."""
        return [(each.type, each.text) for each in self.fields if each.is_own]

    def render(self, made: Mapping[str, Sequence[Replaced]], make_code: Encode | None) -> str:
        """Return the source with the replacements of each document by its id, and its ids as they were if
        ``make_code`` is None. Raises :class:`FormatError` where a field has none, or where edits overlap."""
        edits = list(self.masks)
        if make_code:
            edits += [Edit(code.start, code.end, code.encode(make_code(code.text))) for code in self.codes]
        edits += self._edit_fields(made.get(self.fields_id, ()))
        for passage in self.passages:
            edits += passage.edit(made[self._name(passage)])
        return apply_edits(self.source, edits)

    def _edit_fields(self, replacements: Sequence[Replaced]) -> Iterator[Edit]:
        by_start = {(made.start, made.end): made.replacement for made in replacements}
        at = 0
        for each in self.fields:
            at += len(each.label)
            place = at, at + len(each.text)
            if place not in by_start:
                raise FormatError(f"{self.id}: a field was not replaced; nothing was written")
            yield Edit(each.start, each.end, each.encode(by_start[place]))
            at = place[1] + 1


class Collector:
    """Collects what the parts of ``source`` are. ``encode`` writes the short texts, which are one passage."""

    encode: Encode

    def __init__(self, source: str) -> None:
        self.source = source
        self.patient: str | None = None
        self.passages: list[Passage | Container] = []
        self.terms: list[Character] = []
        self.fields: list[Field] = []
        self.codes: list[Field] = []
        self.masks: list[Edit] = []
        self.masked: Counter[str] = Counter()
        self.kept: list[Kept] = []

    def mask(self, start: int, end: int, reason: str, text: str = "") -> None:
        self.masks.append(Edit(start, end, text))
        self.masked[reason] += 1

    def build(self, id: str) -> Message:
        if self.terms:
            self.passages.append(Passage(TERMS[1:], self.terms, self.encode))
        return Message(
            id, self.source, self.patient, self.passages, self.fields, self.masks, self.codes, self.masked,
            kept=self.kept,
        )  # fmt: skip


def count_attachments(messages: Iterable[Message]) -> Counter[str]:
    """Count what messages have that is not a text for a tagger and may hold one."""
    counts = sum((message.masked for message in messages), Counter())
    return Counter({reason: counts[reason] for reason in (ATTACHMENTS, UNKNOWN) if counts[reason]})


def apply_edits(source: str, edits: Iterable[Edit]) -> str:
    """Return the source with the edits. Raises :class:`FormatError` where two overlap.

    >>> apply_edits("a|b|c", [Edit(4, 5, "z"), Edit(0, 1, "")])
    '|b|z'
    """
    pieces, at = [], 0
    for edit in sorted(edits):
        if edit.start < at:
            raise FormatError("two edits of a message overlap; nothing was written")
        pieces += [source[at : edit.start], edit.text]
        at = edit.end
    return "".join([*pieces, source[at:]])


def list_characters(
    source: str, start: int, end: int, node: int, decode: Callable[[str, int, int], Iterable[tuple[str, int]]]
) -> Iterator[Character]:
    """Yield the characters of ``source[start:end]``. ``decode(source, start, end)`` yields texts, each with
    the offset in the source where it ends; all characters of one text share its place."""
    at = start
    for text, stop in decode(source, start, end):
        yield from (Character(character, at, stop, node) for character in text)
        at = stop


def join_nodes(nodes: Iterable[Iterable[Character]]) -> list[Character]:
    """Return the characters of nodes that are lines of one text."""
    joined: list[Character] = []
    for node in nodes:
        joined += [GLUE, *node] if joined else node
    return joined


def build_reader(read_messages: ReadMessages) -> Callable[..., Iterator[Document]]:
    """Return the function ``read`` of a format: it yields the documents of the messages of a file, with
    ``fields`` also those of their fields. Documents without a text are left out."""
    return partial(_read_documents, read_messages)


def _read_documents(
    read_messages: ReadMessages, path: Path, encoding: str = "utf-8", fields: bool = False
) -> Iterator[Document]:
    for message in read_messages(path, encoding):
        yield from message.list_documents(fields)
