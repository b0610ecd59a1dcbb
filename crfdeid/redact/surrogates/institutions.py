"""The surrogates of hospitals, organisations, departments, landmarks and streets.

The words that say what it is are kept, or replaced by words for the same kind ("Medical Center" becomes
"Hospital"), with another number of words where there are some, because the length and the kind of a
hospital's name single out one hospital of three. The words that say which one it is are replaced by names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import ClassVar

import regex

from crfdeid.lexicon import english, word_lists
from crfdeid.lexicon.letters import (
    WORD,
    capitalize_words,
    fold,
    match_case,
    split_possessive,
    word_set,
)
from crfdeid.lexicon.ordinary import load_clinical_words
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.identifiers import replace_characters
from crfdeid.redact.surrogates.keyed_choice import INSTITUTIONS, LETTERS, STREETS, KeyedChoices
from crfdeid.redact.surrogates.names import Names
from crfdeid.redact.surrogates.patient_facts import PatientFacts

# Words for kinds of institutions: one becomes another of its row, as often as the list of hospitals has it.
KINDS = (
    {"Hospital": 24, "Medical Center": 9, "Memorial Hospital": 3, "General Hospital": 2,
     "Community Hospital": 1, "Regional Medical Center": 1, "Regional Hospital": 0},
    {"Clinic": 20, "Medical Group": 1, "Family Practice": 1, "Medical Associates": 1, "Family Medicine": 1,
     "Health Center": 1},
    {"Nursing Home": 1, "Rehabilitation Center": 1, "Care Center": 1, "Nursing Center": 1, "Manor": 1,
     "Retirement Home": 1},
    {"Heart Institute": 1, "Cancer Center": 3, "Cancer Institute": 3, "Eye Institute": 1,
     "Surgery Center": 1},
    {"Health System": 1, "Healthcare": 1, "Health Care": 1, "Healthcare System": 1},
)  # fmt: skip
ACRONYMS = {
    "MC": "Medical Center", "GH": "General Hospital", "MH": "Memorial Hospital", "RH": "Regional Hospital",
    "CH": "Community Hospital", "H": "Hospital",
}  # fmt: skip
KIND_OF = {phrase.lower(): phrases for phrases in KINDS for phrase in phrases}
PATTERNS = (r"\s+".join(phrase.split()) for phrase in sorted(KIND_OF, key=len, reverse=True))
PHRASE = regex.compile(rf"\b(?:{'|'.join(PATTERNS)})\b", regex.IGNORECASE)

# After whom hospitals are called.
SAINT_NAMES = """Agnes Alexius Alphonsus Andrew Anne Anthony Augustine Barnabas Bartholomew Benedict Bernard
Bernadette Brendan Bridget Camillus Catherine Cecilia Charles Christopher Clare Claire Cloud David
Denis Dominic Edward Elizabeth Eugene Frances Francis Gabriel Genevieve George Gerard Gregory Helena
Henry Hilary Ignatius Isaac Isidore James Jerome John Joseph Jude Julian Katherine Kevin Lawrence
Leonard Louis Lucy Luke Margaret Mark Martha Martin Mary Matthew Maximilian Michael Monica Nicholas
Norbert Oliver Patrick Paul Peter Philip Raphael Raymond Rita Robert Rose Sebastian Simon Stephen
Sylvester Theresa Thomas Timothy Ursula Vincent Walter Xavier Zachary"""
SAINTS = {fold(name): name for name in SAINT_NAMES.split()}
FREQUENT, FEWEST = 0.01, 10  # per cent of people with a surname; names of an initial
MAX_TRIES = 100
TRIES_ALIKE = 5  # of names alike; where many are taken, all names are drawn from
VOWELS, ALL_LETTERS = "AEIOU", "".join(LETTERS)
NTH = regex.compile(r"\d+(?:st|nd|rd|th)\b|\d+", regex.IGNORECASE)
MOST_NAMES = 2  # surnames in the name of an institution
ROW_END = regex.compile(r"[,;/()\n]")
NAMED_KINDS = (kinds.HOSPITAL, kinds.ORGANIZATION, kinds.STREET, kinds.DEPARTMENT, kinds.PLACE)
ACRONYM_TAIL = regex.compile(r"(?<=.)(?:MC|GH|MH|RH|CH|VA|H|C)$")

# Words for kinds of places and institutions that the shipped lists lack.
NUMBER_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
DIRECTIONS = word_set("n s e w ne nw se sw north south east west northeast northwest southeast southwest")
UNITS = word_set(
    "apt apartment flat unit suite ste floor fl box po p o room rm building bldg no pob post office rr"
)
SMALL_WORDS = word_set("of the and at for in on de la del los las el y a an to")
COMPANIES = word_set(
    """university college school high elementary middle academy institute airlines airways insurance software
    company co corp corporation inc llc ltd bank group systems system services industries motors foods energy
    brothers sons partners associates laboratories labs electric union church police fire community regional
    specialty public construction club council office department agency store stores market restaurant hotel
    shop works press urgent care primary funeral nursery preschool kindergarten haulage trucking transport
    logistics blood shelter home homes ortho"""
)
LANDMARKS = word_set(
    """park river beach island lake mount mountain mountains mall bridge valley creek airport station church
    cemetery hall county bay harbor point forest canyon falls hill hills stadium museum plaza center square
    pond trail zoo library prison jail shelter farm ranch camp village"""
)
DENOMINATIONS = word_set(
    "adventist baptist deaconess mercy good samaritan lutheran methodist presbyterian sacred sisters"
)  # they say what it is and also which one, so they are replaced
FAITHS = """Adventist Baptist Bethesda Calvary Deaconess Emmanuel Faith Grace Hope Immanuel Jewish Lutheran
Mercy Methodist Nazareth Presbyterian Providence Redeemer Samaritan Trinity Unity Visitation Wesley Zion"""
WARDS = word_set(
    "floor unit ward wing building tower pavilion suite room clinic service dept department team firm bed"
)


class Institutions:
    """The surrogates of one patient's institutions. ``assigned`` holds the earlier surrogates of places and
    numbers; new ones are added to it."""

    is_english: ClassVar[bool] = True  # names fit the articles, and are as frequent as the real ones

    def __init__(
        self, choices: KeyedChoices, facts: PatientFacts, names: Names, assigned: dict[str, str]
    ) -> None:
        self.choices, self.names, self.assigned = choices, names, assigned
        self.articles = facts.list_articles() if self.is_english else {}
        places = sorted(facts.list_texts(kinds.CITY, *NAMED_KINDS)) if facts.complete else ()
        parts = {fold(split_possessive(word)[0]) for text in places for word in WORD.findall(text)}
        self.real = {*map(fold, places), *parts, *(facts.names if facts.complete else ())}
        self.taken = {fold(surrogate): key for key, surrogate in assigned.items()}
        plain = parts - word_lists.load_words("hospital_words") - SMALL_WORDS if facts.complete else ()
        for word in sorted(plain):  # in this order, whatever the order of the notes
            if len(word) > 1:
                self.assign(f"place {word}", self._choose_name(word, INSTITUTIONS))

    def assign(self, key: str, surrogate: str) -> None:
        """Reserve a surrogate for ``key``, so that no other key gets it."""
        self.assigned[key] = surrogate
        self.taken[fold(surrogate)] = key

    def fits_article(self, word: str, made: str) -> bool:
        """Whether a surrogate of a (folded) word fits the article before the word in the notes."""
        is_an = self.articles.get(word)
        return is_an is None or english.takes_an(made) == is_an

    def draw_fitting(self, word: str, items: Sequence[str], *key: object) -> str:
        """Choose an item; where it does not fit the article before a (folded) word, one of those that do."""
        drawn = self.choices.choose(items, *key)
        if self.fits_article(word, drawn):
            return drawn
        return self.choices.choose([item for item in items if self.fits_article(word, item)] or items, *key)

    def replace_institution(self, text: str) -> str | None:
        """Replace the name of a hospital or organisation, and the words for its kind by others."""
        changes = PHRASE.fullmatch(text) is not None

        def replace(match: regex.Match[str]) -> str:
            first = "" if match.start() else fold(match[0].split()[0])
            return replace_kind(match[0], self.choices, changes, partial(self.fits_article, first))

        if changes:
            return PHRASE.sub(replace, text)
        institutions = word_lists.load_words("hospital_words") - DENOMINATIONS
        keep = institutions | SMALL_WORDS | COMPANIES | DIRECTIONS
        made = self._replace_proper(drop_names(text, keep), keep)
        return made and PHRASE.sub(replace, made)

    def replace_department(self, text: str) -> str | None:
        """Replace the name of a ward or building. One without a proper name becomes another specialty."""
        keep = WARDS | SMALL_WORDS | DIRECTIONS | (word_lists.load_words("hospital_words") - DENOMINATIONS)
        words = [word.lower() for word in WORD.findall(text)]
        is_named = any(c.isdecimal() for c in text) or any(word in WARDS for word in words)
        common = word_lists.load_lowercase("medical_words", "common_words")
        if is_named or not all(word in common for word in words if word not in keep):
            return self._replace_proper(text, keep)
        return self.replace_listed("specialty", text)

    def replace_place(self, text: str) -> str | None:
        """Replace the name of a landmark or region."""
        return self._replace_proper(text, SMALL_WORDS | UNITS | LANDMARKS | DIRECTIONS)

    def replace_job(self, text: str) -> str | None:
        return self.replace_listed("jobs", text)

    def replace_listed(self, name: str, text: str) -> str | None:
        """Replace ``text`` by another entry of a list, in the same capitals."""
        entries = word_lists.load_sorted(name)
        if not any(c.isalnum() for c in text):
            return None
        folded = fold(text)
        entry = self.choose_free(
            text,
            lambda n: self.choices.choose(entries, name, folded, n),
            f"{name} {folded}",
            lambda entry: english.takes_an(entry) == english.takes_an(text),
        )
        return match_case(entry, text) if text.isupper() or text.islower() else capitalize_words(entry, text)

    def _replace_proper(self, text: str, keep: frozenset[str], thing: str = INSTITUTIONS) -> str | None:
        """Replace each word that is not in ``keep`` by a name with the patient's initial for it, and
        each number by another. If that would change nothing, replace more words."""
        words = [word.lower() for word in WORD.findall(text)]
        has_digit = any(c.isdecimal() for c in text)
        if not words and not has_digit:
            return replace_characters(text, self.choices, "place") if any(c.isalnum() for c in text) else None
        if not has_digit and all(word in keep for word in words):
            keep = keep_fewer(text, words)

        def replace(match: regex.Match[str]) -> str:
            is_kept = match[0].lower() in keep or is_ordinal_ending(match)
            return match[0] if is_kept else self._replace_word(match[0], text, thing)

        out = WORD.sub(replace, text)
        return NTH.sub(lambda m: self._replace_number(m[0]), out)

    def _replace_word(self, word: str, text: str, thing: str) -> str:
        """Replace a proper word of ``text``. An acronym keeps letters for the kind of institution."""
        stem, ending = split_possessive(word)
        initials = self.names.initials
        if is_acronym(stem, text):
            tail = match[0] if len(stem) > 2 and (match := ACRONYM_TAIL.search(stem)) else ""
            head = initials.replace_letters(stem[: len(stem) - len(tail)], thing)
            return self._fit_letter(stem, head + replace_tail(tail, self.choices)) + ending
        if len(stem) == 1:
            return initials.replace_letter(stem, thing) + ending
        return match_case(self._choose_name(fold(stem), thing), stem) + ending

    def _fit_letter(self, acronym: str, made: str) -> str:
        """Give the surrogate of an acronym another first letter where it does not fit the article before."""
        word = fold(acronym)
        if self.fits_article(word, made):
            return made
        letters = [letter for letter in ALL_LETTERS if letter != acronym[0]]
        fitting = [letter for letter in letters if self.fits_article(word, letter + made[1:])]
        return self.choices.choose(fitting, "article", word) + made[1:] if fitting else made

    def _choose_initial(self, word: str, thing: str) -> str:
        """The initial of the name that replaces a (folded) word: another one where no name with it fits the
        article before the word."""
        initial = self.names.initials.choose_initial(word, thing)
        is_an = self.articles.get(word)
        if is_an is None or (initial in VOWELS) == is_an:
            return initial
        letters = [letter for letter in (VOWELS if is_an else LETTERS[0]) if letter != word[0].upper()]
        return self.choices.choose(letters, "article", word)

    def _choose_name(self, word: str, thing: str) -> str:
        """The name that replaces a (folded) word in the name of a place."""
        initial = self._choose_initial(word, thing)
        every = self._list_names(initial)
        alike = self._list_alike(word, initial) if thing == INSTITUTIONS else every
        key = f"{'street' if thing == STREETS else 'place'} {word}"

        def draw(number: int) -> str:
            return self.draw_fitting(word, alike if number < TRIES_ALIKE else every, "place", word, number)

        return self.choose_free(word, draw, key)

    def _list_alike(self, word: str, initial: str) -> Sequence[str]:
        """The names that institutions may get in place of a (folded) word: saints, words of religion, towns,
        equally frequent surnames; small towns if the word is not a surname."""
        if not self.is_english:
            return self._list_names(initial)
        if word in SAINTS:
            return [saint for saint in SAINTS.values() if saint[0] == initial] or [*SAINTS.values()]
        if word in word_lists.locate_towns("city_states"):
            return group_plain_towns().get(initial) or self._list_names(initial)
        if word in DENOMINATIONS and (found := [name for name in FAITHS.split() if name[0] == initial]):
            return found
        return list_as_frequent(initial, find_band(word))

    def _list_names(self, initial: str) -> Sequence[str]:
        """The names that places may get, with this initial."""
        return word_lists.load_pool(word_lists.SURNAME).get(initial, ())

    def _replace_number(self, number: str) -> str:
        """Replace a number, or an ordinal with the ending that its new number needs."""
        digits = number.rstrip("stndrhSTNDRH")
        new = replace_characters(
            digits,
            self.choices,
            "number",
            is_refused=lambda made: not (made.strip("0") and self.fits_article(digits, made)),
        )
        if not self.fits_article(digits, new):  # of one digit, only eight has "an" before it
            new = self.choices.choose(["11", "18"], "number", digits)
        if digits == number:
            return new
        ending = "th" if new[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(new[-1], "th")
        return new + (ending.upper() if number[-1].isupper() else ending)

    def replace_street(self, text: str) -> str | None:
        """Replace house number, name and unit; keep the kind of street and directions."""
        if not any(c.isalnum() for c in text):
            return None
        kept, out, at = find_kept_words(text), [], 0
        for match in WORD.finditer(text):
            out += [
                text[at : match.start()],
                match[0] if match.start() in kept else self._replace_road(match[0]),
            ]
            at = match.end()
        return NTH.sub(lambda m: self._replace_number(m[0]), "".join([*out, text[at:]]))

    def _replace_road(self, word: str) -> str:
        if word.lower() in NUMBER_WORDS:
            others = [other for other in NUMBER_WORDS if other != word.lower()]
            return match_case(self.choices.choose(others, "road", word.lower()).capitalize(), word)
        return self._replace_word(word, word, STREETS)

    def choose_free(
        self, text: str, make: Callable[[int], str], key: str, fits: Callable[[str], bool] = bool
    ) -> str:
        """The surrogate that ``key`` has, otherwise the first candidate that ``fits`` and is not ``text``, no
        real place or name of the patient, and not another key's surrogate. If all candidates are taken, an
        invented name."""
        if key in self.assigned:
            return self.assigned[key]
        for candidate in filter(fits, map(make, range(MAX_TRIES))):
            folded = fold(candidate)
            if folded != fold(text) and folded not in self.real and self.taken.get(folded, key) == key:
                return candidate
        return WORD.sub(lambda match: self.names.initials.invent_name(fold(match[0])).capitalize(), text)


@cache
def group_plain_towns() -> Mapping[str, Sequence[str]]:
    """The listed towns of one word, by initial."""
    towns = (town for town, _ in word_lists.load_pairs("city_states"))
    return word_lists.group_by_initial(sorted({town for town in towns if town.isascii() and town.isalpha()}))


@cache
def group_small_towns() -> Mapping[str, Sequence[str]]:
    """The towns of one word of the long list, by initial."""
    towns = word_lists.load_sorted("us_cities")
    return word_lists.group_by_initial([town for town in towns if town.isascii() and town.isalpha()])


def find_band(word: str) -> int:
    """How many people have a (folded) word as a surname: none of the census (0), few (1), or many (2)."""
    share = word_lists.load_shares(word_lists.SURNAME).get(word, 0.0)
    return (share > 0) + (share >= FREQUENT)


@cache
def list_as_frequent(initial: str, band: int) -> Sequence[str]:
    """The surnames with an initial in a band of :func:`find_band`, without large towns; small towns for the
    band 0, because the other words in names of hospitals are mostly of places. All surnames with the initial,
    where these are few."""
    surnames = word_lists.load_pool(word_lists.SURNAME).get(initial, ())
    names = surnames if band else group_small_towns().get(initial, ())
    towns = word_lists.locate_towns("city_states")
    found = [name for name in names if find_band(fold(name)) == band and fold(name) not in towns]
    return found if len(found) >= FEWEST else surnames


def drop_names(text: str, keep: Collection[str]) -> str:
    """Return the name of an institution without the names after the second one in a row of words, because
    three surnames are not a hospital. A comma or slash begins another row.

    >>> drop_names("Beth Israel Deaconess Medical Center", {"medical", "center"})
    'Beth Israel Medical Center'
    """
    kept, row, at = [], 0, 0
    for match in WORD.finditer(text):
        row = 0 if ROW_END.search(text, at, match.start()) else row
        is_name = match[0].lower() not in keep and not is_acronym(match[0], text) and len(match[0]) > 1
        row += is_name
        if not is_name or row <= MOST_NAMES:
            kept.append(text[at : match.end()])
        at = match.end()
    return "".join([*kept, text[at:]])


def keep_fewer(text: str, words: Collection[str]) -> frozenset[str]:
    """The words that are kept of a name that has only words to keep: those for its kind, or small words, or
    none, so that another word changes.

    >>> sorted(keep_fewer("Hospital", ["hospital"]) ^ SMALL_WORDS)
    []
    >>> sorted(keep_fewer("Children's Hospital", ["children's", "hospital"]) - SMALL_WORDS)
    ['hospital']
    """
    kind = {word.lower() for match in PHRASE.finditer(text) for word in WORD.findall(match[0])}
    choices = (SMALL_WORDS | kind, SMALL_WORDS)
    return next((keep for keep in choices if not all(word in keep for word in words)), frozenset())


def is_identifying(word: str) -> bool:
    """Whether a (folded) word of the name of an institution identifies the institution: it does not say
    what or where it is, and has no other use in clinical reports.

    >>> [is_identifying(word) for word in ("kestrel", "general", "american", "northwest", "cancer")]
    [True, False, False, False, False]
    """
    others = (
        *(DIRECTIONS, COMPANIES, LANDMARKS, DENOMINATIONS, word_lists.load_words("hospital_words")),
        word_lists.load_lowercase("medical_words", "nationalities", "us_states", "dates", "titles"),
        load_clinical_words(),
    )
    return not any(word in words for words in others)


def is_acronym(word: str, text: str) -> bool:
    """Whether a word of the name of an institution is an acronym. Where all is in capitals, a known word is
    none, nor is one of four letters or more with a vowel.

    >>> is_acronym("MGH", "MGH"), is_acronym("TEXAS", "TEXAS CLINIC"), is_acronym("BIDMC", "the BIDMC clinic")
    (True, False, True)
    """
    if not word.isupper() or not 1 < len(word) <= 5 or word_lists.is_listed(fold(word)):
        return False
    if not text.isupper() or len([*islice(WORD.finditer(text), 2)]) == 1:
        return True
    is_word = word.lower() in word_lists.load_lowercase("common_words", "us_cities", "us_states")
    return not (is_word or (len(word) > 3 and any(vowel in word for vowel in "AEIOU")))


def find_kept_words(text: str) -> set[int]:
    """The offsets of the words of a street that are kept: the kind of street, directions and units. If there
    are no other words ("45 Park Place"), all but the last name the street and are replaced."""
    found = list(WORD.finditer(text))
    street_words = word_lists.load_lowercase("street_words")
    keep = street_words | DIRECTIONS | UNITS | SMALL_WORDS
    kept = {match.start() for match in found if match[0].lower() in keep or is_ordinal_ending(match)}
    roads = [match for match in found if match[0].lower() in street_words - UNITS]
    if len(kept) < len(found) or any(map(is_ordinal_ending, found)) or not roads:
        return kept
    naming = [match for match in found if match[0].lower() not in UNITS | SMALL_WORDS]
    kind = roads[-1].start()
    if len(naming) == 1 and not any(c.isdecimal() for c in text[roads[-1].end() :]):
        kind = len(text)  # "12 Park", but not "Route 9"
    return {start for start in kept if start >= kind or start not in {match.start() for match in naming}}


def is_ordinal_ending(match: regex.Match[str]) -> bool:
    """Whether the letters are the ending of an ordinal (the th of 5th)."""
    return (
        match.start() > 0
        and match.string[match.start() - 1].isdecimal()
        and match[0].lower() in ("st", "nd", "rd", "th")
    )


def replace_kind(
    phrase: str, choices: KeyedChoices, changes: bool = False, fits: Callable[[str], bool] = bool
) -> str:
    """Return words for the kind of institution, in the capitals of ``phrase``: they are drawn as often as
    real ones have them, whatever the phrase is, so that they say nothing of it. They are other words where
    the phrase ``changes``. Where there are others that ``fits`` is true of, it is one of them.

    >>> made = replace_kind("MEDICAL CENTER", KeyedChoices(b"secret", "7"), changes=True)
    >>> made.isupper(), made != "MEDICAL CENTER"
    (True, True)
    """
    low = " ".join(phrase.lower().split())
    pool = [kind.lower() for kind, share in KIND_OF[low].items() for _ in range(share)]
    others = [kind for kind in pool if not (changes and kind == low)]
    fitting = [kind for kind in others if fits(kind)] or others
    made = choices.choose(fitting, "kind of institution", low).title()
    return made.upper() if phrase.isupper() else made.lower() if phrase.islower() else made


def replace_tail(tail: str, choices: KeyedChoices) -> str:
    """Return the last letters of an acronym for the kind that replaces theirs: MC becomes H.

    >>> replace_tail("VA", KeyedChoices(b"secret", "7"))
    'VA'
    """
    if tail not in ACRONYMS:
        return tail
    return "".join(word[0] for word in replace_kind(ACRONYMS[tail], choices).split())
