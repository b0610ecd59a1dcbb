"""Where a release is written: files and folders, and what a resumed folder has."""

import argparse

import pytest
from marked_notes import make_plan, marked

from crfdeid import corpora
from crfdeid.corpora.messages import FIELDS
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.policy import Policy, Rule, read_policy
from crfdeid.redact import restore
from crfdeid.redact.run import destination, release, tagging
from crfdeid.redact.run.destination import Destination, StandardOutput
from crfdeid.redact.run.message_output import MessageDestination, protect_fields
from crfdeid.redact.run.plan import are_messages
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import Threshold
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_scheme

NOTES = [marked("<PATIENT Ana> came.", "b"), marked("Well.", "a")]


def test_a_format_with_a_file_for_each_note_needs_a_folder(tmp_path):
    (tmp_path / "d.jsonl").mkdir()
    (tmp_path / "f").write_text("x")
    folders = {
        ("x", "text"): True,
        ("x.txt", "text"): True,
        ("x.jsonl", "jsonl"): False,
        ("x", "jsonl"): True,
    }
    for (name, format), is_folder in folders.items():
        assert Destination(tmp_path / name, format).is_folder is is_folder
    assert Destination(tmp_path / "d.jsonl", "jsonl").is_folder
    for format, suffix in (("brat", "txt"), ("text", "txt"), ("i2b2", "xml"), ("jsonl", "jsonl")):
        with pytest.raises(
            ConfigurationError, match=rf"f: is a file; {format} with \.{suffix} needs a folder$"
        ):
            Destination(tmp_path / "f", format)
    with pytest.raises(ConfigurationError, match="one file is written whole; --resume is for a folder of"):
        Destination(tmp_path / "x.jsonl", "jsonl", resume=True)
    (tmp_path / "y.jsonl").write_text("x")
    with pytest.raises(FormatError, match="exists"):
        Destination(tmp_path / "y.jsonl", "jsonl")
    assert str(Destination(tmp_path / "y.jsonl", "jsonl", overwrite=True)).startswith("wrote the file ")
    assert str(Destination(tmp_path / "x", "text")) == f"wrote the folder {tmp_path / 'x'}"


def test_a_resumed_folder_has_the_notes_whose_last_file_is_there(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "a.txt").write_text("Well.")
    (folder / "a.ann").write_text("")
    (folder / "b.ann").write_text("")
    resumed = Destination(folder, "brat", resume=True)
    assert (resumed.has("a"), resumed.has("b"), resumed.has("c")) == (True, False, False)
    assert not Destination(folder, "brat", overwrite=True).has("a")  # all of it is written again
    assert resumed.holds(NOTES[1]) and not resumed.holds(NOTES[0])
    assert not resumed.holds(Document("a", "Well!")) and not resumed.holds(Document("a", "Well"))
    corpora.write_each([NOTES[0].with_spans(())], folder, "brat", overwrite=True)
    assert resumed.holds(NOTES[0])  # without its spans too


def test_a_note_of_which_only_one_file_was_written_is_written_again(tmp_path):
    (tmp_path / "a.txt").write_text("Wel")
    resumed = Destination(tmp_path, "brat", resume=True)
    (last,) = [suffix for suffix in (".ann", ".txt") if not (tmp_path / f"a{suffix}").exists()]
    assert not resumed.holds(NOTES[1])
    resumed.write(NOTES[1:])
    assert (tmp_path / "a.txt").read_text() == "Well." and (tmp_path / f"a{last}").exists()
    assert resumed.holds(NOTES[1])


def test_notes_are_written_in_their_order_or_that_of_their_ids(tmp_path):
    def write(name, **options):
        Destination(tmp_path / name, "jsonl").write(iter(NOTES), **options)
        return [(note.id, len(note.spans)) for note in corpora.read(tmp_path / name)]

    assert write("x.jsonl") == [("b", 1), ("a", 0)]
    assert write("y.jsonl", by_id=True) == [("a", 0), ("b", 1)]
    assert write("z.jsonl", with_spans=False) == [("b", 0), ("a", 0)]


