"""Part-of-speech sources: their tags and their errors."""

import io
import pickle

import pytest

from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction import part_of_speech

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
