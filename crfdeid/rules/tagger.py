"""Rules as a tagger of documents.

note ─▶ find by each rule ─▶ types of guesses ─▶ repeats ─▶ resolve overlaps ─▶ spans
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.rules import RULES, lists, repeats
from crfdeid.rules.indexed_note import Note
from crfdeid.rules.lists import Lists
from crfdeid.rules.repeats import Known
from crfdeid.rules.resolution import NAMES, Finding, find, resolved
from crfdeid.rules.rule import Rule
from crfdeid.text.document import Document, Span

Read = tuple[Note, list[Finding]]


class Rules:
    """The rules of these ``names``, with these lists; by default all, with the shipped lists.
    Raises :class:`ConfigurationError` on a name that no rule has.

    >>> note = Document("1", "Seen by Dr. Ruiz on 3/4/2061. Ruiz agrees.")
    >>> [(note.text_of(span), rule) for span, rule in shipped().explained(note)]
    [('Ruiz', 'doctor_title'), ('3/4/2061', 'date_mdy'), ('Ruiz', 'clear_surname')]
    """

    def __init__(self, lists: Lists, names: Iterable[str] = tuple(RULES)) -> None:
        self.lists = lists
        self.rules = {name: named(name) for name in names}
        self.rank = {name: rank for rank, name in enumerate(RULES)}
        self.alone = [rule for name, rule in self.rules.items() if rule not in repeats.RULES]

    def tag(self, document: Document) -> Document:
        """The document with the spans found, in place of any it had."""
        return self.tag_patient([document])[0]

    def tag_patient(self, documents: Sequence[Document]) -> list[Document]:
        """All notes of one patient: what is found in one by its context is looked for in all."""
        return [
            document.with_spans(finding.span for finding in findings)
            for document, findings in zip(documents, self.findings(documents))
        ]

    def explained(self, document: Document) -> list[tuple[Span, str]]:
        """The document's spans, each with the name of the rule that found it."""
        (findings,) = self.findings([document])
        return [(finding.span, finding.rule.name) for finding in findings]

    def findings(self, documents: Sequence[Document]) -> Iterator[list[Finding]]:
        """Resolved findings of each of one patient's documents."""
        known, read = Known(), []
        for document in documents:
            note = Note(document.text)
            read.append((note, find(note, self.lists, self.alone)))
        for note, found in read:
            known.learn(note, self.lists, found)
        for note, found in read:
            typed = [typed_by(note, finding, known) for finding in found]
            again = repeats.repeated(note, self.lists, known, self.rules)
            yield resolved(note.text, [*typed, *again], self.rank)


def named(name: str) -> Rule:
    if name not in RULES:
        raise ConfigurationError(f"{name}: no such rule{did_you_mean(name, RULES)}")
    return RULES[name]


def typed_by(note: Note, finding: Finding, known: Known) -> Finding:
    """A guessed name takes the type that its last word has elsewhere by a clue."""
    span, rule = finding
    if not rule.guess or span.type not in NAMES:
        return finding
    words = Note(note.text[span.start : span.end]).lowered
    types = [known.names[word] for word in words if word in known.names]
    return Finding(Span(span.start, span.end, types[-1]), rule) if types else finding


@cache
def shipped() -> Rules:
    """All rules with the shipped lists: a tagger that needs no training."""
    return Rules(lists.shipped())
