"""Find in a patient's notes what a table says of the patient (``--patients``).

Each text is found in every writing in which repeats are found, and long names with a few typing errors
(:mod:`crfdeid.redact.surrogates.search`). There, a name that is also a word needs a context that shows it is
a name. Here it needs only a capital: the patient is known to have it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import file_digest
from itertools import pairwise
from pathlib import Path

import regex

from crfdeid import corpora
from crfdeid.corpora.registry import Reading
from crfdeid.lexicon import english, word_lists
from crfdeid.lexicon.letters import WORD
from crfdeid.lexicon.ordinary import is_before_thing
from crfdeid.redact.leftover.known_writings import find_doubtful, find_odd_writings, list_names
from crfdeid.redact.leftover.patient_table import Cells, PatientTable
from crfdeid.redact.leftover.suspicious import KNOWN_NAME, Suspicion
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.patient_facts import collect_facts
from crfdeid.redact.surrogates.search import PatientSearch, TextIndex
from crfdeid.systems.tagger import unite_spans
from crfdeid.text.document import Document, Span, SpanIndex, keep_longest

OPTION = "--patients"
MIN_NAME, MIN_NUMBER = 3, 4  # characters
NAMED = (kinds.NAME, kinds.CITY, kinds.STATE, kinds.COUNTRY, kinds.HOSPITAL, kinds.ORGANIZATION)
EXACT = (
    kinds.IDENTIFIER,
    kinds.PHONE,
    kinds.ZIP,
    kinds.USERNAME,
    kinds.PROFESSION,
    kinds.STREET,
    kinds.PLACE,
)
AROUND = 40  # characters of a text in small letters
GAP = regex.compile(r"(?:,?\s{1,2}|\s?-\s?|,)(?:\p{L}\.?\s)?")  # between two parts of a name
BEFORE = regex.compile(r"(?r)(?<![\p{L}\p{N}])(?:(?P<letter>\p{L})\.\s?|(?P<letter>\p{Lu})\s)")  # to its left
LATER = regex.compile(r",?\s(?:(?P<letter>\p{L})\.|(?P<letter>\p{Lu})(?=\s\s|\s?[\n,;:|)(/-]|\s?$))")
BEFORE_MONTH = regex.compile(r"(?ri)\b(?:in|since|until|till|early|late|mid|last|next|this|during)[ -]")
TagGroup = Callable[[Sequence[Document]], list[Document]]


@dataclass
class KnownPatients:
    """The table of a run, which ``title`` names, and what it did: ``found`` counts by type the texts that no
    other span had, and ``known`` and ``unknown`` count the notes whose patient is in the table or not."""

    table: PatientTable | None = None
    digest: str = ""
    title: str = OPTION
    found: Counter[str] = field(default_factory=Counter)
    known: int = 0
    unknown: int = 0

    @property
    def options(self) -> tuple[str, ...]:
        """The options that a resumed run must repeat."""
        return (f"{OPTION} {self.digest}",) if self.digest else ()

    def wrap(self, tag_group: TagGroup) -> TagGroup:
        """Return a function that marks known texts beside what ``tag_group`` finds."""
        return (lambda group: list(map(self.mark, tag_group(group)))) if self.table else tag_group

    def mark(self, document: Document) -> Document:
        """Return the document with the texts that the table has of its patient."""
        cells = self.table.find_cells(document.patient) if self.table else None
        self.known += cells is not None
        self.unknown += cells is None
        if cells is None:
            return document
        new = find_known(document, cells)
        self.found.update(span.type for span in new)
        return document.with_spans(unite_spans(document.text, [new, document.spans]))

    def list_doubtful(self, redacted: Document) -> list[Suspicion]:
        """Return what may be a name of the patient in small letters, in a note after redaction."""
        cells = self.table.find_cells(redacted.patient) if self.table else None
        found = find_doubtful(redacted, list_names(cells)) if cells else ()
        return [Suspicion(start, end, KNOWN_NAME) for start, end in found]

    def take_counts(self) -> tuple[Counter[str], int, int]:
        """Return the counts, and begin again with 0."""
        counts = self.found, self.known, self.unknown
        self.found, self.known, self.unknown = Counter(), 0, 0
        return counts

    def add_counts(self, counts: tuple[Counter[str], int, int]) -> None:
        found, known, unknown = counts
        self.found += found
        self.known += known
        self.unknown += unknown

    def report(self) -> dict[str, object]:
        """The table's effect, for a report in JSON; nothing without a table."""
        if not self.table:
            return {}
        found = dict(sorted(self.found.items()))
        notes = {"notes_of_known_patients": self.known, "notes_of_others": self.unknown}
        return {"known_patients": {**notes, "found_without_another_span": found}}

    def lines(self) -> Iterator[str]:
        if self.table:
            place, it = ("the table", "it") if self.digest else ("the messages", "them")
            yield (
                f"{self.title}: {self.known} notes are of patients of {place}, {self.unknown} are not; "
                f"{self.found.total()} texts of {it} were found without another span"
            )


