"""What a rule finds once is found again: Douglass 2005, section 5.1.4.

Names, places and hospitals that the other rules find by their context are looked for in the
whole note, and in all notes of the patient. Ordinary words are left out: otherwise one false
finding becomes many (148 of Douglass's 490 false positives).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.names import RULE_CREDENTIAL_WORDS
from crfdeid.lexicon.ordinary import Entries, Lists
from crfdeid.rules import hospitals, locations, name_lists, names
from crfdeid.rules.name_words import FUNCTION_WORDS, PREFIXES
from crfdeid.rules.note import Edges, Note
from crfdeid.rules.rule import NAME_TYPES, Finding, Rule, find_all, find_capitalised_entries
from crfdeid.text.document import Span

SOURCE = "Douglass 2005, section 5.1.4"
NEVER = FUNCTION_WORDS | PREFIXES | RULE_CREDENTIAL_WORDS
SHORTEST = 3
LONG = 5  # letters of a name that is found without its capital, too
SEEDS = {
    rule.name: rule
    for rule in (*names.RULES, *name_lists.RULES, *hospitals.RULES, *locations.RULES)
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

    def learn(self, note: Note, lists: Lists, findings: Iterable[Finding]) -> None:
        """Add the findings that a rule made by context; a list finds its entries everywhere anyway."""
        for finding in findings:
            if finding.rule.name not in SEEDS or finding.rule.name in IN_LISTS:
                continue
            words = list_words(note, finding.span)
            if finding.span.type in NAME_TYPES:
                self.learn_name(note, lists, words, finding)
            elif words and not (len(words) == 1 and lists.is_ordinary(words[0])):
                self.learn_place(words, finding.span.type)

    def learn_name(self, note: Note, lists: Lists, words: Sequence[str], finding: Finding) -> None:
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


def list_words(note: Note, span: Span) -> list[str]:
    """Return the lowercased words in a span."""
    index, words = note.find_index(span.start), []
    while index is not None and index < len(note) and note.ends[index] <= span.end:
        words.append(note.lowered[index])
        index += 1
    return words


def find_names(note: Note, lists: Lists, known: KnownNames) -> Iterator[Span]:
    """Yield the words of known names that have a capital; of long names that are not ordinary words, all."""
    for index in note.find_words(known.names):
        word = note.lowered[index]
        if note.is_capitalised(index) or (len(word) >= LONG and not lists.is_ordinary(word)):
            yield Span(*note.edges(index, index + 1), known.names[word])


def find_places(note: Note, lists: Lists, known: KnownNames) -> Iterator[Span]:
    """Yield the known places and hospitals that have their capitals."""
    entries = Entries(phrase for group in known.places.values() for phrase in group)
    for first, stop in find_capitalised_entries(note, entries):
        type = known.places[note.lowered[first]][tuple(note.lowered[first:stop])]
        yield Span(*note.edges(first, stop), type)


def learn_from(note: Note, lists: Lists) -> KnownNames:
    """Collect the names and places that the rules find in one note by their context."""
    known = KnownNames()
    known.learn(note, lists, find_all(note, lists, SEEDS.values()))
    return known


def repeated_name(note: Note, lists: Lists) -> Iterator[Edges]:
    """A word of a name that another rule found by its context."""
    return ((span.start, span.end) for span in find_names(note, lists, learn_from(note, lists)))


def repeated_place(note: Note, lists: Lists) -> Iterator[Edges]:
    """A place or hospital that another rule found by its context."""
    return ((span.start, span.end) for span in find_places(note, lists, learn_from(note, lists)))


NAME = Rule("repeated_name", "PATIENT", SOURCE, repeated_name, guess=True)
PLACE = Rule("repeated_place", "HOSPITAL", SOURCE, repeated_place)
RULES = (NAME, PLACE)


def find_repeats(note: Note, lists: Lists, known: KnownNames, rules: Mapping[str, Rule]) -> list[Finding]:
    """Find ``known`` names and places in a note, by the one or two of these rules that are in ``rules``."""
    found: list[Finding] = []
    if NAME.name in rules:
        found += [Finding(span, NAME) for span in find_names(note, lists, known)]
    if PLACE.name in rules:
        found += [Finding(span, PLACE) for span in find_places(note, lists, known)]
    return found
