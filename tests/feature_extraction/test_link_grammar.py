"""The Link Grammar Parser: a fake program that answers like it, and the real one if it is installed."""

import shutil
import sqlite3
import stat
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfdeid import corpora
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction import link_bigrams
from crfdeid.feature_extraction.link_bigrams import WALL, Linkage, align_words, read_linkage
from crfdeid.systems import extras
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import fine
from crfdeid.train import main as train

# Links each word to the next one, gives no answer to the sentence "mute", and logs every sentence.
FAKE = """#!{python}
import sys
from pathlib import Path
asked = Path(__file__).with_name("asked")
if "--version" in sys.argv:
    print(Path(__file__).with_name("version").read_text())
    sys.exit()
for line in sys.stdin:
    line = line.rstrip("\\n")
    if line.startswith("!"):
        print("width set to 16381")
        continue
    with asked.open("a") as file:
        file.write(line + "\\n")
    if line == "crash":
        sys.exit(1)
    if line != "mute":
        words = ["LEFT-WALL", *(word + ".x" for word in line.split())]
        print("[" + "".join("(" + word + ")" for word in words) + "]")
        print("[" + "".join("[%d %d 0 (Ab*c)]" % (i, i + 1) for i in range(len(words) - 1)) + "]")
        print("[0]")
        print()
print("Bye.")
"""


@pytest.fixture(autouse=True)
def no_memory():
    """Forget the program's version and the latest linkages, before a test and after it."""
    for clear in (clears := (link_bigrams.read_version.cache_clear, link_bigrams.parse_document.cache_clear)):
        clear()
    yield
    for clear in clears:
        clear()


@pytest.fixture
def parser(tmp_path, monkeypatch):
    """The folder of a fake parser, the only program on the path, and of its cache."""
    program = tmp_path / "link-parser"
    program.write_text(FAKE.format(python=sys.executable))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "version").write_text("fake 1")
    (tmp_path / "asked").write_text("")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv(link_bigrams.FOLDER, str(tmp_path / "cache"))
    return tmp_path


def bigrams(text):
    document = TokenizedDocument(text, fine(text))
    sides = (link_bigrams.CONTEXTUAL[name](document) for name in ("links_left", "links_right"))
    return {token.text: pair for token, *pair in zip(document.tokens, *sides)}


def read_log(parser):
    return (parser / "asked").read_text().splitlines()


def test_syntactic_bigrams_of_a_word(parser):
    assert bigrams("Dr. Ruiz\nsaw her") == {
        "Dr": [None, ("Ab:ruiz",)],
        ".": [None, ("Ab:ruiz",)],
        "Ruiz": [("Ab:dr.",), None],
        "\n": [None, None],
        "saw": [None, ("Ab:her",)],
        "her": [("Ab:saw",), None],
    }
    assert bigrams("one two three")["three"] == [("Ab:two>Ab:one",), None]


def test_a_sentence_is_parsed_once_and_cached_without_its_words(parser):
    bigrams("Canarina was seen.")
    link_bigrams.parse_document.cache_clear()
    bigrams("Canarina   was seen.")
    assert read_log(parser) == ["Canarina was seen."]
    cache = parser / "cache" / "link_grammar.sqlite"
    assert b"anarina" not in cache.read_bytes()
    assert stat.S_IMODE(cache.stat().st_mode) == 0o600
    with sqlite3.connect(cache) as database:
        ((found,),) = database.execute("SELECT found FROM linkages")
    assert found == '[[[-1, -1], [0, 8], [8, 11], [11, 16]], [[0, 1, "Ab"], [1, 2, "Ab"], [2, 3, "Ab"]]]'
    database.close()


TEXTS = ["She ran. He sat.\n", "He sat. mute\n", "Dr. Ruiz saw her.\n"]


@pytest.mark.parametrize("jobs, chunk", [(1, 50), (3, 1), (2, 2)])
def test_sentences_are_parsed_ahead_once_and_kept(parser, monkeypatch, jobs, chunk):
    monkeypatch.setattr(link_bigrams, "CHUNK", chunk)
    path = link_bigrams.find_cache()
    sentences = link_bigrams.list_unparsed(TEXTS, path)
    assert sum(link_bigrams.parse_ahead(sentences, path, jobs)) == len(sentences)
    asked = sorted(read_log(parser))
    assert len(asked) == len(set(asked)) == len(sentences) and link_bigrams.list_unparsed(TEXTS, path) == []
    ahead = [bigrams(text) for text in TEXTS]
    assert sorted(read_log(parser)) == asked  # nothing is parsed again
    path.unlink()
    link_bigrams.parse_document.cache_clear()
    assert [bigrams(text) for text in TEXTS] == ahead


def test_what_was_parsed_before_a_stop_is_kept(parser, monkeypatch):
    monkeypatch.setattr(link_bigrams, "CHUNK", 1)
    path = link_bigrams.find_cache()
    with pytest.raises(ConfigurationError, match="exit status 1"):
        for _ in link_bigrams.parse_ahead(["She ran.", "crash", "He sat."], path, 1):
            pass
    assert "She ran." not in link_bigrams.list_unparsed(["She ran."], path)


