"""The values of JSON records, taken only if they are what they should be.

All raise TypeError otherwise, which the reader turns into a fault with the line:
what was found may be note text, so it is never repeated.
"""

from __future__ import annotations

from typing import Any


def whole(value: Any) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def identity(value: Any, default: str | None = None) -> str:
    """An id: a text, or a whole number as text.

    >>> identity(7), identity(None, "notes-1")
    ('7', 'notes-1')
    """
    if value is None and default is not None:
        return default
    return value if isinstance(value, str) else str(whole(value))
