"""The spans of a patient's notes before they are redacted: their own, and what the model found.

A release finds more than the most probable PHI, and what it changes wrongly is mostly medicine: eponyms,
devices, drugs, anatomy, abbreviations. The redactor keeps titles, credentials and sutures that a model took
for PHI. A word of the medical lists is a person only where something says so: a title, a first name, an
initial, a credential behind it, what the person does on the ward or is to the patient, or a probability that
is not small. Spans of the notes themselves, of tables and of lists of terms are never judged here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, pairwise, tee
from typing import Literal, NamedTuple

import regex

from crfdeid.lexicon import find_language, letters, names, ordinary, word_lists
from crfdeid.lexicon.english import GENERIC, PARTS, SERVICES, STAYS
from crfdeid.policy import Policy
from crfdeid.redact.run.plan import BEST
from crfdeid.redact.surrogates.names import CREDENTIALS_OR_NAMES
from crfdeid.systems import model, parallel
from crfdeid.systems.tagger import BATCH, Tagger, chunk_documents, unite_spans
from crfdeid.systems.threshold import AnyThreshold, Threshold
from crfdeid.text.document import Document, Span

PEOPLE = ("PATIENT", "DOCTOR")
PROBABLE = 0.18  # of a person whose name is a word of medicine
PRODUCTS = ("eponyms", "clinical_names", "makers", "drug_words")  # words that people may have as their names
WORDS = ("medical_words", "abbreviations")
NEAR, BESIDE = 24, 48  # characters before a span that may say that it is a person, or what else it is
MOST_INITIALS = 4
ARTICLES = ("a", "an", "the")
CREDENTIAL = regex.compile(
    rf"(?:{names.RULE_CREDENTIALS}|{names.ENDING_CREDENTIALS}|{names.CUE_CREDENTIALS}|{names.LONG_WITH_STOPS})(?:-B?C)?\.?"
)
TITLE_BEFORE = regex.compile(rf"\b(?:{'|'.join(sorted(names.KEPT_TITLES))})\b\.?[ ]*$", regex.IGNORECASE)
BEHIND_NAME = regex.compile(r"[ ]?,?[ ]?")
ZIP_AFTER = regex.compile(r"[ ,]*\d{5}")
SAYS_PERSON = regex.compile(
    rf"(?:\b(?:{names.SAYS_PERSON})\b[.:,]*[ \t]*[(\"]?|(?<!\p{{L}})\p{{Lu}}\.[ ]?)$", regex.IGNORECASE
)
CREDENTIAL_AFTER = regex.compile(rf"(?:['’]s)?,?[ ]+(?:{names.ENDING_CREDENTIALS}|{names.WITH_STOPS})\b")
INITIAL_AFTER = regex.compile(r",?[ ]\p{Lu}\b(?!['’])")
THING_AFTER = regex.compile(
    rf"(?:['’]s?)?[ ](?:\p{{Ll}}+[ ])?(?:{'|'.join(sorted(ordinary.THINGS))}|technique|regression|analys[ei]s"
    r"|blue|rats|hooks?|mouthgag|resectoscope|nomogram|formula|striae|lines)\b"
    r"|(?:['’]s?)?[ ](?:neg|pos|negative|positive|absent|\d(?:/\d+)?|I{1,3}V?|IV)(?![\p{L}\p{N}])"
    r"|[ ][-+][ ,;]"
)
DOUBTFUL = 0.5
TOOL_AFTER = regex.compile(
    rf"(?:['’]s?)?(?:[ ]|\n(?=\p{{Ll}}|\p{{Lu}}{{3}}))(?i:{'|'.join(sorted(ordinary.TOOLS))})\b(?![ ]*:)"
)
SMALL_BEFORE = regex.compile(r"\b(?:every|each|little|much|some|no|any|the|this|that|in)[ ]$")
NAMED = ("HOSPITAL", "ORGANIZATION", "CITY", "LOCATION-OTHER", "DEPARTMENT")
AROUND, FEW = 200, 4  # characters around a word, and words with capitals there
CAPITALIZED = regex.compile(r"\b\p{Lu}\p{Ll}")
SPEAKS_AFTER = regex.compile(r":[ ]*\p{Ll}")  # 06:09 MS: called
NO_CREDENTIALS = ("I", "CC")  # a number, a copy
SIGNED = regex.compile(r"[ \t]*(?:/\w+)?[ \t]*(?:\r?\n|$)|:")
JOINED = regex.compile(r"[ \t]*(?:,|&|/|\band\b)?[ \t]*")


SPANS = ("auto", "gold", "tag")
Row = tuple[regex.Pattern[str], regex.Pattern[str], regex.Pattern[str], float]
ReleaseThreshold = AnyThreshold | Literal["best"] | None
Group = Sequence[Document]
TagGroup = Callable[[Group], list[Document]]


class PatientNotes(NamedTuple):
    """The notes of a patient, of which the destination lacks those with the ids in ``missing``. ``renamed``
    holds them by id with their new ids. ``lacks_entry``: notes of this patient are written, but the map lacks
    the patient."""

    group: Group
    renamed: dict[str, Document]
    missing: set[str]
    lacks_entry: bool


ReadAhead = Callable[[Iterator[PatientNotes]], Iterator[PatientNotes]]


def build_tagger(
    spans: str, tagger: Tagger | None, threshold: Threshold | None = None
) -> Callable[[Group], list[Document]]:
    """Build a function that gives a patient's notes their spans: their own (``gold``, without a tagger), the
    tagger's (``tag``), or both (``auto``), where the tagger's fill what the note's own leave. The notes are
    tagged together, because what a system finds in one note may help in the others. Spans that a threshold
    found have their probabilities: what is doubtful is not searched elsewhere (:class:`PatientFacts`)."""
    if tagger is None:
        return list
    has_doubt, judges = shows_doubt(tagger, threshold), judges_people(tagger, threshold)
    drop = choose_drop(tagger)

    def tag_group(group: Group) -> list[Document]:
        bare = [note.with_spans(()) for note in group]
        tagged = [drop(note, judges) for note in tagger.tag_all(bare, has_doubt, threshold)]
        return tagged if spans == "tag" else list(map(unite_notes, group, tagged))

    return tag_group


def shows_doubt(tagger: Tagger, threshold: Threshold | None) -> bool:
    """Whether the spans that a threshold finds have their probabilities."""
    return threshold is not None and any(part.has_probabilities for part in tagger.parts or [tagger])


def judges_people(tagger: Tagger, threshold: Threshold | None) -> bool:
    """Whether the redactor judges people that are words of medicine: not where the tagger could say how
    probable they are and was not asked."""
    parts = tagger.parts or [tagger]
    return shows_doubt(tagger, threshold) or not any(part.has_probabilities for part in parts)


def load_tagger(
    spans: str, folder: str | None, policy: Policy | None = None, threshold: ReleaseThreshold = None
) -> tuple[Tagger | None, Threshold | None]:
    """Load the model, and choose its threshold. ``gold`` needs neither. Raises :class:`ConfigurationError` if
    the scheme of the model has a type for which the policy has no rule, or the model cannot use the
    threshold."""
    if spans == "gold":
        return None, None
    tagger = load_checked(folder, policy)
    return tagger, choose_threshold(tagger, threshold)


def load_checked(folder: str | None, policy: Policy | None = None) -> Tagger:
    """Load the model. Raises :class:`ConfigurationError` if its scheme has a type for which the policy has no
    rule."""
    tagger = model.load(folder)
    if policy:
        policy.check_scheme(tagger.scheme)
    return tagger


def choose_threshold(tagger: Tagger, threshold: ReleaseThreshold) -> Threshold | None:
    """Return the threshold of a release: the model's careful one, where it has one and no other is given;
    with :data:`BEST` none. Raises :class:`ConfigurationError` where the model cannot use it."""
    if threshold == BEST:
        return None
    if threshold is None:
        return Threshold(tagger.careful_threshold) if tagger.has_threshold else None
    return tagger.check_threshold(threshold)


def unite_notes(note: Document, tagged: Document) -> Document:
    """Return the note with its own spans and what the model found beside them."""
    return note.with_spans(unite_spans(note.text, [note.spans, tagged.spans]))


def drop_spans(groups: Iterable[Group]) -> Iterator[list[Document]]:
    """Yield the groups of notes without their own spans, so that only the model's count."""
    return ([note.with_spans(()) for note in group] for group in groups)


