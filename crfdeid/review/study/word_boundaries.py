"""Which word a click marks, what a drag is trimmed to, and where else the same text occurs.

The page computes the same while the pointer moves, so that a reader sees the span before it counts.
Douglass 2005, section 2.2: her program took everything between two spaces, so that a click on "wil" gave
"wil,updated".
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

WORD = regex.compile(r"""(?:[^\s,;()\[\]{}<>"|=*:]|:(?=//))+""")
INNER = regex.compile(r"[\p{L}\p{M}\p{N}]")
LAST = regex.compile(r"(?r)[\p{L}\p{M}\p{N}]")
BEFORE, AFTER = r"(?<![\p{L}\p{M}\p{N}])", r"(?![\p{L}\p{M}\p{N}])"


def find_word(text: str, offset: int) -> tuple[int, int] | None:
    """The trimmed word around ``offset``, or None.

    >>> text = "visited by other wil,updated (Dr. O'Neil)"
    >>> [text[slice(*find_word(text, offset))] for offset in (18, 22, 30, 35)]
    ['wil', 'updated', 'Dr', "O'Neil"]
    >>> find_word("a  b", 1) is None
    True
    """
    for match in WORD.finditer(text, *find_line(text, offset)):
        if match.start() <= offset < match.end():
            return trim(text, match.start(), match.end())
    return None


def find_line(text: str, offset: int) -> tuple[int, int]:
    """Start and end of the line around ``offset``."""
    end = text.find("\n", offset)
    return text.rfind("\n", 0, offset) + 1, len(text) if end < 0 else end


def find_words(text: str) -> list[tuple[int, int]]:
    """All trimmed words of a text.

    >>> text = "DOB:3/4/61, --"
    >>> [text[start:end] for start, end in find_words(text)]
    ['DOB', '3/4/61']
    """
    words = (trim(text, match.start(), match.end()) for match in WORD.finditer(text))
    return [word for word in words if word]


def trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The range without punctuation and white space at its ends; None where it has no letter and no digit.

    >>> trim("(WILL)", 0, 6), trim("...", 0, 3)
    ((1, 5), None)
    """
    first, last = INNER.search(text, start, end), LAST.search(text, start, end)
    return (first.start(), last.end()) if first and last else None


def find_repeats(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Where ``wanted`` occurs as whole words, in any letter case and with any white space.

    >>> list(find_repeats("Eva ruiz saw EVA\\nRUIZ, not Eva Ruizek", "Eva Ruiz"))
    [(0, 8), (13, 21)]
    """
    if pieces := wanted.split():
        pattern = BEFORE + r"\s+".join(map(regex.escape, pieces)) + AFTER
        for match in regex.finditer(pattern, text, regex.IGNORECASE):
            yield match.span()
