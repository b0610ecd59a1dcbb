"""Caches of answers about words, which can be emptied.

A word that was asked about before is answered faster than a new one, and stays in memory. Who tags notes of
several users (:mod:`crfdeid.serve`) empties the caches between them, so that neither shows a user which words
another one sent. A cache whose keys are words of notes is made here and not by :mod:`functools`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar
from weakref import WeakSet

Answer = TypeVar("Answer")
_caches: WeakSet[Any] = WeakSet()  # of functions that lru_cache wraps


def remember_words(size: int) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Make a decorator that keeps a function's last ``size`` answers until :func:`forget_words`."""

    def decorate(function: Callable[..., Answer]) -> Callable[..., Answer]:
        cached = lru_cache(size)(function)
        _caches.add(cached)
        return cached

    return decorate


def forget_words() -> None:
    """Empty all these caches."""
    for cached in _caches:
        cached.cache_clear()
