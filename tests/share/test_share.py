"""Sharing a model, through the command line, on a small corpus; and what the attack reads."""

import json
from dataclasses import replace
from random import Random

import pytest
from small_notes import SMALL

from crfdeid import cli, corpora
from crfdeid.errors import DocumentError
from crfdeid.feature_extraction import templates
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.share import attack, canaries, strings
from crfdeid.share.__main__ import CLAIM
from crfdeid.share.__main__ import main as share_main
from crfdeid.systems import model, model_folder
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarov"
LEXICAL = replace(SMALL, features=("lexical",), crf=SMALL.crf | {"max_iterations": 15})

pytest.importorskip("numba")


@pytest.fixture(scope="module")
def documents(notes):
    """Forty patients; one of them has another name and a record number."""
    text = f"Seen by Dr. {CANARY}.\nMRN 4455667\n"
    mine = Document("900-01", text, (Span(12, 22, "DOCTOR"), Span(28, 35, "MEDICALRECORD")), "900")
    return [*notes, mine]


@pytest.fixture(scope="module")
def place(documents, tmp_path_factory):
    folder = tmp_path_factory.mktemp("share")
    corpora.write(documents, folder / "notes.jsonl", "jsonl")
    model.train(documents, LEXICAL, folder / "mine")
    return folder


@pytest.fixture(scope="module")
def shared(place):
    run(place, "--k", 4, "--out", place / "shared")
    return place / "shared"


def run(place, *arguments):
    share_main([str(place / "mine"), str(place / "notes.jsonl"), *map(str, arguments)])


def refuse(place, capsys, *arguments):
    """The one line of a command that must end with status 2."""
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: run(place, *arguments))
    said = capsys.readouterr().err
    assert stopped.value.code == 2 and said.count("\n") == 1 and CANARY not in said
    return said


def test_a_shared_model_has_no_word_of_few_patients_and_says_so(shared, documents, place):
    everything = b" ".join(path.read_bytes() for path in shared.rglob("*") if path.is_file()).lower()
    assert CANARY.lower().encode() not in everything and b"4455667" not in everything
    figures = json.loads((shared / "card.json").read_text())
    assert figures["claim"] == (
        "Every string occurs with at least k training patients or in a public list; "
        "planted names were not recovered."
    )
    assert (figures["k"], figures["notes"], figures["patients"]) == (4, 41, 41)
    assert figures["fewest_patients"] >= 4 and figures["long_numbers"] == 0
    assert figures["strings"]["words of PHI"][0][0] == 0 < figures["strings"]["words of PHI"][0][1]
    assert {own["planted"] for own in figures["canaries"].values()} == {10}
    assert not any(own["read"] + own["guessed"] for own in figures["canaries"].values())
    text = (shared / "CARD.md").read_text()
    assert CLAIM in text and "not anonymous and not differentially private" in text


def test_a_shared_model_is_a_whole_model(shared, documents, place):
    tagger = model.load(shared)
    assert tagger.config == replace(LEXICAL, features=("lexical.template",), min_patients=4)
    assert tagger.tag(documents[3]).spans
    files = json.loads((shared / "manifest.json").read_text())["files"]
    assert {"CARD.md", "card.json", "model.crfsuite"} <= set(files)
    assert sorted(path.name for path in place.iterdir()) == ["mine", "notes.jsonl", "shared"]


@pytest.mark.slow
def test_the_attack_breaks_a_model_that_was_not_trained_to_be_shared(place, documents):
    tagger = model.load(place / "mine")
    planted, people = canaries.plant_canaries(documents, {"DOCTOR"}, 1, set())
    settings = replace(LEXICAL, min_patients=1, crf=LEXICAL.crf | {"c1": 0.0})
    twin = model.train(planted, settings, place / "twin")
    figures = attack.attack_model(twin, twin, people, planted, [], 1)
    model_folder.shutil.rmtree(place / "twin")
    assert all(own.read == own.planted for own in figures.canaries.values())
    assert any("planted names read" in breach for breach in replace(figures, k=4).list_breaches())
    own = strings.count_strings(documents, tagger.pipeline)
    readable = attack.read_model(tagger)
    assert CANARY.lower() in readable and "4455667" in readable
    assert strings.count_readable(own, readable, [1, 2])["long numbers"] == [(1, 1), (1, 1)]


