"""Whether a word is a word of a language or of medicine, a name, or a place.

Douglass 2005 (table 5.1) parts names and places into *unambiguous* ones and *ambiguous*
ones, which are also common English or medical words. Here the parting is computed from the
shipped gazetteers when they are loaded, so that a changed list needs no other change.

The rules ask :class:`Lists` about the words of a note, lowercased. Redaction asks the functions below about
folded words, and how many people have a word as their name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import (
    SHORTEST,
    WORD,
    find_close_name,
    fold,
    remember_words,
    split_possessive,
    word_set,
)
from crfdeid.lexicon.names import TITLES
from crfdeid.text import gazetteer
from crfdeid.text.gazetteer import Gazetteer

# The lists whose words are ordinary: for rules, for redaction, and for what is left in a redacted note.
ORDINARY = ("common_words", "medical_words")
OF_NOTES = (*ORDINARY, "dates", "nationalities", "street_words")
OF_LANGUAGE = (*ORDINARY, "eponyms", "hospital_words")
OF_FORMS = (*OF_LANGUAGE, "dates", "titles", "street_words", "us_states")
PLACES = ("us_cities", "world_cities", "countries")
LISTS = (
    "popular_first_names", "first_names", "popular_surnames", "surnames", "common_words", "medical_words",
    "eponyms", "dates",
    "us_cities", "world_cities", "us_states", "state_abbreviations", "countries", "hospitals",
    "organizations", "street_words", "nationalities", "professions",
)  # fmt: skip

# Popular, but far more often words of a note (Douglass 2005, table 5.1, takes out Eve, Mae,
# May, Will, Ed and Ray; the others are ours).
NOT_POPULAR = frozenset("eve mae may will ed ray mark rose grace dawn robin art".split())  # noqa: SIM905
# In the lists of names, but brands, scales and studies in a note.
NOT_NAMES = frozenset(["armour", "yasmin", "vanderbilt", "humphrey", "edinburgh", "framingham", "doppler"])

LEAST_SHARE = 0.01  # per cent of people, of a word that people also bear as a name
FREQUENT_SHARE = 0.02  # of one that is rather a name than a word
EPONYM_SHARE = 0.5  # of an eponym that is rather a name
# Words after a word in small letters that show that it is the word and not a name.
WORD_AFTER = re.compile(
    r"\s+(?:be|been|have|need|not|also|continue|follow|return|require|likely|start|take|see|get|come|go|call|do|then|hold"
    r"|consider|discuss|check|obtain|plan|proceed|undergo|receive|benefit|give|stop|use|make|try|repeat|monitor|keep|add"
    r"|remain|resume|send|schedule|arrange|increase|decrease|man|men|woman|women|lady|male|female|adult|adults|child"
    r"|children|boy|girl|people|person|to|of|or)\b",
    re.IGNORECASE,
)

# Words before a small word that show that it is a name.
PERSON_BEFORE = re.compile(
    rf"\b(?:{'|'.join(TITLES)}|name|named|called|with|told|asked|saw|met|from|son|daughter|wife|husband|brother|sister"
    r"|mother|father|dear|hi|hello)[.:,]?\s+$",
    re.IGNORECASE,
)

# For strict lists, a listed name is a common word if it is written small at least seven times as often as
# with a capital (en_words has the logarithm), and another word if at least three times as often. So 6 of the
# 100 most common surnames are common words; in Webster's Second 50 are.
SMALL = -2
ALWAYS_CAPITAL = 2  # a word that is written small at most as often as a slip
CAPITALS = "en_words"

MIN_LETTERS = 4  # of a word of no list that is not a name
ENDINGS = ("s", "es", "al", "d", "ies")
WORD_ENDING = re.compile(
    r"(?:..(?:ly|ed|ing)|ions?|ities|ity|ments?|ness|ous|able|itis|omy|oscopic|plasty|emia|graphy|ology|ologist|ectomies)$"
)
FORM_WORDS = word_set(
    """acct accession asst conf consultant coord encounter enc facsimile signature transcriptionist
    wristband caucasian fahrenheit celsius nevertheless noncontributory"""
)
THINGS = word_set(  # a name before one of these is an eponym or a brand
    """retractor retractors forceps clamp clamps bag tube tubes curette stem score scale criteria sign
    signs test tests type classification syndrome disease catheter catheters drain drains suture sutures
    needle wire wires stent valve device devices pacemaker lead leads phenomenon maneuver procedure
    operation technique position index formula rule grade cyst fracture palsy node nodes tumor sarcoma
    lymphoma scissors speculum pouch stain reflex triad law line screw screws rod plate prosthesis implant
    implants fascia splint silk awl elevator ligament blade dissector cannula incision"""
)
SEEN = word_set(  # a colour before one of these is not a name: White blood cell count, Brown sputum
    "blood cell cells count counts matter stool stools sputum urine discharge or"
)
MEASURES = word_set("high low long short sharp strong")  # not names before a word of medicine: High fever
COLOURS = word_set("white black brown green gray grey")
RACES_AND_RELIGIONS = word_set("white black christian")  # by themselves in the name of a code
TOOLS = THINGS | word_set("tongs ring rings pin pins trap traps probe probes antibiotic antibiotics")
SUFFIXES = ("s", "es", "ed", "d", "ing", "ly", "er", "al")
CACHE_SIZE = 200_000  # words whose answers are kept

BEHIND = re.compile(r"(?:['’]s?)?\s+([A-Za-z]+)")
TITLED = re.compile(rf"\b(?:{'|'.join(TITLES)})\.?\s*$", re.IGNORECASE)
LONG_OR_DATE = re.compile(r"[0-9]{6}|[0-9][/.-][0-9]+[/.-][0-9]")

Phrases = dict[str, frozenset[tuple[str, ...]]]  # by their first word


class Entries:
    """Entries of lists, to find in a text: ``single`` words, and ``longer`` phrases by their first and second
    word, the longest first.

    >>> entries = Entries([("york",), ("new", "york"), ("new", "york", "mills")])
    >>> entries.single, entries.longer
    (frozenset({'york'}), {'new': {'york': [('new', 'york', 'mills'), ('new', 'york')]}})
    """

    def __init__(self, phrases: Iterable[tuple[str, ...]]) -> None:
        ordered = sorted(phrases, key=len, reverse=True)
        self.single = frozenset(phrase[0] for phrase in ordered if len(phrase) == 1)
        self.longer: dict[str, dict[str, list[tuple[str, ...]]]] = {}
        for phrase in ordered:
            if len(phrase) > 1:
                self.longer.setdefault(phrase[0], {}).setdefault(phrase[1], []).append(phrase)
        self.first_words = self.single.union(self.longer)


def stems(word: str) -> Iterable[str]:
    """The words that a word may be inflected from.

    >>> sorted(stems("stopped")), sorted(stems("carries")), sorted(stems("used"))
    (['stop', 'stopp', 'stoppe'], ['carri', 'carrie', 'carry'], ['use'])
    >>> sorted(stems("baking")), sorted(stems("ring")), sorted(stems("boxes"))
    (['bak', 'bake'], [], ['box', 'boxe'])
    """
    for suffix in SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) > 2:
            stem = word[: -len(suffix)]
            yield stem
            if suffix in ("ed", "ing", "er"):
                yield from (stem[:-1],) if stem[-1] == stem[-2] else (stem + "e",) if suffix == "ing" else ()
            if suffix == "es" and stem[-1] == "i":
                yield stem[:-1] + "y"


@dataclass(frozen=True)
class Lists:
    """``gazetteers`` holds the lists of :data:`LISTS` by name. With ``capitals`` the lists are strict: an
    ordinary word is never PHI, whatever its context. They say how words are written
    (:func:`read_capitals`), and so what is ordinary."""

    gazetteers: Mapping[str, Gazetteer]
    capitals: Mapping[str, int] | None = None

    @property
    def strict(self) -> bool:
        return self.capitals is not None

    def make_strict(self, folder: Path | None = None) -> Lists:
        """Return the same lists, strict. The words come from a model's folder, if it has them."""
        return replace(
            self, capitals=read_capitals(gazetteer.find_gazetteer(CAPITALS, [folder] if folder else []))
        )

    @cached_property
    def ordinary_words(self) -> frozenset[str]:
        """Common and medical words, words of dates and streets, and nationalities. If the lists are strict,
        of the first two those written small, and no part of a longer entry."""
        if self.capitals is None:
            return self.words(*OF_NOTES)
        names = self.words("first_names", "popular_first_names", "surnames", "popular_surnames")
        common = {w for w, ratio in self.capitals.items() if ratio <= (SMALL if w in names else SMALL + 1)}
        medical = {word for word in self.medical_words if self.capitals.get(word, SMALL) <= SMALL}
        forms = (self.gazetteers[name].single for name in ("dates", "nationalities", "street_words"))
        return frozenset().union(common, medical, *forms)

    @cached_property
    def is_ordinary(self) -> Callable[[str], bool]:
        """Whether a lowercased word, or a word that it is inflected from, is ordinary."""
        known, whole = self.ordinary_words, self.capitals or {}
        return remember_words(CACHE_SIZE)(
            lambda word: word in known or (word not in whole and any(stem in known for stem in stems(word)))
        )

    @cached_property
    def is_misspelling(self) -> Callable[[str], bool]:
        """Whether a lowercased word is in no list and is a popular name except for a slip or two."""
        known = self.names | self.eponyms | self.place_words
        return remember_words(CACHE_SIZE)(
            lambda word: (
                len(word) >= SHORTEST
                and word not in known
                and word.isalpha()
                and not self.is_ordinary(word)
                and find_close_name(word, self.popular_names) is not None
            )
        )

    @cached_property
    def medical_words(self) -> frozenset[str]:
        return self.words("medical_words")

    @cached_property
    def eponyms(self) -> frozenset[str]:
        return self.words("eponyms")

    @cached_property
    def first_names(self) -> frozenset[str]:
        return self.drop_ordinary(self.words("first_names", "popular_first_names"))

    @cached_property
    def surnames(self) -> frozenset[str]:
        return self.drop_ordinary(self.words("surnames"))

    @cached_property
    def names(self) -> frozenset[str]:
        return self.first_names | self.surnames

    @cached_property
    def popular_names(self) -> frozenset[str]:
        return self.drop_ordinary(self.words("popular_first_names") - NOT_POPULAR)

    @cached_property
    def popular_surnames(self) -> frozenset[str]:
        return self.drop_ordinary(self.words("popular_surnames"))

    @cached_property
    def is_clear(self) -> Callable[[str], bool]:
        """Whether a name is nothing else in a note: no word, eponym or place."""
        never = NOT_NAMES | self.eponyms | self.place_words
        return remember_words(CACHE_SIZE)(
            lambda name: len(name) > 2 and name not in never and not self.is_ordinary(name)
        )

    def is_clear_first_name(self, word: str) -> bool:
        """Whether a lowercased word is a first name and nothing else."""
        return word in self.first_names and self.is_clear(word)

    def is_clear_surname(self, word: str) -> bool:
        """Whether a lowercased word is a surname and nothing else."""
        return word in self.surnames and self.is_clear(word)

    @cached_property
    def place_words(self) -> frozenset[str]:
        """Towns, states and countries whose name is one word."""
        lists = "us_cities", "world_cities", "us_states", "countries"
        return frozenset().union(*(self.gazetteers[name].single for name in lists))

    @cached_property
    def cities(self) -> Phrases:
        return self.phrases("us_cities", "world_cities")

    @cached_property
    def clear_cities(self) -> Entries:
        """Unambiguous towns: names of several words, or of one word that is not ordinary, an eponym or
        a name."""
        never = self.names | self.eponyms
        towns = (phrase for group in self.cities.values() for phrase in group)
        return Entries(p for p in towns if len(p) > 1 or not (p[0] in never or self.is_ordinary(p[0])))

    @cached_property
    def states(self) -> Entries:
        return self.entries("us_states")

    @cached_property
    def countries(self) -> Entries:
        """Countries whose first word is not a first name."""
        countries = self.phrases("countries").items()
        return Entries(p for first, group in countries if first not in self.first_names for p in group)

    @cached_property
    def state_abbreviations(self) -> frozenset[str]:
        return self.words("state_abbreviations")

    @cached_property
    def hospitals(self) -> Entries:
        return self.entries("hospitals")

    @cached_property
    def organizations(self) -> Entries:
        return self.entries("organizations")

    @cached_property
    def professions(self) -> Entries:
        return self.entries("professions")

    def words(self, *names: str) -> frozenset[str]:
        """The words of the lists of these names."""
        return frozenset().union(*(self.gazetteers[name].words for name in names))

    def drop_ordinary(self, names: frozenset[str]) -> frozenset[str]:
        """Drop the ordinary words among names if the lists are strict."""
        return frozenset(n for n in names if not self.is_ordinary(n)) if self.strict else names

    def phrases(self, *names: str) -> Phrases:
        """The entries of the lists of these names by their first word, without their punctuation."""
        found: dict[str, set[tuple[str, ...]]] = {}
        for name in names:
            for entry in self.gazetteers[name].entries:
                if words := tuple(part for part in entry if part.isalnum()):
                    found.setdefault(words[0], set()).add(words)
        return {first: frozenset(group) for first, group in found.items()}

    def entries(self, *names: str) -> Entries:
        """The entries of the lists of these names, without their punctuation."""
        return Entries(phrase for group in self.phrases(*names).values() for phrase in group)


