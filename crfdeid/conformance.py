"""The checks that every format, system and language must pass, ours and other packages'.

    from crfdeid.conformance import check_format, check_language, check_system

Each function raises ``AssertionError`` with the promise that is broken. Call it from a test of your package
(docs/extending.md).
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from crfdeid import corpora, pages
from crfdeid.config import Config
from crfdeid.corpora.format import Format
from crfdeid.errors import FormatError
from crfdeid.lexicon import LANGUAGES, PARTS, Language, NoteLanguage, find_language, word_lists
from crfdeid.redact.surrogates.patient import PatientSurrogates
from crfdeid.repair import Repair
from crfdeid.systems import model, registry
from crfdeid.text.document import Document, Span, find_overlap

NOTE = Document("100-01", "Seen by Dr. Ruiz", (Span(12, 16, "DOCTOR"),))
COLUMNS = {"id_column", "text_column", "patient_column"}
TYPICAL = {"PATIENT": "Vorell", "DATE": "13/02/2067", "IDNUM": "4711-32", "PHONE": "0712 555 0134"}
TEXTS = ("", "\n", "Seen by Dr. Ruiz on 03/14/2019.", "É. Ruiz\tsaw\r\n  the patient.", "😀 x" * 50)


def check_format(found: Format) -> None:
    """Check that a format reads what it writes, leaves no part of a failed output, and is as declared."""
    writers = (found.render_document, found.render_corpus, found.save_corpus)
    assert sum(writer is not None for writer in writers) <= 1, "a format has one writer, or none"
    assert found.suffixes, "a format has a suffix"
    assert found.read or found.can_write, "a format reads, writes, or both"
    parameters = inspect.signature(found.read).parameters if found.read else {}
    takes_columns = set(parameters) >= COLUMNS
    assert found.has_columns == takes_columns, "has_columns is true where read takes the names of columns"
    if not found.can_write:
        return
    with tempfile.TemporaryDirectory() as folder:
        check_written(found, Path(folder) / "written")
    with tempfile.TemporaryDirectory() as folder:
        check_failed_output(found, Path(folder))


def check_written(found: Format, folder: Path) -> None:
    """Check the files of one document, and what is read of them."""
    corpora.write_each([NOTE], folder, found)
    names = {path.name for path in folder.iterdir()}
    wanted = {f"{NOTE.id}{suffix}" for suffix in found.written_suffixes}
    assert names == wanted, f"a document's files are {sorted(wanted)}, not {sorted(names)}"
    if found.read is None:
        return
    assert set(found.written_suffixes) <= set(found.suffixes), "it reads the suffixes that it writes"
    files = corpora.list_files(folder, found)
    (again,) = (document for file in files for document in found.read(file, "utf-8"))
    assert again.text == NOTE.text, "a text comes back as it was"
    assert again.spans == (NOTE.spans if found.has_spans else ()), "spans come back where it has spans"


def check_failed_output(found: Format, folder: Path) -> None:
    """Check that nothing is left where the second document fails."""

    def fail() -> Iterator[Document]:
        yield NOTE
        raise FormatError("the second")

    for write in (corpora.write, corpora.write_each):
        try:
            write(fail(), folder / "out", found)
        except FormatError as error:
            assert str(error).endswith("the second"), "the reason of a failure is kept"
        assert not list(folder.iterdir()), "a failed output leaves no file"


def check_system(name: str, settings: Config | None = None, documents: tuple[Document, ...] = ()) -> None:
    """Check a system: its spans are of the scheme and do not overlap, texts and order are kept, and the same
    notes give the same. One that learns trains on ``documents`` with ``settings``."""
    system = registry.find_system(name)
    assert isinstance(system, registry.System), "its record is a crfdeid.systems.registry.System"
    with tempfile.TemporaryDirectory() as folder:
        if system.is_trained:
            chosen = settings or Config(system=name)
            tagger = model.train(documents, chosen, Path(folder) / "model")
        else:
            tagger = model.load(name)
        notes = [Document(str(number), text) for number, text in enumerate(TEXTS)]
        notes += [document.with_spans(()) for document in documents[:5]]
        found = list(tagger.tag_all(notes))
        assert [(d.id, d.text) for d in found] == [(d.id, d.text) for d in notes], "texts and order are kept"
        for document in found:
            assert find_overlap(document.spans) is None, "spans do not overlap"
            assert {span.type for span in document.spans} <= set(tagger.scheme.types), "types of the scheme"
        assert found == list(tagger.tag_all(notes)), "the same notes give the same spans"
        assert found == [tagger.tag(note) for note in notes], "a note alone gives the same spans"


def check_language(name: str) -> None:
    """Check a language: its parts are there, its stop words tell its notes from ours, its model is for it,
    and its surrogates show nothing of what they replace."""
    language = find_language(name)
    assert language.name == name, "its name is its entry point's name"
    for part in PARTS:
        language.load(part)
    check_words(language)
    check_stop_words(language)
    if language.model:
        assert model.load(language.model).language == name, "its model is for its notes"
    if language.surrogates:
        check_surrogates(language.load("surrogates"))


def check_words(language: Language) -> None:
    """Check that the lists are there, that no list of months or weekdays is short, and what the forms of
    repair are."""
    lists = (language.women, language.men, language.surnames, language.words, language.institution_words)
    for names in (*lists, language.street_words, language.towns):
        assert not isinstance(names, str), "several lists are a tuple"
        assert all(map(word_lists.read_entries, names)), "a list has entries"
    for name in filter(None, (language.nicknames, language.countries, language.jobs)):
        assert word_lists.read_entries(name), "a list has entries"
    assert len(language.months) in (0, 12), "there are twelve months"
    assert len(language.weekdays) in (0, 7), "there are seven weekdays"
    phrases = pages.read_phrases(Path(language.page)) if language.page else {}
    assert all(p.count("{}") == made.count("{}") for p, made in phrases.items()), "a phrase keeps each {}"
    for scheme, forms in (language.load("repair") or {}).items():
        is_repair = all(isinstance(form, Repair) for form in forms)
        assert is_repair, f"the forms of {scheme} are crfdeid.repair.Repair"


def check_stop_words(language: Language) -> None:
    """Check that notes of the stop words are known as of the language, whatever the model's language is."""
    words = language.stop_words
    assert all(word.isalpha() and word.islower() for word in words), "stop words are words in small letters"
    note = Document("1", " ".join(sorted(words) * 99))
    for other in {*LANGUAGES} - {language.name} if words else ():
        counted = NoteLanguage(other)
        assert [*counted.count_each([note])] == [note]
        assert f"look {language.name.capitalize()}" in " ".join(counted.lines()), "stop words show it"


def check_surrogates(make: type[PatientSurrogates]) -> None:
    """Check that equal secrets make equal surrogates, and that days move alike."""
    assert issubclass(make, PatientSurrogates), "they are PatientSurrogates"
    made = [make(b"secret", "1") for _ in range(2)]
    for type, text in TYPICAL.items():
        note = Document("1", text, (Span(0, len(text), type),))
        first, second = (each.make_surrogate(note, note.spans[0]) for each in made)
        assert first == second, "the same secret makes the same surrogate"
        assert first != text, "a surrogate differs from what it replaces"
    days = [made[0].dates.shift_text(text, None) for text in ("13/02/2067", "20/02/2067")]
    assert all(days), "a day in numbers is read"
    first_day, second_day = (datetime.strptime(str(day), "%d/%m/%Y") for day in days)
    assert (second_day - first_day).days == 7, "intervals stay"
