"""The surrogates of people's names (Stubbs & Uzuner's guidance; Douglass 2005, section 2.4.1).

A name is replaced word by word, so that order, commas, titles, credentials, capitals and possessives
stay. The initial of a surrogate depends only on the real initial (:class:`Initials`). So "R. Smith" and "RS"
agree with "Robert Smith" even if they occur in different notes and nothing is remembered.

Douglass 2005 (section 2.4.1) replaced "Jenifer" by another name than "Jennifer", and people had to correct it
(section 4.3). Here a misspelling of a name becomes a similar misspelling of its surrogate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import (
    WORD,
    delete_letters,
    fold,
    match_case,
    pluralize,
    split_possessive,
    word_set,
)
from crfdeid.lexicon.names import KEPT_TITLES, LONG_WITH_STOPS, WITH_STOPS
from crfdeid.redact.surrogates.identifiers import replace_characters
from crfdeid.redact.surrogates.keyed_choice import DOCTORS, PATIENTS, Initials, KeyedChoices
from crfdeid.redact.surrogates.name_drawing import draw_name
from crfdeid.redact.surrogates.patient_facts import PatientFacts

DIGITS = regex.compile(r"\d+")
MAX_TRIES = 200
PARTICLES = word_set("van von der den de la le du del della di da dos el al bin ibn ten ter y and or the of")
SUFFIXES = word_set("jr sr ii iii iv esq")
PARTICLES_OR_NAMES = word_set("di do al el le bin ten ter ibn y")  # also first names, or nicknames
ARTICLES = ("al", "el")
CREDENTIALS_OR_NAMES = ("do", "pa")  # also surnames
MAX_CREDENTIALS = 80  # characters at the end of a name that are searched for them
CREDENTIALS = regex.compile(rf"(?<=[,\s])(?:(?:{WITH_STOPS}|Ph\.\s?D|{LONG_WITH_STOPS})\b\.?[,\s]*)+$")
MIN_MISSPELT = 4  # letters
LONGEST_MISSPELT = 60  # letters; a longer word is none, and would take their square of memory
VOWELS = "aeiou"


class Names:
    """The surrogates of one patient's names. ``assigned`` holds the surrogates that a map remembers, by
    folded name. With ``of_doctors``, it makes the surrogates of doctors, and is the same for all patients."""

    make_initials = Initials

    def __init__(
        self,
        choices: KeyedChoices,
        facts: PatientFacts,
        assigned: dict[str, str] | None = None,
        of_doctors: Names | None = None,
    ) -> None:
        self.choices, self.facts = choices, facts
        self.initials, self.of_doctors = self.make_initials(choices), of_doctors
        if of_doctors:
            self.initials.shared[DOCTORS] = of_doctors.initials
        self.assigned: dict[str, str] = dict(assigned or {})
        self.taken = {fold(name) for name in self.assigned.values()}
        self.roots = find_misspellings(facts.names)
        if facts.complete:
            # in this order, whatever the order of the notes
            for name in sorted(facts.names, key=lambda name: (not self._is_shared(name), name)):
                self.choose_name(name)
            self.taken |= {fold(made) for made in self.assigned.values()}

    def replace_names(self, text: str, thing: str = PATIENTS) -> str | None:
        """Replace every word of a name in ``text``. Letters that stand for a name are replaced as those of
        ``thing`` (:class:`Initials`). Return None if the text contains no word.

        >>> names = Names(KeyedChoices(b"secret", "7"), PatientFacts())
        >>> a, b = names.replace_names("Dr. Smith's"), names.replace_names("SMITH, R.")
        >>> b.startswith(a.removeprefix("Dr. ").removesuffix("'s").upper())
        True
        """
        found = list(WORD.finditer(text))
        if not found:
            return None
        end = find_credentials(text)
        kept = {m.start() for n, m in enumerate(found) if m.start() >= end or is_kept(text, found, n)}
        if len(kept) == len(found):
            kept = set()

        def replace(match: regex.Match[str]) -> str:
            return match[0] if match.start() in kept else self.replace_word(match[0], thing)

        replaced = WORD.sub(replace, text)
        return DIGITS.sub(lambda match: replace_characters(match[0], self.choices, "name"), replaced)

    def replace_word(self, word: str, thing: str = PATIENTS) -> str:
        """Replace a letter, a few initials, or a name with its possessive."""
        stem, ending = split_possessive(word)
        if len(stem) == 1 or (len(stem) < 4 and not stem.istitle() and not word_lists.is_listed(fold(stem))):
            return self.initials.replace_letters(stem, thing) + ending
        ending = ending.upper() if word.isupper() else ending
        return match_case(self.choose_name(fold(stem)), stem) + ending

    def choose_name(self, name: str) -> str:
        """The surrogate of a folded name, with its own capitals."""
        if name not in self.assigned:
            self.assigned[name] = chosen = self._choose_new(name)
            if name in self.facts.names:  # otherwise the order in which words are met would matter
                self.taken.add(fold(chosen))
        return self.assigned[name]

    def _choose_new(self, name: str) -> str:
        if (singular := self._find_singular(name)) is not None:
            return pluralize(self.choose_name(singular))
        root = self.roots.get(name)
        if root is not None:
            right = self.choose_name(root)
            return self._choose_free(name, lambda n: misspell(right, name, root, self.choices, n))
        if self.of_doctors and self._is_shared(name):
            return self.of_doctors.choose_name(name)
        if (full := self._find_full_name(name)) is not None:
            return self._choose_nickname(name, self.choose_name(full))
        initial = self.initials.choose_initial(name, self._find_thing(name))
        kind = self._classify(name)
        return self._choose_free(
            name, lambda n: self._draw(name, kind if n < MAX_TRIES // 2 else word_lists.SURNAME, initial, n)
        )

    def _classify(self, name: str) -> str:
        """Return the kind of a folded name."""
        return self.facts.classify_name(name)

    def _draw(self, name: str, kind: str, initial: str, number: int) -> str:
        """Draw a candidate for the surrogate of a folded name; each ``number`` gives another draw."""
        return draw_name(name, kind, initial, self.choices, number)

    def _is_shared(self, name: str) -> bool:
        """Whether a name has one surrogate for all patients: most of its mentions are of staff."""
        return self.of_doctors is not None and 2 * self.facts.doctors[name] > self.facts.names[name]

    def _find_thing(self, name: str) -> str:
        """Whether the letters of doctors or of patients decide the initial of a name."""
        return DOCTORS if self.facts.is_doctor(name) else PATIENTS

    def _find_singular(self, name: str) -> str | None:
        """The name of the patient's notes that ``name`` is the plural of ("the Garcias"). None if
        ``name`` is a listed name itself (Hay and Hays)."""
        if word_lists.is_listed(name):
            return None
        return next((one for one in (name[:-1], name[:-2]) if one in self.facts.names
                     and len(one) > 2 and pluralize(one) == name), None)  # fmt: skip

    def _choose_free(self, name: str, make: Callable[[int], str]) -> str:
        """The first candidate that is not ``name``, no real name or word of the patient's notes, and not
        another name's surrogate. If every candidate is taken, the first that is not real. If not all of
        the patient's notes are known, the first that is not ``name``."""
        candidates = [make(0)]
        for number in range(1, MAX_TRIES):
            is_free = self._is_not_real(candidates[-1], name) and self._is_unused(candidates[-1])
            if is_free and not is_town(fold(candidates[-1])):
                return candidates[-1]
            candidates.append(make(number))
        return next(
            (c for c in candidates if self._is_not_real(c, name)),
            self.initials.invent_name(name, self._find_thing(name)),
        )

    def _is_not_real(self, candidate: str, name: str) -> bool:
        folded = fold(candidate)
        is_real = folded in self.facts.names or folded in self.facts.words
        is_real |= self.facts.avoid is not None and self.facts.avoid(folded)
        return folded != name and not (self.facts.complete and is_real)

    def _is_unused(self, candidate: str) -> bool:
        return not self.facts.complete or fold(candidate) not in self.taken

    def _find_full_name(self, name: str) -> str | None:
        """The first name that a nickname means: one of the patient's, otherwise the first listed. A nickname
        that is also a common name, and that no name of the patient explains, is a name of its own."""
        candidates = word_lists.load_full_names().get(name, ())
        for full in candidates:
            if full in self.facts.names:
                return full
        return candidates[0] if candidates and not word_lists.is_common_name(name) else None

    def _choose_nickname(self, nickname: str, full: str) -> str:
        """A nickname of the surrogate ``full``, or ``full`` itself if it has no nickname that can be used."""
        candidates: Iterable[str] = word_lists.load_nicknames().get(fold(full), ())
        return next((short for short in candidates if self._is_not_real(short, nickname)), full)