def read_capitals(path: Path) -> dict[str, int]:
    """Return how words are written, from the list ``en_words``: the logarithm of how much more frequent the
    word is with a capital, by lowercased word."""
    rows = (entry.split("|") for entry in gazetteer.read_entries(path))
    return {word.lower(): int(ratio) for word, _, _, ratio, _ in rows}


@cache
def load_shipped() -> Lists:
    """Load the lists that come with the package."""
    return Lists({name: gazetteer.read_gazetteer(gazetteer.find_gazetteer(name)) for name in LISTS})


def is_ordinary(folded: str) -> bool:
    """Whether a word of a language or of medicine is written like this."""
    return folded in word_lists.load_lowercase(*OF_LANGUAGE)


def is_frequent_name(folded: str) -> bool:
    """Whether many people have this name, and clinical reports do not use the word.

    >>> [is_frequent_name(word) for word in ("kelly", "patel", "young", "lung")]
    [True, True, False, False]
    """
    return find_share(folded) >= FREQUENT_SHARE and folded not in load_clinical_words()


@cache
def load_capitals() -> dict[str, int]:
    """How words are written (:func:`read_capitals`), from the shipped list."""
    return read_capitals(gazetteer.find_gazetteer(CAPITALS))


def is_always_capital(folded: str) -> bool:
    """Whether a word that dictionaries have is in fact only written as a name, and reports do not use it.

    >>> [is_always_capital(word) for word in ("mary", "smith", "rose", "foley", "mark")]
    [True, True, False, False, False]
    """
    least = EPONYM_SHARE if folded in word_lists.load_lowercase("eponyms") else LEAST_SHARE
    is_name = load_capitals().get(folded, 0) >= ALWAYS_CAPITAL and find_share(folded) >= least
    return is_name and folded not in load_clinical_words()


