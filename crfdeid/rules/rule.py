"""The record of a rule, and the common parts of rules: entries of lists, runs of words, and words that can
be in a name.

The words and fields beside names are the context clues of Douglass 2005, section 5.1.1, and of Sibanda &
Uzuner 2006, section 4.1. The papers name kinds and examples; the lists are ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from crfdeid.lexicon.letters import word_set
from crfdeid.lexicon.names import RULE_CREDENTIAL_WORDS, RULE_CREDENTIALS
from crfdeid.lexicon.ordinary import THINGS, Entries, Lists
from crfdeid.rules.note import ALL, Beside, Edges, IndexedNote
from crfdeid.text.document import Span

# Words before a surname; Douglass 2005, table 5.1, has 148.
PREFIXES = word_set(
    """van von der den de del della da di du la le los bin ibn al el ter ten san st mc mac o d"""
)
SMALL_PREFIXES = PREFIXES - {"st", "mc", "mac", "o", "d", "san"}

NAMING_WORDS = word_set("named is called name names")
SIGNING_WORDS = word_set(
    """signed dictated reviewed verified approved read interpreted seen referred cosigned"""
)

COLON = r"[ ]*(?::|=|\|)[ \t]*"
PATIENT_FIELDS = re.compile(
    rf"(?:name|patient|pt|last|first|re|alias|aka){COLON}", re.IGNORECASE
)  # "name" is the end of "Patient Name", too
PATIENT_FIELD_WORDS = word_set("name patient pt last first re alias aka")
DOCTOR_FIELDS = re.compile(
    r"(?:(?:attending|ordering|referring|primary|dictating|admitting|resident|consulting|signing"
    r"|rendering)?[ ]?"
    r"(?:attending|physician|provider|prov|surgeon|resident|pcp|doctor|author|radiologist|pathologist|md"
    r"|assistant|cosigner|fellow|consultant|anesthesiologist)(?:[ ]care)?(?:[ ]physician|[ ]md)?(?:\(s\)|s)?"
    r"|cc|cosigned|signed|dictated|transcribed|reviewed|verified|approved|read|interpreted|seen|referred)"
    rf"(?:[ ](?:by|and[ ]signed[ ]by|electronically[ ]by))?{COLON}(?:dr\.?[ ])?",
    re.IGNORECASE,
)
DOCTOR_FIELD_WORDS = SIGNING_WORDS | word_set(
    """attending ordering referring primary dictating admitting resident consulting signing rendering
    physician provider prov surgeon surgeons pcp doctor author radiologist pathologist md
    assistant cosigner fellow consultant anesthesiologist cc transcribed"""
)

CREDENTIAL = re.compile(rf"(?:{RULE_CREDENTIALS})(?!\w)", re.IGNORECASE)

# These are not names, capitalised or not.
FUNCTION_WORDS = word_set(
    """a an and are as at but by for from had has have he her his i if in is it its no not of on or our
    she so that the their then there they this to was we were who will with you your when while
    after before also does did do been said says may can could should would please here
    electronically unknown none"""
)

# A name before one of these is an eponym or a brand: a retractor is not a person.
THING_WORDS = THINGS | word_set(
    """scores valves icd rules class contractions hicks dynamometer point angle lens layers layer splints arm
    trilogy table frame stirrups tendon taper instrument instruments trocar approach sounds baths hugger brace
    heart wort inventory questionnaire ulcer hernia changes spots phenomena"""
)


END_OF_CLAUSE = re.compile(r"[.,;\n]")
LONGEST_NAME = 4  # words of a name, with initials and prefixes
SHORTEST_CAPITALS = 5  # letters of a word in capitals that is not an abbreviation

PLACE_GAP = re.compile(
    r"[ \t]{1,2}|[-'.&/]|\.? ?[-'&]? ?|\. {1,2}"
)  # between the words of one name of a place
NAME_GAP = re.compile(r" {1,2}|[-']|\. ?")  # between the words of one person's name


def find_entries(note: IndexedNote, entries: Entries) -> Iterator[tuple[int, int]]:
    """Yield the index ranges of whole entries, the longest at each place."""
    for first in note.vocabulary.intersection(entries.first_words):
        yield from measure_entries(note, entries, first, note.indices[first])


def measure_entry(note: IndexedNote, entries: Entries, index: int) -> int:
    """Return how many words the longest entry that begins at ``index`` has; 0 if there is none."""
    return next((stop - index for _, stop in measure_entries(note, entries, note.lowered[index], [index])), 0)


def measure_entries(
    note: IndexedNote, entries: Entries, first: str, places: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Yield the index range of the longest entry at each of the ``places`` of the word ``first``, if any."""
    least, longer, lowered = int(first in entries.single), entries.longer.get(first), note.lowered
    for index in places:
        length = least
        if longer and index + 1 < len(lowered) and lowered[index + 1] in longer:
            phrases = longer[lowered[index + 1]]
            length = next((len(phrase) for phrase in phrases if has_phrase(note, index, phrase)), least)
        if length:
            yield index, index + length


