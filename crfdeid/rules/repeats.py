"""What was found once is found again: Douglass 2005, section 5.1.4.

Names, places and hospitals that the other rules found by their context are looked for in the
whole note, and in all notes of the patient. Common words are left out, since one false
find would otherwise be many (148 of Douglass's 490 false positives were).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crfdeid.rules import hospitals, locations, name_lists, names
from crfdeid.rules.indexed_note import Edges, Note, capitalised
from crfdeid.rules.lists import Lists
from crfdeid.rules.name_words import CREDENTIAL_WORDS, FUNCTION, PREFIXES
from crfdeid.rules.rule import NAMES, Finding, Rule, find, words
from crfdeid.text.document import Span

SOURCE = "Douglass 2005, section 5.1.4"
NEVER = FUNCTION | PREFIXES | CREDENTIAL_WORDS
SHORTEST = 3
LONG = 5  # letters from which on a name is found without its capital, too
SEEDS = {
    rule.name: rule
    for rule in (*names.RULES, *name_lists.RULES, *hospitals.RULES, *locations.RULES)
    if rule.type in NAMES | {"HOSPITAL", "CITY", "LOCATION-OTHER"}
}
IN_LISTS = words("""popular_name clear_first_name clear_surname misspelt_name clear_city hospital_list""")


@dataclass
class Known:
    """Lowercased words of names with their type, and places as phrases of lowercased words."""

    names: dict[str, str] = field(default_factory=dict, repr=False)
    places: dict[str, dict[tuple[str, ...], str]] = field(default_factory=dict, repr=False)

    def learn(self, note: Note, lists: Lists, findings: Iterable[Finding]) -> None:
        """Take up what was found by context; what a list finds, it finds everywhere already."""
        for finding in findings:
            if finding.rule.name not in SEEDS or finding.rule.name in IN_LISTS:
                continue
            words = covered(note, finding.span)
            if finding.span.type in NAMES:
                self.learn_name(note, lists, words, finding)
            elif words and not (len(words) == 1 and lists.plain(words[0])):
                self.learn_place(words, finding.span.type)

    def learn_name(self, note: Note, lists: Lists, words: Sequence[str], finding: Finding) -> None:
        for word in words:
            if len(word) < SHORTEST or word in NEVER or word in lists.eponyms:
                continue
            if lists.plain(word) and (word not in lists.named or word in note.small):
                continue
            if not finding.rule.guess or word not in self.names:
                self.names[word] = finding.span.type

    def learn_place(self, words: Sequence[str], type: str) -> None:
        self.places.setdefault(words[0], {})[tuple(words)] = type


def covered(note: Note, span: Span) -> list[str]:
    """The lowercased words in a span."""
    index, words = note.index_at.get(span.start, len(note)), []
    while index < len(note) and note.ends[index] <= span.end:
        words.append(note.lowered[index])
        index += 1
    return words


def repeated_names(note: Note, lists: Lists, known: Known) -> Iterator[Span]:
    """Words of known names with a capital, and long ones that are no words without one too."""
    for index in note.places(known.names):
        word = note.lowered[index]
        if note.capital(index) or (len(word) >= LONG and not lists.plain(word)):
            yield Span(*note.edges(index, index + 1), known.names[word])


def repeated_places(note: Note, lists: Lists, known: Known) -> Iterator[Span]:
    """Places and hospitals that are known, with their capitals."""
    phrases = {first: frozenset(group) for first, group in known.places.items()}
    for first, stop in capitalised(note, phrases):
        type = known.places[note.lowered[first]][tuple(note.lowered[first:stop])]
        yield Span(*note.edges(first, stop), type)


def known_of(note: Note, lists: Lists) -> Known:
    known = Known()
    known.learn(note, lists, find(note, lists, SEEDS.values()))
    return known


def repeated_name(note: Note, lists: Lists) -> Iterator[Edges]:
    """A word of a name that another rule found by its context."""
    return ((span.start, span.end) for span in repeated_names(note, lists, known_of(note, lists)))


def repeated_place(note: Note, lists: Lists) -> Iterator[Edges]:
    """A place or hospital that another rule found by its context."""
    return ((span.start, span.end) for span in repeated_places(note, lists, known_of(note, lists)))


NAME = Rule("repeated_name", "PATIENT", SOURCE, repeated_name, guess=True)
PLACE = Rule("repeated_place", "HOSPITAL", SOURCE, repeated_place)
RULES = (NAME, PLACE)


def repeated(note: Note, lists: Lists, known: Known, rules: Mapping[str, Rule]) -> list[Finding]:
    """What of ``known`` stands in the note, by those of the two rules that are among ``rules``."""
    found: list[Finding] = []
    if NAME.name in rules:
        found += [Finding(span, NAME) for span in repeated_names(note, lists, known)]
    if PLACE.name in rules:
        found += [Finding(span, PLACE) for span in repeated_places(note, lists, known)]
    return found
