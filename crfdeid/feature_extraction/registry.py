"""All observations by their names: what a template may ask for.

Besides those that the modules name there are ``in_LIST`` (the token occurs in an entry of
gazetteer LIST), ``phrase_LIST`` (it stands in a whole entry), and those of the configured
part-of-speech source: ``pos``, ``chunk_tag``, ``mesh``. What needs a program or a wheel of its own
asks for it when a page is first observed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module

from crfdeid.feature_extraction import context, mist_patterns, token, trigger_words, word_windows
from crfdeid.feature_extraction.token import Value
from crfdeid.text.gazetteer import Gazetteer
from crfdeid.text.tokenized import TokenizedDocument

Lexical = Mapping[str, Callable[[str], Value]]
Contextual = Mapping[str, Callable[[TokenizedDocument], list[Value]]]
Tag = Callable[[list[str]], list[str]]  # the words of a line to their parts of speech

OF_POS = ("pos", "chunk_tag", "mesh")
OF_LINKS = ("links_left", "links_right")
RULE = "rule_"  # begins the names of the observations that are rules


class _WithRules(dict[str, Callable[[TokenizedDocument], list[Value]]]):
    """Reads the rules when a name of theirs is first looked for."""

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str) and name.startswith(RULE) and not super().__contains__(name):
            self.update(import_module("crfdeid.feature_extraction.rule_matches").CONTEXTUAL)
        return super().__contains__(name)


def lexical(gazetteers: Mapping[str, Gazetteer]) -> dict[str, Callable[[str], Value]]:
    """All observations of a token's text."""
    lists = {f"in_{name}": token.gazetteer_word(found) for name, found in gazetteers.items()}
    return token.LEXICAL | word_windows.LEXICAL | lists


def contextual(
    gazetteers: Mapping[str, Gazetteer], pos: Tag | None = None
) -> dict[str, Callable[[TokenizedDocument], list[Value]]]:
    """All observations of a document; ``pos`` tags the words of one line."""
    lists = {f"phrase_{name}": partial(_phrase, found) for name, found in gazetteers.items()}
    links = {name: partial(_links, name) for name in OF_LINKS}
    known = context.CONTEXTUAL | word_windows.CONTEXTUAL | trigger_words.CONTEXTUAL | mist_patterns.CONTEXTUAL
    return _WithRules(known | links | lists | (_of_pos(pos) if pos else {}))


def _of_pos(tag: Tag) -> dict[str, Callable[[TokenizedDocument], list[Value]]]:
    from crfdeid.feature_extraction import mesh_terms
    from crfdeid.feature_extraction.chunker import PartsOfSpeech, chunk_tag

    pos = PartsOfSpeech(tag)
    return {"pos": pos, "chunk_tag": partial(chunk_tag, pos), "mesh": partial(mesh_terms.mesh, pos)}


def _phrase(gazetteer: Gazetteer, document: TokenizedDocument) -> list[Value]:
    return token.gazetteer_phrase(gazetteer, document.lowered)


def _links(name: str, document: TokenizedDocument) -> list[Value]:
    from crfdeid.feature_extraction import link_bigrams

    return link_bigrams.CONTEXTUAL[name](document)