def has_phrase(note: IndexedNote, index: int, phrase: tuple[str, ...]) -> bool:
    """Whether the words of ``phrase`` begin at ``index``, with only a :data:`PLACE_GAP` between them."""
    size = len(phrase)
    if tuple(note.lowered[index : index + size]) != phrase:
        return False
    return all(PLACE_GAP.fullmatch(note.gap(i)) for i in range(index + 1, index + size))


def find_capitalised_entries(note: IndexedNote, entries: Entries) -> Iterator[tuple[int, int]]:
    """Yield the index ranges of whole entries in which all words of four letters or more, and the first, are
    capitalised."""
    for first in note.capitalised_words & entries.first_words:
        for index, stop in measure_entries(note, entries, first, note.find_capitalised_places(first)):
            if all(note.is_capitalised(i) or len(note.word(i)) < 4 for i in range(index + 1, stop)):
                yield index, stop


def find_run_end(
    note: IndexedNote, first: int, accept: Callable[[int], bool], most: int, gap: re.Pattern[str] = NAME_GAP
) -> int:
    """Return the end of the run of words from ``first`` that ``accept`` takes; ``first`` if it takes none.
    The run has at most ``most`` words, with a ``gap`` between each two."""
    index = first
    while index < len(note) and index - first < most and accept(index):
        index += 1
        if index < len(note) and not is_joined(note, index, gap):
            break
    return index


def is_joined(note: IndexedNote, index: int, gap: re.Pattern[str] = NAME_GAP) -> bool:
    """Whether word ``index`` continues a name that the word before it is part of. A full stop joins two
    words only after an initial or a short form such as St."""
    between = note.gap(index)
    if not gap.fullmatch(between):
        return False
    return not between.startswith(".") or len(note.word(index - 1)) <= 2


NAME_TYPES = frozenset(["PATIENT", "DOCTOR"])  # types
RuleFunction = Callable[[IndexedNote, Lists], Iterable[Edges]]


@dataclass(frozen=True)
class Rule:
    """``guess``: the type is only the most likely one. Where another rule finds the same name by a clue to
    its type, the name gets that type."""

    name: str
    type: str
    source: str
    find: RuleFunction
    guess: bool = False

    @property
    def about(self) -> str:
        """The first paragraph of the rule's docstring on one line."""
        return " ".join((self.find.__doc__ or "").split("\n\n")[0].split())


class Finding(NamedTuple):
    """A span and the rule that found it. The span's type can differ from the type of a rule that
    guesses."""

    span: Span
    rule: Rule


def find_all(note: IndexedNote, lists: Lists, rules: Iterable[Rule]) -> list[Finding]:
    """Return the findings of each rule; they may overlap."""
    return [
        Finding(Span(start, end, rule.type), rule)
        for rule in rules
        for start, end in set(rule.find(note, lists))
    ]


def rule(type: str, source: str, guess: bool = False) -> Callable[[RuleFunction], Rule]:
    """Turn a function into a rule with the function's name; its docstring describes the rule."""
    return lambda find: Rule(find.__name__, type, source, find, guess)


