"""How a word is written: folded to compare it, and cased like another."""

from __future__ import annotations

import unicodedata

import regex

WORD = regex.compile(r"\p{L}[\p{L}\p{M}]*(?:['’`]\p{L}[\p{L}\p{M}]*)*")
POSSESSIVE = regex.compile(r"(?<=\p{L}{2})['’`][sS]$")


def folded(text: str) -> str:
    """Lowercased, without accents and apostrophes.

    >>> folded("O'Núñez")
    'onunez'
    """
    if text.isascii():
        return text.lower().replace("'", "").replace("`", "")
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c for c in parts if not unicodedata.combining(c) and c not in "'’`").casefold()


def cased(text: str, like: str) -> str:
    """``text`` with the capitals of ``like``.

    >>> cased("Weber", "SMITH"), cased("Weber", "smith"), cased("mcweber", "McKay")
    ('WEBER', 'weber', 'Mcweber')
    """
    if len(like) > 1 and like.isupper():
        return text.upper()
    if like.islower():
        return text.lower()
    return text[:1].upper() + text[1:]


def bare(word: str) -> tuple[str, str]:
    """A word and its possessive ending.

    >>> bare("Smith's"), bare("O'Neil")
    (('Smith', "'s"), ("O'Neil", ''))
    """
    if match := POSSESSIVE.search(word):
        return word[: match.start()], match[0]
    return word, ""


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def plural(name: str) -> str:
    """
    >>> plural("Garcia"), plural("Davis")
    ('Garcias', 'Davises')
    """
    return name + ("es" if name[-1] in "sxz" else "s")


def capitals(text: str, like: str) -> str:
    """Every word capital where ``like`` has a capital in its last word, else the first alone."""
    found = WORD.findall(like)
    if found and found[-1][0].isupper() and len(found) > 1:
        return WORD.sub(lambda m: m[0][:1].upper() + m[0][1:], text)
    return text[:1].upper() + text[1:] if found and found[0][0].isupper() else text.lower()
