"""The words that several rooms look for: titles, credentials, months, names, ordinary words; and languages.

A language is a pack, one :class:`Language`: its words, and the places of what else the package has of it.
Ours are in :data:`LANGUAGES`; other packages add one by an entry point (docs/languages.md). What a pack lacks
is off in its language.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from crfdeid import plugins
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.text.document import Document

ENGLISH, SPANISH = "english", "spanish"
LANGUAGES = {  # each as an entry point names it
    ENGLISH: "crfdeid.lexicon.english:LANGUAGE",
    SPANISH: "crfdeid.lexicon.spanish:LANGUAGE",
}

PARTS = ("repair", "surrogates", "medicine", "written")  # fields that name a part of another room
SCHEME = "i2b2-2014"  # of the models that ship
WORD = re.compile(r"[^\W\d_]+")
MOST_NOTES, MOST_CHARACTERS = 200, 3_000  # in which words are counted, and of each note
FEWEST = 12  # stop words that show a language
TIMES = 3  # as many as of the language of the model
MOST_SHARE, LEAST_SHARE = 4, 8  # one word in four is a stop word of its language, and surely one in eight


@dataclass(frozen=True)
class Language:
    """A language of notes. A part is named as an entry point does, ``module:name``; ``""`` is none.

    ``stop_words``: small words that no other language has, by which notes are known.
    ``model``: the model that ships for its notes, or the path of one; ``rules`` and ``sure_rules`` are
    systems that learn nothing, used beside it where false alarms cost little, and where notes are released.
    ``repair``: a table of the forms of repair by scheme (:mod:`crfdeid.repair`).
    ``surrogates``: the class that makes the surrogates of a patient
    (:class:`crfdeid.redact.surrogates.patient.PatientSurrogates`).
    ``medicine``: the function that takes words of medicine out of what a model found
    (:func:`crfdeid.redact.run.tagging.drop_medical`).
    ``written``: its written documents (:class:`crfdeid.synthetic.written_corpus.Written`).
    ``page``: the path of the phrases of the page of a release (:func:`crfdeid.pages.translate`).

    The other fields are for :mod:`crfdeid.redact.surrogates.listed`. ``women``, ``men``, ``surnames``,
    ``nicknames``, ``words``, ``institution_words``, ``street_words``, ``towns``, ``countries`` and
    ``jobs`` are names of lists that ship, or paths of lists. ``letters`` groups the initials of names by how
    many there are, and ``titles`` come before a name. ``months`` begin in January, ``weekdays`` on Monday;
    ``small_words`` are written in names and dates (de)."""

    name: str
    stop_words: frozenset[str] = field(default=frozenset(), repr=False)
    model: str = ""
    rules: str = ""
    sure_rules: str = ""
    repair: str = ""
    surrogates: str = ""
    medicine: str = ""
    written: str = ""
    page: str = ""
    women: tuple[str, ...] = ()
    men: tuple[str, ...] = ()
    surnames: tuple[str, ...] = ()
    nicknames: str = ""
    letters: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    institution_words: tuple[str, ...] = ()
    street_words: tuple[str, ...] = ()
    towns: tuple[str, ...] = ()
    countries: str = ""
    jobs: str = ""
    months: tuple[str, ...] = ()
    weekdays: tuple[str, ...] = ()
    small_words: tuple[str, ...] = ()

    def choose_model(self, kind: str = "model") -> str:
        """Return its ``model``, ``careful_model`` or ``release_model``. Raises :class:`ConfigurationError`
        where there is none."""
        if not self.model:
            raise ConfigurationError(f"{self.name}: there is no model for it; wanted --model")
        return str(getattr(self, kind))

    @property
    def careful_model(self) -> str:
        """The model with the rules, where false alarms cost little."""
        return "+".join(filter(None, (self.model, self.rules)))

    @property
    def release_model(self) -> str:
        """The model for notes that leave the hospital, and must keep the medicine."""
        return "+".join(filter(None, (self.model, self.sure_rules)))

    def load(self, part: str) -> Any:
        """Import a part, one of :data:`PARTS`; None where the language has none. Raises
        :class:`ConfigurationError` where it cannot be imported."""
        module, _, name = getattr(self, part).partition(":")
        if not module:
            return None
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError) as error:
            where = f"{self.name}: its {part} cannot be imported as it says ({getattr(self, part)})"
            raise ConfigurationError(f"{where}: {type(error).__name__}") from None


def find_language(name: str) -> Language:
    """Return a language, ours or of another package. Raises :class:`ConfigurationError` where there is none
    of that name, or its package is broken."""
    if name in LANGUAGES:
        module, _, record = LANGUAGES[name].partition(":")
        found: Language = getattr(import_module(module), record)
        return found
    others = plugins.find_plugins(plugins.LANGUAGES)
    if name not in others:
        known = [*LANGUAGES, *others]
        raise ConfigurationError(
            f"{name}: no such language{did_you_mean(name, known)}; wanted {' or '.join(known)}"
        )
    return plugins.load_plugin(plugins.LANGUAGES, name, Language)


def load_others() -> dict[str, Language]:
    """Import the languages of other packages, without those that are broken: nobody asked for them."""
    found = {}
    for name in plugins.find_plugins(plugins.LANGUAGES):
        try:
            found[name] = find_language(name)
        except ConfigurationError:
            continue
    return found


class NoteLanguage:
    """Counts the words of the first notes of a run; its model is for one ``language``. A model of another
    ``scheme`` than those that ship is not judged."""

    def __init__(self, language: str, scheme: str = SCHEME) -> None:
        self.language, self.left = language, MOST_NOTES if scheme == SCHEME else 0
        self.words: Counter[str] = Counter()

    def count_each(self, notes: Iterable[Document]) -> Iterator[Document]:
        """Yield the notes, and count."""
        for note in notes:
            if self.left:
                self.left -= 1
                self.words.update(WORD.findall(note.text[:MOST_CHARACTERS].lower()))
            yield note

    def count_languages(self) -> dict[str, int]:
        """Count the stop words of each language that no other has."""
        known = self._list_languages()
        several = Counter(word for language in known.values() for word in language.stop_words)
        return {
            name: self._count(word for word in language.stop_words if several[word] == 1)
            for name, language in known.items()
        }

    def _list_languages(self) -> dict[str, Language]:
        """The languages that the notes may be in: those of other packages too, where enough words are not of
        the model's language."""
        known = {name: find_language(name) for name in (*LANGUAGES, self.language)}
        own, total = self._count(known[self.language].stop_words), self.words.total()
        is_sure = total < MOST_SHARE * FEWEST or LEAST_SHARE * own >= total
        return known if is_sure else known | load_others()

    def _count(self, words: Iterable[str]) -> int:
        return sum(self.words[word] for word in words)

    def lines(self) -> Iterator[str]:
        """Say which model is for the notes, where it is one of another language.

        >>> counted, text = NoteLanguage(ENGLISH), "Acude por dolor en el pie desde hace un mes, sin fiebre. "
        >>> len([*counted.count_each([Document("n", text * 2)])]), [*counted.lines()]
        (1, ['these notes look Spanish; --model spanish'])
        """
        counts = self.count_languages()
        own = counts.pop(self.language)
        found = max(counts, key=lambda name: counts[name])
        if counts[found] >= max(FEWEST, TIMES * own):
            model = self._list_languages()[found].model
            wanted = f"--model {model}" if model else "there is no model for them"
            yield f"these notes look {found.capitalize()}; {wanted}"
