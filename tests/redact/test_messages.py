"""No message, report or repr contains text of a note."""

import json

from marked_notes import SECRET, marked, run, status

from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates import keyed_choice, names, surrogate_map
from crfdeid.redact.surrogates.surrogate_map import SurrogateMap

CANARY = "Zanzibarova"
SPAN = {"start": 5, "end": 16, "type": "PATIENT"}
NOTE = {"id": "n1", "text": f"Mrs. {CANARY}, {CANARY}", "patient": "7", "spans": [SPAN]}
SECRET_NOTE = json.dumps(NOTE) + "\n"


def list_faults(corpus):
    """Every wrong command line, with a part of its message."""
    notes, key = corpus / "canary.jsonl", corpus / "key"
    notes.write_text(SECRET_NOTE)
    out = ("--out", corpus / "out.jsonl")
    short, bad = corpus / "short", corpus / "bad.jsonl"
    short.write_bytes(b"short")
    bad.write_text(SECRET_NOTE.replace('"end": 16', '"end": 1600'))
    wrong = corpus / "wrong"
    wrong.write_bytes(b"another key for the map")
    wrong.chmod(0o600)
    open_key = corpus / "open"
    open_key.write_bytes(SECRET)
    open_key.chmod(0o644)
    surrogate_map.write_map(SurrogateMap(SECRET), corpus / "map", SECRET)
    surrogate_map.write_map(SurrogateMap(SECRET), corpus / "torn", SECRET)
    (corpus / "torn").write_bytes((corpus / "torn").read_bytes()[:-4])
    (corpus / "full").mkdir()
    (corpus / "full" / "n1.txt").write_text(CANARY)
    (corpus / "twice.jsonl").write_text(SECRET_NOTE * 2)
    return [
        ((bad, *out), "leaves the text"),
        ((corpus / "missing", *out), "no such file or folder"),
        ((corpus / "twice.jsonl", *out), "occurs twice"),
        ((notes, *out, "--key-file", short), "a key of 5 bytes"),
        ((notes, *out, "--key-file", open_key), "others may read this key"),
        ((notes, *out, "--key-file", corpus / "nokey"), "No such file"),
        ((notes, *out, "--key-file", key, "--seed", 1), "choose one"),
        ((notes, *out, "--map", corpus / "map", "--map-key", wrong), "not the key of this map"),
        ((notes, *out, "--map", corpus / "torn", "--map-key", key), "damaged"),
        ((notes, *out, "--map", notes, "--map-key", key), "not a map"),
        ((notes, *out, "--map", corpus / "map"), "CRFDEID_MAP_KEY"),
        ((notes, *out, "--map-key", key), "--map is missing"),
        ((notes, *out, "--map", corpus / "map", "--map-key", key, "--by", "note"), "--by patient"),
        ((notes, *out, "--resume", "--seed", 1), "--resume is for a folder"),
        ((notes, "--out", corpus / "o", "--format", "text", "--resume"), "--resume needs"),
        ((notes, "--out", corpus / "full", "--format", "text"), "holds files"),
        ((notes, *out, "--format", "txet"), "no format to write"),
        ((notes, *out, "--marker", "{x}", "--style", "type"), "--marker"),
        ((notes, *out, "--shift-years", 0), "--shift-years is from 1"),
        ((notes, *out, "--model", corpus / "nomodel", "--spans", "tag"), "nomodel"),
    ]


def test_no_message_contains_text_of_a_note_and_nothing_is_written(corpus, capsys, monkeypatch):
    monkeypatch.delenv(surrogate_map.KEY_VARIABLE, raising=False)
    for arguments, said in list_faults(corpus):
        assert status(*arguments) == 2, said
        streams = capsys.readouterr()
        assert said in streams.err and streams.err.count("\n") == 1
        assert CANARY not in streams.err + streams.out
        assert not (corpus / "out.jsonl").exists()


def test_what_is_shown_and_written_never_contains_the_canary(corpus, capsys):
    (corpus / "canary.jsonl").write_text(SECRET_NOTE)
    run(corpus / "canary.jsonl", "--out", corpus / "clean.jsonl", "--report", corpus / "r.json")
    streams = capsys.readouterr()
    assert CANARY not in streams.out + streams.err
    assert not any(
        CANARY in (corpus / name).read_text() for name in ("clean.jsonl", "r.json", "r.json.survivors.csv")
    )
    redactor = Redactor(SECRET)
    found = redactor.redact([marked(f"<PATIENT {CANARY}>")])
    assert CANARY not in repr(found)


def test_an_internal_error_is_reported_without_its_message(corpus, capsys, monkeypatch):
    def failing(self, text):
        raise KeyError(CANARY)

    monkeypatch.setattr(names.Names, "replace_names", failing)
    assert status(corpus / "notes.jsonl", "--out", corpus / "clean", "--format", "text") == 2
    said = capsys.readouterr().err
    assert "a-1: not redacted" in said and "KeyError in test_messages.py" in said and CANARY not in said
    assert not list((corpus / "clean").iterdir())


def test_secrets_come_from_a_seed_or_are_new():
    assert (
        keyed_choice.derive_secret(1) == keyed_choice.derive_secret(1) != keyed_choice.derive_secret(2)
        and keyed_choice.make_secret() != keyed_choice.make_secret()
    )
