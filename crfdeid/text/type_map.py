"""Type maps: how the types of one scheme become those of another.

A file of ``configs/schemes/maps/`` names its ``scheme``, and has a table of types for each scheme that it
maps from. ``""`` says that a type is not PHI in the new scheme. A type of the new scheme that no table lists
stays. Types that are in no table first go ``through`` another map, where the file names one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from crfdeid import resources
from crfdeid.errors import SchemeError, did_you_mean, show_id
from crfdeid.files import read_text
from crfdeid.text.ages import generalise_age
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import Scheme, read_scheme

FOLDER = "configs/schemes/maps"
AFTER = 12  # characters after an age that may hold its unit
KEYS = {"scheme", "through", "ages_over_89_only"}


@dataclass(frozen=True)
class TypeMap:
    """``types`` maps every type that can be mapped; ``""`` drops its spans. With ``ages_over_89_only`` an
    AGE is dropped where its text is surely an age up to 89."""

    name: str
    scheme: Scheme
    types: Mapping[str, str]
    ages_over_89_only: bool

    def apply(self, document: Document, where: str = "a document") -> Document:
        """Return the document with the spans of the new scheme. Raises :class:`SchemeError` at a type that
        cannot be mapped: with the document's id, or ``where`` if the id may be text of a note."""
        where = show_id(document.id, where)
        mapped = (self._map_span(document, span, where) for span in document.spans)
        return document.with_spans([span for span in mapped if span])

    def apply_all(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield each document as :meth:`apply` does."""
        for number, document in enumerate(documents, 1):
            yield self.apply(document, f"document {number}")

    def _map_span(self, document: Document, span: Span, where: str) -> Span | None:
        if span.type not in self.types:
            near = did_you_mean(span.type, self.types)
            raise SchemeError(
                f"{where}: the type at {span.start}-{span.end} has none in scheme {self.scheme.name} "
                f"(types {self.name}){near}"
            )
        type = self.types[span.type]
        if type == "AGE" and self.ages_over_89_only and is_young(document, span):
            return None
        return replace(span, type=type) if type else None


def is_young(document: Document, span: Span) -> bool:
    """Whether a span is surely an age up to 89."""
    text = document.text_of(span)
    return generalise_age(text, document.text[span.end : span.end + AFTER]) == text


@cache
def read_map(name: str | Path) -> TypeMap:
    """Read the shipped map of that name, or the file of that path. Raises :class:`SchemeError` where it is
    not a map."""
    path = find_map(name)
    try:
        table = tomllib.loads(read_text(path))
        scheme = read_scheme(table["scheme"])
        through = read_map(table["through"]).types if "through" in table else {}
        listed = [item for key, part in table.items() if key not in KEYS for item in part.items()]
    except (tomllib.TOMLDecodeError, KeyError, AttributeError, TypeError) as error:
        raise SchemeError(f"{path}: not a type map: {error!r}") from None
    types = join_types(scheme, listed, str(path))
    types = {type: types[to] if to else "" for type, to in through.items() if to in ("", *types)} | types
    return TypeMap(str(name), scheme, types, table.get("ages_over_89_only") is True)


def find_map(name: str | Path) -> Path:
    """Return the file of a map."""
    return resources.find_file(FOLDER, str(name), ".toml")


def join_types(scheme: Scheme, listed: Iterable[tuple[str, str]], where: str) -> dict[str, str]:
    """Return the listed types and those of the scheme itself. Raises :class:`SchemeError` on a type that the
    scheme does not have, on two rows for one type, and on a type of the scheme that would become another."""
    types: dict[str, str] = {}
    for type, to in listed:
        if to and to not in scheme.types:
            raise SchemeError(
                f"{where}: {type} = {to!r}: no type of {scheme.name}{did_you_mean(to, scheme.types)}"
            )
        if types.setdefault(type, to) != to or (type in scheme.types and to not in ("", type)):
            raise SchemeError(f"{where}: {type} = {to!r}: has another row, or is a type of {scheme.name}")
    return {type: type for type in scheme.types} | types


def find_map_to(source: Scheme, target: Scheme) -> TypeMap | None:
    """Return a shipped map from every type of one scheme to another, or None where there is none."""
    for path in sorted(resources.find_folder(FOLDER).glob("*.toml")):
        found = read_map(path.stem)
        if found.scheme == target and set(source.types).issubset(found.types):
            return found
    return None
