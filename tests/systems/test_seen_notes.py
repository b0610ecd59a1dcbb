"""A model that meets notes which trained it says so."""

import pytest

from crfdeid import corpora
from crfdeid.ablate import __main__ as ablate
from crfdeid.corpora import output, storage
from crfdeid.corpora.registry import count_left_out
from crfdeid.errors import FormatError
from crfdeid.evaluate import __main__ as evaluate
from crfdeid.systems.model import SeenNotes, count_seen, hash_text
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span
from crfdeid.train import main as train_main

NOTES = [Document(str(n), f"Seen by Dr. Ruiz on day {n}.", (Span(12, 16, "DOCTOR"),)) for n in range(6)]
QUICK = ("--set", 'features=["lexical"]', "--set", "crf.max_iterations=3")


def test_notes_are_known_by_their_texts_and_not_by_their_ids():
    same_text = Document("other", NOTES[0].text.replace(" ", "\n"))
    same_id = Document("0", "another note")
    assert (
        count_seen(NOTES, [same_text, same_id]).lines().__next__().startswith("warning: 1 of these 2 notes")
    )
    assert not list(count_seen(NOTES, [same_id]).lines())
    seen = SeenNotes({hash_text(NOTES[1].text)})
    assert list(seen.count_each(NOTES)) == NOTES and (seen.seen, seen.total) == (1, 6)


@pytest.fixture
def folder(tmp_path):
    corpora.write(NOTES, tmp_path / "train.jsonl", "jsonl")
    corpora.write([*NOTES[4:], Document("new", "Well.")], tmp_path / "test.jsonl", "jsonl")
    return tmp_path


WARNING = "warning: 2 of these 3 notes trained or tuned the model"


def test_train_and_tag_warn(folder, capsys):
    where = [str(folder / "train.jsonl"), "--test", str(folder / "test.jsonl"), "--out", str(folder / "m")]
    train_main([*where, *QUICK])
    assert WARNING in capsys.readouterr().err
    tag.main([str(folder / "test.jsonl"), "--model", str(folder / "m")])
    assert WARNING in capsys.readouterr().err
    (folder / "new.txt").write_text("Well.")
    tag.main([str(folder / "new.txt"), "--model", str(folder / "m")])
    assert "warning" not in capsys.readouterr().err


def test_evaluate_warns_of_a_folder_that_such_a_model_tagged(folder, capsys):
    where = [str(folder / "train.jsonl"), "--out", str(folder / "m")]
    train_main([*where, *QUICK])
    test, found = str(folder / "test.jsonl"), folder / "found"
    tag.main([test, "--model", str(folder / "m"), "--out", str(found), "--format", "brat"])
    capsys.readouterr()
    evaluate.main([test, str(found), "--resamples", "0"])
    assert f"{found}: {WARNING}" in capsys.readouterr().err
    (found / storage.TAGGED_BY).write_text('{"model": 3}')
    with pytest.raises(FormatError, match="not what tag writes"):
        evaluate.main([test, str(found), "--resamples", "0"])
    (found / storage.TAGGED_BY).unlink()
    evaluate.main([test, str(found), "--resamples", "0"])
    assert "warning" not in capsys.readouterr().err


def test_the_record_of_a_run_is_not_counted_as_left_out(folder, capsys):
    output.write_record(folder, output.TaggedBy("m", "1", 0, 3))
    assert not count_left_out(folder, "jsonl")


class Stop(Exception):
    """Ends a run before it trains."""


def test_ablate_warns_before_it_trains(folder, capsys, monkeypatch):
    def stop(*_, **__):
        raise Stop

    monkeypatch.setattr(ablate, "train_jobs", stop)
    paths = [str(folder / "train.jsonl"), str(folder / "test.jsonl")]
    with pytest.raises(Stop):
        ablate.main(["groups", *paths, "--out", str(folder / "runs")])
    assert WARNING in capsys.readouterr().err
