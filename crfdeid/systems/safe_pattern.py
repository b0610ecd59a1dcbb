"""Regular expressions of users: compiled once, and refused if they can be slow.

A pattern is slow where its parts can share one text in many ways: a repeat inside a repeat, ``(a+)+``, or
a choice inside a repeat, ``(a|aa)+``. Such patterns are refused by their form, unless a group is atomic,
``(?>…)``, or a repeat is possessive, ``(…)++``. Other patterns run on probes first, and always under a time
limit.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from crfdeid.errors import ConfigurationError

TIMEOUT = 2.0  # seconds that a pattern may work on one note
PROBE_TIME, PROBE_LENGTH = 0.1, 2000  # seconds, characters
PART = regex.compile(
    r"\\.|\[\^?\]?(?:\\.|\[:\w+:\]|[^\]\\])*\]|(?P<open>\((?:\?(?:P?<\w+>|<?[=!]|[\w-]*:|>|\|))?)|(?P<close>\))"
    r"|\[.*|(?P<choice>\|)|(?P<repeat>[*+?]|\{\d*,?\d*\})(?P<way>[+?]?)|.",
    regex.DOTALL,
)


def compile_pattern(pattern: str, where: str) -> regex.Pattern[str]:
    """Compile a pattern. Raises :class:`ConfigurationError`, which begins with ``where``, if it is no regular
    expression, finds empty texts, or can be slow."""
    try:
        compiled = regex.compile(pattern)
    except regex.error as error:
        raise ConfigurationError(f"{where}: no regular expression: {error.msg}") from None
    if compiled.search("") or compiled.fullmatch(" "):
        raise ConfigurationError(f"{where}: the pattern finds an empty text")
    if has_nested_repeat(pattern):
        raise ConfigurationError(
            f"{where}: a repeat or a choice inside a repeat can be very slow; wanted a pattern without it"
        )
    if not is_fast(compiled, pattern):
        raise ConfigurationError(f"{where}: the pattern is too slow; wanted a simpler one")
    return compiled


def has_nested_repeat(pattern: str) -> bool:
    r"""Whether a group that holds a repeat or a choice is repeated.

    >>> [has_nested_repeat(text) for text in (r"(a+)+", r"(a|aa)*", r"(?:(\d+)-){2,9}", r"(?:a?b?)+")]
    [True, True, True, True]
    >>> [has_nested_repeat(text) for text in (r"[(+]+\d+", r"(?:\d{3}-)+", r"(?>a+)+", r"(?:a+b)?")]
    [False, False, False, False]
    """
    varies, atomic, closed = [False], [False], False  # of each open group; of the group that was just closed
    for part in PART.finditer(pattern):
        repeat = is_variable(part["repeat"]) if part["repeat"] else False
        if repeat and part["repeat"] != "?" and closed and part["way"] != "+":
            return True
        if part["open"]:
            varies.append(False)
            atomic.append(part["open"] == "(?>")
        elif part["close"] and len(varies) > 1:
            inner, is_atomic = varies.pop(), atomic.pop()
            closed = inner and not is_atomic
            varies[-1] |= closed
            continue
        elif part["choice"] or (repeat and part["way"] != "+"):
            varies[-1] = True
        closed = False
    return False


def is_variable(repeat: str) -> bool:
    """Whether a repeat can have more counts than one.

    >>> [is_variable(repeat) for repeat in ("*", "?", "{2,}", "{3}", "{3,3}", "{,}")]
    [True, True, True, False, False, True]
    """
    if repeat[0] != "{":
        return True
    low, comma, high = repeat[1:-1].partition(",")
    return (bool(comma) and low != high) or low == high == ""


def is_fast(compiled: regex.Pattern[str], pattern: str) -> bool:
    """Whether the pattern gives up in time on texts that consist of its own letters, and of common ones."""
    try:
        for probe in make_probes(pattern):
            for _ in compiled.finditer(probe, timeout=PROBE_TIME):
                pass
    except TimeoutError:
        return False
    return True


def make_probes(pattern: str) -> Iterator[str]:
    """Yield texts of one repeated character, with another at the end."""
    for character in sorted({"a", "A", "0", " ", "-", ".", *pattern}):
        yield character * PROBE_LENGTH + "\x00"
    yield "aA0 " * (PROBE_LENGTH // 4) + "\x00"
