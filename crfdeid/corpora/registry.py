"""The formats by name. A new format is a module with a ``FORMAT``, and a line here."""

from __future__ import annotations

from collections.abc import Container
from typing import Literal

from crfdeid.corpora import (
    brat,
    conll,
    doccano,
    i2b2_2006,
    i2b2_2014,
    inline,
    jsonl,
    labelstudio,
    parquet,
    span_table,
    table,
    text,
)
from crfdeid.corpora.format import Format
from crfdeid.errors import ConfigurationError, did_you_mean

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT
    for module in (
        i2b2_2014, i2b2_2006, brat, conll, jsonl, labelstudio, doccano, text, table, parquet, inline,
        span_table,
    )
}  # fmt: skip
READERS = {name: format.read for name, format in FORMATS.items() if format.read is not None}


def find_format(name: str, ability: Literal["read", "write"]) -> Format:
    """Return the format of this name. Raises :class:`ConfigurationError` where no format of the
    name can do it; every format can write."""
    able: Container[str] = READERS if ability == "read" else FORMATS
    if name not in able:
        known = [key for key in FORMATS if key in able]
        raise ConfigurationError(
            f"{name}: no format to {ability}{did_you_mean(name, known)}; there are {', '.join(known)}"
        )
    return FORMATS[name]