def name_source(note: Document, tagged: Document) -> str:
    """Say where the spans of a tagged note come from: one of :data:`safe_harbor.SOURCES`."""
    if not tagged.spans:
        return "none"
    own = set(note.spans)
    kept = sum(span in own for span in tagged.spans)
    return "model" if not kept else "own" if kept == len(tagged.spans) else "both"


class AheadTagger:
    """Gives notes the spans that :func:`release.build_tagger` gives them, in ``jobs`` processes. A batch ends
    with a patient. :meth:`read_ahead` looks at the notes that :meth:`tag_group` is asked for later, in the
    same order."""

    def __init__(
        self, spans: str, folder: str | None, tagger: Tagger, threshold: Threshold | None, jobs: int
    ) -> None:
        self.spans, self.folder, self.threshold, self.jobs = spans, folder, threshold, jobs
        self.tagger = tagger
        shown = threshold if jobs == 1 else None  # processes send no probabilities
        self.has_doubt, self.judges = shows_doubt(tagger, shown), judges_people(tagger, shown)
        self.drop = choose_drop(tagger)
        self.tagged: Generator[Document, None, None] = self._tag_each(())

    def read_ahead(self, todo: Iterator[PatientNotes]) -> Iterator[PatientNotes]:
        """Yield the same, whose notes are tagged from when the first is wanted."""
        now, ahead = tee(todo)
        self.tagged = self._tag_each(note for each in ahead for note in list_apart(each.group))
        try:
            yield from now
        finally:
            self.tagged.close()  # ends the processes

    def tag_group(self, group: Group) -> list[Document]:
        found = [
            note.with_spans(self.drop(tagged, self.judges).spans)
            for note, tagged in zip(group, islice(self.tagged, len(group)))
        ]
        return found if self.spans == "tag" else list(map(unite_notes, group, found))

    def _tag_each(self, notes: Iterable[Document]) -> Generator[Document, None, None]:
        if self.jobs > 1:
            yield from parallel.tag_in_processes(
                self.tagger, self.folder, model.FAST, notes, self.jobs, self.threshold
            )
            return
        for batch in chunk_documents(notes, BATCH):
            yield from self.tagger.tag_all(batch, self.has_doubt, self.threshold)


