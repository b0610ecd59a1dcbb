"""Read feature templates, and make features of them.

A template names observations at offsets from the current token: ``lower[0]``,
``lower[-1]|shape[0]``; ``lower[-2..2]`` is five templates; ``#`` begins a comment. A template is also
the name of the feature that it makes, in CRFsuite's notation, so that a model's weights read like the
template file: ``lower[-1]|shape[0]=dr|Aaaa``. A template makes no feature where its offset is outside
the sequence, or where the observation is ``None``. An observation of several values makes one feature
for each value, and cannot be joined. All names are in :mod:`crfdeid.feature_extraction.registry`.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crfdeid import resources
from crfdeid.errors import TemplateError
from crfdeid.feature_extraction import cues, word_clusters
from crfdeid.feature_extraction.registry import Tag, resolve_names
from crfdeid.feature_extraction.table_columns import is_column, read_column
from crfdeid.feature_extraction.token import SEVERAL, Value, is_piece, restrict_words
from crfdeid.files import read_text
from crfdeid.text.gazetteer import JOIN, Gazetteer
from crfdeid.text.tokenized import TokenizedDocument

ATOM = re.compile(r"([\w+]{1,80})\[(-?[0-9]{1,3})(?:\.\.(-?[0-9]{1,3}))?\]")

# a model folder may hold anything:
SHOWN = 80  # characters of a template in an error
MOST = 100_000  # templates of a file
REMEMBERED = 200_000  # pairs of offset and token text whose features are kept

Atom = tuple[str, int]
Template = tuple[Atom, ...]
Columns = Mapping[str, Sequence[Value]]  # one value per token of a document, by the observation's name
NO_COLUMNS: Columns = {}


def parse_templates(part: str) -> Iterator[Template]:
    """Yield the templates that one word of a template file means.

    >>> list(parse_templates("lower[-1..0]"))
    [(('lower', -1),), (('lower', 0),)]
    >>> list(parse_templates("lower[-1]|shape[0]"))
    [(('lower', -1), ('shape', 0))]
    """
    atoms = [ATOM.fullmatch(atom) for atom in part.split("|")]
    if not all(atoms) or (len(atoms) > 1 and any(atom and atom[3] for atom in atoms)):
        title = part if part.isprintable() and len(part) <= SHOWN else f"a word of {len(part)} characters"
        raise TemplateError(f"{title}: not a template; wanted name[offset], name[first..last] or a[0]|b[1]")
    if len(atoms) == 1 and atoms[0] and atoms[0][3]:
        name, first, last = atoms[0].groups()
        if int(first) > int(last):
            raise TemplateError(f"{part}: the offsets run backwards")
        yield from (((name, offset),) for offset in range(int(first), int(last) + 1))
    else:
        yield tuple((atom[1], int(atom[2])) for atom in atoms if atom)


def read_templates(path: Path) -> list[Template]:
    """Read the templates of a file, in order. Raises :class:`TemplateError` with file and line."""
    found: list[Template] = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        try:
            for part in line.partition("#")[0].split():
                found += parse_templates(part)
                if len(found) > MOST:
                    raise TemplateError(f"more than {MOST:,} templates")
        except TemplateError as error:
            raise TemplateError(f"{path}, line {number}: {error}") from None
    if not found:
        raise TemplateError(f"{path}: no template")
    return found


def template_of(feature: str) -> str:
    """The name of the template that makes a feature.

    >>> template_of("lower[-1]|shape[0]=x=1|a"), template_of("bias")
    ('lower[-1]|shape[0]', 'bias')
    """
    return feature.partition("=")[0]


def find_group(name: str) -> Path:
    """Return the user's template file, or the shipped feature group of that name."""
    return resources.find_file("features", name, ".template")


def read_group(name: str) -> list[Template]:
    """Read the templates of the file that :func:`find_group` finds."""
    return read_templates(find_group(name))


def format_template(template: Template) -> str:
    """Return the template as the name of its feature.

    >>> format_template((("lower", -1), ("shape", 0)))
    'lower[-1]|shape[0]'
    """
    return "|".join(f"{name}[{offset}]" for name, offset in template)


def list_gazetteers(templates: Iterable[Template]) -> list[str]:
    """Return the LISTs of ``in_LIST``, ``in_LIST+LIST`` and ``phrase_LIST``, tables, and the list of
    ``cluster``, sorted."""
    templates = list(templates)
    names = list_names(templates)
    marks = (name.split("_", 1)[1] for name in names if name.startswith(("in_", "phrase_")))
    lists = {name for mark in marks for name in mark.split(JOIN)}
    lists |= set(list_tables(templates))
    return sorted(lists | ({word_clusters.LIST} if "cluster" in names else set()))


def list_tables(templates: Iterable[Template]) -> list[str]:
    """Return the tables of words among the lists of :func:`list_gazetteers`, sorted."""
    names = list_names(templates)
    columns = {read_column(name).table for name in names if is_column(name)}
    return sorted(columns | {cues.find_table(name) for name in names if cues.is_cue(name)})


def list_names(templates: Iterable[Template]) -> list[str]:
    """Return the names of the observations that the templates use, in order and each once."""
    return list(dict.fromkeys(name for template in templates for name, _ in template))


@dataclass(frozen=True)
class _Joined:
    title: str
    atoms: Template