def test_a_folder_is_marked_until_it_is_finished(tmp_path):
    folder, mark = tmp_path / "out", tmp_path / "out.unfinished"
    assert destination.name_mark(folder) == mark
    target = Destination(folder, "text")

    def give():
        yield NOTES[0]
        assert mark.read_text() == "abc\n"
        yield NOTES[1]

    target.write(give(), options_hash="abc")
    assert not mark.exists() and sorted(path.name for path in folder.iterdir()) == ["a.txt", "b.txt"]

    def fail():
        yield NOTES[0]
        raise ZeroDivisionError

    again = Destination(tmp_path / "new", "text")
    with pytest.raises(ZeroDivisionError):
        again.write(fail(), options_hash="abc")
    mark = tmp_path / "new.unfinished"
    assert mark.read_text() == "abc\n"  # a note was written
    with pytest.raises(
        ConfigurationError, match="was begun with another key or other options; --resume needs"
    ):
        Destination(tmp_path / "new", "text", resume=True).write(iter(NOTES), options_hash="abd")
    Destination(tmp_path / "new", "text", resume=True).write(iter(NOTES), options_hash="abc")
    assert not mark.exists()

    def fail_at_once():
        raise ZeroDivisionError
        yield

    with pytest.raises(ZeroDivisionError):
        Destination(tmp_path / "none", "text").write(fail_at_once(), options_hash="abc")
    assert not (tmp_path / "none.unfinished").exists()


@pytest.mark.parametrize(
    ("own", "found", "source"),
    [((), (), "none"), ((1,), (1,), "own"), ((), (1,), "model"), ((1,), (1, 2), "both"),
     ((1, 2), (3,), "model"), ((1,), (), "none")],
)  # fmt: skip
def test_where_the_spans_of_a_note_come_from(own, found, source):
    def build(starts):
        return Document("a", "x" * 9, tuple(Span(start, start + 1, "AGE") for start in starts))

    assert tagging.name_source(build(own), build(found)) == source


def test_a_model_is_not_asked_where_the_spans_are_gold():
    assert tagging.build_tagger("gold", None)(NOTES) == NOTES
    options = ["n.jsonl", "--out", "c.jsonl", "--from", "jsonl", "--spans", "gold"]
    with pytest.raises(
        ConfigurationError, match="--threshold is for the model; --spans gold does not use one"
    ):
        make_plan(*options, "--threshold", "0.1")
    assert make_plan(*options, "--threshold", "best").threshold == "best"
    assert [note.spans for note in next(tagging.drop_spans([NOTES]))] == [(), ()]
    own, found = (
        Document("a", "Ana 67", (Span(0, 3, "PATIENT"),)),
        Document("a", "Ana 67", (Span(4, 6, "AGE"),)),
    )
    assert tagging.unite_notes(own, found).spans == (Span(0, 3, "PATIENT"), Span(4, 6, "AGE"))


class Model:
    """A model of the scheme of i2b2, with or without probabilities."""

    scheme, config = read_scheme(), argparse.Namespace(system="longest_match")
    check_threshold, careful_threshold = Tagger.check_threshold, Tagger.careful_threshold

    def __init__(self, has_threshold):
        self.has_threshold = has_threshold


@pytest.mark.parametrize(
    ("has_threshold", "given", "threshold"),
    [
        (True, None, Threshold(0.1)), (True, 0.1, Threshold(0.1)), (True, Threshold(0.3), Threshold(0.3)),
        (True, "best", None), (False, None, None), (False, "best", None),
    ],
)  # fmt: skip
def test_a_model_with_probabilities_has_the_careful_threshold_unless_another_is_named(
    monkeypatch, has_threshold, given, threshold
):
    model = Model(has_threshold)
    monkeypatch.setattr(tagging.model, "load", lambda folder: model if folder == "m" else None)
    for policy in (None, read_policy("safe_harbor")):
        assert tagging.load_tagger("auto", "m", policy, given) == (model, threshold)
    assert tagging.load_tagger("gold", "m", None, "best") == tagging.load_tagger("gold", "m") == (None, None)


@pytest.mark.slow
def test_a_release_asks_less_of_the_model_that_ships():
    assert tagging.load_tagger("tag", "english")[1] == Threshold(0.08)  # docs/redaction.md
    assert tagging.load_tagger("tag", "english+sure_rules")[1] == Threshold(0.08)