def list_apart(group: Group) -> list[Document]:
    """The notes without spans. A note that is redacted by itself has no patient here: otherwise the tagger
    would see it beside the patient's other notes."""
    if len(group) == 1:
        return [replace(group[0], spans=(), patient=None)]
    return [note.with_spans(()) for note in group]


def choose_drop(tagger: Tagger) -> Callable[[Document, bool], Document]:
    """Return what drops the words of medicine in the language of the model, otherwise what drops nothing."""
    found: Callable[[Document, bool], Document] | None = find_language(tagger.language).load("medicine")
    return found or (lambda note, has_doubt: note)


def drop_medical(note: Document, has_doubt: bool = True) -> Document:
    """Return a note without the spans of a model that are titles, credentials or sutures; with ``has_doubt``,
    if spans have a probability where a system gives one, also without words of medicine as people."""
    kept = [
        span
        for number, span in enumerate(note.spans)
        if not (is_no_phi(note, number) or (has_doubt and is_word_of_medicine(note, number)))
    ]
    return note if len(kept) == len(note.spans) else note.with_spans(kept)


def is_no_phi(note: Document, number: int) -> bool:
    """Whether a span is a title, a credential or a service, not a person, or in a row of :data:`STAYS`."""
    span, text = note.spans[number], note.text_of(note.spans[number])
    if stays_beside(note, span, text):
        return True
    if span.type == "STATE":
        return CREDENTIAL.fullmatch(text) is not None and follows_person(note, number)
    if span.type == "ZIP":
        return (span.probability or 1) < DOUBTFUL and is_bare_code(note, number)
    return span.type in PEOPLE and is_title(note, span)