def find_known(document: Document, cells: Cells) -> list[Span]:
    """Find the texts of a patient that no span of the document holds. A name inside the span of another
    kind (a hospital's) is left to that span; a span of another kind that is only the name is replaced."""
    search = PatientSearch(cells, collect_facts([document]).words.list_all)
    mentions = [
        each.span for each in search.finder.find_mentions(TextIndex(document.text)) if not each.string.derived
    ]
    certain = [span for span in mentions if is_certain(document.text, span)]
    odd = find_odd_writings(document.text, cells)
    found = keep_longest([*search.find_missed(document, certain), *certain, *odd])
    found += find_beside(document.text, found, mentions)
    joined = join_names(document.text, sorted(found), list_initials(cells))
    index = SpanIndex(document.spans)
    return [span for span in joined if not is_held(span, index.find(span))]


def is_certain(text: str, span: Span) -> bool:
    """Whether a text of the table needs no context: a name with a capital that is neither an eponym by the
    thing behind it (Bell's palsy, White blood cells) nor a month (in April), another text of four characters,
    an abbreviated state after a comma."""
    kind, word = kinds.kind_of(span.type), text[span.start : span.end]
    if kind == kinds.STATE and len(word) == len("MA"):
        return text.endswith(", ", 0, span.start)
    if kind == kinds.NAME and (is_before_thing(text, span.start, span.end) or is_month(text, span)):
        return False
    if kind in NAMED:
        around = text[max(0, span.start - AROUND) : span.end + AROUND]
        is_small = around.islower() and word not in word_lists.load_lowercase("common_words")
        return word[0].isupper() or (is_small and len(word) >= MIN_NAME)
    return kind in EXACT and len(word) >= MIN_NUMBER


def is_month(text: str, span: Span) -> bool:
    """Whether a name is a month by the word before it.

    >>> is_month("Seen in April.", Span(8, 13, "PATIENT")), is_month("Seen by April.", Span(8, 13, "PATIENT"))
    (True, False)
    """
    is_named_so = text[span.start : span.end].lower() in english.MONTH_NUMBERS
    return is_named_so and BEFORE_MONTH.search(text, 0, span.start) is not None


def find_beside(text: str, found: Sequence[Span], mentions: Iterable[Span]) -> list[Span]:
    """Return the mentions of names, in any case, that are beside a name that was found, or beside another of
    the patient's names: "okafor, will"."""
    index = SpanIndex(found)
    others = {s for s in mentions if not index.find(s) and not is_before_thing(text, s.start, s.end)}
    names = sorted(span for span in {*found, *others} if kinds.kind_of(span.type) == kinds.NAME)
    pairs = [(a, b) for a, b in pairwise(names) if GAP.fullmatch(text, a.end, b.start)]
    beside = {
        span
        for a, b in pairs
        if a not in others or b not in others or text[a.start : a.end] != text[b.start : b.end]
        for span in (a, b)
    }
    return sorted(beside & others)


