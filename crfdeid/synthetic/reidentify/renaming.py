"""Names made of other words: of words that also occur outside PHI, or of letters in an order
that is in no list (Sibanda & Uzuner 2006, sections 6.2 and 6.3), or of syllables in another order (Tafvizi
2011, sections 5.1.1 and 5.2.1)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from functools import cache
from random import Random

from crfdeid import files
from crfdeid.errors import DocumentError
from crfdeid.text import gazetteer

WORD = re.compile(r"[^\W\d_]{2,}")
NAMES = frozenset({"PATIENT", "DOCTOR"})
PLACES = frozenset(
    {"HOSPITAL", "ORGANIZATION", "STREET", "CITY", "STATE", "COUNTRY", "DEPARTMENT", "LOCATION-OTHER",
     "LOCATION"}
)  # fmt: skip
SUFFIXES = frozenset({"jr", "sr", "ii", "iii", "iv"})
# Words for the kind or position of a place in its name, besides those of the lists.
PARTS = frozenset(
    {"the", "of", "and", "our", "at", "for", "in", "on", "po", "box", "north", "south", "east", "west", "new",
     "apt", "unit", "suite", "floor", "first", "second", "third", "ninth", "st", "nd", "rd", "th"}
)  # fmt: skip
COMMON = 150  # most frequent words that are not used as names (this, that); at most one in twenty
SHORT_FORMS = ("initials", "acronym", "abbr")  # forms without a word to rename
# No system looks words up in these lists: a word that is only here counts as unlisted.
FOR_SURROGATES = frozenset(
    {"female_names", "male_names", "common_surnames", "nicknames", "jobs", "specialty", "state_names"}
)
LISTS = ("surnames", "first_names", "us_cities", "world_cities")


class Renaming:
    """Replaces each word of a name by another, the same throughout a document; ``draw`` returns one
    for the (lowercased) word. Words of :func:`words_to_keep` and single letters stay."""

    def __init__(self, draw: Callable[[str], str]) -> None:
        self.draw = draw
        self.made: dict[str, str] = {}
        self.used: set[str] = set()

    def __call__(self, text: str, type: str) -> str:
        stay = words_to_keep(type) | self.used
        return WORD.sub(lambda match: self.replace(match[0], stay), text)

    def replace(self, word: str, stay: Set[str]) -> str:
        """Return the word that replaces ``word``, in its capitals."""
        low = word.lower()
        if low in stay:
            return word
        if low not in self.made:
            self.made[low] = self.draw(low)
            self.used.add(self.made[low])
        return match_case(self.made[low], word)


def match_case(word: str, like: str) -> str:
    """Write a word in the capitals of another.

    >>> match_case("swan", "RUIZ"), match_case("swan", "Ruiz"), match_case("swan", "ruiz")
    ('SWAN', 'Swan', 'swan')
    """
    return word.upper() if like.isupper() else word.capitalize() if like[0].isupper() else word


@cache
def words_to_keep(type: str) -> frozenset[str]:
    """The lowercased words that a name of the type keeps: the kind of place, Jr."""
    if type in NAMES:
        return SUFFIXES
    lists = (
        gazetteer.read_entries(gazetteer.find_gazetteer(name))
        for name in ("hospital_words", "street_words", "titles")
    )
    return PARTS | {word for entries in lists for entry in entries for word in split_words(entry)}


def is_renamable(text: str, type: str, form: str | None = None) -> bool:
    """Whether a name has words to rename: initials, acronyms and postal abbreviations have none."""
    short = form in SHORT_FORMS or (type == "STATE" and len(text) == 2)
    return type in NAMES | PLACES and not short


@cache
def read_dictionary() -> frozenset[str]:
    """Read every lowercased word of the shipped lists, except the lists that only surrogates come from."""
    folder = files.find_folder("gazetteers")
    paths = [path for path in sorted(folder.glob("*.txt")) if path.stem not in FOR_SURROGATES]
    return frozenset(
        word for path in paths for entry in gazetteer.read_entries(path) for word in split_words(entry)
    )


def split_words(text: str) -> list[str]:
    """Return the lowercased words of two letters or more.

    >>> split_words("A Foley's 3mm tip")
    ['foley', 'mm', 'tip']
    """
    return [word.lower() for word in WORD.findall(text)]


def keep_names(rng: Random) -> Renaming | None:
    """Leave names as they are."""
    return None


def build_ambiguous(texts: Iterable[str]) -> Callable[[Random], Renaming]:
    """Return a function that makes renamings with words of ``texts``, which hold no PHI: a third of the
    words are also in lists of names and towns (Sharp, Temple), a third also have a capital in the texts
    (Swan, Chest), a third are any words. Raises :class:`DocumentError` if the texts have no such words."""
    texts = list(texts)
    counts = Counter(word for text in texts for word in split_words(text))
    never = {word for word, _ in counts.most_common(min(COMMON, len(counts) // 20))} | words_to_keep(
        "HOSPITAL"
    )
    words = sorted(word for word in counts if 4 <= len(word) <= 11 and word not in never)
    if not words:
        raise DocumentError("the texts have no words to make names of")
    lists = (gazetteer.read_entries(gazetteer.find_gazetteer(name)) for name in LISTS)
    names = {word for entries in lists for entry in entries for word in split_words(entry)}
    capitals = {w.lower() for text in texts for w in WORD.findall(text) if w.istitle()}
    pools = [[word for word in words if word in chosen] or words for chosen in (names, capitals, counts)]
    return lambda rng: Renaming(lambda word: rng.choice(rng.choice(pools)))


def build_out_of_dictionary(texts: Iterable[str]) -> Callable[[Random], Renaming]:
    """Return a function that makes renamings with the letters of the names in another order, which is
    neither in a list nor in ``texts``."""
    known = read_dictionary() | {word for text in texts for word in split_words(text)}
    return lambda rng: Renaming(lambda word: shuffle_until_unlisted(word, rng, known))


def shuffle_until_unlisted(word: str, rng: Random, known: frozenset[str]) -> str:
    """Shuffle the letters of ``word`` until the result is not ``known``; after 20 attempts, and every 20
    further ones, another letter is added.

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


