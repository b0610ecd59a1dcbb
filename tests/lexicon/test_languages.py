"""A language is a pack; notes in another language than the model's are said in one line."""

import re
import shlex
from dataclasses import fields, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from plugin_site import install, run, run_each

from crfdeid import conformance, corpora, lexicon
from crfdeid.conformance import check_language
from crfdeid.errors import ConfigurationError
from crfdeid.lexicon import ENGLISH, LANGUAGES, SPANISH, Language, NoteLanguage, english, spanish
from crfdeid.synthetic.pieces import Piece, build_document
from crfdeid.synthetic.written_corpus import copy_document, read_corpus
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
    assert found.count_languages() == {ENGLISH: 200, SPANISH: 0}


@pytest.mark.slow
def test_tag_says_it_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nota.txt").write_text(
        "El paciente acude por dolor en el pie desde hace un mes, sin fiebre. " * 3
    )
    tag_verb(["nota.txt"])
    assert capsys.readouterr().err.splitlines() == [LINES[SPANISH]]


PAGE = (Path(__file__).parent.parent.parent / "docs" / "languages.md").read_text(encoding="utf-8")
TOML, PACKAGE = (re.search(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)[1] for kind in ("toml", "python"))
TEXT = "O doente não tem febre. Foi ao hospital com a sua filha, mas já está em casa e não toma nada. "

MONTHS = (
    "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro",
    "novembro", "dezembro",
)  # fmt: skip
LISTS = {
    "women": "Ana Beatriz Carla Clara Diana Eva Filipa Helena Joana Laura Maria Marta Rita Sofia",
    "men": "Afonso André António Bruno Carlos Diogo Duarte Hugo João Jorge José Luís Nuno Rui",
    "surnames": "Almeida Alves Barros Branco Castro Coelho Costa Dias Faria Ferreira Fonseca Leal Lima Lopes "
    "Maia Matos Melo Mendes Moura Neves Nunes Pinto Pires Ramos Reis Rocha Santos Silva Soares Sousa Tavares",
    "towns": "Aveiro Beja Braga Coimbra Faro Guarda Leiria Lisboa Porto Setúbal Tomar Viseu",
    "institution_words": "hospital clínica centro santa",
    "street_words": "rua avenida praça",
}
NOTE = (
    "Doente: ", ("Maria João Silva e Costa", "PATIENT"), ", ", ("94", "AGE"), " anos, vista na ",
    ("terça-feira, 12 de março de 2019", "DATE"), " por ", ("Dra. Rita Tavares", "DOCTOR"), " no ",
    ("Hospital de Santa Marta", "HOSPITAL"), ", ", ("Lisboa", "CITY"), ". Volta a ", ("19/03/2019", "DATE"),
    ", ", ("sábado", "DATE"), ", ", ("12 a 14 abr 2019", "DATE"), ", ", ("padeira", "PROFESSION"),
)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = install(tmp_path_factory.mktemp("site"), "crfdeid_portuguese", PACKAGE, TOML)
    for name, entries in LISTS.items():
        (folder / f"{name}.txt").write_text("\n".join(["# title: invented", *sorted(entries.split())]) + "\n")
    return folder


@pytest.mark.slow
def test_a_language_of_another_package_is_found_by_its_entry_point(site, tmp_path):
    (tmp_path / "nota.txt").write_text(TEXT * 3, encoding="utf-8")
    tagged = run(site, "-m", "crfdeid", "tag", "nota.txt", folder=tmp_path)
    assert tagged.stderr.splitlines() == ["these notes look Portuguese; there is no model for them"]
    checked = run(site, "-c", PAGE.partition("## Check yours\n\n```python\n")[2].partition("```")[0])
    assert checked.returncode == 0, checked.stderr