def list_initials(cells: Cells) -> frozenset[str]:
    """Return the first letters of a patient's names, capital and small.

    >>> sorted(list_initials({"PATIENT": ["Ana Eze"], "CITY": ["Boston"]}))
    ['A', 'E', 'a', 'e']
    """
    names = (text for type, texts in cells.items() if kinds.kind_of(type) == kinds.NAME for text in texts)
    letters = {word[0] for name in names for word in WORD.findall(name)}
    return frozenset({*map(str.upper, letters), *map(str.lower, letters)})


def join_names(text: str, spans: Iterable[Span], initials: Collection[str] = ()) -> list[Span]:
    """Join the names of one type that only a blank, a comma, a hyphen or an initial separates, and take in
    the initials of the patient's names beside them.

    >>> join_names("Ana M. Eze, seen", [Span(0, 3, "PATIENT"), Span(7, 10, "PATIENT")])
    [Span(start=0, end=10, type='PATIENT', probability=None)]
    >>> join_names("E. Eze A, seen", [Span(3, 6, "PATIENT")], "AE")
    [Span(start=0, end=8, type='PATIENT', probability=None)]
    """
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        is_name = kinds.kind_of(span.type) == kinds.NAME
        span = take_initials(text, span, initials) if is_name else span
        if last and is_name and last.type == span.type and is_beside(text, last, span):
            joined[-1] = Span(last.start, max(last.end, span.end), span.type)
        else:
            joined.append(span if not last else replace(span, start=max(span.start, last.end)))
    return joined


def is_beside(text: str, last: Span, span: Span) -> bool:
    return span.start <= last.end or GAP.fullmatch(text, last.end, span.start) is not None


def take_initials(text: str, span: Span, initials: Collection[str]) -> Span:
    """Return the span of a name with the initials before it and after it."""
    start, end = span.start, span.end
    while (before := BEFORE.match(text, 0, start)) and before["letter"] in initials:
        start = before.start()
    after = LATER.match(text, end)
    if after and after["letter"] in initials:
        end = after.end()
    return replace(span, start=start, end=end)


def is_held(span: Span, others: Iterable[Span]) -> bool:
    """Whether one of ``others`` holds a span. A name is not held by a span of another kind that has nothing
    but the name."""
    holding = [other for other in others if other.start <= span.start and span.end <= other.end]
    if kinds.kind_of(span.type) != kinds.NAME:
        return bool(holding)
    size = span.end - span.start
    return any(kinds.kind_of(other.type) == kinds.NAME or other.end - other.start > size for other in holding)


def read_patients(path: Path | None, inputs: Iterable[tuple[Path, str]], reading: Reading) -> KnownPatients:
    """Read the table in ``path``, and what messages say of their patients; ``inputs`` are the paths of the
    notes with their formats."""
    facts = [found for notes, format in inputs if (found := read_facts(notes, format, reading)) is not None]
    if path is None and not facts:
        return KnownPatients()
    table = PatientTable(path)
    for found in facts:
        table.add_facts(found)
    return KnownPatients(table, hash_file(path) if path else "", OPTION if path else "known patients")


def read_facts(
    path: Path, format: str, reading: Reading
) -> Iterator[tuple[str, Sequence[tuple[str, str]]]] | None:
    """Yield patients with the types and texts that are known of them; None if the notes are not messages, or
    come through a pipe, which is read once."""
    read_messages = corpora.find_format(format, "read").read_messages
    if read_messages is None or not (path.is_file() or path.is_dir()):
        return None
    files = corpora.list_files(path, format, reading.recursive)
    messages = (message for file in files for message in read_messages(file, reading.encoding))
    return ((each.owner, each.list_facts()) for each in messages)


def hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
