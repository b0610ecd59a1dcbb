"""All observations by their names: what a template can use.

Besides the observations of a token's text and of its place there are ``in_LIST`` (the token occurs in an
entry of gazetteer LIST), ``in_LIST+LIST`` (of one of several), ``phrase_LIST`` (it is part of a whole
entry), ``cluster``, ``table_NAME_COLUMN`` (the value of its word in a table), ``cue_before_NAME``,
``cue_after_NAME`` and ``cues_NAME`` (the cues of a table around it), ``links_left`` and ``links_right``,
``rule_NAME`` (it is part of a rule's match), and those that need a part-of-speech source: ``pos``,
``chunk_tag``, ``mesh``. A module is imported only if a template names one of its observations; a
program or wheel is loaded when the first document is observed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from crfdeid.errors import TemplateError, did_you_mean
from crfdeid.feature_extraction import (
    context,
    cues,
    mist_patterns,
    spanish,
    structure,
    table_columns,
    token,
    trigger_words,
    word_clusters,
    word_windows,
)
from crfdeid.feature_extraction.token import Value
from crfdeid.text.gazetteer import JOIN, Gazetteer, merge_gazetteers
from crfdeid.text.tokenized import TokenizedDocument

Lexical = Mapping[str, Callable[[str], Value]]
Contextual = Mapping[str, Callable[[TokenizedDocument], list[Value]]]
Tag = Callable[[list[str]], list[str]]  # the words of a line to their parts of speech


class Observations(NamedTuple):
    """``lexical`` observations map a token's text to a value, ``contextual`` ones a document to one value
    per token."""

    lexical: Lexical
    contextual: Contextual


STATIC = Observations(
    token.LEXICAL | word_windows.LEXICAL,
    context.CONTEXTUAL
    | structure.CONTEXTUAL
    | spanish.CONTEXTUAL
    | word_windows.CONTEXTUAL
    | trigger_words.CONTEXTUAL
    | mist_patterns.CONTEXTUAL,
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
    asked = [*gazetteers.values(), *merge_lists(names, gazetteers)]
    lists = {f"{IN}{gazetteer.name}": token.gazetteer_word(gazetteer) for gazetteer in asked}
    if word_clusters.LIST in gazetteers:
        lists["cluster"] = word_clusters.observe_cluster(gazetteers[word_clusters.LIST])
    lexical = {**STATIC.lexical, **lists, **table_columns.observe_columns(names, gazetteers)}
    contextual = {**STATIC.contextual, **_load_contextual(names, gazetteers, tag)}
    for name in names:
        if name in OF_POS and tag is None:
            raise TemplateError(f"{name}: needs a part of speech, but the setting pos names no source")
        if name not in lexical and name not in contextual:
            known = [*lexical, *contextual, *OF_POS, *OF_LINKS]
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
    found |= cues.observe_cues(names, gazetteers)
    if any(name in OF_LINKS for name in names):
        from crfdeid.feature_extraction import link_bigrams

        found |= link_bigrams.CONTEXTUAL
    if any(name.startswith(RULE) for name in names):
        from crfdeid.feature_extraction import rule_matches

        found |= rule_matches.CONTEXTUAL
    if tag is not None and any(name in OF_POS for name in names):
        from crfdeid.feature_extraction import chunker, mesh_terms

        pos = chunker.PartsOfSpeech(tag)
        found |= {
            "pos": pos,
            "chunk_tag": partial(chunker.chunk_tag, pos),
            "mesh": partial(mesh_terms.mesh, pos),
        }
    return found


def _observe_phrases(gazetteer: Gazetteer, document: TokenizedDocument) -> list[Value]:
    return token.gazetteer_phrase(gazetteer, document.lowered)