def stays_beside(note: Document, span: Span, text: str) -> bool:
    """Whether a row of :data:`STAYS` is of a span."""
    rows = load_rows(span.type, text[:1].isdigit())
    return any(
        span.probability is None or span.probability < most
        for before, exact, after, most in rows
        if exact.fullmatch(text)
        and before.search(note.text, max(0, span.start - BESIDE), span.start)
        and after.match(note.text, span.end)
    )


@cache
def load_rows(type: str, is_number: bool) -> list[Row]:
    """The compiled rows of a type, and of numbers."""
    rows = [*STAYS.get(type, ()), *(STAYS[""] if is_number else ())]
    return [(*(regex.compile(f"(?i){part}") for part in row[:3]), row[3]) for row in rows]


def is_bare_code(note: Document, number: int) -> bool:
    """Whether five digits are neither beside another part of an address nor behind "zip"."""
    span, place = note.spans[number], ("CITY", "STATE", "STREET")
    near = note.spans[max(0, number - 1) : number + 2]
    if any(each.type in place and max(each.start - span.end, span.start - each.end) < 4 for each in near):
        return False
    return (
        note.text_of(span).isdigit()
        and "zip" not in note.text[max(0, span.start - NEAR) : span.start].lower()
    )


def is_title(note: Document, span: Span) -> bool:
    """Whether all words are titles or credentials. A few small letters that are
    probable or at the end of a line are initials, and so are those of a speaker."""
    text = note.text_of(span)
    if text.isupper() and text.lower() in SERVICES:
        return not SIGNED.match(note.text, span.end)
    are_probable = (span.probability or 0) >= PROBABLE or SIGNED.match(note.text, span.end)
    if text.islower() and len(text) <= MOST_INITIALS and are_probable:
        return False
    if SPEAKS_AFTER.match(note.text, span.end) or TITLE_BEFORE.search(
        note.text, max(0, span.start - NEAR), span.start
    ):
        return False
    return all(map(is_title_word, regex.split(r"[\s,/]+", text.strip(" ,/"))))


def is_title_word(word: str) -> bool:
    """Whether a word is a title or a credential; Do and Pa are names.

    >>> [is_title_word(word) for word in ("M.D.", "mrs", "FRCS", "DO", "Do")]
    [True, True, True, True, False]
    """
    if CREDENTIAL.fullmatch(word) and word not in NO_CREDENTIALS:
        return True
    bare = word.rstrip(".").lower()
    return bare in load_titles() and bare not in CREDENTIALS_OR_NAMES


@cache
def load_titles() -> frozenset[str]:
    return word_lists.load_lowercase("titles") | names.KEPT_TITLES


def follows_person(note: Document, number: int) -> bool:
    """Whether a span is directly behind a person and not before a ZIP code: MD is not a state there."""
    span, before = note.spans[number], note.spans[number - 1] if number else None
    if before is None or before.type not in PEOPLE or ZIP_AFTER.match(note.text, span.end):
        return False
    return BEHIND_NAME.fullmatch(note.text, before.end, span.start) is not None


def is_word_of_medicine(note: Document, number: int) -> bool:
    """Whether an improbable person, institution or town is rather a word of the medical lists, or is before a
    thing or a result that it does not have (Kumar clamp, Ely neg)."""
    span = note.spans[number]
    written = letters.WORD.findall(note.text_of(span))
    words = [letters.fold(letters.split_possessive(word)[0]) for word in written]
    probability = span.probability or 0
    if span.type in NAMED:
        return probability < DOUBTFUL and (
            TOOL_AFTER.match(note.text, span.end) is not None or is_generic(words) or is_small(note, span)
        )
    if span.type not in PEOPLE or not words:
        return False
    named = words[1:] if words[0] in ARTICLES else words  # A Foley catheter
    if named and all(map(is_product, named)) and TOOL_AFTER.match(note.text, span.end):
        return not TITLE_BEFORE.search(note.text, max(0, span.start - NEAR), span.start)
    if SMALL_BEFORE.search(note.text, max(0, span.start - NEAR), span.start) and is_small(note, span):
        return True
    if probability >= PROBABLE:
        return False
    is_known = all(map(is_listed, words, written)) or is_listed("".join(words), "".join(written))
    is_thing = has_thing_after(note, span, words) or is_small(note, span)
    return (is_known or is_thing) and not says_person(note, number, words)


