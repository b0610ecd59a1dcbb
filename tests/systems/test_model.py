"""The face that every system has: by name, by folder, and what is refused."""

import dataclasses
import json
import shutil
import subprocess
import sys

import pytest
from small_notes import SMALL

from crfdeid import cli, corpora
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, ModelError
from crfdeid.evaluate import __main__ as evaluate
from crfdeid.systems import model, model_folder, registry
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span

UNTRAINED = [name for name in registry.SYSTEMS if registry.is_untrained(name)]


@pytest.mark.parametrize("name", sorted(registry.SYSTEMS))
def test_a_systems_module_has_the_face(name):
    system = registry.find_system(name)
    assert isinstance(system, registry.System)
    assert dataclasses.is_dataclass(system.options) and callable(system.train) and callable(system.load)
    features = ("lexical",) if system.needs_features else ()
    assert system.is_trained or system.options() == registry.read_options(system.options, Config(system=name))
    assert features or registry.read_config("english", system="hmm", features=(), type_bias={})


@pytest.mark.slow
def test_to_know_all_systems_loads_no_package_of_an_extra():
    code = (
        "import sys; from crfdeid.systems import registry;"
        "print([registry.find_system(name).extra for name in registry.SYSTEMS]);"
        "print({'torch', 'transformers'} & {*sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "'rnn', 'transformer'" in done.stdout and done.stdout.endswith("\nset()\n")


@pytest.mark.parametrize("name", UNTRAINED)
def test_a_system_that_learns_nothing_is_used_by_name(name, tmp_path, capsys):
    note = tmp_path / "note.txt"
    note.write_text("Mr. John Smith was seen on 03/14/2019.\n")
    tag.main([str(note), "--model", name, "--format", "inline"])
    assert "<DATE>03/14/2019</DATE>" in capsys.readouterr().out


@pytest.mark.parametrize("name", UNTRAINED)
def test_it_can_be_a_folder_too(name, tmp_path):
    document = Document("n", "Seen on 03/14/2019.")
    trained = model.train([document], Config(system=name), tmp_path / "m")
    assert [span.type for span in trained.tag(document).spans] == ["DATE"]


def test_notes_of_a_patient_that_follow_each_other_are_seen_together():
    notes = [
        Document("1", "Mr. Zacharias Quimbly was seen.", patient="p"),
        Document("2", "Quimbly is well.", patient="p"),
        Document("3", "Quimbly is well.", patient="q"),
    ]
    found = list(model.load("rules").tag_all(iter(notes)))
    assert [document.id for document in found] == ["1", "2", "3"]
    assert [len(document.spans) for document in found] == [1, 1, 0]


def test_what_one_system_alone_has_is_refused_of_another(notes, tmp_path):
    with pytest.raises(ConfigurationError, match="the system rules has no other engine"):
        model.train(notes, Config(system="rules"), tmp_path / "m", engine="crfsuite")
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: tag.main([str(tmp_path), "--model", "rules", "--probabilities"]))
    assert stopped.value.code == 2
    with pytest.raises(ConfigurationError, match="features is not set"):
        model.train(notes, Config(system="svm"), tmp_path / "m")
    assert not (tmp_path / "m").exists()
    with pytest.raises(ConfigurationError, match="--resume: the system rules cannot continue"):
        trained = model.train(notes, Config(system="rules"), tmp_path / "r")
        model.train(notes, Config(system="rules"), trained.folder, resume=True)
    assert SMALL.system == "crf"


@pytest.mark.parametrize(
    "name, said",
    [
        ("svm", "no linear model here"), ("snow", "no linear model here"), ("hmm", "no counts here"),
        ("two_stage", "first: no model here"), ("multi", "bases/a: no model here"),
    ],
)  # fmt: skip
def test_a_model_of_one_system_is_refused_by_another(name, said, small_model, tmp_path):
    """By its seal; and where somebody wrote a fitting one, because the system's own files are not there."""
    folder = tmp_path / "m"
    shutil.copytree(small_model.folder, folder)
    table = json.loads((folder / "settings.json").read_text())
    bases = {"a": {"system": "hmm"}, "b": {"system": "hmm"}}
    table |= {"system": name, "options": {"bases": bases} if name == "multi" else {}}
    (folder / "settings.json").write_text(json.dumps(table))
    with pytest.raises(ModelError, match="settings.json: damaged"):
        model.load(folder)
    (folder / "manifest.json").unlink()
    model_folder.write_manifest(folder)
    with pytest.raises(ModelError, match=said):
        model.load(folder)


def test_tokens_of_a_table_are_scored_alone(tmp_path, capsys):
    gold = Document("n", "Mr. May came in May.", (Span(4, 7, "PATIENT"), Span(16, 19, "DATE")))
    for name in ("gold", "system"):
        corpora.write([gold], tmp_path / name, "i2b2")
    table = tmp_path / "tokens.csv"
    head = "document,start,end,type,ambiguous,unseen,where\n"
    table.write_text(head + "n,4,7,PATIENT,1,0,host\nn,16,19,DATE,0,1,host\n")
    both = [str(tmp_path / "gold"), str(tmp_path / "system")]
    evaluate.main([*both, "--tokens", str(table), "--resamples", "10"])
    assert "interval of R" in capsys.readouterr().out