SYLLABLE = re.compile(r"[^aeiouy]*[aeiouy]+(?:[^aeiouy]+$|[^aeiouy](?=[^aeiouy]))?|.+", re.DOTALL)


def shuffle_syllables(word: str, rng: Random) -> str:
    """Return the word with its syllables in another order, where it has different ones.

    >>> split_syllables("lindqvist"), split_syllables("marchetti"), split_syllables("roe")
    (['lin', 'dqvist'], ['mar', 'chet', 'ti'], ['roe'])
    >>> shuffle_syllables("lindqvist", Random(1))
    'dqvistlin'
    """
    syllables = split_syllables(word)
    if len(set(syllables)) < 2:
        return word
    shuffled = syllables[:]
    while shuffled == syllables:
        rng.shuffle(shuffled)
    return "".join(shuffled)


def split_syllables(word: str) -> list[str]:
    """Split a lowercased word after its vowels; of several consonants the first ends the syllable."""
    return SYLLABLE.findall(word)


def build_syllables(texts: Iterable[str]) -> Callable[[Random], Renaming]:
    """Return a function that makes renamings with the syllables of each name in another order, the same
    throughout a document."""
    return lambda rng: Renaming(lambda word: shuffle_syllables(word, rng))


class FreshRenaming(Renaming):
    """Replaces each word at each place by another one of the same kind of list, with its syllables in another
    order: the names of one person differ from place to place."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        super().__init__(lambda word: shuffle_syllables(word, rng))

    def __call__(self, text: str, type: str) -> str:
        stay, words = words_to_keep(type), list_words("surnames" if type in NAMES else "us_cities")
        return WORD.sub(lambda match: self.replace_here(match[0], stay, words), text)

    def replace_here(self, word: str, stay: Set[str], words: Sequence[str]) -> str:
        """Return the word that replaces ``word`` at this place, in its capitals."""
        return word if word.lower() in stay else match_case(self.draw(self.rng.choice(words)), word)


@cache
def list_words(name: str) -> tuple[str, ...]:
    """Return the lowercased words of a list."""
    entries = gazetteer.read_entries(gazetteer.find_gazetteer(name))
    return tuple(dict.fromkeys(word for entry in entries for word in split_words(entry)))


def build_without_coreference(texts: Iterable[str]) -> Callable[[Random], Renaming]:
    """Return a function that makes renamings in which no two places need have one name."""
    return FreshRenaming
