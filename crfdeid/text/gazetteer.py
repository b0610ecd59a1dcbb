"""Lists of names, and finding them in tokens.

A list matches in two ways: a token that occurs in any entry (He et al. 2015, section 2.2: "Los
Angeles" gives the elements ``los`` and ``angeles``), and a run of tokens that is a whole entry. Both
ignore case. Entries of ``NAME.exclude.txt`` beside a list never match.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from weakref import WeakValueDictionary

from crfdeid import resources
from crfdeid.errors import FormatError
from crfdeid.files import read_text
from crfdeid.text.folding import fold_text
from crfdeid.text.tokenizer import FINE

TRAINING = "training_"  # the prefix of lists that training makes of its own spans
JOIN = "+"  # between the names of lists that are asked as one

_lists: WeakValueDictionary[tuple[str, bytes], Gazetteer] = WeakValueDictionary()  # by name and content


@dataclass(frozen=True)
class Gazetteer:
    """``entries`` are tuples of lowercased tokens; ``words`` are the tokens of entries that consist of
    letters and digits, except excluded ones."""

    name: str
    words: frozenset[str] = field(repr=False)
    entries: frozenset[tuple[str, ...]] = field(repr=False)

    @cached_property
    def phrases(self) -> dict[str, set[tuple[str, ...]]]:
        """The entries by their first token."""
        phrases: dict[str, set[tuple[str, ...]]] = {}
        for entry in self.entries:
            phrases.setdefault(entry[0], set()).add(entry)
        return phrases

    def find_matches(self, lowered: Sequence[str]) -> list[tuple[int, int]]:
        """Return the half-open index ranges of whole entries: from the left, the longest at each place.

        >>> build_gazetteer("us_cities", ["New York", "York"]).find_matches(["in", "new", "york"])
        [(1, 3)]
        """
        found, free = [], 0
        for index, word in enumerate(lowered):
            phrases = self.phrases.get(word)
            if phrases is None or index < free:
                continue
            lengths = (len(p) for p in phrases if len(p) == 1 or tuple(lowered[index : index + len(p)]) == p)
            if length := max(lengths, default=0):
                free = index + length
                found.append((index, free))
        return found


def build_gazetteer(name: str, entries: Iterable[str], excluded: Iterable[str] = ()) -> Gazetteer:
    """Make a gazetteer of ``entries`` without the ``excluded`` ones."""
    never = tokenize_entries(excluded)
    phrases = tokenize_entries(entries) - never
    words = {word for phrase in phrases for word in phrase if word.isalnum()}
    excluded_words = {phrase[0] for phrase in never if len(phrase) == 1}
    return Gazetteer(name, frozenset(words - excluded_words), frozenset(phrases))


def merge_gazetteers(gazetteers: Sequence[Gazetteer]) -> Gazetteer:
    """Return one gazetteer of all entries; each list keeps its own exclusions.

    >>> names = [build_gazetteer("first", ["Ann"]), build_gazetteer("last", ["Ruiz", "Ann"])]
    >>> sorted(merge_gazetteers(names).words), merge_gazetteers(names).name
    (['ann', 'ruiz'], 'first+last')
    """
    words, entries = (frozenset().union(*own) for own in zip(*((g.words, g.entries) for g in gazetteers)))
    return Gazetteer(JOIN.join(gazetteer.name for gazetteer in gazetteers), words, entries)


def tokenize_entries(entries: Iterable[str]) -> set[tuple[str, ...]]:
    """Return what :func:`tokenize_entry` finds in all entries; most are one word of ASCII, which is quick."""
    found: set[tuple[str, ...]] = set()
    for entry in entries:
        if entry.isascii() and entry.isalpha() and entry[1:].islower():
            found.add((entry.lower(),))
        else:
            found |= tokenize_entry(entry)
    return found


def tokenize_entry(entry: str) -> set[tuple[str, ...]]:
    """Return the lowercased tokens that an entry has in a note, written as it is and in lower case
    (capitals split tokens). Typography is folded, as it is in notes.

    >>> sorted(tokenize_entry("McKay"))
    [('mc', 'kay'), ('mckay',)]
    """
    entry = fold_text(entry).text
    if entry.isalpha() and entry[1:].islower():
        return {(entry.lower(),)}
    forms = (entry, entry.lower())
    return {tuple(match[0].lower() for match in FINE.finditer(form)) for form in forms} - {()}


def read_gazetteer(path: Path) -> Gazetteer:
    """Read the list at ``path`` with the exclusions beside it. A list that a model and the rules share is one
    object. Raises :class:`FormatError` where it has no entries, except for lists that training makes of its
    own spans: a type may have none."""
    entries = read_entries(path)
    if not entries and not path.stem.startswith(TRAINING):
        raise FormatError(f"{path}: no entries")
    beside = path.with_name(path.stem + ".exclude.txt")
    excluded = read_entries(beside) if beside.is_file() else []
    key = path.stem, hashlib.sha256("\n".join([*entries, "", *excluded]).encode()).digest()
    found = _lists.get(key)
    if found is None:
        found = _lists[key] = build_gazetteer(path.stem, entries, excluded)
    return found


def read_entries(path: Path) -> list[str]:
    """Return the lines of a list without blank lines and comments (``#``)."""
    lines = read_text(path).splitlines()
    return [entry for line in lines if line[:1] != "#" and (entry := line.strip())]


def find_gazetteer(name: str, folders: Sequence[Path] = ()) -> Path:
    """Return the file of list ``name``: in the first of ``folders`` (a model's own) that has it, else the
    shipped one."""
    for folder in folders:
        if (path := folder / f"{name}.txt").is_file():
            return path
    return resources.find_file("gazetteers", name, ".txt")
