"""The needs of a configuration before it trains: packages, and parsed sentences.

An extra is a group of packages in setup.cfg. ``make train`` and ``make ablate`` install what is missing
before they train, and do not call pip where nothing is missing. A training that observes links (Stat-Deid,
Mega) would parse the sentences of its corpus note by note with one parser; here several parse them
beforehand, and the linkages are kept.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import metadata

from crfdeid.config import Config
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import find_pos_tagger
from crfdeid.feature_extraction.templates import OF_LINKS
from crfdeid.systems import registry
from crfdeid.text.document import Document
from crfdeid.text.tokenizer import fold_document

OF_SOURCES = {"gruut": "works", "aptagger": "pos"}  # of the setting pos
OF_OBSERVATIONS = {"lemma": "works"}
REQUIREMENT = re.compile(r"""([\w.-]+).*;.*\bextra\s*==\s*["']([\w-]+)["']""")


def list_settings(config: Config, name: str) -> list[str]:
    """Return the values of a setting that is a text, in a configuration and in the systems of its stack."""
    bases = config.options.get("bases", {}).values()
    return [value for value in (getattr(config, name), *(base.get(name) for base in bases)) if value]


def list_observations(config: Config) -> list[str]:
    """Return the names of the observations of a configuration, and of the systems in its stack."""
    bases = [base.get("features", []) for base in config.options.get("bases", {}).values()]
    groups = {group for features in (config.features, *bases) for group in features}
    return templates.list_names(t for group in sorted(groups) for t in templates.read_group(group))


def list_extras(configs: Iterable[Config]) -> list[str]:
    """Return the extras that trainings of these configurations need.

    >>> list_extras([registry.read_config("wi_deid"), registry.read_config("rnn_elman")])
    ['rnn', 'works']
    """
    return sorted({extra for config in configs for extra in _list_extras(config)} - {""})


def _list_extras(config: Config) -> Iterator[str]:
    yield from (registry.find_system(name).extra for name in list_settings(config, "system"))
    yield from (OF_SOURCES.get(name, "") for name in list_settings(config, "pos"))
    yield from (OF_OBSERVATIONS.get(name, "") for name in list_observations(config))


def list_missing(extras: Iterable[str]) -> list[str]:
    """Return the extras of which a package is not installed. Where this package itself is not installed,
    its extras are not known."""
    return [extra for extra in extras if not all(map(is_installed, list_packages(extra)))]


def list_packages(extra: str) -> list[str]:
    """Return the names of the packages of an extra."""
    try:
        wanted = metadata.requires("crfdeid") or []
    except metadata.PackageNotFoundError:
        return []
    found = [match for line in wanted if (match := REQUIREMENT.match(line))]
    return [match[1] for match in found if match[2] == extra]


def is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def check_installed(config: Config) -> None:
    """Raise :class:`ConfigurationError` where a package is missing that a training needs."""
    registry.find_system(config.system).check_installed(config)
    for source in list_settings(config, "pos"):
        find_pos_tagger(source)
    if "lemma" in list_observations(config):
        from crfdeid.feature_extraction.works import load_lemmatizer

        load_lemmatizer()


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