def is_town(name: str) -> bool:
    """Whether a folded surname is rather a town: large, and no name of the census.

    >>> [is_town(name) for name in ("hollywood", "osaka", "lancaster", "boston")]
    [True, True, False, False]
    """
    kinds = (word_lists.SURNAME, word_lists.FEMALE, word_lists.MALE)
    towns = ("us_cities", "world_cities")
    return any(name in word_lists.load_folded(list) for list in towns) and not any(
        name in word_lists.load_shares(kind) for kind in kinds
    )


# The parts of a name that identify nobody


def find_credentials(text: str) -> int:
    """Return where the credentials at the end of a name begin, or its length.

    >>> text = "Ana Ruiz, M.D., F.A.C.S."
    >>> text[find_credentials(text) :]
    'M.D., F.A.C.S.'
    """
    credentials = CREDENTIALS.search(text, max(0, len(text) - MAX_CREDENTIALS))
    return credentials.start() if credentials else len(text)


def is_kept(text: str, found: list[regex.Match[str]], number: int) -> bool:
    """Whether word ``number`` is kept: titles, credentials, suffixes and small particles identify
    nobody. A word that may also be a name ("Van", "Le", "Do") is kept only if it cannot be one here."""
    folded = fold(found[number][0])
    if folded in SUFFIXES:
        return True
    if folded in PARTICLES and number + 1 < len(found):
        return is_particle(text, found, number)
    return folded in word_lists.load_lowercase("titles") and is_title(text, found, number)


