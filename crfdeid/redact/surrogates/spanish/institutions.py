"""Hospitals and firms, streets and jobs, in Spanish.

The words that say what an institution or a street is stay, and acronyms become others of their country.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import WORD, drop_accents, fold, match_case, word_set
from crfdeid.lexicon.spanish import LANGUAGE
from crfdeid.redact.surrogates.institutions import Institutions
from crfdeid.redact.surrogates.keyed_choice import INSTITUTIONS, STREETS
from crfdeid.redact.surrogates.listed import is_word, list_names
from crfdeid.redact.surrogates.spanish.countries import SPAIN, load_acronyms

SMALL = word_set(
    "de del la las los el lo y e o a al en san santa santo d i do da dos das dels des les l os sobre s"
)
NAMING = word_set("mayor real nueva nuevo vieja viejo alta alto baja bajo gran vía casa sur norte este oeste")
IN_STREETS = word_set(
    """anillo baixo bajo barrio block blvd bulevard bv cabina camiño camping col colonia condominio
    conjunto diag dpto entlo esquinera estrada etapa fracc fraccionamiento int interior izqda km letra
    manz mza no nte num numero ote paraje pb pje plazoleta portal priv ptal ptda pte rotonda s sin tramo
    villa"""
)
IN_INSTITUTIONS = word_set(
    """apoyo asistencial autobuses basica basico biblioteca cafeteria camara camping casa colegio
    comandancia comunitaria comunitario cuartel dia discoteca educativa elemental especialidad
    especialidades especializado estado facultad garantia gral guardia hospitalaria hospitalario ingreso
    instruccion integral internado lab letrado meson muelle mujer notaria parador primaria remo
    restaurant rural secundaria social subcentro supermercado tecnica tecnico templo turno unidad
    universitaria violencia voluntarios i ii iii iv v vi vii viii ix x xi xii"""
)
INITIAL = regex.compile(r"(?<![\p{L}.])[IVXAEOLY]\.\s*(?=\p{Lu}\p{L}{2})")  # not of C.E. Cantón
UNIT, FEWEST = "unit", 2  # an acronym that names no institution; of fewer others none is drawn
SAINTS = {"san": word_lists.MALE, "santo": word_lists.MALE, "santa": word_lists.FEMALE}
SIGN = regex.compile("[ºª°]")
BEFORE_SAINT = regex.compile(r"(?<!\p{L})(san|santo|santa)\s+$", regex.IGNORECASE)
ENDINGS = word_set("er ro do to mo vo º ª o a")  # of ordinals
FEMININE = regex.compile(r"^\p{L}*(?<!ist)a\b", regex.IGNORECASE)
COMMON = regex.compile(  # the jobs of both sexes
    r"(?:\p{L}+(?:ista|ante|ente|al)|auxiliar|guardia|guarda|policía|chef|chofer|bedel|conserje|agente|piloto"
    r"|militar|capataz|testigo|portavoz)\b(?<!dependiente|sirviente)",
    regex.IGNORECASE,
)
WOMEN = word_set("actriz jueza docta mujer monja azafata")


class SpanishInstitutions(Institutions):
    """The surrogates of one patient's hospitals, firms, streets and jobs. The words that say what it is stay
    (Hospital, C.S., Cra.), acronyms become others of their country, the other words surnames."""

    is_english = False
    find_country: Callable[[], str] = staticmethod(lambda: SPAIN)  # of the notes, by the patient's places

    def replace_institution(self, text: str) -> str | None:
        return self._replace_kept(text, list_hospital_words(), INSTITUTIONS)

    replace_department = replace_institution

    def replace_place(self, text: str) -> str | None:
        return self._replace_kept(text, list_hospital_words() | list_street_words(), INSTITUTIONS)

    def replace_street(self, text: str) -> str | None:
        """Replace names and numbers; keep the kind of street, the side and the signs of floor and door."""
        return self._replace_kept(text, list_street_words() - NAMING, STREETS)

    def _replace_kept(self, text: str, words: frozenset[str], thing: str) -> str | None:
        """Replace the words that :func:`find_kept` does not find, and the numbers."""
        if not any(c.isalnum() for c in text):
            return None
        kept = find_kept(text, words)

        def replace(match: regex.Match[str]) -> str:
            if match.start() in kept:
                return match[0]
            sign = match[0][: len(match[0]) - len(SIGN.sub("", match[0]))] if SIGN.match(match[0]) else ""
            return sign + self._replace_own(match, sign, text, thing)

        return regex.sub(r"\d+", lambda m: self._replace_number(m[0]), WORD.sub(replace, text))

    def _replace_own(self, match: regex.Match[str], sign: str, text: str, thing: str) -> str:
        """Replace a word behind its ``sign``: after *San* by a man's name, after *Santa* by a woman's."""
        word, saint = match[0][len(sign) :], BEFORE_SAINT.search(text[: match.start()])
        if saint and len(word) > 1:
            return match_case(self._choose_saint(fold(word), SAINTS[saint[1].lower()]), word)
        if known := find_acronym(word, text):
            return self._replace_acronym(word, known, text)
        if text.isupper() and len(word) > 3 and is_word(LANGUAGE, fold(word)):  # no acronym
            return match_case(self._choose_name(fold(word), thing), word)
        return self._replace_word(word, text, thing)

    def _replace_acronym(self, word: str, known: Mapping[str, str], text: str) -> str:
        """Replace the acronym of an institution by one of its country, of the same kind if there are a few;
        one that names none (UMF 15) stays."""
        own = self.find_country()
        country = own if own in known else min(known)
        kind, acronyms = known[country], list_acronyms(country)
        if kind == UNIT and word != text:
            return word
        alike = [acronym for acronym, of in acronyms if of == kind]
        every = [acronym for acronym, of in acronyms if of != UNIT]
        pool = sorted(alike if len(alike) > FEWEST else {*every, word.upper()})
        if len(pool) < 2:
            return self._replace_word(word, text, INSTITUTIONS)
        real = [acronym for acronym in pool if fold(acronym) in self.real]
        free = self.choices.shuffle([acronym for acronym in pool if acronym not in real], "acronyms", country)
        if word.upper() in real[: len(free)]:
            return match_case(free[real.index(word.upper())], word)
        return match_case(self.choices.permute(pool, "acronyms", country)[word.upper()], word)

    def _choose_saint(self, word: str, kind: str) -> str:
        """The first name that replaces a (folded) one behind *San* or *Santa*."""
        names = list_names(LANGUAGE, kind, self.names.initials.choose_initial(word, INSTITUTIONS))
        draw = self.choices.choose
        return self.choose_free(word, lambda n: draw(names, "saint", word, n), f"saint {kind} {word}")

    def replace_job(self, text: str) -> str | None:
        """Replace a job by one of the list that has the same gender."""
        entries = word_lists.load_sorted(LANGUAGE.jobs)
        if not any(c.isalnum() for c in text):
            return None
        folded, gender = fold(text), find_gender(text)
        entry = self.choose_free(
            text,
            lambda n: self.choices.choose(entries, "es_jobs", folded, n),
            f"es_jobs {folded}",
            lambda entry: find_gender(entry) == gender,
        )
        if text.isupper():
            return entry.upper()
        return entry[0].upper() + entry[1:] if text[0].isupper() else entry

    def _list_names(self, initial: str) -> Sequence[str]:
        return list_names(LANGUAGE, word_lists.SURNAME, initial)


def is_ending(match: regex.Match[str]) -> bool:
    """Whether letters end an ordinal: the ``º`` of ``3.º``, the ``er`` of ``1er``."""
    before = match.string[max(0, match.start() - 2) : match.start()].rstrip(".")
    is_sign = SIGN.fullmatch(match[0]) is not None
    return is_sign or (before[-1:].isdecimal() and match[0].lower() in ENDINGS)


def find_kept(text: str, words: frozenset[str]) -> set[int]:
    """The offsets of the words that stay: ``words``, small words, ordinals, and ordinary words in small
    letters in a name that has capitals; no initials (*V. Gómez*). Accents do not count. Where nothing else
    would be replaced, the last word does not stay."""
    first = regex.search(r"\d", text)
    has_capitals = any(word[0][0].isupper() for word in WORD.finditer(text))
    common = IN_STREETS | SMALL | (IN_INSTITUTIONS if "hospital" in words else frozenset())

    def is_kept(match: regex.Match[str]) -> bool:
        word = drop_accents(match[0].lower())
        if INITIAL.match(text, match.start()):
            return False
        if word in common or word in drop_all_accents(words) or is_ending(match):
            return True
        if first and match.start() > first.start() and word in NAMING:
            return True
        return has_capitals and match[0].islower() and len(word) > 2 and is_word(LANGUAGE, fold(word))

    found = list(WORD.finditer(text))
    kept = {match.start() for match in found if is_kept(match)}
    if len(kept) < len(found) or any(c.isdecimal() for c in text):
        return kept
    last = max((match.start() for match in found if match[0].lower() not in SMALL), default=None)
    return kept - {last} if last is not None else set()


@cache
def drop_all_accents(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(drop_accents, words))


def is_feminine(job: str) -> bool:
    """Whether the first word of a job is a woman's.

    >>> [is_feminine(job) for job in ("panadera", "albañil", "taxista", "auxiliar de ayuda")]
    [True, False, False, False]
    """
    return find_gender(job) == word_lists.FEMALE


def find_gender(job: str) -> str:
    """Whether the first word of a job is a woman's, a man's, or either's.

    >>> [find_gender(job) for job in ("panadera", "albañil", "modista")] == [
    ...     word_lists.FEMALE, word_lists.MALE, word_lists.EITHER]
    True
    """
    first = job.split()[0].lower() if job.split() else ""
    if COMMON.match(first):
        return word_lists.EITHER
    return word_lists.FEMALE if FEMININE.match(first) or first in WOMEN else word_lists.MALE


def find_acronym(word: str, text: str) -> Mapping[str, str]:
    """What a word of the name of an institution is as an acronym, by country. In small letters it is one only
    if it is the whole name.

    >>> find_acronym("imss", "imss"), find_acronym("once", "los once")
    ({'MX': 'insurer'}, {})
    """
    return load_acronyms().get(word.upper(), {}) if word.isupper() or word == text else {}


@cache
def list_acronyms(country: str) -> tuple[tuple[str, str], ...]:
    """The acronyms of a country, each with what it is."""
    return tuple((acronym, of[country]) for acronym, of in load_acronyms().items() if country in of)


@cache
def list_hospital_words() -> frozenset[str]:
    return word_lists.load_lowercase(*LANGUAGE.institution_words)


@cache
def list_street_words() -> frozenset[str]:
    return word_lists.load_lowercase(*LANGUAGE.street_words)