def is_seldom_small(folded: str) -> bool:
    """Whether a word is written with a capital at least as often as small, and reports do not use it.

    >>> [is_seldom_small(word) for word in ("rose", "jack", "mark", "will", "frank")]
    [True, True, False, False, False]
    """
    return load_capitals().get(folded, 0) >= 0 and folded not in load_clinical_words()


@cache
def load_clinical_words() -> frozenset[str]:
    """The words that several clinical reports have, from the list of their clusters."""
    return frozenset(entry.partition("|")[0] for entry in word_lists.load_lowercase("clusters"))


def find_share(folded: str) -> float:
    """The per cent of people with this name, as a first name or surname."""
    kinds = (word_lists.SURNAME, word_lists.FEMALE, word_lists.MALE)
    return max(word_lists.load_shares(kind).get(folded, 0.0) for kind in kinds)


def is_rare_word(folded: str) -> bool:
    """Whether a word of a language is not a name that people bear.

    >>> [is_rare_word(word) for word in ("lung", "young", "wrzeszczynski")]
    [True, False, False]
    """
    return is_ordinary(folded) and find_share(folded) < LEAST_SHARE


def is_listed_name(folded: str) -> bool:
    """Whether a word is in a list of names of people, towns or countries."""
    return word_lists.is_listed(folded) or folded in word_lists.load_lowercase(*PLACES)