class Extractor:
    """Templates with their observations: turns a tokenized document into feature strings. ``tag`` gives
    parts of speech; ``extra`` names the columns that a caller passes with each document. ``lexical`` and
    ``contextual`` hold the observations that the templates use.

    Raises :class:`TemplateError` where a template names an unknown observation, or joins one of several
    values.
    """

    def __init__(
        self,
        templates: Iterable[Template],
        gazetteers: Mapping[str, Gazetteer],
        tag: Tag | None = None,
        extra: Iterable[str] = (),
    ) -> None:
        self.templates = list(dict.fromkeys(templates))
        self.tag, self.extra = tag, frozenset(extra)
        names = [name for name in list_names(self.templates) if name not in self.extra]
        self.lexical, self.contextual = resolve_names(names, gazetteers, tag)
        _refuse_joined_several(self.templates)
        single = [template[0] for template in self.templates if len(template) == 1]
        self.by_offset: dict[int, list[str]] = {}
        for name, offset in single:
            if name in self.lexical:
                self.by_offset.setdefault(offset, []).append(name)
        self.single_contextual = [
            (name, offset) for name, offset in single if name in self.extra or name in self.contextual
        ]
        self.joined = [_Joined(format_template(t), t) for t in self.templates if len(t) > 1]
        self._strings: dict[tuple[int, str], list[str]] = {}
        self._cache: tuple[TokenizedDocument, Columns, Columns] | None = None

    def with_known_words(self, words: Container[str]) -> Extractor:
        """Return this extractor with pieces (prefix, suffix, n-gram) of these lower-case words only."""
        other = copy.copy(self)
        other.lexical = {
            name: restrict_words(observe, words) if is_piece(name) else observe
            for name, observe in self.lexical.items()
        }
        other._strings, other._cache = {}, None
        return other

    def features(
        self, document: TokenizedDocument, sequence: range, extra_columns: Columns = NO_COLUMNS
    ) -> list[list[str]]:
        """Return the feature strings of each token of ``sequence``, in the order of the templates'
        kinds: bias, lexical, contextual, joined. ``extra_columns`` holds the values of ``extra``."""
        rows: list[list[str]] = [["bias"] for _ in sequence]
        self._add_lexical(document, sequence, rows)
        columns = self.columns(document, extra_columns)
        for name, offset in self.single_contextual:
            head = f"{name}[{offset}]="
            add = _add_each if name in SEVERAL else _add_one
            add(rows, head, shift_column(columns[name], sequence, offset))
        for joined in self.joined:
            parts = [shift_column(columns[name], sequence, offset) for name, offset in joined.atoms]
            for row, values in zip(rows, zip(*parts)):
                if None not in values:
                    row.append(f"{joined.title}={'|'.join(values)}")
        return rows

    def _add_lexical(self, document: TokenizedDocument, sequence: range, rows: list[list[str]]) -> None:
        for offset in self.by_offset:
            for row, index in zip(rows, sequence):
                if index + offset in sequence:
                    row += self.strings(offset, document.tokens[index + offset].text)

    def strings(self, offset: int, text: str) -> list[str]:
        """Return the features of a token from the text of the token at ``offset``; they are made once."""
        key = (offset, text)
        if key not in self._strings:
            if len(self._strings) >= REMEMBERED:
                self._strings.clear()
            values = ((name, self.lexical[name](text)) for name in self.by_offset[offset])
            self._strings[key] = [
                f"{name}[{offset}]={one}"
                for name, value in values
                if value is not None
                for one in (value if name in SEVERAL else (value,))
            ]
        return self._strings[key]

    def columns(self, document: TokenizedDocument, extra_columns: Columns = NO_COLUMNS) -> Columns:
        """Return the observations that the templates use, as one value per token of the document. They are
        made once for consecutive calls with the same document."""
        cache = self._cache
        if cache is None or cache[0] is not document or cache[1] is not extra_columns:
            names = {name for name, _ in self.single_contextual}
            names |= {name for joined in self.joined for name, _ in joined.atoms}
            columns = {name: self._column(name, document, extra_columns) for name in sorted(names)}
            self._cache = cache = document, extra_columns, columns
        return cache[2]

    def _column(self, name: str, document: TokenizedDocument, extra_columns: Columns) -> Sequence[Value]:
        if name in self.extra:
            return extra_columns[name]
        if name in self.contextual:
            return self.contextual[name](document)
        observe = self.lexical[name]
        known: dict[str, Value] = {}
        for token in document.tokens:
            if token.text not in known:
                known[token.text] = observe(token.text)
        return [known[token.text] for token in document.tokens]


def _add_one(rows: list[list[str]], head: str, values: Sequence[Value]) -> None:
    for row, value in zip(rows, values):
        if value is not None:
            row.append(f"{head}{value}")


def _add_each(rows: list[list[str]], head: str, values: Sequence[Value]) -> None:
    for row, value in zip(rows, values):
        row += [head + one for one in split_values(value)]


def _refuse_joined_several(templates: Iterable[Template]) -> None:
    for template in templates:
        for name, _ in template:
            if len(template) > 1 and name in SEVERAL:
                title = format_template(template)
                raise TemplateError(f"{title}: {name} gives several values and cannot be joined")


def split_values(value: Value) -> tuple[str, ...]:
    """Return the values of an observation as a tuple.

    >>> split_values("a"), split_values(("a", "b")), split_values(None)
    (('a',), ('a', 'b'), ())
    """
    return value if isinstance(value, tuple) else () if value is None else (value,)


def shift_column(column: Sequence[Value], sequence: range, offset: int) -> list[Value]:
    """Return the values ``offset`` tokens away, ``None`` outside the sequence.

    >>> shift_column(["a", "b", "c"], range(0, 3), 1), shift_column(["a", "b", "c"], range(1, 3), -1)
    (['b', 'c', None], [None, 'b'])
    """
    inside = column[sequence.start : sequence.stop]
    gap: list[Value] = [None] * min(abs(offset), len(inside))
    return [*inside[offset:], *gap] if offset >= 0 else [*gap, *inside[:offset]]
