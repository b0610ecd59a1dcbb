"""Features with a number of four digits or more: a model that is shared does not have them.

Such a number can belong to a person, a record or a telephone. Observations that replace digits, or map
them to few values, show no number.
"""

from __future__ import annotations

import re

from crfdeid.feature_extraction.token import OF_SHAPE, is_column

LONG_NUMBER = re.compile(r"\d(?:[\W_]?\d){3}")  # 1998, 555-1234, 3/14/98
WITHOUT_DIGITS = OF_SHAPE | {"chunk", "number_range", "cluster"}  # their digits differ from the note's


def has_long_number(text: str) -> bool:
    """Whether the text has four digits or more in a row, with at most one mark between two of them.

    >>> [has_long_number(text) for text in ("1998", "555-1234", "120", "12 May 98")]
    [True, True, False, False]
    """
    return LONG_NUMBER.search(text) is not None


def shows_digits(atom: str) -> bool:
    """Whether the values of one part of a template have the digits of the note.

    >>> [shows_digits(atom) for atom in ("lower[-1]", "shape[0]", "table_es_words_cluster[0]")]
    [True, False, False]
    """
    name = atom.partition("[")[0]
    return name not in WITHOUT_DIGITS and not is_column(name)


def names_long_number(feature: str) -> bool:
    """Whether a feature names a long number of the note.

    >>> [names_long_number(f) for f in ("lower[0]=4711", "shape[0]=0000", "lower[-1]|shape[0]=no|0000")]
    [True, False, False]
    """
    head, _, value = feature.partition("=")
    atoms = head.split("|")
    values = value.split("|") if len(atoms) > 1 else [value]
    if len(values) != len(atoms):  # a value has the bar
        return any(map(shows_digits, atoms)) and has_long_number(value)
    return any(shows_digits(atom) and has_long_number(one) for atom, one in zip(atoms, values))
