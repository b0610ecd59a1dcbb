"""Rules as a tagger of documents.

note ─▶ each rule finds ─▶ guessed types settled ─▶ repeats ─▶ overlaps resolved ─▶ spans

Repeats (Douglass 2005, section 5.1.4): names, places and hospitals that the other rules find by their context
are looked for in the whole note, and in all notes of the patient. Ordinary words are left out: otherwise one
false finding becomes many (148 of Douglass's 490 false positives).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.lexicon import ordinary
from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.names import RULE_CREDENTIAL_WORDS
from crfdeid.lexicon.ordinary import Entries, Lists
from crfdeid.rules import dates, hospitals, locations, names, numbers, people
from crfdeid.rules.note import Edges, IndexedNote
from crfdeid.rules.rule import (
    FUNCTION_WORDS,
    NAME_TYPES,
    PREFIXES,
    Finding,
    Rule,
    find_all,
    find_capitalised_entries,
)
from crfdeid.text.document import Document, Span, find_unmasked, group_overlapping, mask_spans, trim_range
from crfdeid.text.tokenizer import fold_text

SOURCE = "Douglass 2005, section 5.1.4"
NEVER = FUNCTION_WORDS | PREFIXES | RULE_CREDENTIAL_WORDS
SHORTEST = 3
LONG = 5  # letters of a name that is found without its capital, too
SEEDS = {
    rule.name: rule
    for rule in (*names.RULES, *people.LISTED, *hospitals.RULES, *locations.RULES)
    if rule.type in NAME_TYPES | {"HOSPITAL", "CITY", "LOCATION-OTHER"}
}
IN_LISTS = word_set(
    """popular_name popular_surname clear_first_name clear_surname misspelt_name clear_city hospital_list"""
)


@dataclass
class KnownNames:
    """Lowercased words of names with their type, and places as phrases of lowercased words with theirs."""

    names: dict[str, str] = field(default_factory=dict, repr=False)
    places: dict[str, dict[tuple[str, ...], str]] = field(default_factory=dict, repr=False)

    def learn(self, note: IndexedNote, lists: Lists, findings: Iterable[Finding]) -> None:
        """Add the findings that a rule made by context; a list finds its entries everywhere anyway."""
        for finding in findings:
            if finding.rule.name not in SEEDS or finding.rule.name in IN_LISTS:
                continue
            words = list_words(note, finding.span)
            if finding.span.type in NAME_TYPES:
                self.learn_name(note, lists, words, finding)
            elif words and not (len(words) == 1 and lists.is_ordinary(words[0])):
                self.learn_place(words, finding.span.type)

    def learn_name(self, note: IndexedNote, lists: Lists, words: Sequence[str], finding: Finding) -> None:
        """Add the words of a name, except those that are also something else."""
        for word in words:
            if len(word) < SHORTEST or word in NEVER or word in lists.eponyms:
                continue
            if lists.is_ordinary(word) and (word not in lists.names or note.is_written_small(word)):
                continue
            if not finding.rule.guess or word not in self.names:
                self.names[word] = finding.span.type

    def learn_place(self, words: Sequence[str], type: str) -> None:
        """Add a place with its type."""
        self.places.setdefault(words[0], {})[tuple(words)] = type


def list_words(note: IndexedNote, span: Span) -> list[str]:
    """Return the lowercased words in a span."""
    index, words = note.find_index(span.start), []
    while index is not None and index < len(note) and note.ends[index] <= span.end:
        words.append(note.lowered[index])
        index += 1
    return words


def find_names(note: IndexedNote, lists: Lists, known: KnownNames) -> Iterator[Span]:
    """Yield the words of known names that have a capital; of long names that are not ordinary words, all."""
    for index in note.find_words(known.names):
        word = note.lowered[index]
        if note.is_capitalised(index) or (len(word) >= LONG and not lists.is_ordinary(word)):
            yield Span(*note.edges(index, index + 1), known.names[word])


def find_places(note: IndexedNote, lists: Lists, known: KnownNames) -> Iterator[Span]:
    """Yield the known places and hospitals that have their capitals."""
    entries = Entries(phrase for group in known.places.values() for phrase in group)
    for first, stop in find_capitalised_entries(note, entries):
        type = known.places[note.lowered[first]][tuple(note.lowered[first:stop])]
        yield Span(*note.edges(first, stop), type)


def learn_from(note: IndexedNote, lists: Lists) -> KnownNames:
    """Collect the names and places that the rules find in one note by their context."""
    known = KnownNames()
    known.learn(note, lists, find_all(note, lists, SEEDS.values()))
    return known


def repeated_name(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A word of a name that another rule found by its context."""
    return ((span.start, span.end) for span in find_names(note, lists, learn_from(note, lists)))


def repeated_place(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
    """A place or hospital that another rule found by its context."""
    return ((span.start, span.end) for span in find_places(note, lists, learn_from(note, lists)))


NAME = Rule("repeated_name", "PATIENT", SOURCE, repeated_name, guess=True)
PLACE = Rule("repeated_place", "HOSPITAL", SOURCE, repeated_place)
REPEATS = (NAME, PLACE)


def find_repeats(
    note: IndexedNote, lists: Lists, known: KnownNames, rules: Mapping[str, Rule]
) -> list[Finding]:
    """Find ``known`` names and places in a note, by the one or two of these rules that are in ``rules``."""
    found: list[Finding] = []
    if NAME.name in rules:
        found += [Finding(span, NAME) for span in find_names(note, lists, known)]
    if PLACE.name in rules:
        found += [Finding(span, PLACE) for span in find_places(note, lists, known)]
    return found


RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        *numbers.CONTACTS, *dates.RULES, *numbers.IDENTIFIERS, *people.AGES, *hospitals.RULES, *names.RULES,
        *locations.RULES, *people.OCCUPATIONS, *names.LAYOUT, *people.LISTED, *REPEATS,
    )
}  # fmt: skip


