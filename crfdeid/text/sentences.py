"""Sentences of a clinical note, as half-open ranges of code points.

Lines that were wrapped at a fixed width are joined first: splitters that work line by line fall from
98 to 77 F1 on such notes. Then each block of lines is split by rules that know the abbreviations of
notes, or by nltk's Punkt.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import Any  # nltk has no types

import regex

from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.text.spans import trim_range

LINE = regex.compile(r"[^\n\r]*(?:\r\n|\n|\r)?")
LIST_MARK = regex.compile(r"\s*(?:[-*•#]|\(?\d{1,2}[.)]|[A-Za-z][.)])\s")
HEADING = regex.compile(r"\s*[A-Z][\w /&()-]{0,40}:")
NEAR = 12  # a wrapped line ends at most this many characters before its block's width
NARROWEST = 40  # characters; lines of a narrower block were not wrapped

# After these a full stop does not end a sentence, nor after a single capital or a list's number.
ABBREVIATIONS = (
    "Dr|Drs|Mr|Mrs|Ms|St|Prof|Rev|Jr|Sr|vs|No|no|approx|dept|Dept|Inc|Co|Ave|Blvd|Rd|Mt|Ft|Gen|Col|Lt|Sgt|"
    r"i.e|e.g|et\ al|q.d|b.i.d|t.i.d|q.i.d|p.o|p.r.n|a.m|p.m|h.s|c.c|s.c|i.v|M.D|Ph.D|R.N|D.O"
)
END = regex.compile(
    rf"""(?<!\b(?:{ABBREVIATIONS}))     # Dr. Ruiz is one sentence
         (?<!(?:^|[\s(])\p{{Lu}})       # and so is John Q. Smith
         (?<!^\s*\d{{1,2}})             # a list's number
         [.?!][")\]]*                   # the end, with closing quotes and brackets
         (?=\s+["(\[]*[\p{{Lu}}\d\[])   # before a possible beginning
    """,
    regex.VERBOSE,
)


def split_sentences(text: str, splitter: str = "rules") -> list[tuple[int, int]]:
    """Return the ranges of the sentences in order; together they hold everything except white space.
    ``splitter`` is ``rules``, or ``punkt`` if its data is installed.

    >>> text = "Seen by Dr. Ruiz on\\n3/4/61. Pain 5.5/10. \\nPLAN: rest."
    >>> [text[a:b] for a, b in split_sentences(text)]
    ['Seen by Dr. Ruiz on', '3/4/61.', 'Pain 5.5/10.', 'PLAN: rest.']
    """
    ends = {"rules": find_rule_ends, "punkt": find_punkt_ends}
    if splitter not in ends:
        raise ConfigurationError(f"{splitter}: no such sentence splitter{did_you_mean(splitter, ends)}")
    found = []
    for start, stop in split_blocks(text):
        edges = [start, *(start + end for end in ends[splitter](text[start:stop])), stop]
        found += [trimmed for a, b in zip(edges, edges[1:]) if (trimmed := trim_range(text, a, b))]
    return found


def split_blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the runs of lines that were one paragraph before it was wrapped at a fixed width."""
    lines = [match.span() for match in LINE.finditer(text)]
    widths = measure_widths([text[start:end].rstrip() for start, end in lines])
    index = 0
    while index < len(lines):
        last, width = index, widths[index]
        if width:  # not a blank line; the last line is always blank, so another one follows
            while is_continued(text, lines[last], lines[last + 1], width):
                last += 1
            yield lines[index][0], lines[last][1]
        index = last + 1


def measure_widths(contents: list[str]) -> list[int]:
    """Return for each line the length of the longest one from it to the next blank line."""
    lengths = map(len, reversed(contents))
    return list(accumulate(lengths, lambda width, length: max(width, length) if length else 0))[::-1]


def is_continued(text: str, line: tuple[int, int], after: tuple[int, int], width: int) -> bool:
    """Whether the line was wrapped because the first word of the next line had no room."""
    if width < NARROWEST:
        return False
    here, there = text[slice(*line)].rstrip(), text[slice(*after)]
    if not there.strip() or LIST_MARK.match(there) or HEADING.match(there):
        return False
    return len(here) >= width - NEAR and len(here) + 1 + len(there.split()[0]) > width - 2


def find_rule_ends(block: str) -> Iterator[int]:
    return (match.end() for match in END.finditer(block))


def find_punkt_ends(block: str) -> Iterator[int]:
    return (end for _, end in load_punkt().span_tokenize(block))


def load_punkt() -> Any:
    """Load nltk's Punkt for English from installed data; nothing is downloaded."""
    from nltk.tokenize import PunktTokenizer

    try:
        return PunktTokenizer("english")
    except LookupError:
        raise ConfigurationError(
            "splitter punkt: nltk's data punkt_tab is not installed; rules needs none"
        ) from None
