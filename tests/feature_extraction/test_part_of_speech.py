"""Part-of-speech sources: their tags and their errors."""

import io
import json
import pickle
import sys

import pytest

from crfdeid import cli
from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction import part_of_speech
from crfdeid.train import main as train

WORDS = ["The", "patient", "was", "seen", "by", "Dr.", "Ruiz", "in", "Boston", "and", "denies", "pain", "."]
SURE = {"The": "DT", "patient": "NN", "was": "VBD", "by": "IN", "Boston": "NNP", "and": "CC", ".": "."}


@pytest.mark.parametrize("name", ["gruut", "aptagger"])
def test_a_source_tags_plain_words_right(name):
    try:
        tag = part_of_speech.load_tagger(name)
    except ConfigurationError as error:
        pytest.skip(str(error))
    tags = dict(zip(WORDS, tag(WORDS)))
    assert {word: tags[word] for word in SURE} == SURE
    assert tag([]) == []


def test_an_unknown_source_suggests_a_similar_one():
    with pytest.raises(ConfigurationError, match="did you mean gruut"):
        part_of_speech.load_tagger("grut")


def test_a_missing_wheel_is_named(monkeypatch):
    monkeypatch.setattr(part_of_speech, "find_spec", lambda name: None)
    with pytest.raises(
        ConfigurationError, match=r"gruut-lang-en: .*python\S* -m pip install 'crfdeid\[works\]'"
    ):
        part_of_speech.load_gruut()


def test_a_pickle_that_would_run_code_is_refused():
    with pytest.raises(ConfigurationError, match="wanted plain data"):
        part_of_speech.PlainUnpickler(io.BytesIO(pickle.dumps(print))).load()


TABLE_2 = ["Mr.", "Valdez", "describes", "undergoing"]  # the words of He et al. 2015, table 2


def test_nltk_gives_the_part_of_speech_of_table_2():
    try:
        tag = part_of_speech.load_tagger("nltk")
    except ConfigurationError:
        pytest.skip(f"the data {part_of_speech.NLTK_DATA} of nltk is not installed")
    assert tag(TABLE_2)[1] == "NNP"


def test_gruut_gives_it_where_the_title_has_its_full_stop():
    try:
        tag = part_of_speech.load_tagger("gruut")
    except ConfigurationError as error:
        pytest.skip(str(error))
    assert tag(TABLE_2)[1] == "NNP"
    assert tag(["Mr", ".", *TABLE_2[1:]])[2] == "JJ"  # as our tokenizers cut it


def test_nltk_gives_a_tag_for_each_word(monkeypatch):
    class Fake:
        def tag(self, words):
            return [(word, "NNP" if word.istitle() else "VB") for word in words]

    monkeypatch.setattr("nltk.tag.PerceptronTagger", Fake)
    tag = part_of_speech.load_nltk()
    assert tag(tuple(TABLE_2)) == ["NNP", "NNP", "VB", "VB"] and tag([]) == []


@pytest.fixture
def nltk_folder(tmp_path, monkeypatch):
    """A folder where nltk looks for data, alone; it is empty."""
    monkeypatch.setattr("nltk.data.path", [str(tmp_path)])
    part_of_speech.load_tagger.cache_clear()
    yield tmp_path
    part_of_speech.load_tagger.cache_clear()


def write_tagger(folder, knows):
    """Write a perceptron that knows words and has no weights, in the three files of nltk's data."""
    place = folder / "taggers" / part_of_speech.NLTK_DATA
    place.mkdir(parents=True)
    for part, value in (("weights", {}), ("tagdict", knows), ("classes", sorted(set(knows.values())))):
        (place / f"{part_of_speech.NLTK_DATA}.{part}.json").write_text(json.dumps(value))
    return place


def test_the_data_is_found_where_nltk_finds_it(nltk_folder):
    write_tagger(nltk_folder, {"Mr.": "NNP", "Valdez": "NNP", "describes": "VBZ", "undergoing": "VBG"})
    assert part_of_speech.load_tagger("nltk")(TABLE_2) == ["NNP", "NNP", "VBZ", "VBG"]


def test_damaged_data_is_one_line(nltk_folder):
    place = write_tagger(nltk_folder, {"Mr.": "NNP"})
    for text in ("{", "[1, 2", ""):
        next(place.glob("*tagdict.json")).write_text(text)
        with pytest.raises(ConfigurationError, match="cannot be read; install it again$"):
            part_of_speech.load_nltk()
    next(place.glob("*weights.json")).unlink()
    with pytest.raises(ConfigurationError, match="^pos = nltk: its data"):
        part_of_speech.load_nltk()


def test_train_without_the_data_says_what_to_install(nltk_folder, tmp_path, capsys):
    arguments = [str(tmp_path / "none"), "--config", "wi_deid", "--out", str(tmp_path / "m")]
    with pytest.raises(SystemExit) as stopped:  # before the corpus, which is not there
        cli.run(lambda _: train([*arguments, "--set", 'pos="nltk"']))
    said = capsys.readouterr().err
    command = f"{sys.executable} -m nltk.downloader {part_of_speech.NLTK_DATA}"
    assert f"pos = nltk: its data is not installed: {command} (" in said
    assert stopped.value.code == 2 and said.count("\n") == 1 and not (tmp_path / "m").exists()
