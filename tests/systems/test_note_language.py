"""Notes in another language than the model's are said in one line."""

import pytest

from crfdeid.lexicon import ENGLISH, LANGUAGES, SPANISH, english, spanish
from crfdeid.synthetic.pieces import build_document
from crfdeid.synthetic.written_corpus import read_corpus
from crfdeid.synthetic.written_fill import copy_document
from crfdeid.systems.model import NoteLanguage
from crfdeid.tag.__main__ import main as tag_verb
from crfdeid.text.document import Document

LINES = {
    ENGLISH: "these notes look English; --model english",
    SPANISH: "these notes look Spanish; --model spanish",
}


def find_lines(language: str, texts: list[str], scheme: str = "i2b2-2014") -> list[str]:
    found = NoteLanguage(language, scheme)
    assert len([*found.count_each([Document("n", text) for text in texts])]) == len(texts)
    return [*found.lines()]


def test_no_stop_word_is_of_both_languages():
    assert not english.STOP_WORDS & spanish.STOP_WORDS


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_written_notes_of_each_hand_have_their_language(language):
    (other,) = {*LANGUAGES} - {language}
    hands: dict[str, list[str]] = {}
    for document in read_corpus("test", language):
        hands.setdefault(document.hand, []).append(build_document(copy_document(document), "n").text)
    for texts in hands.values():
        assert find_lines(language, texts) == [] and find_lines(other, texts) == [LINES[language]]


def test_a_short_note_and_a_model_of_another_scheme_say_nothing():
    assert find_lines(ENGLISH, ["Paciente con dolor en el pie."]) == []
    assert (
        find_lines(
            ENGLISH, ["Se le da cita para su control en un mes por el dolor en los pies."] * 9, "meddocan"
        )
        == []
    )


def test_only_the_first_notes_are_counted():
    found = NoteLanguage(ENGLISH)
    [*found.count_each(Document("n", "the") for _ in range(300))]
    assert found.counts == {ENGLISH: 200, SPANISH: 0}


def test_tag_says_it_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nota.txt").write_text(
        "El paciente acude por dolor en el pie desde hace un mes, sin fiebre. " * 3
    )
    tag_verb(["nota.txt"])
    assert capsys.readouterr().err.splitlines() == [LINES[SPANISH]]
