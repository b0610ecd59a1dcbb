"""The base form of an English word, from the wheel simplemma (MIT; its own lists, offline)."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction.token import Value


@cache
def lemmatizer() -> Callable[..., str]:
    """Raises :class:`ConfigurationError` where the wheel is not installed."""
    try:
        from simplemma import lemmatize
    except ImportError:
        raise ConfigurationError(
            "the observation lemma needs the wheel simplemma: pip install crfdeid[works]"
        ) from None
    return lemmatize


def lemma(text: str) -> Value:
    """A word that the lists do not know is its own base form; all are in small letters.

    >>> lemma("Patients"), lemma("was"), lemma("Ruiz")
    ('patient', 'be', 'ruiz')
    """
    return lemmatizer()(text.lower(), lang="en").lower()


LEXICAL: dict[str, Callable[[str], Value]] = {"lemma": lemma}