def is_product(word: str) -> bool:
    """Whether a folded word is in the lists of products, or the singular of a medical word (sulfonamide) that
    hardly anyone has as a name."""
    if word in load_products():
        return True
    is_singular = f"{word}s" in word_lists.load_lowercase("medical_words")
    return is_singular and ordinary.find_share(word) < ordinary.LEAST_SHARE


def is_generic(words: Sequence[str]) -> bool:
    """Whether a name has words of medicine only, the last of which is for a part of any hospital."""
    known = load_specialties()
    return len(words) > 1 and words[-1] in PARTS and all(word in known or word in PARTS for word in words)


def is_small(note: Document, span: Span) -> bool:
    """Whether a span has words in small letters between words with capitals."""
    text = note.text_of(span)
    around = note.text[max(0, span.start - AROUND) : span.end + AROUND]
    if not text.islower() or len(CAPITALIZED.findall(around)) < FEW:
        return False
    words = map(letters.fold, letters.WORD.findall(text))
    return all(ordinary.is_ordinary(word) or word in ordinary.FORM_WORDS for word in words)


def has_thing_after(note: Document, span: Span, words: Sequence[str]) -> bool:
    return len(words) == 1 and THING_AFTER.match(note.text, span.end) is not None


def says_person(note: Document, number: int, words: Sequence[str]) -> bool:
    """Whether something in or beside a span shows a person with these folded words as the name."""
    span, text = note.spans[number], note.text
    if is_first_name(words) or SAYS_PERSON.search(text, max(0, span.start - NEAR), span.start):
        return True
    if CREDENTIAL_AFTER.match(text, span.end) or INITIAL_AFTER.match(text, span.end):
        return True
    written = note.text_of(span)
    are_initials = written.isupper() and len(written) <= MOST_INITIALS and len(words) == 1
    return bool(are_initials and SIGNED.match(text, span.end)) or joins_person(note, number)


def is_first_name(words: Sequence[str]) -> bool:
    """Whether a name begins with a first name, a single word with one that people bear more than rarely."""
    if len(words) > 1:
        return words[0] in word_lists.load_folded("first_names")
    shares = (word_lists.load_shares(kind).get(words[0], 0) for kind in (word_lists.FEMALE, word_lists.MALE))
    return max(shares) >= ordinary.LEAST_SHARE


def joins_person(note: Document, number: int) -> bool:
    """Whether the span before or behind is a probable person in one list with this one."""
    near = note.spans[max(0, number - 1) : number + 2]
    return any(
        JOINED.fullmatch(note.text, one.end, other.start)
        for one, other in pairwise(near)
        if any(each.type in PEOPLE and (each.probability or 0) >= PROBABLE for each in (one, other))
    )


def is_listed(word: str, written: str) -> bool:
    """Whether a folded word is in the medical lists: a name among words only if few bear it, and an
    abbreviation only if it is written as one."""
    if word in load_products():
        return True
    if ordinary.find_share(word) >= ordinary.LEAST_SHARE:
        return False
    is_short = word in word_lists.load_lowercase("abbreviations") and sum(map(str.isupper, written)) > 1
    return is_short or word in word_lists.load_lowercase("medical_words")


@cache
def load_specialties() -> frozenset[str]:
    """The words of medicine and of specialties, lowercase."""
    return word_lists.load_words("specialty") | word_lists.load_lowercase("medical_words") | GENERIC


@cache
def load_products() -> frozenset[str]:
    """The folded eponyms, devices, makers and drugs of one word."""
    return frozenset(letters.fold(entry) for entry in word_lists.load_lowercase(*PRODUCTS))
