"""Replace the PHI of a document: text and spans in, redacted text with exact offsets out.

    spans ─▶ overlapping ones merged, missed mentions added ─▶ a replacement for each ─▶ applied

Replacements can be inspected and changed before they are applied. Text outside the replacements is never
changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import date

import regex

from crfdeid import policy
from crfdeid.errors import ConfigurationError, DocumentError, did_you_mean, show_id
from crfdeid.lexicon import ENGLISH, find_language
from crfdeid.lexicon.letters import normalize
from crfdeid.policy import Policy
from crfdeid.redact.actions import MARKER, PolicyActions, check_marker, make_blanks, make_marker, name_type
from crfdeid.redact.leftover.suspicious import Suspicion, find_suspicious
from crfdeid.redact.released_notes import remember_release
from crfdeid.redact.surrogates import kinds
from crfdeid.redact.surrogates.generalize import hash_text
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient import PatientSurrogates, Rules, check_shifts, choose_days, draw_days
from crfdeid.redact.surrogates.patient_facts import PatientHistory, collect_facts
from crfdeid.redact.surrogates.search import PatientSearch
from crfdeid.text.document import Document, Span, merge_overlapping, widen_cut_spans
from crfdeid.text.scheme import show_span

STYLES = ("surrogate", "type", "blank")
STYLE_ACTIONS = dict(zip(STYLES, (policy.SURROGATE, policy.MARKER, policy.BLANK)))
RUN = regex.compile(r"[^\W_]+")

UNREAD = "not read as {kind}"
UNKNOWN_TYPE = "no known type"
OLD_AGE = "shows an age over 89"
MIXED_TYPES = "overlapping spans of different types"


@dataclass(frozen=True)
class Replacement:
    """The replacement of ``text[start:end]``. ``treatment`` is ``surrogate``, ``shifted``, ``generalised``,
    ``hashed``, ``kept``, ``marker`` or ``blank``. If no surrogate could be made, ``resolved`` is false,
    ``why`` gives the reason, and ``replacement`` is the marker of the type. ``repeat`` is true if no span
    was there and the text was found elsewhere."""

    start: int
    end: int
    type: str
    replacement: str = field(repr=False)
    treatment: str = "surrogate"
    resolved: bool = True
    why: str | None = None
    repeat: bool = False


@dataclass(frozen=True)
class Redaction:
    """A redacted document with its replacements. ``overlaps`` counts the merged spans of different types.
    ``survivors`` are the places in the redacted text that still contain a text found in the patient's notes.
    ``suspicions`` are the places that look like PHI although nothing of them was found. ``id_has_phi`` says
    whether the id of the note or of its patient contains a found text."""

    document: Document
    replacements: tuple[Replacement, ...]
    overlaps: int = 0
    survivors: tuple[Span, ...] = ()
    id_has_phi: bool = False
    suspicions: tuple[Suspicion, ...] = ()


class Redactor:
    """Redacts notes with one secret. With ``by_note`` each note is redacted by itself, so that the
    result does not depend on the patient's other notes. A policy chooses the action for each span, and the
    style is how its surrogates are written. ``shifts`` holds by patient the days by which dates
    move; for other patients they are drawn. No surrogate name is a folded word that ``avoid`` is
    true of, if all notes of a patient are redacted together. Raises :class:`ConfigurationError` for
    an impossible style, marker, policy or shift."""

    def __init__(
        self,
        secret: bytes,
        style: str = "surrogate",
        marker: str = MARKER,
        rules: Rules | None = None,
        by_note: bool = False,
        policy: Policy | None = None,
        shifts: Mapping[str, int] | None = None,
        avoid: Callable[[str], bool] | None = None,
    ) -> None:
        if style not in STYLES:
            raise ConfigurationError(
                f"{style}: not a style{did_you_mean(style, STYLES)}; the styles are {', '.join(STYLES)}"
            )
        self.secret, self.style, self.rules, self.by_note = secret, style, rules or Rules(), by_note
        self.marker, self.actions = check_marker(marker), PolicyActions(policy, STYLE_ACTIONS[style])
        self.write_in(self.rules.language)
        self.shifts, self.avoid = check_shifts(shifts or {}), avoid
        self.histories: dict[str, PatientHistory] | None = None  # by patient, if a map is used
        self.save_history: Callable[[str, PatientHistory], None] | None = None

    def write_in(self, language: str) -> None:
        """Make surrogates in this language from now on. Raises :class:`ConfigurationError` for one that has
        none."""
        self.rules = replace(self.rules, language=language)
        self.actions.is_place = find_surrogates(language).is_place

    def hash_options(self, *further: object) -> str:
        """Hash everything that the result depends on. Without the secret the hash reveals nothing."""
        options = (self.style, self.marker, self.rules, self.by_note, *self.actions.options, *further)
        options += (sorted(self.shifts.items()),) if self.shifts else ()
        options += (self.rules.language,) if self.rules.language != ENGLISH else ()
        return KeyedChoices(self.secret, "recipe").digest(*options).hex()

    def redact(self, documents: Sequence[Document]) -> list[Redaction]:
        """Redact the notes of one patient alike. If a map is used, it has the patient when they return.

        A span that cuts a word is widened to it: the rest would show what was there, and the word would not
        be found again."""
        documents = [widen_cut_spans(note) for note in documents]
        groups = [[note] for note in documents] if self.by_note else [documents]
        return [redaction for group in groups for redaction in self._redact_group(group)]

    def _redact_group(self, documents: Sequence[Document]) -> list[Redaction]:
        surrogates, search = self._prepare(documents)
        redactions = [self._redact_note(note, surrogates, search) for note in documents]
        if self.histories is not None and self.save_history is not None:
            id = identify_patient(documents[0])
            self.save_history(id, self.histories[id])
        return redactions

    def has_entry(self, note: Document) -> bool:
        """Whether the map has the patient of the note; true if no map is used."""
        return self.histories is None or identify_patient(note) in self.histories

    def open_history(self, patient: str) -> PatientHistory:
        """Return what the map holds of a patient; begin it if the patient is new. Needs a map."""
        assert self.histories is not None
        return self.histories.setdefault(patient, PatientHistory())

    def find_shift(self, patient: str) -> int:
        """Return the days by which the dates of a patient move: whole weeks."""
        return self.find_days(Document("", "", patient=patient))

    def find_days(self, note: Document) -> int:
        """Return the days by which the dates of a note move."""
        id = identify_patient(note)
        history, drawn = (self.histories or {}).get(id), draw_days(self.secret, id, self.rules)
        return choose_days(self.shifts.get(note.patient or ""), drawn, history)

    def copy_without_map(self) -> Redactor:
        """A redactor with the same secret and options that remembers nothing."""
        chosen = self.actions.policy
        options = self.style, self.marker, self.rules, self.by_note, chosen, self.shifts, self.avoid
        return Redactor(self.secret, *options)

    def propose(self, documents: Sequence[Document]) -> list[list[Replacement]]:
        """Propose the replacements for each note of one patient."""
        surrogates, search = self._prepare(documents)
        merged = [merge_overlapping(self.actions.select_phi(note)) for note in documents]
        return [
            self._replace_spans(note, spans, surrogates, search) for note, spans in zip(documents, merged)
        ]

    def _prepare(self, documents: Sequence[Document]) -> tuple[PatientSurrogates, PatientSearch]:
        """The surrogates of the patient of these notes, and the search for the texts of their spans."""
        facts, id = collect_facts(documents, complete=not self.by_note), identify_patient(documents[0])
        facts.avoid = self.avoid
        history = PatientHistory()
        if self.histories is not None:
            history = self.open_history(id)
            history.begin(hash_notes(self.secret, documents))
        history.merge(facts)
        make = find_surrogates(self.rules.language)
        wanted = self.actions.drop_kept(facts.list_repeated(), documents)
        search = PatientSearch(wanted, facts.words.list_all, make.is_word)
        facts.names.update(search.misspelt)  # so that their surrogates are misspelt too
        names, given, keeps_states = history.names, history.given, self.actions.keeps_states
        surrogates = make(self.secret, id, facts, self.rules, names, given, keeps_states)
        history.names = surrogates.names.assigned
        drawn = surrogates.dates.shift.days
        history.days = choose_days(self.shifts.get(documents[0].patient or ""), drawn, history)
        surrogates.dates.move_by(history.days)
        surrogates.note_births(documents)
        return surrogates, search

    def _redact_note(
        self, document: Document, surrogates: PatientSurrogates, search: PatientSearch
    ) -> Redaction:
        merged = merge_overlapping(self.actions.select_phi(document))
        replacements = self._replace_spans(document, merged, surrogates, search)
        redacted = apply_replacements(document, replacements)
        if self.histories is not None:
            history = self.histories[identify_patient(document)]
            remember_pairs(
                history, document, [made for made in replacements if not self.actions.keeps(made.treatment)]
            )
            made = [(made.start, made.end, made.replacement) for made in replacements]
            remember_release(history, self.secret, document, redacted.text, made)
        id_has_phi = any(search.occurs_in_id(id) for id in (document.id, document.patient or ""))
        survivors = tuple(search.find_survivors(redacted))
        overlaps = sum(map(are_mixed, merged.values()))
        suspicions = tuple(find_suspicious(redacted, survivors))
        return Redaction(redacted, tuple(replacements), overlaps, survivors, id_has_phi, suspicions)

    def _replace_spans(
        self,
        document: Document,
        merged: dict[Span, list[Span]],
        surrogates: PatientSurrogates,
        search: PatientSearch,
    ) -> list[Replacement]:
        missed = set(search.find_missed(document, merged))
        kept = self.actions.select_kept(document, [*merged, *missed])
        completed = document.with_spans([*merged, *missed, *kept])
        note_date = surrogates.find_note_date(completed)
        replacements = []
        for span in completed.spans:
            made = self._replace_span(completed, span, surrogates, note_date)
            made = replace(made, repeat=True) if span in missed else made
            is_doubtful = self.actions.may_keep_words and are_mixed(merged.get(span, ()))
            replacements.append(self._replace_mixed(made, document) if is_doubtful else made)
        return replacements

    def _replace_mixed(self, made: Replacement, document: Document) -> Replacement:
        """Use the marker for merged spans of different types if a word of the text would remain."""
        if not share_word(document.text[made.start : made.end], made.replacement):
            return made
        marker = make_marker(made.type, self.marker)
        return replace(made, replacement=marker, treatment="marker", resolved=False, why=MIXED_TYPES)

    def _replace_span(
        self, document: Document, span: Span, surrogates: PatientSurrogates, note_date: date | None
    ) -> Replacement:
        text, place = document.text_of(span), (span.start, span.end, span.type)
        action = self.actions.choose(document, span)
        if self.actions.shows_years(span.type) and surrogates.shows_old_year(document, span):
            return Replacement(*place, make_marker(span.type, self.marker), "marker", False, OLD_AGE)
        if action == policy.KEEP:
            return Replacement(*place, text, "kept")
        if action == policy.BLANK:
            return Replacement(*place, make_blanks(text), "blank")
        if action == policy.HASH:
            return Replacement(*place, hash_text(text, span.type, surrogates.choices), "hashed")
        marker = make_marker(span.type, self.marker)
        if action == policy.MARKER:
            return Replacement(*place, marker, "marker")
        return self._read_span(document, span, surrogates, note_date, action == policy.GENERALIZE)

    def _read_span(
        self,
        document: Document,
        span: Span,
        surrogates: PatientSurrogates,
        note_date: date | None,
        is_general: bool,
    ) -> Replacement:
        """Make the surrogate or the less exact text of a span; a marker if it cannot be read."""
        text, kind = document.text_of(span), kinds.kind_of(span.type)
        place, marker = (span.start, span.end, span.type), make_marker(span.type, self.marker)
        if kind == kinds.UNKNOWN:
            return Replacement(*place, marker, "marker", False, UNKNOWN_TYPE)
        is_old = kind == kinds.DATE and surrogates.dates.shows_old_age(text, note_date)
        if is_old or surrogates.shows_old_birth(document, span):
            return Replacement(*place, marker, "marker", False, OLD_AGE)
        if is_general:
            to = self.actions.find_unit(span.type)
            made = surrogates.generalize(document, span, to, note_date)
        else:
            made = surrogates.make_surrogate(document, span, note_date)
        if made is None:
            return Replacement(*place, marker, "marker", False, UNREAD.format(kind=kind))
        return Replacement(*place, made, classify_treatment(text, made, kind, self.rules, is_general))


def find_surrogates(language: str) -> type[PatientSurrogates]:
    """Return what makes the surrogates of a language: its own class, otherwise one from its lists. Raises
    :class:`ConfigurationError` where there is no such language."""
    found: type[PatientSurrogates] | None = find_language(language).load("surrogates")
    if found is None:
        from crfdeid.redact.surrogates.listed import build_surrogates

        found = build_surrogates(language)
    return found


def classify_treatment(text: str, made: str, kind: str, rules: Rules, is_general: bool) -> str:
    if made == text:
        return "kept"
    if is_general or kind == kinds.AGE or (kind == kinds.ZIP and rules.zip == "three"):
        return "generalised"
    return "shifted" if kind == kinds.DATE else "surrogate"


def remember_pairs(history: PatientHistory, document: Document, replacements: Iterable[Replacement]) -> None:
    for made in replacements:
        pairs = history.pairs.setdefault(made.type, {})
        pairs[document.text[made.start : made.end]] = made.replacement


def hash_notes(secret: bytes, documents: Iterable[Document]) -> str:
    """Hash everything of a patient's notes that the result depends on."""
    notes = sorted((note.id, note.text, *map(str, map(astuple, note.spans))) for note in documents)
    return KeyedChoices(secret, "notes").digest(notes).hex()