def test_a_threshold_or_a_policy_that_the_model_cannot_use_is_refused(monkeypatch):
    monkeypatch.setattr(tagging.model, "load", lambda folder: Model(False))
    with pytest.raises(ConfigurationError, match="longest_match gives no probabilities of tokens"):
        tagging.load_tagger("tag", "m", None, 0.1)
    names_only = Policy("names", "s", (Rule("c", "names", "keep", ("PATIENT",)),))
    with pytest.raises(ConfigurationError, match="policy names: no rule for DOCTOR"):
        tagging.load_tagger("tag", "m", names_only)


def test_an_error_of_the_program_names_the_note_and_the_line():
    said = "not redacted, nor the patient's other notes: ValueError in test_destinations.py, line"
    with pytest.raises(release.InternalError, match=said) as failed, release.hide_note_text("x"):
        int("Zanzibarova")
    assert "Zanzibarova" not in str(failed.value)
    with pytest.raises(ConfigurationError, match="^other$"), release.hide_note_text("x"):
        raise ConfigurationError("other")


def test_standard_output_holds_formats_of_text(tmp_path):
    for format in ("brat", "parquet"):
        with pytest.raises(ConfigurationError, match=f"{format}: not for standard output; name a file or"):
            StandardOutput(tmp_path, format)
    with pytest.raises(ConfigurationError, match="--resume: standard output does not say what was written"):
        StandardOutput(tmp_path, "jsonl", resume=True)
    text = StandardOutput(tmp_path, "text")
    assert (str(text), text.is_folder) == ("wrote to standard output", False)
    assert list(text.render(iter(NOTES[1:]))) == ["Well."] and list(text.render(iter(()))) == []
    with pytest.raises(ConfigurationError, match="text: standard output holds one note of this format"):
        list(text.render(iter(NOTES)))
    assert "".join(StandardOutput(tmp_path, "jsonl").render(iter(NOTES))).count("\n") == 2


def test_messages_stay_messages_of_their_format(tmp_path):
    pairs = [(a, b) for a in ("hl7", "jsonl", "fhir") for b in ("hl7", "jsonl", "fhir") if are_messages(a, b)]
    assert pairs == [("hl7", "hl7"), ("fhir", "fhir")]
    plan = make_plan("in.hl7", "--from", "hl7", "--out", tmp_path / "x.HL7")
    assert plan.format == "hl7" and plan.reading.with_fields
    assert make_plan("in.jsonl", "--from", "jsonl", "--out", tmp_path / "x.jsonl").format == "jsonl"
    (tmp_path / "in.hl7").write_text("")
    messages = MessageDestination(tmp_path / "x.hl7", "hl7", source=tmp_path / "in.hl7")
    assert list(messages.lines()) == []
    messages.masked.update(["b", "a", "b"])
    assert list(messages.lines()) == ["taken out of the messages: 1 a, 2 b"]
    assert messages.taken_out == {"a": 1, "b": 2}


def test_only_texts_of_messages_are_tagged():
    text = Document("m.1", "Ana")
    tag = protect_fields(lambda group: [note.with_spans([Span(0, 1, "AGE")]) for note in group])
    kept = Document(f"m{FIELDS}", "Ana", (Span(0, 3, "PATIENT"),))
    assert [len(note.spans) and note.spans[0].type for note in tag([kept, text])] == ["PATIENT", "AGE"]


def test_a_folder_without_notes_is_a_folder(tmp_path):
    Destination(tmp_path / "out", "text").write(iter(()))
    assert list((tmp_path / "out").iterdir()) == []


def test_restored_notes_are_counted_and_for_their_owner_only(tmp_path):
    for name, notes in (("none.jsonl", []), ("two.jsonl", NOTES)):
        target = Destination(tmp_path / name, "jsonl")
        assert restore.write_private(iter(notes), target) == len(notes)
        assert target.path.stat().st_mode & 0o777 == 0o600
    folder = Destination(tmp_path / "out", "text")
    assert restore.write_private(iter(NOTES), folder) == 2
    modes = {path.stat().st_mode & 0o777 for path in (folder.path, folder.path / "a.txt")}
    assert modes == {0o700, 0o600}
