"""Messages in, the same messages out (HL7, FHIR, CDA): only texts, fields and ids change, in their place.

The fields of a message are one document, whose spans no tagger, list or option changes. The messages are read
again when their documents are redacted, so the memory holds no more of them than the redactor does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import ClassVar

from crfdeid import corpora
from crfdeid.corpora import storage
from crfdeid.corpora.messages import FIELDS, TERMS, Message, Replaced
from crfdeid.corpora.storage import stage_folder
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.files import open_whole
from crfdeid.lexicon.letters import WORD, word_set
from crfdeid.lexicon.ordinary import COLOURS, LEAST_SHARE, find_share, is_ordinary, load_clinical_words
from crfdeid.lexicon.word_lists import load_lowercase
from crfdeid.redact.actions import name_type
from crfdeid.redact.run.destination import Destination
from crfdeid.redact.run.plan import RedactPlan
from crfdeid.redact.run.tagging import Group
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient_facts import PROBABLE, fold_word
from crfdeid.text.document import Document, Span

TagGroup = Callable[[Group], list[Document]]
CODE_BYTES = 16  # of an id that other messages refer to
MOST_WORDS = 4  # of a line that is the value of an observation
RESULTS = COLOURS | word_set(  # whole values that are also names, or that few reports have
    "blue amber orange small good strong christian baptist catholic jewish muslim hindu buddhist"
)
SHADES = COLOURS | word_set("light dark pale bright yellow red blue amber orange tan straw")


def protect_fields(tag_group: TagGroup) -> TagGroup:
    """Return a function that tags a group, and gives the documents of fields only their own spans."""

    def tag(group: Group) -> list[Document]:
        return [note if note.id.endswith(FIELDS) else tagged for note, tagged in zip(group, tag_group(group))]

    return tag


def judge_terms(tag_group: TagGroup) -> TagGroup:
    """Return a function that tags a group, and keeps what is probably no PHI or what lists explain in
    the short texts of messages, which are mostly names of codes, and the results in other texts."""

    def tag(group: Group) -> list[Document]:
        return [
            drop_terms(note) if note.id.endswith(TERMS) else drop_results(note) for note in tag_group(group)
        ]

    return tag


def drop_results(note: Document) -> Document:
    """Return the note without the spans in lines that are results, as the values of observations are. A note
    with a longer line is a report, where a colour in its own line may sign."""
    if not note.spans or any(len(line.split()) > MOST_WORDS for line in note.text.splitlines()):
        return note
    return note.with_spans(span for span in note.spans if not is_result(find_line(note, span)))


def find_line(note: Document, span: Span) -> str:
    """Return the line of a span, from line end to line end."""
    start, end = note.text.rfind("\n", 0, span.start) + 1, note.text.find("\n", span.end)
    return note.text[start : end if end >= 0 else None]


def is_result(text: str) -> bool:
    """Whether a text is one word that reports have and people seldom bear as a name, or a colour.

    >>> [is_result(text) for text in ("High", "Light brown", "Kaplan", "Dr. Brown", "Brown called")]
    [True, True, False, False, False]
    """
    words = list(map(fold_word, WORD.findall(text)))
    if not words or any(map(str.isdecimal, text)):
        return False
    if all(word in SHADES for word in words):
        return True
    word = " ".join(words)
    return word in RESULTS or (word in load_clinical_words() and find_share(word) < LEAST_SHARE)


def drop_terms(note: Document) -> Document:
    """Return the note without the spans of improbable PHI, and without those in a line of ordinary words."""
    return note.with_spans(span for span in note.spans if not is_term(note, span))


def is_term(note: Document, span: Span) -> bool:
    if (span.probability if span.probability is not None else 1) < PROBABLE:
        return True
    words = WORD.findall(find_line(note, span))
    has_digit = any(map(str.isdecimal, note.text_of(span)))
    return bool(words) and not has_digit and all(is_plain(fold_word(word)) for word in words)


def is_plain(folded: str) -> bool:
    """Whether a folded word is an ordinary word, a drug or a product, and not a name that people bear.

    >>> [is_plain(word) for word in ("critical", "sulfate", "tylenol", "young", "okafor")]
    [True, True, True, False, False]
    """
    is_listed = is_ordinary(folded) or folded in load_lowercase(
        "drug_words", "abbreviations", "clinical_names"
    )
    return is_listed and find_share(folded) < LEAST_SHARE


@dataclass(frozen=True)
class MessageDestination(Destination):
    """A file or folder of messages with the names of ``source``. ``make_code`` makes the codes of ids, which
    stay without it. ``masked`` counts what was emptied in the messages, ``left`` by type the values of
    the written messages that still say who the patient is, and ``made`` holds the replacements
    of the documents that are redacted, by id, until their message is written."""

    shows_ids: ClassVar[bool] = False
    source: Path = Path()
    encoding: str = "utf-8"
    make_code: Callable[[str], str] | None = None
    masked: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    made: dict[str, Sequence[Replaced]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if self.source.is_dir() != self.is_folder:
            kind = "folder" if self.source.is_dir() else "file"
            raise ConfigurationError(f"{self.path}: wanted the name of a {kind}, as the messages are in one")
        super().__post_init__()

    @property
    def taken_out(self) -> Mapping[str, int]:
        return self.masked

    @property
    def survivors(self) -> Mapping[str, int]:
        return self.left

    def lines(self) -> Iterator[str]:
        """Say what did not go out. No message has the name of a segment or an element."""
        if self.masked:
            counts = ", ".join(f"{count} {reason}" for reason, count in sorted(self.masked.items()))
            yield f"taken out of the messages: {counts}"

    def keep_replacements(self, id: str, replacements: Sequence[Replaced]) -> None:
        self.made[id] = replacements

    def write(
        self, documents: Iterable[Document], with_spans: bool = True, options_hash: str = "",
        by_id: bool = False,
    ) -> None:  # fmt: skip
        redacted = iter(documents)
        if not self.is_folder:
            self._write_file(self.source, self.path, redacted)
        else:
            with stage_folder(self.path, self.overwrite) as staging:
                for file in corpora.list_files(self.source, self.format):
                    self._write_file(file, staging / file.name, redacted)
        if self.made or next(redacted, None) is not None:
            raise FormatError("the messages changed while they were read")

    def _write_file(self, source: Path, path: Path, redacted: Iterator[Document]) -> None:
        if not self.is_folder:
            storage.refuse_existing(path, self.overwrite)
        with open_whole(path, "wb") as file:
            file.writelines(self._render_messages(source, redacted))
        originals = map(self._mask_own, self._read_messages(source))
        for message, written in zip(originals, self._read_messages(path)):
            found = [each.find(message.own) for each in written.kept]
            found += [message.own.find(each.text) for each in written.codes]
            self.left.update(map(name_type, filter(None, found)))

    def _read_messages(self, path: Path) -> Iterator[Message]:
        read_messages = corpora.find_format(self.format, "read").read_messages
        assert read_messages
        return read_messages(path, self.encoding)

    @cached_property
    def own(self) -> Mapping[str, Sequence[tuple[str, str]]]:
        """By patient what all messages say of the patient."""
        found: dict[str, list[tuple[str, str]]] = {}
        files = corpora.list_files(self.source, self.format) if self.is_folder else [self.source]
        for message in chain.from_iterable(map(self._read_messages, files)):
            if message.patient is not None and (own := message.list_own()):
                found.setdefault(message.patient, []).extend(own)
        return found

    def _mask_own(self, message: Message) -> Message:
        return message.mask_own(self.own.get(message.patient or "", ()))

    def _render_messages(self, source: Path, redacted: Iterator[Document]) -> Iterator[bytes]:
        """Yield the bytes of each message as soon as all its documents are redacted."""
        for message in map(self._mask_own, self._read_messages(source)):
            made = {note.id: self._wait_for(note.id, redacted) for note in message.list_documents(True)}
            self.masked.update(message.masked)
            encoding = message.encoding or self.encoding
            try:
                yield message.render(made, self.make_code).encode(encoding)
            except UnicodeEncodeError:
                raise FormatError(f"{source}: a surrogate cannot be written in {encoding}") from None

    def _wait_for(self, id: str, redacted: Iterator[Document]) -> Sequence[Replaced]:
        """Return the replacements of a document, which may come after other patients' documents."""
        while id not in self.made:
            if next(redacted, None) is None:
                raise FormatError("the messages changed while they were read; nothing was written")
        return self.made.pop(id)


def keep_messages(
    destination: Destination, plan: RedactPlan, secret: Callable[[], bytes]
) -> MessageDestination:
    """Return a destination for the same path that keeps the messages. ``secret`` is asked for at the first
    code."""

    def make_code(id: str) -> str:
        return KeyedChoices(secret(), "names of notes").digest("message", id)[:CODE_BYTES].hex()

    assert plan.notes is not None
    codes = None if plan.keep_ids else make_code
    names = plan.notes, plan.reading.encoding
    return MessageDestination(
        destination.path, destination.format, False, destination.overwrite, *names, codes
    )
