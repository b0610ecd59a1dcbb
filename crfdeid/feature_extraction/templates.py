"""Feature templates, and all observations by their names: what a template can use.

A template names observations at offsets from the current token: ``lower[0]``,
``lower[-1]|shape[0]``; ``lower[-2..2]`` is five templates; ``#`` begins a comment. A template is also
the name of the feature that it makes, in CRFsuite's notation, so that a model's weights read like the
template file: ``lower[-1]|shape[0]=dr|Aaaa``. A template makes no feature where its offset is outside
the sequence, or where the observation is ``None``. An observation of several values makes one feature
for each value, and cannot be joined.

Besides the observations of a token's text and of its place there are ``in_LIST`` (the token occurs in an
entry of gazetteer LIST), ``in_LIST+LIST`` (of one of several), ``phrase_LIST`` (it is part of a whole
entry), ``cluster``, ``table_NAME_COLUMN`` (the value of its word in a table), ``cue_before_NAME``,
``cue_after_NAME`` and ``cues_NAME`` (the cues of a table around it), ``links_left`` and ``links_right``,
``rule_NAME`` (it is part of a rule's match), and those that need a part-of-speech source: ``pos``,
``chunk_tag``, ``mesh``. A module is imported only if a template names one of its observations; a
program or wheel is loaded when the first document is observed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from crfdeid import files
from crfdeid.errors import TemplateError, did_you_mean
from crfdeid.feature_extraction import context, spanish, structure, token, word_clusters, works
from crfdeid.feature_extraction.token import Value, is_column, read_column
from crfdeid.files import read_text
from crfdeid.text.gazetteer import JOIN, Gazetteer, merge_gazetteers
from crfdeid.text.tokenized import TokenizedDocument

ATOM = re.compile(r"([\w+]{1,80})\[(-?[0-9]{1,3})(?:\.\.(-?[0-9]{1,3}))?\]")

# a model folder may hold anything:
SHOWN = 80  # characters of a template in an error
MOST = 100_000  # templates of a file

Atom = tuple[str, int]
Template = tuple[Atom, ...]
Columns = Mapping[str, Sequence[Value]]  # one value per token of a document, by the observation's name
NO_COLUMNS: Columns = {}

Lexical = Mapping[str, Callable[[str], Value]]
Contextual = Mapping[str, Callable[[TokenizedDocument], list[Value]]]
Tag = Callable[[list[str]], list[str]]  # the words of a line to their parts of speech


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
    return files.find_file("features", name, ".template")


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
    return sorted(columns | {context.find_table(name) for name in names if context.is_cue(name)})


def list_names(templates: Iterable[Template]) -> list[str]:
    """Return the names of the observations that the templates use, in order and each once."""
    return list(dict.fromkeys(name for template in templates for name, _ in template))


def split_values(value: Value) -> tuple[str, ...]:
    """Return the values of an observation as a tuple.

    >>> split_values("a"), split_values(("a", "b")), split_values(None)
    (('a',), ('a', 'b'), ())
    """
    return value if isinstance(value, tuple) else () if value is None else (value,)


class Observations(NamedTuple):
    """``lexical`` observations map a token's text to a value, ``contextual`` ones a document to one value
    per token."""

    lexical: Lexical
    contextual: Contextual


STATIC = Observations(
    token.LEXICAL | works.LEXICAL,
    context.CONTEXTUAL | structure.CONTEXTUAL | spanish.CONTEXTUAL | works.CONTEXTUAL,
)
OF_POS = ("pos", "chunk_tag", "mesh")
OF_LINKS = ("links_left", "links_right")
IN = "in_"  # the prefix of observations that are lists
RULE = "rule_"  # the prefix of observations that are rules


def resolve_names(
    names: Iterable[str], gazetteers: Mapping[str, Gazetteer], tag: Tag | None = None
) -> Observations:
    """Return the observations of these names. ``tag`` gives the parts of speech of the words of one line.
    Raises :class:`TemplateError` for a name that is unknown, or that needs ``tag`` where it is ``None``."""
    names = dict.fromkeys(names)
    there = {f"{IN}{gazetteer.name}": gazetteer for gazetteer in gazetteers.values()}
    there |= {f"{IN}{gazetteer.name}": gazetteer for gazetteer in merge_lists(names, gazetteers)}
    lists = {name: token.gazetteer_word(there[name]) for name in names if name in there}
    if word_clusters.LIST in gazetteers:
        lists["cluster"] = word_clusters.observe_cluster(gazetteers[word_clusters.LIST])
    lexical = {**STATIC.lexical, **lists, **token.observe_columns(names, gazetteers)}
    contextual = {**STATIC.contextual, **_load_contextual(names, gazetteers, tag)}
    for name in names:
        if name in OF_POS and tag is None:
            raise TemplateError(f"{name}: needs a part of speech, but the setting pos names no source")
        if name not in lexical and name not in contextual:
            known = [*lexical, *there, *contextual, *OF_POS, *OF_LINKS]
            raise TemplateError(f"{name}: no such observation{did_you_mean(name, known)}")
    return Observations(
        {name: lexical[name] for name in names if name in lexical},
        {name: contextual[name] for name in names if name in contextual},
    )


def merge_lists(names: Iterable[str], gazetteers: Mapping[str, Gazetteer]) -> Iterator[Gazetteer]:
    """Yield the lists that the names join, where all of them are there."""
    for name in names:
        parts = name.removeprefix(IN).split(JOIN)
        if name.startswith(IN) and len(parts) > 1 and gazetteers.keys() >= set(parts):
            yield merge_gazetteers([gazetteers[part] for part in parts])


def _load_contextual(
    names: Iterable[str], gazetteers: Mapping[str, Gazetteer], tag: Tag | None
) -> dict[str, Callable[[TokenizedDocument], list[Value]]]:
    """Return the contextual observations of the gazetteers, and of the modules that the names need."""
    found: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
        f"phrase_{name}": partial(_observe_phrases, gazetteer) for name, gazetteer in gazetteers.items()
    }
    found |= context.observe_cues(names, gazetteers)
    if any(name in OF_LINKS for name in names):
        from crfdeid.feature_extraction import link_bigrams

        found |= link_bigrams.CONTEXTUAL
    if any(name.startswith(RULE) for name in names):
        from crfdeid.feature_extraction import rule_matches

        found |= rule_matches.CONTEXTUAL
    if tag is not None and any(name in OF_POS for name in names):
        from crfdeid.feature_extraction import mesh_terms, part_of_speech

        pos = part_of_speech.PartsOfSpeech(tag)
        found |= {
            "pos": pos,
            "chunk_tag": partial(part_of_speech.chunk_tag, pos),
            "mesh": partial(mesh_terms.mesh, pos),
        }
    return found


def _observe_phrases(gazetteer: Gazetteer, document: TokenizedDocument) -> list[Value]:
    return token.gazetteer_phrase(gazetteer, document.lowered)