@pytest.mark.slow
def test_the_surrogates_of_a_language_come_from_its_lists(site, tmp_path):
    note = build_document([Piece(p) if isinstance(p, str) else Piece(*p) for p in NOTE], "n")
    corpora.write([note], tmp_path / "notes.jsonl", "jsonl")
    redact = ("redact", "notes.jsonl", "--out", "clean.jsonl", "--spans", "gold", "--language", "portuguese")
    done = run(site, "-m", "crfdeid", *redact, "--seed", "1", folder=tmp_path)
    (clean,) = corpora.read(tmp_path / "clean.jsonl")
    found = [clean.text_of(span) for span in clean.spans]
    assert len(found) == 10, done.stderr
    known = {word for entries in LISTS.values() for word in entries.split()}
    assert found[0].split()[3] == "e" and {*found[0].split()} - {"e"} <= known
    assert found[1] == "90+" and found[3].startswith("Dra. ") and found[4].startswith("Hospital de Santa ")
    assert {found[5], *found[3].split()[1:]} <= known
    day = re.fullmatch(r"terça-feira, (\d+) de (\w+) de (\d{4})", found[2])
    numeric = datetime.strptime(found[6], "%d/%m/%Y")
    assert numeric - datetime(int(day[3]), MONTHS.index(day[2]) + 1, int(day[1])) == timedelta(7)
    assert found[7] == "sábado" and re.fullmatch(r"\d+ a \d+ \w{3} \d{4}", found[8])
    assert found[9] == "[**PROFESSION**]"


@pytest.mark.slow
def test_the_commands_of_the_page_work_in_order(site, tmp_path):
    pieces = [Piece(p) if isinstance(p, str) else Piece(*p) for p in NOTE]
    notes = [build_document(pieces, f"n{number}") for number in range(12)]
    corpora.write(notes, tmp_path / "corpus.jsonl", "jsonl")
    corpora.write_each(notes, tmp_path / "corpus", "i2b2")
    corpora.write_each(notes[:2], tmp_path / "notas", "text")
    (tmp_path / "nota.txt").write_text(TEXT * 3, encoding="utf-8")
    block = re.search(r"```sh\n(crfdeid tag nota.*?)```", PAGE, re.DOTALL)[1]
    commands = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert [program for program, *_ in commands] == ["crfdeid"] * 4
    run_each(site, *(words for _, *words in commands), folder=tmp_path)
    clean = (tmp_path / "limpas" / "n0.txt").read_text(encoding="utf-8")
    assert "Tavares" not in clean and re.search(r"terça-feira, \d+ de [a-zç]+ de \d{4}", clean), clean


@pytest.mark.slow
def test_a_broken_language_is_named_when_it_is_asked_for_and_otherwise_left_out(tmp_path):
    install(tmp_path, "crfdeid_portuguese", "import nothing_such\n", TOML)
    (tmp_path / "nota.txt").write_text(TEXT * 3, encoding="utf-8")
    tagged = run(tmp_path, "-m", "crfdeid", "tag", "nota.txt", folder=tmp_path)
    assert (tagged.returncode, tagged.stderr) == (0, "")
    redact = ("-m", "crfdeid", "redact", "nota.txt", "--out", "x", "--language", "portuguese")
    redacted = run(tmp_path, *redact, folder=tmp_path)
    assert redacted.returncode == 2 and "crfdeid-portuguese cannot be imported" in redacted.stderr


def test_every_field_of_a_pack_is_documented():
    assert all(f"`{field.name}`" in PAGE for field in fields(Language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_our_languages_pass_the_battery(language):
    check_language(language)


@pytest.mark.parametrize(
    ("changes", "promise"),
    [
        ({"name": "other"}, "its name is"),
        ({"stop_words": frozenset(["The"])}, "in small letters"),
        ({"stop_words": frozenset(["the", "that"])}, "stop words show it"),
        ({"model": "english"}, "its model is for its notes"),
        ({"months": ("enero",)}, "twelve months"),
        ({"weekdays": ("lunes",)}, "seven weekdays"),
        ({"towns": "es_towns"}, "a tuple"),
        ({"jobs": "no_such_list"}, "no_such_list"),
        ({"repair": "crfdeid.lexicon.english:FIXED"}, "are crfdeid.repair.Repair"),
        ({"surrogates": "crfdeid.lexicon.nothing:X"}, "cannot be imported as it says"),
        ({"surrogates": "builtins:list"}, "PatientSurrogates"),
    ],
)
def test_the_battery_finds_what_is_broken(monkeypatch, changes, promise):
    found = replace(Language("toy", stop_words=frozenset(["zuk", "vra"])), **changes)
    monkeypatch.setattr(conformance, "find_language", lambda name: found)
    monkeypatch.setattr(lexicon, "load_others", lambda: {"toy": found})
    with pytest.raises((AssertionError, ConfigurationError), match=promise):
        check_language("toy")
