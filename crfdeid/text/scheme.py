"""Label schemes: the types of PHI and their categories; and type maps, which say how the types of one
scheme become those of another.

A file of ``configs/schemes/maps/`` names its ``scheme``, and has a table of types for each scheme that it
maps from. ``""`` says that a type is not PHI in the new scheme. A type of the new scheme that no table
lists stays. Types that are in no table first go ``through`` another map, where the file names one.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from crfdeid import files
from crfdeid.errors import SchemeError, did_you_mean, show_id
from crfdeid.files import open_whole, read_text
from crfdeid.text.ages import generalise_age
from crfdeid.text.document import Document, Span

DEFAULT = "i2b2-2014"
SHIPPED = ("i2b2-2006", "i2b2-2014", "meddocan")

FOLDER = "configs/schemes/maps"
AFTER = 12  # characters after an age that may hold its unit
KEYS = {"scheme", "through", "ages_over_89_only"}


@dataclass(frozen=True)
class Scheme:
    """``categories`` maps a category to its types. ``hipaa`` holds the types of the HIPAA subset as the
    i2b2 script scores it, ``hipaa_published`` those of the published list, some of which the script never
    matches (docs/scoring.md: IDNUM)."""

    name: str
    categories: dict[str, tuple[str, ...]]
    hipaa: frozenset[str] = frozenset()
    hipaa_published: frozenset[str] = frozenset()

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(type for types in self.categories.values() for type in types)

    def category(self, type: str) -> str:
        """Return the category of ``type``. Raises :class:`SchemeError` if the scheme has no such type.

        >>> read_scheme().category("PATIENT")
        'NAME'
        """
        for category, types in self.categories.items():
            if type in types:
                return category
        raise SchemeError(f"a type that scheme {self.name} does not have{did_you_mean(type, self.types)}")

    def check(self, documents: Iterable[Document]) -> None:
        """Raise :class:`SchemeError` at the first span whose type the scheme lacks."""
        for _ in self.check_each(documents):
            pass

    def check_each(self, documents: Iterable[Document]) -> Iterator[Document]:
        """Yield the documents; raise at the first that :meth:`check` refuses."""
        types = set(self.types)
        for number, document in enumerate(documents, 1):
            for span in document.spans:
                if span.type not in types:
                    where = show_id(document.id, f"document {number}")
                    raise SchemeError(
                        f"{where}: the type at {span.start}-{span.end} is not a type of scheme {self.name}"
                        f"{did_you_mean(span.type, types)}"
                    )
            yield document


@cache
def read_scheme(name: str | Path = DEFAULT) -> Scheme:
    """Read the shipped scheme of that name, or the file of that path. Raises :class:`SchemeError` where
    the file is not a scheme."""
    path = files.find_file("configs/schemes", str(name), ".toml")
    try:
        table = tomllib.loads(read_text(path))
        return Scheme(
            name=table["name"],
            categories={category: tuple(types) for category, types in table["categories"].items()},
            hipaa=frozenset(table.get("hipaa", ())),
            hipaa_published=frozenset(table.get("hipaa_published", ())),
        )
    except (tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as error:
        raise SchemeError(f"{path}: not a scheme file: {error!r}") from None


def collect_types(documents: Iterable[Document], name: str) -> Scheme:
    """Return the flat scheme of the documents' types: each type is its own category.

    >>> collect_types([Document("1", "Ruiz", (Span(0, 4, "DOCTOR"),))], "mine").categories
    {'DOCTOR': ('DOCTOR',)}
    """
    types = sorted({span.type for document in documents for span in document.spans})
    return Scheme(name, {type: (type,) for type in types})


def write_scheme(scheme: Scheme, path: Path) -> None:
    """Write a file that :func:`read_scheme` reads."""
    lines = [f"name = {_quote(scheme.name)}", "", "[categories]"]
    for category, types in scheme.categories.items():
        lines.append(f"{_quote(category)} = [{', '.join(map(_quote, types))}]")
    with open_whole(path) as file:
        file.write("\n".join(lines) + "\n")
    read_scheme.cache_clear()


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def show_span(span: Span) -> str:
    """Return a span as a message may show it: a type that no shipped scheme has may be text of a note.

    >>> show_span(Span(3, 8, "CITY")), show_span(Span(3, 8, "Mr. Ruiz"))
    ('CITY at 3-8', 'a span at 3-8')
    """
    known = any(span.type in read_scheme(name).types for name in SHIPPED)
    return f"{span.type if known else 'a span'} at {span.start}-{span.end}"


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
    return files.find_file(FOLDER, str(name), ".toml")


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
    for path in sorted(files.find_folder(FOLDER).glob("*.toml")):
        found = read_map(path.stem)
        if found.scheme == target and set(source.types).issubset(found.types):
            return found
    return None