def test_hidden_bytes_and_strings_in_other_files_are_found(shared, tmp_path):
    folder = tmp_path / "copy"
    model_folder.shutil.copytree(shared, folder)
    assert not attack.has_other_bytes(folder / "model.crfsuite")
    (folder / "note.txt").write_text(f"trained on {CANARY}, 4455667, in the folder")
    rare = {CANARY.lower(), "4455667", "folder"}
    program = attack.read_program_words()
    files = attack.list_other_files(folder, [])
    assert strings.scan_files(files, rare, lambda text: text in program) == 2


def test_what_cannot_be_shared_is_refused(place, shared, documents, tmp_path, capsys):
    assert "--overwrite" in refuse(place, capsys, "--out", shared)
    assert "--k 1: wanted 2 or more" in refuse(place, capsys, "--k", 1, "--out", tmp_path / "out")
    assert "wanted at least 99 (k)" in refuse(place, capsys, "--k", 99, "--out", tmp_path / "out")
    model.train(documents, replace(LEXICAL, system="hmm", features=(), options={}), tmp_path / "mine")
    corpora.write(documents, tmp_path / "notes.jsonl", "jsonl")
    assert "the system hmm does not have it" in refuse(tmp_path, capsys, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_word_clusters_of_the_user_are_refused(place, documents, tmp_path, capsys):
    (tmp_path / "own.txt").write_text("# title: own\nzanzibarov|1\npain|2\n")
    (tmp_path / "own.template").write_text("cluster[0] lower[0]\n")
    settings = replace(
        LEXICAL, features=(str(tmp_path / "own.template"),), clusters=str(tmp_path / "own.txt")
    )
    model.train(documents, settings, tmp_path / "mine")
    corpora.write(documents, tmp_path / "notes.jsonl", "jsonl")
    assert "the word clusters are your own list" in refuse(tmp_path, capsys, "--out", tmp_path / "out")


def test_a_name_of_one_patient_scores_as_any_other_of_its_form(notes, place, tmp_path):
    """Without known words the planted name of a patient who has it often is the likeliest of all names."""
    planted, people = canaries.plant_canaries(notes, {"DOCTOR"}, 1, set())
    chosen = next(one for one in people if one.is_easy)
    decoys = [name for name in canaries.invent_names(400, Random(3), {chosen.name.lower()})
              if len(name) == len(chosen.name)]  # fmt: skip
    twin = model.train(planted, replace(LEXICAL, min_patients=4), tmp_path / "twin")
    assert canaries.rank_canary(twin, chosen, decoys) == (0, len(decoys))


def test_planted_names_replace_names_and_move_the_other_spans(notes):
    note = replace(notes[0], patient="1")
    made, first = canaries.replace_names(note, {"DOCTOR"}, "Zorimav", True)
    assert next(made.text_of(span) for span in made.spans) == made.text_of(first) == "Zorimav"
    assert [made.text_of(s) for s in made.spans][1:] == [note.text_of(s) for s in note.spans][1:]
    with pytest.raises(DocumentError, match="1 patients have a name"):
        canaries.plant_canaries([note], {"DOCTOR"}, 1, set())
    names = canaries.invent_names(500, Random(2), {"zorimav"})
    assert len(set(names)) == 500 and all(name.isalpha() and name[0].isupper() for name in names)


def test_a_kind_joined_with_a_bar_is_no_word():
    assert strings.read_strings(["page_position[0]|short_shape[0]=bottom3||"]) == set()
    assert strings.read_strings(["lower[0]|short_shape[0]=ruiz||"]) == {"ruiz"}


OTHER_FORMS = ("lemma", "normal")


@pytest.mark.parametrize(
    "text", ["SEEN BY DR. RUIZ\nMAIL A.RUIZ@X.ORG ON 3/4/2061\nMRN: 44556677\n", "he is well\n"]
)
def test_what_is_read_in_a_feature_is_in_the_note(text):
    """A new observation whose values are names of kinds must be in WITHOUT_WORDS. Other forms of a word are
    read as words, and need not stand in the note."""
    static = templates.STATIC
    assert all(map(strings.shows_words, OTHER_FORMS))
    names = [name for name in [*static.lexical, *static.contextual] if name not in OTHER_FORMS]
    pipeline = Pipeline([((name, 0),) for name in names])
    features = {f for own in pipeline.features(Document("n", text))[0] for f in own}
    tokens = " ".join(token.text for token in pipeline.tokenize(text))
    shown = strings.find_strings(text) | strings.find_strings(tokens)
    assert strings.read_strings(features) == shown
