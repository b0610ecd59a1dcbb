"""Redact a stream of notes patient by patient, write them one by one, and keep a journal.

    read ─▶ group by patient ─▶ find spans ─▶ redact ─▶ journal ─▶ write

Memory holds the notes of one patient (:func:`crfdeid.redact.patients.group_by_patient` says when not), and a
batch of the next ones (:mod:`crfdeid.redact.processes`).
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple

from crfdeid import corpora, files
from crfdeid.corpora import storage
from crfdeid.errors import ConfigurationError, CrfdeidError, show_id
from crfdeid.policy import Policy
from crfdeid.redact.medical_spans import drop_medical
from crfdeid.redact.new_ids import IdReplacer, hide_order, sort_by_id
from crfdeid.redact.plan import BEST
from crfdeid.redact.redactor import Redaction, Redactor, Replacement
from crfdeid.redact.safe_harbor import Report
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.redact.surrogates.surrogate_map import MapError, SurrogateMap
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import AnyThreshold, Threshold
from crfdeid.systems.union import unite_spans
from crfdeid.text.document import Document

SPANS = ("auto", "gold", "tag")
ReleaseThreshold = AnyThreshold | Literal["best"] | None
Group = Sequence[Document]
KeepRow = Callable[[dict[Any, Any]], None]


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

    def tag_group(group: Group) -> list[Document]:
        bare = [note.with_spans(()) for note in group]
        tagged = [drop_medical(note, judges) for note in tagger.tag_all(bare, has_doubt, threshold)]
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
    """Yield the groups of notes without their own spans, which then are no source of what is found."""
    return ([note.with_spans(()) for note in group] for group in groups)


def name_source(note: Document, tagged: Document) -> str:
    """Say where the spans of a tagged note come from: one of :data:`safe_harbor.SOURCES`."""
    if not tagged.spans:
        return "none"
    own = set(note.spans)
    kept = sum(span in own for span in tagged.spans)
    return "model" if not kept else "own" if kept == len(tagged.spans) else "both"


class PatientNotes(NamedTuple):
    """The notes of a patient, of which the destination lacks those with the ids in ``missing``. ``renamed``
    holds them by id with their new ids. ``lacks_entry``: notes of this patient are written, but the map lacks
    the patient."""

    group: Group
    renamed: dict[str, Document]
    missing: set[str]
    lacks_entry: bool


def find_missing(
    groups: Iterable[Group],
    redactor: Redactor,
    destination: Destination,
    report: Report,
    ids: IdReplacer | None = None,
) -> Iterator[PatientNotes]:
    """Yield the groups of notes that are not yet written, or not in the map."""
    for group in groups:
        renamed = {note.id: ids.rename(note) if ids else note for note in group}
        missing = {id for id, note in renamed.items() if not destination.has(note.id)}
        report.written_before += len(group) - len(missing)
        lacks_entry = len(missing) < len(group) and not redactor.has_entry(group[0])
        if missing or lacks_entry:
            yield PatientNotes(group, renamed, missing, lacks_entry)


class Outcome(NamedTuple):
    """What became of a note. ``source`` says where its spans come from (:func:`name_source`)."""

    redaction: Redaction
    source: str


AddRedaction = Callable[[Redaction, str, str], None]  # with the id of the note in the output, and its source
RedactEach = Callable[
    [Iterator[PatientNotes]], Iterator[tuple[PatientNotes, list[Outcome]]]
]  # of all notes of a patient


def redact_groups(
    groups: Iterable[Group],
    redact_each: RedactEach,
    redactor: Redactor,
    destination: Destination,
    report: Report,
    ids: IdReplacer | None = None,
    add: AddRedaction | None = None,
) -> Iterator[Document]:
    """Yield the redacted notes that the destination does not have yet, and ``add`` them to a journal, or else
    to the report."""
    shows_ids, add = destination.shows_ids and not (ids and ids.kind), add or report.add
    for todo, outcomes in redact_each(find_missing(groups, redactor, destination, report, ids)):
        for note, (redaction, source) in zip(todo.group, outcomes):
            if note.id in todo.missing:
                id, patient = todo.renamed[note.id].id, todo.renamed[note.id].patient
                redaction = replace(redaction, id_has_phi=redaction.id_has_phi and shows_ids)
                add(redaction, id, source)
                destination.keep_replacements(id, redaction.replacements)
                yield replace(redaction.document, id=id, patient=patient)


def refuse_other_output(
    group: Group,
    redactor: Redactor,
    destination: Destination,
    renamed: dict[str, Document],
    missing: set[str],
) -> None:
    """Raise :class:`MapError` if notes of a patient were written that this redactor would not write. The
    map does not have the patient, and then it cannot be completed."""
    for note, redaction in zip(group, redactor.copy_without_map().redact(group)):
        new = replace(redaction.document, id=renamed[note.id].id, patient=renamed[note.id].patient)
        if note.id not in missing and not destination.holds(new):
            raise MapError(
                f"{destination.path}: {show_id(new.id)} was written, but its patient is not in the map, and "
                "the same notes give other surrogates now; --overwrite begins again"
            )


class InternalError(CrfdeidError):
    """An error of this program, without its message, which could contain text of a note."""


@contextmanager
def hide_note_text(id: str) -> Iterator[None]:
    """Turn any unexpected error into one line that names the note and the line of code."""
    try:
        yield
    except CrfdeidError:
        raise
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{type(error).__name__} in {Path(frame.filename).name}, line {frame.lineno}"
        raise InternalError(
            f"{show_id(id)}: not redacted, nor the patient's other notes: {where}; please report it"
        ) from None


@contextmanager
def use_map(redactor: Redactor, path: Path, key: bytes) -> Iterator[None]:
    """Redact with the map in ``path``, which is created if it is missing. A patient is in the map before
    the redactor returns its notes. Raises :class:`ConfigurationError` if the map has other rules, and
    :class:`MapError` if another run uses or changed the file, which then stays as it is."""
    if not path.exists() and not path.is_symlink():
        surrogate_map.write_map(SurrogateMap(redactor.secret, redactor.rules), path, key)
    with surrogate_map.open_map(path, key) as opened:
        rules = opened.map.rules
        if rules != redactor.rules:
            begun = f"--shift-years {rules.years} --season-weeks {rules.weeks} --zip {rules.zip}"
            begun += f" --check-digits {rules.check_digits}"
            begun += " --same-doctor-across-patients" if rules.same_doctors else ""
            raise ConfigurationError(f"{path}: this map was begun with {begun}")
        redactor.secret, redactor.histories = opened.map.secret, opened.map.patients
        redactor.save_history = opened.append
        yield


def clear_leftovers(out: Path, *others: Path | None) -> None:
    """Remove the hidden temporary files that a killed run has left beside its outputs."""
    for path in (out, name_mark(out), *others):
        if path is not None:
            files.clear_leftovers(path)


def name_mark(out: Path) -> Path:
    """The file beside a folder until the folder is finished."""
    return out.with_name(f"{out.name}.unfinished")


@dataclass(frozen=True)
class Destination:
    """A file for all notes, or a folder with a file per note. Until a folder is finished, a file beside it
    (FOLDER.unfinished) holds ``options_hash``, a keyed hash of the options of its notes. Raises
    :class:`ConfigurationError` if a single file is to be resumed, or a folder that was begun with other
    options."""

    path: Path
    format: str
    resume: bool = False
    overwrite: bool = False
    shows_ids: ClassVar[bool] = True  # of the notes and their patients
    quotes_cells: ClassVar[bool] = False  # that a spreadsheet would take for a formula

    def __post_init__(self) -> None:
        suffixes = self.suffixes
        if self.resume and not self.is_folder:
            raise ConfigurationError(
                f"{self.path}: one file is written whole; --resume is for a folder of notes"
            )
        if self.is_folder and self.path.is_file():
            raise ConfigurationError(
                f"{self.path}: is a file; {self.format} with {suffixes[0]} needs a folder"
            )
        storage.refuse_existing(self.path, self.overwrite or self.resume)

    @property
    def is_folder(self) -> bool:
        format = corpora.find_format(self.format, "write")
        has_file_per_note = format.render_document is not None
        return has_file_per_note or self.path.suffix not in format.suffixes or self.path.is_dir()

    def __str__(self) -> str:
        return f"wrote the {'folder' if self.is_folder else 'file'} {self.path}"

    @property
    def keep(self) -> KeepRow | None:
        """What takes the rows of a table that is read once."""
        return None

    @property
    def originals(self) -> dict[str, str] | None:
        """Where the real ids of notes go, by new ones, if they are needed."""
        return None

    @property
    def taken_out(self) -> Mapping[str, int]:
        """What messages lost, by reason."""
        return {}

    @property
    def survivors(self) -> Mapping[str, int]:
        """By type, the values of written messages that still say who the patient is."""
        return {}

    def lines(self) -> Iterator[str]:
        """Say what else the output has, or lacks."""
        return iter(())

    def has(self, id: str) -> bool:
        """Whether a resumed folder has the note already. If a note has several files, the one that is written
        last decides."""
        last = max(self.suffixes)
        return self.resume and self.is_folder and (self.path / f"{storage.file_stem(id)}{last}").exists()

    def keep_replacements(self, id: str, replacements: Sequence[Replacement]) -> None:
        """Take what a note's replacements are, before the note comes. Most destinations do not need it."""

    def holds(self, note: Document) -> bool:
        """Whether the files of this note, with or without its spans, are in the folder."""
        format = corpora.find_format(self.format, "write")
        return any(
            all(
                self._has_file(f"{storage.file_stem(note.id)}{suffix}", content)
                for suffix, content in format.render_files(each).items()
            )
            for each in (note, note.with_spans(()))
        )

    def _has_file(self, name: str, content: str) -> bool:
        path = self.path / name
        return path.is_file() and path.read_bytes() == content.encode()

    @property
    def suffixes(self) -> Sequence[str]:
        """The suffixes of the files of one note, or of a file for all notes."""
        return corpora.find_format(self.format, "write").written_suffixes

    def write(
        self, documents: Iterable[Document], with_spans: bool = True, options_hash: str = "",
        by_id: bool = False,
    ) -> None:  # fmt: skip
        """Write the notes. With ``by_id`` their order is that of their ids, not that of the input."""
        notes = documents if with_spans else (note.with_spans(()) for note in documents)
        if not self.is_folder:
            notes = sort_by_id(notes, self.path.absolute().parent) if by_id else notes
            corpora.write(notes, self.path, self.format, self.overwrite)
            return
        with files.hold_output(self.path), self._mark_unfinished(options_hash):
            self._write_each(notes)
            if by_id:
                hide_order(self.path)

    @contextmanager
    def _mark_unfinished(self, options_hash: str) -> Iterator[None]:
        mark = name_mark(self.path)
        if self.resume and mark.is_file() and files.read_text(mark).strip() != options_hash:
            raise ConfigurationError(
                f"{self.path}: was begun with another key or other options; --resume needs the same ones"
            )
        with files.open_whole(mark) as file:
            file.write(options_hash + "\n")
        try:
            yield
        except BaseException:
            if not any(self.path.glob("*")):
                mark.unlink(missing_ok=True)  # no note was written
            raise
        mark.unlink(missing_ok=True)

    def _write_each(self, notes: Iterable[Document]) -> None:
        self.path.mkdir(exist_ok=True)
        written: set[str] = set()
        for note in notes:
            if note.id.lower() in written:  # many file systems do not tell capitals apart
                raise ConfigurationError(f"{self.path}: two notes have one name: {show_id(note.id)}")
            written.add(note.id.lower())
            corpora.write_each([note], self.path, self.format, overwrite=True)