def is_unknown_word(folded: str) -> bool:
    """Whether a word is in no list of words, nor an inflection of such a word.

    >>> [is_unknown_word(word) for word in ("quevixo", "prepped", "craniotomy", "therefore", "lund")]
    [True, False, False, False, True]
    """
    is_name = is_listed_name(folded)
    if len(folded) < MIN_LETTERS - is_name or is_known_word(folded):
        return False
    if folded in load_clinical_words() and find_share(folded) < LEAST_SHARE:
        return False
    stems = (folded[: -len(ending)] for ending in ENDINGS if folded.endswith(ending))
    is_inflected = any(is_known_word(stem + more) for stem in stems for more in ("", "e", "y"))
    return is_name or not (is_inflected or WORD_ENDING.search(folded))


def is_known_word(folded: str) -> bool:
    """Whether a word is ordinary or one of a form: of its dates, titles, streets, states or fields."""
    return folded in FORM_WORDS or folded in word_lists.load_lowercase(*OF_FORMS)


def is_display(text: str) -> bool:
    """Whether the name of a code has words of lists only, or of no list of names, and not only names.

    >>> [is_display(text) for text in ("Bell's palsy", "White", "Heart rate")]
    [True, True, True]
    >>> [is_display(text) for text in ("Okafor palsy", "Dr. Bell", "Smith", "seen 4/2/2061")]
    [False, False, False, False]
    """
    words = [fold(split_possessive(word)[0]) for word in WORD.findall(text)]
    if not words or LONG_OR_DATE.search(text) or any(word in TITLES for word in words):
        return False
    is_name = all(find_share(word) >= LEAST_SHARE for word in words) and len(words) < MIN_LETTERS
    return all(map(is_plain_word, words)) and (not is_name or words[0] in RACES_AND_RELIGIONS)


def is_before_thing(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` is an eponym, a colour or a measure by what is behind it, and not a name.

    >>> is_before_thing("White blood cells", 0, 5), is_before_thing("White called", 0, 5)
    (True, False)
    >>> is_before_thing("High fever", 0, 4), is_before_thing("Ms. High, fever", 4, 8)
    (True, False)
    >>> is_before_thing("Graves’ disease", 0, 6), is_before_thing("Dr. Bell's palsy clinic", 4, 8)
    (True, False)
    """
    words, next = fold(text[start:end]), BEHIND.match(text, end)
    if next is None or TITLED.search(text, max(0, start - len("professor. ")), start):
        return False
    following = next[1].lower()
    is_eponym = words in word_lists.load_lowercase("eponyms") and following in THINGS
    is_measure = words in MEASURES and following in word_lists.load_lowercase("medical_words")
    return is_eponym or is_measure or (words in COLOURS and following in SEEN)


def is_plain_word(folded: str) -> bool:
    """Whether lists explain a folded word, or none has it as a name."""
    lists = ("drug_words", "abbreviations", "clinical_names", "nationalities")
    return is_ordinary(folded) or folded in word_lists.load_lowercase(*lists) or not is_listed_name(folded)