def is_particle(text: str, found: list[regex.Match[str]], number: int) -> bool:
    """Whether a word such as "van" is a particle here: in small letters in a name that has capitals, joined
    to the next word (Al-Rashid), after another part of the name, or if it is not a first name."""
    word = found[number][0]
    if word.islower() and not text.islower():
        return True
    if fold(word) in ARTICLES and text.startswith("-", found[number].end()):
        return True
    follows = number and fold(found[number - 1][0]) not in word_lists.load_lowercase("titles")
    follows = follows and "," not in text[found[number - 1].end() : found[number].start()]
    if follows and word.istitle() and len(word) > 1:
        return True
    return fold(word) not in word_lists.load_folded("first_names") and fold(word) not in PARTICLES_OR_NAMES


def is_title(text: str, found: list[regex.Match[str]], number: int) -> bool:
    """Whether a word such as "Nurse" is a title here: before a name without a comma between them, or as a
    credential after a name. Otherwise it may be a name."""
    word, folded = found[number][0], fold(found[number][0])
    titles = word_lists.load_lowercase("titles")
    if number + 1 < len(found) and folded not in CREDENTIALS_OR_NAMES:
        leads = folded in KEPT_TITLES or all(fold(match[0]) in titles for match in found[:number])
        if leads and "," not in text[found[number].end() : found[number + 1].start()]:
            return True
    if number == 0 or folded not in word_lists.load_credentials():
        return False
    has_comma = "," in text[found[number - 1].end() : found[number].start()]
    return folded not in CREDENTIALS_OR_NAMES or (word.isupper() and (has_comma or not text.isupper()))


