"""Names made of other words: of words that the host uses as no PHI, or of letters in an order
that no list holds (Sibanda & Uzuner 2006, sections 6.2 and 6.3)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Set
from functools import cache
from random import Random

from crfdeid import resources
from crfdeid.errors import DocumentError
from crfdeid.text import gazetteer

WORD = re.compile(r"[^\W\d_]{2,}")
NAMES = frozenset({"PATIENT", "DOCTOR"})
PLACES = frozenset(
    {"HOSPITAL", "ORGANIZATION", "STREET", "CITY", "STATE", "COUNTRY", "DEPARTMENT", "LOCATION-OTHER",
     "LOCATION"}
)  # fmt: skip
SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
# Words of a place's name that say where or of what kind it is, besides those of the lists.
PARTS = frozenset(
    {"the", "of", "and", "our", "at", "for", "in", "on", "po", "box", "north", "south", "east", "west", "new",
     "apt", "unit", "suite", "floor", "first", "second", "third", "ninth", "st", "nd", "rd", "th"}
)  # fmt: skip
COMMON = 150  # so many of the most frequent words are no names (this, that), or one in twenty
SHORT_FORMS = ("initials", "acronym", "abbr")  # forms that hold no word to rename
# Lists that no system looks words up in: to be in one of these does not make a word a listed one.
FOR_SURROGATES = frozenset(
    {"female_names", "male_names", "common_surnames", "nicknames", "jobs", "specialty", "state_names"}
)
LISTS = ("surnames", "first_names", "us_cities", "world_cities")


class Renaming:
    """Another word for each word of a name, the same throughout a document; ``draw`` gives one
    for the (lowercased) word. Words of :func:`words_to_keep` and single letters stay."""

    def __init__(self, draw: Callable[[str], str]) -> None:
        self.draw = draw
        self.made: dict[str, str] = {}
        self.given: set[str] = set()

    def __call__(self, text: str, type: str) -> str:
        stay = words_to_keep(type) | self.given
        return WORD.sub(lambda match: self.word(match[0], stay), text)

    def word(self, word: str, stay: Set[str]) -> str:
        low = word.lower()
        if low in stay:
            return word
        if low not in self.made:
            self.made[low] = self.draw(low)
            self.given.add(self.made[low])
        return match_case(self.made[low], word)


def match_case(word: str, like: str) -> str:
    """
    >>> match_case("swan", "RUIZ"), match_case("swan", "Ruiz"), match_case("swan", "ruiz")
    ('SWAN', 'Swan', 'swan')
    """
    return word.upper() if like.isupper() else word.capitalize() if like[0].isupper() else word


@cache
def words_to_keep(type: str) -> frozenset[str]:
    """Lowercased words that a name of the type keeps: what kind of place it is, Jr."""
    if type in NAMES:
        return SUFFIXES
    lists = (
        gazetteer.read_entries(gazetteer.find_gazetteer(name))
        for name in ("hospital_words", "street_words", "titles")
    )
    return PARTS | {word for entries in lists for entry in entries for word in split_words(entry)}


def is_renamable(text: str, type: str, form: str | None = None) -> bool:
    """Whether a name has words to rename: initials, acronyms and postal codes of states have none."""
    short = form in SHORT_FORMS or (type == "STATE" and len(text) == 2)
    return type in NAMES | PLACES and not short


@cache
def read_dictionary() -> frozenset[str]:
    """Every lowercased word of the shipped lists, except those that only surrogates are drawn from."""
    folder = resources.find_folder("gazetteers")
    paths = [path for path in sorted(folder.glob("*.txt")) if path.stem not in FOR_SURROGATES]
    return frozenset(
        word for path in paths for entry in gazetteer.read_entries(path) for word in split_words(entry)
    )


def split_words(text: str) -> list[str]:
    """The lowercased words, of two letters or more.

    >>> split_words("A Foley's 3mm tip")
    ['foley', 'mm', 'tip']
    """
    return [word.lower() for word in WORD.findall(text)]


def keep_names(rng: Random) -> Renaming | None:
    """Names as they come."""
    return None


def build_ambiguous(texts: Iterable[str]) -> Callable[[Random], Renaming]:
    """A maker of renamings whose words are all in ``texts``, which are no PHI: a third of them
    words that lists of names and towns hold as well (Sharp, Temple), a third such as the texts
    write with a capital (Swan, Chest), a third any."""
    texts = list(texts)
    counts = Counter(word for text in texts for word in split_words(text))
    never = {word for word, _ in counts.most_common(min(COMMON, len(counts) // 20))} | words_to_keep(
        "HOSPITAL"
    )
    words = sorted(word for word in counts if 4 <= len(word) <= 11 and word not in never)
    if not words:
        raise DocumentError("the texts have no words that names could be made of")
    lists = (gazetteer.read_entries(gazetteer.find_gazetteer(name)) for name in LISTS)
    names = {word for entries in lists for entry in entries for word in split_words(entry)}
    capitals = {w.lower() for text in texts for w in WORD.findall(text) if w.istitle()}
    pools = [[word for word in words if word in chosen] or words for chosen in (names, capitals, counts)]
    return lambda rng: Renaming(lambda word: rng.choice(rng.choice(pools)))


def build_out_of_dictionary(texts: Iterable[str]) -> Callable[[Random], Renaming]:
    """A maker of renamings whose words are the letters of the names in another order, found
    neither in a list nor in ``texts``."""
    known = read_dictionary() | {word for text in texts for word in split_words(text)}
    return lambda rng: Renaming(lambda word: shuffle_until_unlisted(word, rng, known))


def shuffle_until_unlisted(word: str, rng: Random, known: frozenset[str]) -> str:
    """The letters of ``word`` in an order that is not ``known``; a short word takes on
    further letters until there is one.

    >>> shuffle_until_unlisted("ruiz", Random(1), frozenset())
    'zriu'
    """
    letters = list(word)
    for attempt in range(1, 10_000):
        rng.shuffle(letters)
        if (made := "".join(letters)) not in known and made != word:
            return made
        if attempt % 20 == 0:
            letters.append(rng.choice("aeiouklmnrst"))
    raise AssertionError("unreachable: the known words are finite")
