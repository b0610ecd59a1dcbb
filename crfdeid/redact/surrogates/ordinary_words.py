"""Whether a word is one of a language or of medicine, and how many people have it as their name."""

from __future__ import annotations

import re
from functools import cache

from crfdeid.redact.surrogates import name_pools

LEAST_SHARE = 0.01  # per cent of people, of a word that people also bear as a name
FREQUENT_SHARE = 0.02  # of one that is rather a name than a word
# Words after a word in small letters that show that it is the word and not a name.
WORD_AFTER = re.compile(
    r"\s+(?:be|been|have|need|not|also|continue|follow|return|require|likely|start|take|see|get|come|go|call|do|then|hold"
    r"|consider|discuss|check|obtain|plan|proceed|undergo|receive|benefit|give|stop|use|make|try|repeat|monitor|keep|add"
    r"|remain|resume|send|schedule|arrange|increase|decrease|man|men|woman|women|lady|male|female|adult|adults|child"
    r"|children|boy|girl|people|person|to|of|or)\b",
    re.IGNORECASE,
)


def is_ordinary(low: str) -> bool:
    """Whether a word of a language or of medicine is written like this."""
    return low in name_pools.load_lowercase("medical_words", "eponyms", "hospital_words", "common_words")


def is_frequent_name(low: str) -> bool:
    """Whether many people have this name, and clinical reports do not use the word.

    >>> [is_frequent_name(word) for word in ("kelly", "patel", "young", "lung")]
    [True, True, False, False]
    """
    return find_share(low) >= FREQUENT_SHARE and low not in load_clinical_words()


@cache
def load_clinical_words() -> frozenset[str]:
    """The words that several clinical reports have, from the list of their clusters."""
    return frozenset(entry.partition("|")[0] for entry in name_pools.load_lowercase("clusters"))


def find_share(low: str) -> float:
    """The per cent of people with this name, as a first name or surname."""
    kinds = (name_pools.SURNAME, name_pools.FEMALE, name_pools.MALE)
    return max(name_pools.load_shares(kind).get(low, 0.0) for kind in kinds)


def is_rare_word(low: str) -> bool:
    """Whether a word of a language is not a name that people bear.

    >>> [is_rare_word(word) for word in ("lung", "young", "wrzeszczynski")]
    [True, False, False]
    """
    return is_ordinary(low) and find_share(low) < LEAST_SHARE