# Misspellings


def find_misspellings(names: Mapping[str, int]) -> dict[str, str]:
    """Map each misspelt name to the right name, given the folded names of a patient with their counts.
    The names are ranked; a name that is not common and is one edit from a better name is a misspelling
    of it."""
    roots: dict[str, str] = {}
    right: dict[str, list[tuple[int, str]]] = defaultdict(list)  # by their shortened forms
    for place, name in enumerate(sorted(names, key=lambda name: rank_name(name, names[name]))):
        forms = shorten_name(name)
        similar = {each for form in forms for each in right.get(form, ())
                   if is_one_edit(name, each[1]) and not have_other_genders(name, each[1])}  # fmt: skip
        if similar and not word_lists.is_common_name(name):
            roots[name] = min(similar, key=lambda each: (len(each[1]), each[0]))[1]
            continue
        for form in forms:
            right[form].append((place, name))
    return roots


def have_other_genders(a: str, b: str) -> bool:
    """Whether one of two folded first names is a woman's and the other a man's.

    >>> have_other_genders("paula", "paul"), have_other_genders("jon", "john")
    (True, False)
    """
    return {word_lists.classify_name(name) for name in (a, b)} == {word_lists.FEMALE, word_lists.MALE}


def shorten_name(name: str) -> set[str]:
    """The name, and the name without each of its letters: two names that one edit parts have one of these in
    common, so that only such names need to be compared. A name that is too short or too long for a
    misspelling has none.

    >>> sorted(shorten_name("anna")), shorten_name("kim")
    (['ana', 'ann', 'anna', 'nna'], set())
    """
    return delete_letters(name, 1) if MIN_MISSPELT <= len(name) <= LONGEST_MISSPELT else set()


def rank_name(name: str, count: int) -> tuple[bool, bool, int, str]:
    """A sort key: common names first, then listed ones, frequent ones, and the alphabet."""
    return not word_lists.is_common_name(name), not word_lists.is_listed(name), -count, name


def is_one_edit(a: str, b: str) -> bool:
    """Whether the words differ by one letter (added, removed or changed) or by two letters that changed
    places.

    >>> is_one_edit("jenifer", "jennifer"), is_one_edit("simth", "smith"), is_one_edit("kim", "tim")
    (True, True, False)
    """
    if min(len(a), len(b)) < MIN_MISSPELT or a == b or a[0] != b[0]:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    if len(a) != len(b):
        longer, shorter = (a, b) if len(a) > len(b) else (b, a)
        return longer[start + 1 :] == shorter[start:]
    swapped = a[:start] + a[start + 1 : start + 2] + a[start : start + 1] + a[start + 2 :]
    return a[start + 1 :] == b[start + 1 :] or swapped == b


def misspell(right: str, name: str, root: str, choices: KeyedChoices, number: int) -> str:
    """Edit the surrogate ``right`` in the same way that turns ``root`` into ``name``. Each ``number`` gives
    another edit."""
    at = 1 + choices.draw_number(len(right) - 1, "misspelt", name, number)
    if len(name) > len(root):
        return right[:at] + right[at] + right[at:]
    if len(name) < len(root):
        return right[:at] + right[at + 1 :]
    swappable = [i for i in range(1, len(right) - 1) if right[i] != right[i + 1]]
    if sorted(name) == sorted(root) and swappable:
        at = choices.choose(swappable, "swapped", name, number)
        return right[:at] + right[at + 1] + right[at] + right[at + 2 :]
    letters = VOWELS if right[at] in VOWELS else "bcdfghklmnprstvw"
    other = choices.choose([letter for letter in letters if letter != right[at]], "letter", name, number)
    return right[:at] + other + right[at + 1 :]
