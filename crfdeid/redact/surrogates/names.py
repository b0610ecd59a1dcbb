"""Names of people (Stubbs & Uzuner's guidance; Douglass 2005, section 2.4.1).

A name is replaced word by word, so its shape stays: order, commas, titles, credentials, capitals,
possessives. The initial of a surrogate depends on the real initial alone, one secret permutation
of the letters per patient; so "R. Smith" and "RS" agree with "Robert Smith" even where
they are met in different notes and nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import regex

from crfdeid.redact.surrogates import name_pools
from crfdeid.redact.surrogates.identifiers import patterned
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.letter_case import WORD, bare, cased, folded, plural
from crfdeid.redact.surrogates.misspellings import Misspellings, misspelt
from crfdeid.redact.surrogates.name_parts import CREDENTIALS, PARTICLES, SUFFIXES, is_particle, is_title
from crfdeid.redact.surrogates.patient_facts import PatientFacts

LETTERS = ("ABCDEFGHJKLMNPRSTVW", "IOUYZ")  # those that begin many names, and few; Q and X begin hardly any
DIGITS = regex.compile(r"\d+")
TRIES = 200


class Names:
    """The surrogates of one patient's names. ``fixed`` are those given before (the map)."""

    def __init__(self, draws: KeyedChoices, known: PatientFacts, fixed: dict[str, str] | None = None) -> None:
        self.draws, self.known = draws, known
        self.initials = {k: v for group in LETTERS for k, v in draws.cycle(group, "initials").items()}
        self.given: dict[str, str] = dict(fixed or {})
        self.taken = {folded(name) for name in self.given.values()}
        self.misspellings = Misspellings(known.names)
        if known.whole:
            for name in sorted(known.names):  # in this order, whatever the order of the notes
                self.surrogate(name)
            self.taken |= {folded(made) for made in self.given.values()}

    def text(self, text: str) -> str | None:
        """``text`` with every word of a name replaced; None where it holds none.

        >>> names = Names(KeyedChoices(b"secret", "7"), PatientFacts())
        >>> a, b = names.text("Dr. Smith's"), names.text("SMITH, R.")
        >>> b.startswith(a.removeprefix("Dr. ").removesuffix("'s").upper())
        True
        """
        found = list(WORD.finditer(text))
        if not found:
            return None
        keep = {match.start() for number, match in enumerate(found) if self.kept(text, found, number)}
        if len(keep) == len(found):
            keep = set()

        def replaced(match: regex.Match[str]) -> str:
            return match[0] if match.start() in keep else self.word(match[0])

        written = WORD.sub(replaced, text)
        return DIGITS.sub(lambda match: patterned(match[0], self.draws, "name"), written)

    def kept(self, text: str, found: list[regex.Match[str]], number: int) -> bool:
        """Titles, credentials, suffixes and small particles say nothing of who it is. What may be
        a name as well ("Van", "Le", "Do") is kept only where it cannot be one."""
        low, dotted = folded(found[number][0]), CREDENTIALS.search(text)
        if low in SUFFIXES or (dotted and dotted.start() <= found[number].start()):
            return True
        if low in PARTICLES and number + 1 < len(found):
            return is_particle(text, found, number)
        return low in name_pools.words("titles") and is_title(text, found, number)

    def word(self, word: str) -> str:
        """One word's surrogate: a letter, a few initials, or a name with its possessive."""
        stem, ending = bare(word)
        if len(stem) == 1 or (len(stem) < 4 and not stem.istitle() and not self.is_name(stem)):
            return "".join(map(self.letter, stem)) + ending
        ending = ending.upper() if word.isupper() else ending
        return cased(self.surrogate(folded(stem)), stem) + ending

    def is_name(self, stem: str) -> bool:
        low = folded(stem)
        return low in name_pools.folds("surnames") or low in name_pools.folds("first_names")

    def letter(self, letter: str) -> str:
        """The letter that stands for this initial."""
        plain = folded(letter)[:1].upper()
        found = self.initials.get(plain)
        if found is None:
            found = self.draws.choice(LETTERS[0], "letter", plain or letter)
        return found if letter.isupper() else found.lower()

    def initial(self, name: str) -> str:
        """The capital with which the surrogate of ``name`` begins."""
        return self.letter(name[0].upper()).upper()

    def surrogate(self, name: str) -> str:
        """What stands for a folded name, with its own capitals."""
        if name not in self.given:
            self.given[name] = made = self.made(name)
            if name in self.known.names:  # else the order in which words are met would matter
                self.taken.add(folded(made))
        return self.given[name]

    def made(self, name: str) -> str:
        if (single := self.singular(name)) is not None:
            return plural(self.surrogate(single))
        root = self.misspellings.root(name)
        if root is not None:
            right = self.surrogate(root)
            return self.first(name, lambda number: misspelt(right, name, root, self.draws, number))
        if (full := self.full(name)) is not None:
            return self.shortened(name, self.surrogate(full))
        initial = self.initial(name)
        names, further = (
            name_pools.drawn_from(name_pools.kind(name), initial),
            name_pools.pool(name_pools.SURNAME)[initial],
        )
        return self.first(
            name,
            lambda number: self.draws.choice(names if number < TRIES // 2 else further, "name", name, number),
        )

    def singular(self, name: str) -> str | None:
        """The name of the patient's people whose plural ``name`` is ("the Garcias"), unless that is a
        name itself (Hay and Hays)."""
        if name in name_pools.folds("surnames") or name in name_pools.folds("first_names"):
            return None
        return next((one for one in (name[:-1], name[:-2]) if one in self.known.names
                     and len(one) > 2 and plural(one) == name), None)  # fmt: skip

    def first(self, name: str, make: Callable[[int], str]) -> str:
        """The first candidate that is free: neither the name, nor a real name of the patient, nor
        another's surrogate. Where all are taken, the first that is no real name. Where the
        patient's other notes are not known, the first that is not the name."""
        candidates = [make(0)]
        for number in range(1, TRIES):
            if self.free(candidates[-1], name) and self.unused(candidates[-1]):
                return candidates[-1]
            candidates.append(make(number))
        return next((c for c in candidates if self.free(c, name)), self.permuted(name))

    def free(self, candidate: str, name: str) -> bool:
        low = folded(candidate)
        real = low in self.known.names or low in self.known.words
        return low != name and not (self.known.whole and real)

    def unused(self, candidate: str) -> bool:
        return not self.known.whole or folded(candidate) not in self.taken

    def permuted(self, name: str) -> str:
        """The last resort: a made-up word."""
        return self.initial(name) + "".join(self.letter(c) for c in name[1:] or "x")

    def full(self, name: str) -> str | None:
        """The first name that a nickname stands for: one of the patient's, else the first listed. A
        nickname that many bear as their own name, and no name of the patient explains, is a name."""
        candidates = name_pools.nicknames().get(name, ())
        for full in candidates:
            if full in self.known.names:
                return full
        return candidates[0] if candidates and not name_pools.common(name) else None

    def shortened(self, nickname: str, full: str) -> str:
        """A nickname for the surrogate ``full``, or itself where it has none that is free."""
        shorts: Iterable[str] = name_pools.shortened().get(folded(full), ())
        return next((short for short in shorts if self.free(short, nickname)), full)