class RuleSet:
    """A tagger with the rules of these ``names`` (default: all) and these lists.
    Raises :class:`ConfigurationError` for a name that no rule has.

    >>> note = Document("1", "Seen by Dr. Ruiz on 3/4/2061. Ruiz agrees.")
    >>> [(note.text_of(span), rule) for span, rule in load_shipped().explain(note)]
    [('Ruiz', 'doctor_title'), ('3/4/2061', 'date_mdy'), ('Ruiz', 'clear_surname')]
    """

    def __init__(self, lists: Lists, names: Iterable[str] = tuple(RULES)) -> None:
        self.lists = lists
        self.rules = {name: find_rule(name) for name in names}
        self.rank = {name: rank for rank, name in enumerate(RULES)}
        self.single_note_rules = [rule for name, rule in self.rules.items() if rule not in REPEATS]

    def tag(self, document: Document) -> Document:
        """Return the document with the spans that the rules find, in place of its own."""
        return self.tag_patient([document])[0]

    def tag_patient(self, documents: Sequence[Document]) -> list[Document]:
        """Tag all notes of one patient: a name or place found in one by its context is looked for in all."""
        return [
            document.with_spans(finding.span for finding in findings)
            for document, findings in zip(documents, self.find_spans(documents))
        ]

    def explain(self, document: Document) -> list[tuple[Span, str]]:
        """Return the spans that the rules find, each with the name of its rule."""
        (findings,) = self.find_spans([document])
        return [(finding.span, finding.rule.name) for finding in findings]

    def find_spans(self, documents: Sequence[Document]) -> Iterator[list[Finding]]:
        """Yield the findings in each document of one patient, without overlap."""
        known, read = KnownNames(), []
        for document in documents:
            folding = fold_text(document.text)
            note = IndexedNote(folding.text)
            read.append((folding, note, find_all(note, self.lists, self.single_note_rules)))
        for _, note, found in read:
            known.learn(note, self.lists, found)
        for folding, note, found in read:
            typed = [settle_type(note, finding, known) for finding in found]
            again = find_repeats(note, self.lists, known, self.rules)
            resolved = resolve_overlaps(note.text, [*typed, *again], self.rank)
            yield [Finding(folding.unfold(span), rule) for span, rule in resolved]


def find_rule(name: str) -> Rule:
    """Return the rule of that name. Raises :class:`ConfigurationError` if there is none."""
    if name not in RULES:
        raise ConfigurationError(f"{name}: no such rule{did_you_mean(name, RULES)}")
    return RULES[name]


def settle_type(note: IndexedNote, finding: Finding, known: KnownNames) -> Finding:
    """Give a name of guessed type the type that a clue elsewhere gives to its last word."""
    span, rule = finding
    if not rule.guess:
        return finding
    types = [known.names[word] for word in list_words(note, span) if word in known.names]
    return Finding(Span(span.start, span.end, types[-1]), rule) if types else finding


@cache
def load_shipped() -> RuleSet:
    """Load all rules with the shipped lists: a tagger that needs no training."""
    return RuleSet(ordinary.load_shipped())


def resolve_overlaps(text: str, findings: Sequence[Finding], rank: dict[str, int]) -> list[Finding]:
    """Return findings that do not overlap. Names that share a character become one name. Of other
    findings the longest wins, and of equally long ones that of the first rule by ``rank``; the rest of
    a shorter one is kept where it holds a letter or digit, so that no character is lost."""
    names = [f for f in findings if f.span.type in NAME_TYPES]
    others = [f for f in findings if f.span.type not in NAME_TYPES]
    pool = [*others, *merge_names(names, rank)]
    pool.sort(key=lambda f: (f.span.start - f.span.end, rank[f.rule.name], f.span.start))
    kept: list[Finding] = []
    taken = mask_spans(len(text), ())
    for finding in pool:
        for start, end in find_unmasked(taken, finding.span.start, finding.span.end):
            edges = trim_range(text, start, end, is_edge_mark)
            if edges and any(character.isalnum() for character in text[start:end]):
                kept.append(Finding(Span(*edges, finding.span.type), finding.rule))
                taken[start:end] = b"\1" * (end - start)
    return sorted(kept, key=lambda f: f.span)


def merge_names(names: Sequence[Finding], rank: dict[str, int]) -> Iterator[Finding]:
    """Yield overlapping names as one name."""
    ordered = sorted(names, key=lambda f: f.span)
    return (merge_group(group, rank) for group in group_overlapping(ordered, lambda f: f.span))


def merge_group(group: Sequence[Finding], rank: dict[str, int]) -> Finding:
    """Merge overlapping names. The type and the rule are those that are not a guess, or of the first rule."""
    best = min(group, key=lambda f: (f.rule.guess and f.span.type == f.rule.type, rank[f.rule.name]))
    start, end = min(f.span.start for f in group), max(f.span.end for f in group)
    return Finding(Span(start, end, best.span.type), best.rule)


def is_edge_mark(character: str) -> bool:
    """Whether a character at an end of a cut span does not belong to it: white space or punctuation."""
    return character.isspace() or character in ",;-/"
