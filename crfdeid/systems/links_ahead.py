"""Parse the sentences of a corpus before a training needs them: with several parsers at once, and kept.

A training that observes links (Stat-Deid, Mega) would parse them note by note with one parser.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from crfdeid.config import Config
from crfdeid.feature_extraction.templates import OF_LINKS
from crfdeid.systems.extras import list_observations
from crfdeid.text.document import Document
from crfdeid.text.folding import fold_document


def has_links(config: Config) -> bool:
    """Whether the templates of a configuration, or of a system in its stack, observe links."""
    return not set(OF_LINKS).isdisjoint(list_observations(config))


def list_sentences(documents: Iterable[Document], configs: Iterable[Config]) -> list[str]:
    """Return the sentences that the configurations need and the cache does not have. Raises
    :class:`ConfigurationError` where they need the parser and it is not installed."""
    if not any(map(has_links, configs)):
        return []
    from crfdeid.feature_extraction import link_bigrams

    texts = (fold_document(document).text for document in documents)
    return link_bigrams.list_unparsed(texts, link_bigrams.find_cache())


def parse_sentences(sentences: Sequence[str]) -> Iterator[int]:
    """Parse, keep the linkages, and yield the number of sentences as they are done."""
    if sentences:
        from crfdeid.feature_extraction import link_bigrams

        yield from link_bigrams.parse_ahead(sentences, link_bigrams.find_cache(), os.cpu_count() or 1)
