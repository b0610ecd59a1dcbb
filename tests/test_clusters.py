"""The verb clusters: from any text to a list that a model can use."""

import dataclasses
import re

import pytest

from crfdeid import cli, clusters, config
from crfdeid.errors import ConfigurationError, CrfdeidError, FormatError
from crfdeid.systems import model
from crfdeid.text import gazetteer

WORDS = [f"{letter}{letter}a" for letter in "bcdfghjklm"]


@pytest.fixture
def text(tmp_path):
    folder = tmp_path / "text"
    folder.mkdir()
    for number in range(4):
        words = " ".join(f"{word} the {WORDS[(7 * at + number) % 10]}" for at, word in enumerate(WORDS))
        (folder / f"{number}.txt").write_text(f"Dr. Zanzibarova, zanzibarova@a.org {words}\n")
    return folder


def learn(text, out, *options) -> str:
    clusters.main([str(text), "--out", str(out), "--clusters", "3", *options])
    return out.read_text()


def test_a_list_has_a_head_and_a_cluster_for_each_word(text, tmp_path):
    lines = learn(text, tmp_path / "a.txt", "--source", "four notes; licence: MIT").splitlines()
    head = [line for line in lines if line.startswith("#")]
    rows = dict(line.split("|") for line in lines[len(head) :])
    assert "# source: four notes; licence: MIT" in head and f"# entries: {len(rows)}" in head
    assert set(rows) == {*WORDS, "the"} and set(rows.values()) <= {"0", "1", "2"}
    assert ("the", "|", rows["the"]) in gazetteer.read_gazetteer(tmp_path / "a.txt").entries


def test_the_same_seed_gives_the_same_bytes_and_a_list_is_replaced_only_on_request(text, tmp_path, capsys):
    first = learn(text, tmp_path / "a.txt")
    assert learn(text, tmp_path / "b.txt") == first == learn(text, tmp_path / "a.txt", "--overwrite")
    assert capsys.readouterr() == ("", "")


def test_a_table_has_the_columns_of_its_head_and_names_only_on_request(text, tmp_path):
    learn(text, tmp_path / "a.txt", "--table")
    learn(text, tmp_path / "b.txt", "--table", "--names")
    without, with_names = (gazetteer.read_list(tmp_path / f"{name}.txt") for name in "ab")
    assert set(without.columns) == {"cluster", "frequency", "capitals"}
    assert set(without.words) == {*WORDS, "the"} and with_names.words - without.words >= {"zanzibarova"}
    assert with_names.columns["capitals"]["zanzibarova"] == "0" and without.columns["capitals"]["the"] == "-4"
    assert "--seed 1 --table --names" in (tmp_path / "b.txt").read_text()


def test_a_model_takes_its_own_table_along(text, tmp_path, notes):
    learn(text, tmp_path / "mine.txt", "--table")
    group = tmp_path / "own.template"
    group.write_text("table_mine_cluster[-1..1] table_mine_cluster1[0] shape[0]\n")
    settings = dataclasses.replace(
        config.Config(), features=(str(group),), tables=(str(tmp_path / "mine.txt"),)
    )
    model.train(notes[:10], settings, tmp_path / "m")
    (tmp_path / "mine.txt").unlink()
    observe = model.load(tmp_path / "m").pipeline.extractor.lexical
    path = observe["table_mine_cluster"]("the")
    assert path and observe["table_mine_cluster1"]("the") == path[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--clusters", "1"], "--clusters 1: wanted 2 or more"),
        (["--documents", "0"], "--documents 0: wanted 1 or more"),
        (["--clusters", "90"], "different words; wanted more than the 90 clusters"),
        (["--documents", "5"], "no word of the text is frequent enough in small letters"),
        (["--encoding", "utf-16"], "not utf-16"),
        (["--out", "{here}/text/0.txt"], "0.txt: exists; --overwrite replaces it"),
        (["--out", "{here}/text/0.txt/a.txt"], "a.txt: "),
        (["--out", "{here}/text"], "is a folder; wanted a file to write"),
    ],
)
def test_bad_input_is_one_line_and_no_list(text, tmp_path, capsys, options, message):
    arguments = [str(text), "--out", str(tmp_path / "a.txt"), *(o.format(here=tmp_path) for o in options)]
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: clusters.main(arguments))
    said = capsys.readouterr().err
    assert stopped.value.code == 2 and message in said and said.count("\n") == 1
    assert not re.search("(?i)zanzibar", said)
    assert [path.name for path in tmp_path.iterdir()] == ["text"]
    assert len(list(text.iterdir())) == 4


def test_no_text_is_an_error(tmp_path):
    with pytest.raises(CrfdeidError, match="gone: no such file"):
        clusters.main([str(tmp_path / "gone"), "--out", str(tmp_path / "a.txt")])


def test_an_empty_text_has_no_clusters(tmp_path):
    (tmp_path / "a.txt").write_text("")
    with pytest.raises(ConfigurationError, match="no word of the text"):
        clusters.main([str(tmp_path / "a.txt"), "--out", str(tmp_path / "b.txt")])


def test_a_model_takes_its_own_list_along(text, tmp_path, notes):
    learn(text, tmp_path / "own.txt")
    group = tmp_path / "own.template"
    group.write_text("cluster[-1..1] shape[0]\n")
    settings = dataclasses.replace(
        config.Config(), features=(str(group),), clusters=str(tmp_path / "own.txt")
    )
    trained = model.train(notes[:10], settings, tmp_path / "m")
    (tmp_path / "own.txt").unlink()
    assert (trained.folder / "gazetteers/clusters.txt").read_text().startswith("# title: Words")
    loaded = model.load(tmp_path / "m")
    assert loaded.pipeline.extractor.lexical["cluster"]("the") is not None
    assert [loaded.tag(note).spans for note in notes[:3]] == [trained.tag(note).spans for note in notes[:3]]


def test_a_list_of_another_kind_is_refused(tmp_path, notes):
    (tmp_path / "own.txt").write_text("# paths\n0110\tthe\t50\n")
    group = tmp_path / "own.template"
    group.write_text("cluster[0]\n")
    settings = dataclasses.replace(
        config.Config(), features=(str(group),), clusters=str(tmp_path / "own.txt")
    )
    with pytest.raises(FormatError, match="own.txt, entry 1: wanted a word, | and the number"):
        model.train(notes[:3], settings, tmp_path / "m")
    assert not (tmp_path / "m").exists()
