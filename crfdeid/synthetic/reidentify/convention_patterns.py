"""The regular expressions of a convention, and the vocabulary that they name."""

from __future__ import annotations

import re

from crfdeid.errors import ConfigurationError, did_you_mean


def expanded(text: str, words: dict[str, str], where: str) -> str:
    """``text`` with the vocabulary's entries in place of their names.

    >>> expanded("(?<!x)<AB> <AB>", {"AB": "b+"}, "here")
    '(?<!x)b+ b+'
    """

    def entry(match: re.Match[str]) -> str:
        if match[1] not in words:
            raise ConfigurationError(f"{where}: {match[1]}: no such word{did_you_mean(match[1], words)}")
        return words[match[1]]

    return re.sub(r"<([A-Z_]{2,})>", entry, text)


def compiled(pattern: str, where: str, flags: int = 0) -> re.Pattern[str]:
    try:
        return re.compile(pattern, flags)
    except re.error as error:
        raise ConfigurationError(f"{where}: not a regular expression: {error}") from None
