"""Label schemes: the types of PHI and their categories."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from crfdeid import resources
from crfdeid.errors import SchemeError, did_you_mean, show_id
from crfdeid.files import open_whole, read_text
from crfdeid.text.document import Document, Span

DEFAULT = "i2b2-2014"
SHIPPED = ("i2b2-2006", "i2b2-2014", "meddocan")


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
    path = resources.find_file("configs/schemes", str(name), ".toml")
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