def match_at_numbers(
    name: str,
    type: str,
    source: str,
    about: str,
    pattern: str,
    valid: Callable[[re.Match[str], IndexedNote], object] = lambda match, note: True,
    beside: Beside = ALL,
) -> Rule:
    """Build a rule that matches ``pattern`` wherever digits begin. It finds the group ``phi``, or else the
    whole match, if ``valid`` accepts the match. ``beside`` holds for each number that the pattern matches:
    the others need no match."""
    compiled = re.compile(pattern, re.IGNORECASE)
    group = "phi" if "phi" in compiled.groupindex else 0

    def find(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
        for start in note.find_numbers(beside):
            if (match := compiled.match(note.text, start)) and valid(match, note):
                yield match.span(group)

    find.__doc__ = about
    return Rule(name, type, source, find)


def match_at_words(
    name: str,
    type: str,
    source: str,
    about: str,
    words: Iterable[str],
    pattern: str,
    valid: Callable[[re.Match[str], IndexedNote], object] = lambda match, note: True,
) -> Rule:
    """Build a rule as :func:`match_at_numbers` does, for places where one of the lowercased words begins."""
    compiled, triggers = re.compile(pattern, re.IGNORECASE), frozenset(words)
    group = "phi" if "phi" in compiled.groupindex else 0

    def find(note: IndexedNote, lists: Lists) -> Iterator[Edges]:
        for index in note.find_words(triggers):
            if (match := compiled.match(note.text, note.starts[index])) and valid(match, note):
                yield match.span(group)

    find.__doc__ = about
    return Rule(name, type, source, find)


def is_nameable(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether a capitalised word can be a name: it is in a list of names, or in no list of words."""
    word = note.lowered[index]
    if not note.is_capitalised(index) or word in FUNCTION_WORDS or len(word) < 2:
        return False
    return word in lists.names or not lists.is_ordinary(word)


def is_initial(note: IndexedNote, index: int) -> bool:
    """Whether the word is one capital letter."""
    return len(note.word(index)) == 1 and note.is_capitalised(index)


def is_name_part(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether a name can continue with the word: a name, an initial, or a prefix before a name."""
    if is_nameable(note, lists, index):
        return note.lowered[index] not in RULE_CREDENTIAL_WORDS or not note.word(index).isupper()
    if is_initial(note, index):
        return index + 1 == len(note) or "\n" not in note.gap(index + 1)
    return note.lowered[index] in PREFIXES and is_before_name(note, lists, index)


def is_before_name(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether a name follows the word, possibly after a second prefix ("van der Berg")."""
    following = index + 1
    if following < len(note) and is_joined(note, following) and note.lowered[following] in SMALL_PREFIXES:
        following += 1
    return following < len(note) and is_joined(note, following) and is_nameable(note, lists, following)


def find_name_from(note: IndexedNote, lists: Lists, first: int, most: int = LONGEST_NAME) -> Edges | None:
    """Return the offsets of the name that begins at word ``first``, or None. It has at least one word of two
    letters."""
    stop = find_run_end(note, first, lambda i: is_name_part(note, lists, i), most)
    if any(len(note.word(i)) > 1 and note.is_capitalised(i) for i in range(first, stop)):
        return note.edges(first, stop)
    return None


def find_name_until(note: IndexedNote, lists: Lists, stop: int) -> Edges | None:
    """Return the offsets of the name that ends before word ``stop``, or None: ``Bryan J. Ruiz`` or
    ``Ruiz, Bryan``."""
    first = stop
    while first and stop - first < LONGEST_NAME and is_leading_part(note, lists, first - 1):
        if first < stop and not is_joined(note, first):
            break
        first -= 1
    if not any(is_nameable(note, lists, i) for i in range(first, stop)):
        return None
    if first and note.gap(first) in (", ", ",") and stop - first < 3 and is_nameable(note, lists, first - 1):
        first -= 1
    return note.edges(first, stop)


def is_leading_part(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether the word can be in a name before another word of it."""
    return note.lowered[index] in SMALL_PREFIXES or is_name_part(note, lists, index)


def is_clear_name(note: IndexedNote, lists: Lists, index: int) -> bool:
    """Whether the word is a name beside an indicator. A name that is also an ordinary word counts only if
    this note does not write it small."""
    word = note.lowered[index]
    abbreviation = note.word(index).isupper() and len(word) < SHORTEST_CAPITALS and word not in lists.names
    if abbreviation or not is_nameable(note, lists, index):
        return False
    return (
        word in lists.popular_names
        or not lists.is_ordinary(word)
        or (word in lists.first_names and not note.is_written_small(word))
    )


def is_thing_name(note: IndexedNote, index: int, length: int = 1) -> bool:
    """Whether the word names a thing: a word for a thing is one of the next two words with no end of a clause
    before it, or a hyphen joins it to another word (``Semmes-Weinstein``, ``Z-Pak``). The last word of an
    entry of ``length`` words may have a hyphen before it (``Port-au-Prince``)."""
    for i in range(index + 1, min(index + 3, len(note))):
        if note.lowered[i] in THING_WORDS and not END_OF_CLAUSE.search(
            note.text, note.ends[index], note.starts[i]
        ):
            return True
    return (length == 1 and note.gap(index) == "-") or (index + 1 < len(note) and note.gap(index + 1) == "-")