def identify_patient(document: Document) -> str:
    """The identity under which a note is redacted: its patient, or the note itself if it has no patient."""
    return f"patient {document.patient}" if document.patient is not None else f"document {document.id}"


def apply_replacements(document: Document, replacements: Iterable[Replacement]) -> Document:
    """Replace the texts and return the document with spans over the replacements. Raises
    :class:`DocumentError` if replacements overlap or exceed the text."""
    pieces: list[str] = []
    spans: list[Span] = []
    at = length = 0
    for made in sorted(replacements, key=lambda made: (made.start, made.end)):
        if not at <= made.start < made.end <= len(document.text):
            where = f"{show_id(document.id)}: {show_span(Span(made.start, made.end, made.type))}"
            raise DocumentError(f"{where} overlaps another replacement or exceeds the text")
        pieces += [document.text[at : made.start], made.replacement]
        start = length + made.start - at
        length = start + len(made.replacement)
        if made.replacement:
            spans.append(Span(start, length, name_type(made.type)))
        at = made.end
    return replace(document, text="".join([*pieces, document.text[at:]]), spans=tuple(spans))


def are_mixed(spans: Iterable[Span]) -> bool:
    """Whether the spans have different types."""
    return len({span.type for span in spans}) > 1


def share_word(a: str, b: str) -> bool:
    """Whether two texts have a word or number in common. What may be kept for one type (a weekday, a title,
    "Hospital") may be a name for the type that overlaps it.

    >>> share_word("Park Hospital", "Weber Hospital"), share_word("3/7", "4/8")
    (True, False)
    """
    return bool({*RUN.findall(normalize(a).text)} & {*RUN.findall(normalize(b).text)})
