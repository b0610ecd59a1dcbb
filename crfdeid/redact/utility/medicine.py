"""Which words are words of medicine, and of what kind: by the lists that ship.

They are lists of English: diseases, drugs, findings and symptoms, the words of the MeSH headings,
abbreviations, eponyms. A word that people or places have as their name counts only as an eponym, where a
thing follows it (Foley catheter): elsewhere its replacement is what a release is for. Words of dates, titles,
streets and hospitals do not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import chain

import regex

from crfdeid import resources
from crfdeid.lexicon import ordinary, word_lists
from crfdeid.lexicon.letters import WORD, fold
from crfdeid.text.gazetteer import read_entries

MEDICAL = DISEASE, DRUG, FINDING, TERM, EPONYM = (
    "diseases", "drugs", "findings", "other words of medicine", "eponyms before a thing",
)  # fmt: skip
LISTS = {DRUG: ("drug",), DISEASE: ("disease",), FINDING: ("finding", "symptom")}  # of several words
WORDS = ("medical_words", "abbreviations", "drug_words")
EPONYMS = ("eponyms", "clinical_names")
NEVER = (
    "dates", "titles", "street_words", "hospital_words", "state_abbreviations", "us_states", "nationalities",
)  # fmt: skip
MIN_LETTERS = 3
# Minus the logarithm of the probability of a word in general English: "old", "over"; "history", "abandoned".
FREQUENT, USUAL = 7, 11
SIDES = frozenset(["left", "right"])
THING = regex.compile(rf"(?:['’]?s)?[ -](?:{'|'.join(sorted(ordinary.THINGS))})\b", regex.IGNORECASE)


def find_kind(word: str, text: str = "", end: int = 0) -> str | None:
    """Return the kind of a folded word, which ends at ``end`` in its text; None if it is not of medicine.

    >>> [find_kind(word) for word in ("lisinopril", "pneumonia", "fever", "resection", "table")]
    ['drugs', 'diseases', 'findings', 'other words of medicine', None]
    >>> find_kind("foley"), find_kind("foley", "the Foley catheter", 9)
    (None, 'eponyms before a thing')
    """
    kind = load_kinds().get(word)
    return None if kind == EPONYM and not THING.match(text, end) else kind


@cache
def load_kinds() -> Mapping[str, str]:
    """Return the kind of each folded word of medicine. Words that are names, too, are only eponyms."""
    kinds = dict.fromkeys(word_lists.load_lowercase(*WORDS) - load_frequent(USUAL), TERM)
    kinds |= dict.fromkeys(word_lists.load_lowercase("drug_words"), DRUG)
    folder = resources.find_folder("synthetic/lists")  # plain data; the generator itself is not imported
    for kind in (FINDING, DISEASE, DRUG):
        files = (folder / f"{name}.txt" for name in LISTS[kind])
        entries = "\n".join(chain.from_iterable(map(read_entries, files)))
        kinds |= dict.fromkeys(map(fold, WORD.findall(entries)), kind)
    left_out = load_names() | load_frequent(FREQUENT) - SIDES
    kept = {word: kind for word, kind in kinds.items() if len(word) >= MIN_LETTERS and word not in left_out}
    eponyms = (fold(entry) for name in EPONYMS for entry in word_lists.read_entries(name))
    return dict.fromkeys(eponyms, EPONYM) | kept


@cache
def load_names() -> frozenset[str]:
    """Return the words that people or places have as their names, and those of dates, titles and
    addresses."""
    shares = map(word_lists.load_shares, (word_lists.SURNAME, word_lists.FEMALE, word_lists.MALE))
    names = {name for each in shares for name, share in each.items() if share >= ordinary.LEAST_SHARE}
    return word_lists.load_lowercase(*NEVER, *ordinary.PLACES) | names


@cache
def load_frequent(least: int) -> frozenset[str]:
    """Return the words of general English that are as probable as this, or more."""
    rows = (entry.split("|") for entry in word_lists.load_lowercase("en_words"))
    return frozenset(word for word, _, frequency, *_ in rows if int(frequency) <= least)
