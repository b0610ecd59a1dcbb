"""The extras that a configuration needs, which of them are missing, and the command that installs one."""

import sys
from importlib import metadata

import pytest

from crfdeid import files
from crfdeid.ablate import __main__ as ablate
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction import part_of_speech
from crfdeid.systems import extras, registry
from crfdeid.train import main as train

GRUUT = "gruut-lang-en"


@pytest.fixture
def without_gruut(monkeypatch):
    version = metadata.version

    def find_version(package):
        if package == GRUUT:
            raise metadata.PackageNotFoundError(package)
        return version(package)

    wanted = [f'{GRUUT}>=2.0; extra == "works"', "numba>=0.59 ; extra == 'fast'", "tqdm>=4.60"]
    monkeypatch.setattr(metadata, "requires", lambda package: wanted)
    monkeypatch.setattr(metadata, "version", find_version)
    monkeypatch.setattr(part_of_speech, "find_spec", lambda name: None)
    part_of_speech.load_tagger.cache_clear()
    yield
    part_of_speech.load_tagger.cache_clear()


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("english", []),
        ("wi_deid", ["works"]),
        ("svm", ["works"]),
        ("multi", ["works"]),
        ("rnn_elman", ["rnn"]),
        ("transformer", ["transformer"]),
    ],
)
def test_a_configuration_says_which_extras_it_needs(name, wanted):
    assert extras.list_extras([registry.read_config(name)]) == wanted


def test_each_extra_of_a_setting_is_one_of_the_package():
    settings = (files.find_folder("configs").parent / "setup.cfg").read_text(encoding="utf-8")
    known = settings.split("[options.extras_require]")[1].split("\n[")[0].splitlines()
    named = [*extras.OF_SOURCES.values(), *extras.OF_OBSERVATIONS.values()]
    named += [extra for name in registry.SYSTEMS if (extra := registry.find_system(name).extra)]
    assert [name for name in named if f"{name} =" not in known] == []
    assert extras.list_extras([Config(("lexical",), pos="aptagger")]) == ["pos"]


def test_only_what_is_missing_is_listed(without_gruut):
    assert extras.list_missing(["fast", "works", "unknown"]) == ["works"]


def test_the_verbs_print_what_pip_must_install_and_read_nothing(without_gruut, capsys):
    train(["nowhere", "--config", "wi_deid", "--extras"])
    train(["nowhere", "--config", "english", "--extras"])
    ablate.main(["he_table3", "nowhere", "--out", "runs", "--extras"])
    assert capsys.readouterr().out.split("\n") == ["works", "", "works", ""]


def test_without_its_metadata_the_package_asks_for_nothing(monkeypatch):
    def refuse(package):
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "requires", refuse)
    assert extras.list_missing(["works"]) == []


def test_what_is_missing_is_said_with_the_pip_of_this_environment(without_gruut, tmp_path):
    wanted = f"needs the wheel {GRUUT}: {sys.executable} -m pip install 'crfdeid\\[works\\]'"
    with pytest.raises(ConfigurationError, match=wanted):  # before the corpus, which is not there
        train([str(tmp_path / "none"), "--config", "wi_deid", "--out", str(tmp_path / "m")])
