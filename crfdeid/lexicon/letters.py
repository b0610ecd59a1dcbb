"""The forms of a text: folded for comparison, normalized for search, cased like another text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import regex

WORD = regex.compile(r"\p{L}[\p{L}\p{M}]*(?:['’`]\p{L}[\p{L}\p{M}]*)*")
POSSESSIVE = regex.compile(r"(?<=\p{L}{2})['’`][sS]$")
INVISIBLE = ("Mn", "Me", "Cf")  # Unicode categories: combining marks, zero-width and soft characters


def fold(text: str) -> str:
    """Lowercase ``text`` and remove accents and apostrophes.

    >>> fold("O'Núñez")
    'onunez'
    """
    if text.isascii():
        return text.lower().replace("'", "").replace("`", "")
    parts = unicodedata.normalize("NFKD", text)
    return "".join(c for c in parts if not unicodedata.combining(c) and c not in "'’`").casefold()


def fold_each(texts: Sequence[str]) -> list[str]:
    """Fold texts of one line each. Many are folded at once.

    >>> fold_each(["O'Neil", "Núñez"])
    ['oneil', 'nunez']
    """
    if (joined := "\n".join(texts)).isascii():
        return fold(joined).split("\n") if texts else []
    plain = fold("\n".join(text if text.isascii() else "" for text in texts)).split("\n")
    return [folded or fold(text) for folded, text in zip(plain, texts)]


def match_case(text: str, like: str) -> str:
    """Write ``text`` with the capitals of ``like``.

    >>> match_case("Weber", "SMITH"), match_case("Weber", "smith"), match_case("mcweber", "McKay")
    ('WEBER', 'weber', 'Mcweber')
    """
    if len(like) > 1 and like.isupper():
        return text.upper()
    if like.islower():
        return text.lower()
    return text[:1].upper() + text[1:]


def capitalize_words(text: str, like: str) -> str:
    """Capitalize every word if the last of several words in ``like`` has a capital, otherwise only the
    first word, if ``like`` begins with a capital."""
    found = WORD.findall(like)
    if found and found[-1][0].isupper() and len(found) > 1:
        return str(WORD.sub(lambda m: m[0][:1].upper() + m[0][1:], text))
    return text[:1].upper() + text[1:] if found and found[0][0].isupper() else text.lower()


def split_possessive(word: str) -> tuple[str, str]:
    """Split a word from its possessive ending.

    >>> split_possessive("Smith's"), split_possessive("O'Neil")
    (('Smith', "'s"), ("O'Neil", ''))
    """
    if match := POSSESSIVE.search(word):
        return word[: match.start()], match[0]
    return word, ""


def pluralize(name: str) -> str:
    """
    >>> pluralize("Garcia"), pluralize("Davis")
    ('Garcias', 'Davises')
    """
    return name + ("es" if name[-1] in "sxz" else "s")


def word_set(text: str) -> frozenset[str]:
    """The words of ``text``, which spaces separate."""
    return frozenset(text.split())


class NormalizedText(NamedTuple):
    """A text prepared for search. ``offsets`` gives for each character of ``text`` its offset in the
    original text, which has ``length`` characters. It is None if no offset differs."""

    text: str
    offsets: Sequence[int] | None
    length: int

    def find_original_range(self, start: int, end: int) -> tuple[int, int]:
        """The offsets of ``text[start:end]`` in the original text, with the invisible characters after it."""
        if self.offsets is None:
            return start, end
        after = self.offsets[end] if end < len(self.offsets) else self.length
        return self.offsets[start], max(self.offsets[end - 1] + 1, after)


def normalize(text: str) -> NormalizedText:
    r"""Lowercase ``text`` and remove accents and invisible characters, so that a search finds it however it
    is written or encoded.

    >>> normalize("Jos\u00e9").text, normalize("Jose\u0301").text
    ('jose', 'jose')
    >>> normalize("Smi\u200bth").find_original_range(0, 5)
    (0, 6)
    """
    if text.isascii():
        return NormalizedText(text.lower(), None, len(text))
    forms = {character: normalize_character(character) for character in set(text) if not character.isascii()}
    for character, form in forms.items():
        if len(form) == 1 and form.isascii():
            text = text.replace(character, form)
    rest = {ord(c): form for c, form in forms.items() if len(form) != 1 or not form.isascii()}
    others = [chr(code) for code, form in rest.items() if len(form) != 1]
    offsets = list_offsets(text, others, forms) if others else None
    return NormalizedText(text.translate(rest).lower() if rest else text.lower(), offsets, len(text))


def list_offsets(text: str, others: Iterable[str], forms: Mapping[str, str]) -> list[int]:
    """The offset in ``text`` of each character that results when the forms replace the ``others``."""
    offsets: list[int] = []
    at = 0
    for match in regex.finditer(f"[{''.join(map(regex.escape, others))}]", text):
        offsets += range(at, match.start())
        offsets += [match.start()] * len(forms[match[0]])
        at = match.end()
    return [*offsets, *range(at, len(text))]


def remove_invisible(text: str) -> str:
    r"""Remove zero-width and soft characters.

    >>> remove_invisible("Smi\u200bth")
    'Smith'
    """
    return text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf")


@lru_cache(maxsize=4096)
def normalize_character(character: str) -> str:
    """The searchable form of a character; empty if the character is invisible."""
    parts = unicodedata.normalize("NFKD", character).casefold()
    return "".join(part for part in parts if unicodedata.category(part) not in INVISIBLE)


def remove_marks(text: str) -> str:
    """Return the letters and digits of ``text`` in capitals.

    >>> remove_marks("12-34 ab")
    '1234AB'
    """
    return "".join(c for c in text if c.isalnum()).upper()
