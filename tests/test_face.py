"""What ``import crfdeid`` shows, and the one command with every verb."""

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import crfdeid
from crfdeid import __main__, cli, files
from crfdeid.errors import ConfigurationError
from crfdeid.evaluate.matching import Criterion

VERBS = {name: verb for verbs in cli.VERBS.values() for name, verb in verbs.items()}


def run(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True)


def test_every_name_of_the_face_is_there_and_shown():
    # In a process of its own: the command module crfdeid.train, once imported, takes the function's place.
    code = "import crfdeid; print(all(callable(getattr(crfdeid, name)) for name in crfdeid.__all__))"
    assert run("-c", code).stdout == "True\n"
    assert set(crfdeid.__all__) <= set(dir(crfdeid))


def test_a_name_that_the_face_does_not_have_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'lode'"):
        _ = crfdeid.lode


def test_importing_the_face_imports_no_other_module():
    code = "import sys, crfdeid; print([name for name in sys.modules if name.startswith('crfdeid.')])"
    assert run("-c", code).stdout == "[]\n"


def test_a_note_is_tagged_scored_and_redacted_through_the_face():
    note = crfdeid.Document("1", "Seen by Dr. Ruiz on 3/4/2061.")
    found = crfdeid.load().tag(note)
    assert [span.type for span in found.spans] == ["DOCTOR", "DATE"]
    scores = crfdeid.score([found], [found])
    assert scores.micro(Criterion("strict")).f1 == 1.0
    assert str(scores).splitlines()[2].startswith("all")
    (redaction,) = crfdeid.Redactor(b"a secret that has enough bytes").redact([found])
    assert "Ruiz" not in redaction.document.text and len(redaction.replacements) == 2


@pytest.mark.parametrize("name", VERBS)
def test_the_help_of_a_verb_says_how_it_is_typed(name):
    assert import_module(VERBS[name].module).build_parser().prog == f"crfdeid {name}"


EACH = """
import runpy, sys
for name in sys.argv[1:]:
    sys.argv[:] = [name, "--help"]
    try:
        runpy.run_module(f"crfdeid.{name}", run_name="__main__", alter_sys=True)
    except SystemExit as stopped:
        print(stopped.code, end="\\f", flush=True)
"""  # as python -m runs each


@pytest.mark.slow
def test_both_ways_to_a_verb_say_the_same(capsys):
    said = {}
    for name in VERBS:
        with pytest.raises(SystemExit) as stopped:
            __main__.main([name, "--help"])
        said[name] = f"{capsys.readouterr().out}{stopped.value.code}"
        assert "usage" in said[name] and stopped.value.code == 0
    ended = run("-c", EACH, *VERBS)
    assert dict(zip(VERBS, ended.stdout.split("\f"))) == said, ended.stderr


@pytest.mark.slow
def test_a_verb_of_a_deeper_module_is_found_at_the_face_and_no_other_name():
    code = "import crfdeid.stats as found; print(found.__file__)"
    assert run("-c", code).stdout.endswith("corpus_statistics.py\n")
    assert "No module named crfdeid.statz" in run("-m", "crfdeid.statz").stderr
    assert "No module named crfdeid.rules.statz" in run("-m", "crfdeid.rules.statz").stderr


def test_the_line_that_runs_a_command_is_the_last_of_its_module():
    run = 'if __name__ == "__main__":'
    texts = {path: path.read_text("utf-8") for path in files.PACKAGE.rglob("*.py")}
    assert [path for path, text in texts.items() if run in text and "\n\n\n" in text.partition(run)[2]] == []


@pytest.mark.parametrize("arguments", [[], ["--help"], ["help"], ["-h"]])
def test_help_lists_every_verb_on_a_line(arguments, capsys):
    __main__.main(arguments)
    lines = capsys.readouterr().out.splitlines()
    assert {line.split()[0] for line in lines if line.startswith("  ")} == set(VERBS)


def test_the_version_is_the_package_s(capsys):
    __main__.main(["--version"])
    assert capsys.readouterr().out == f"crfdeid {crfdeid.__version__}\n"


def test_the_version_stands_in_one_place_and_the_citation_has_it():
    root = Path(__file__).parent.parent
    assert "version = attr: crfdeid.__version__" in (root / "setup.cfg").read_text().splitlines()
    assert f"version: {crfdeid.__version__}" in (root / "CITATION.cff").read_text().splitlines()
    assert f"## {crfdeid.__version__}" in (root / "CHANGELOG.md").read_text().splitlines()


def test_an_unknown_verb_is_refused_with_the_nearest_one():
    with pytest.raises(ConfigurationError, match="redakt: no such verb; did you mean redact?"):
        __main__.main(["redakt"])


def test_a_wrong_note_ends_with_status_2_and_one_line():
    ended = run("-m", "crfdeid", "tag", "/no/such/note.txt")
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1


@pytest.mark.slow
def test_tagging_a_note_imports_nothing_that_it_does_not_need(tmp_path):
    """Each of these takes a tenth of the start, or far more."""
    (tmp_path / "note.txt").write_text("Seen by Dr. Ruiz.")
    code = (
        "import sys; from crfdeid.tag.__main__ import main; main([sys.argv[1]]); "
        "print({'numba', 'pandas', 'scipy', 'sklearn', 'nltk', 'torch', 'tqdm', 'multiprocessing'} "
        "& {*sys.modules})"
    )
    command = [sys.executable, "-c", code, tmp_path / "note.txt"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.endswith("\nset()\n")
