"""What a click marks, what a drag is trimmed to, and where else the same text stands.

The page computes the same while the pointer moves, so that a reader sees a stretch before it counts.
Douglass 2005, section 2.2: her program took all between spaces, so that a click on "wil" gave "wil,updated".
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

WORD = regex.compile(r"""(?:[^\s,;()\[\]{}<>"|=*:]|:(?=//))+""")
INNER = regex.compile(r"[\p{L}\p{M}\p{N}]")
LAST = regex.compile(r"(?r)[\p{L}\p{M}\p{N}]")
BEFORE, AFTER = r"(?<![\p{L}\p{M}\p{N}])", r"(?![\p{L}\p{M}\p{N}])"


def word(text: str, offset: int) -> tuple[int, int] | None:
    """The word around ``offset``, trimmed; None where there is none.

    >>> text = "visited by other wil,updated (Dr. O'Neil)"
    >>> [text[slice(*word(text, offset))] for offset in (18, 22, 30, 35)]
    ['wil', 'updated', 'Dr', "O'Neil"]
    >>> word("a  b", 1) is None
    True
    """
    for match in WORD.finditer(text, *line_around(text, offset)):
        if match.start() <= offset < match.end():
            return trimmed(text, match.start(), match.end())
    return None


def line_around(text: str, offset: int) -> tuple[int, int]:
    end = text.find("\n", offset)
    return text.rfind("\n", 0, offset) + 1, len(text) if end < 0 else end


def words(text: str) -> list[tuple[int, int]]:
    """All words of a text.

    >>> text = "DOB:3/4/61, --"
    >>> [text[start:end] for start, end in words(text)]
    ['DOB', '3/4/61']
    """
    found = (trimmed(text, match.start(), match.end()) for match in WORD.finditer(text))
    return [edges for edges in found if edges]


def trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    """The stretch without the punctuation and white space at its ends; None where it has no letter and no
    digit.

    >>> trimmed("(WILL)", 0, 6), trimmed("...", 0, 3)
    ((1, 5), None)
    """
    first, last = INNER.search(text, start, end), LAST.search(text, start, end)
    return (first.start(), last.end()) if first and last else None


def repeats(text: str, sought: str) -> Iterator[tuple[int, int]]:
    """Where ``sought`` stands as whole words, in any case and over any white space.

    >>> list(repeats("Eva ruiz saw EVA\\nRUIZ, not Eva Ruizek", "Eva Ruiz"))
    [(0, 8), (13, 21)]
    """
    if pieces := sought.split():
        pattern = BEFORE + r"\s+".join(map(regex.escape, pieces)) + AFTER
        for match in regex.finditer(pattern, text, regex.IGNORECASE):
            yield match.span()