def test_a_training_parses_ahead_where_its_templates_have_links(parser, notes, tmp_path, monkeypatch):
    (tmp_path / "links.template").write_text("lower[0]\nlinks_left[0]\n")
    group = str(tmp_path / "links.template")
    plain, links = (Config(features=features) for features in (("lexical",), ("lexical", group)))
    stack = Config(system="multi", options={"bases": {"a": {"features": [group]}, "b": {"system": "hmm"}}})
    assert extras.list_sentences(notes[:2], [plain]) == [] and read_log(parser) == []
    for config in (links, stack):
        assert len(extras.list_sentences(notes[:2], [plain, config])) == 4
    ahead, parse = [], link_bigrams.parse_ahead
    monkeypatch.setattr(link_bigrams, "parse_ahead", lambda some, *a: ahead.append(some) or parse(some, *a))
    for name, part in (("train", notes[:2]), ("test", notes[2:3])):
        corpora.write(part, tmp_path / name, "i2b2")
    (tmp_path / "c.toml").write_text(f'features = ["{group}"]\n[crf]\nmax_iterations = 2\n')
    paths = [str(tmp_path / "train"), "--test", str(tmp_path / "test")]
    train([*paths, "--config", str(tmp_path / "c.toml"), "--out", str(tmp_path / "m")])
    assert list(map(len, ahead)) == [4, 2]  # of train, and of test before it is scored
    assert len(read_log(parser)) == len(set(read_log(parser))) == 6


def test_another_version_parses_again(parser):
    bigrams("She ran.")
    (parser / "version").write_text("fake 2")
    link_bigrams.read_version.cache_clear()
    link_bigrams.parse_document.cache_clear()
    bigrams("She ran.")
    assert read_log(parser) == ["She ran.", "She ran."]


def test_a_missing_linkage_is_cached_too(parser):
    assert bigrams("mute") == {"mute": [None, None]}
    link_bigrams.parse_document.cache_clear()
    bigrams("mute")
    assert read_log(parser) == ["mute"]


@pytest.mark.parametrize("text", ["word " * 51, "long" * 400, "--- ***", "!"])
def test_sentences_that_are_not_parsed(parser, text):
    assert link_bigrams.parse([text, "She ran."])[0] == Linkage()
    assert read_log(parser) == ["She ran."]


def test_fifty_words_are_parsed(parser):
    assert len(link_bigrams.parse(["word " * 50])[0].links) == 50


def test_a_sentence_is_never_a_command(parser):
    link_bigrams.parse(["!file x", "%quiet", "!!  exit"])
    assert read_log(parser) == ["file x", "quiet", "exit"]


def test_a_parser_that_stops_is_an_error_without_text(parser):
    with pytest.raises(ConfigurationError, match="link-parser: exit status 1; wanted 0") as error:
        bigrams("crash")
    assert "crash" not in str(error.value)


def test_too_few_answers_are_an_error(parser, monkeypatch):
    monkeypatch.setattr(link_bigrams, "COMMAND", "no command")
    with pytest.raises(ConfigurationError, match="0 answers to 1 sentences"):
        link_bigrams.parse(["She ran."])


def test_without_the_program_the_error_says_what_to_install(parser):
    (parser / "link-parser").unlink()
    with pytest.raises(ConfigurationError, match="link-parser: apt-get install link-grammar"):
        bigrams("She ran.")


def test_a_damaged_cache_is_an_error(parser):
    (parser / "cache").mkdir()
    (parser / "cache" / "link_grammar.sqlite").write_text("no database, " * 100)
    with pytest.raises(ConfigurationError, match="remove the file"):
        bigrams("She ran.")


@pytest.mark.parametrize(
    ("text", "words", "ranges"),
    [
        ("dr.ruizran.", ["Dr..x", "Ruiz[!]", "ran.v-d", "."], [(0, 3), (3, 7), (7, 10), (10, 11)]),
        ("itis.", ["it", "is.v", "."], [(0, 2), (2, 4), (4, 5)]),
        ("theu.s.doctor", ["the", "U.S.[!]", "doctor.n"], [(0, 3), (3, 7), (7, 13)]),
        ("(he)ran", ["[(]", "he", "[)]", "ran.v-d"], [(0, 1), (1, 3), (3, 4), (4, 7)]),
        ("fooran", ["guessed.n", "ran.v"], [WALL, (3, 6)]),
        ("ran", ["LEFT-WALL", "ran.v", "RIGHT-WALL"], [WALL, (0, 3), WALL]),
    ],
)
def test_words_of_the_parser_are_found_in_the_sentence(text, words, ranges):
    assert list(align_words(text, words)) == ranges


@given(st.lists(st.text(alphabet="ab.()[]", min_size=1, max_size=6), max_size=6))
def test_ranges_are_in_order_and_inside(words):
    text = "".join(words).lower()
    ranges = [part for part in align_words(text, words) if part != WALL]
    assert all(a < b <= len(text) for a, b in ranges)
    assert all(before[1] <= after[0] for before, after in zip(ranges, ranges[1:]))


@pytest.mark.parametrize("answer", ["", "No complete linkages found.", "[(a)", "[0]"])
def test_no_linkage(answer):
    assert read_linkage("x", answer) == Linkage()


def test_a_linkage_without_links():
    assert read_linkage("x", "[(x.n)]\n[]\n[0]") == Linkage(((0, 1),), ())


@pytest.mark.skipif(shutil.which("link-parser") is None, reason="link-grammar is not installed")
def test_the_real_parser_and_the_sentence_of_tafvizi(tmp_path, monkeypatch):
    """Figure 3-1: John has the right bigram [{Ss, was}, {Pvf, admitted}]."""
    monkeypatch.setenv(link_bigrams.FOLDER, str(tmp_path))
    assert "link-grammar" in link_bigrams.read_version()
    found = bigrams("John, who had hernia, was admitted yesterday.\nof the with (Dr. Ruiz).")
    assert "Ss:was>Pvf:admitted" in found["John"][1]
    assert "Pvf:was>Ss:john" in found["admitted"][0]
    assert found["hernia"] == [None, None]
    long = link_bigrams.parse(["x" * link_bigrams.MOST_BYTES, "She ran home."])
    assert ("Ss" in [name for _, _, name in long[1].links]) and len(long) == 2
