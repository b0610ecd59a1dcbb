"""The three guides, from a clean folder: their commands are taken out of the pages and run.

What only people do (deciding, reading) is marked in a page as ``<!-- by hand: NAME -->``, and a function here
does it.
"""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crfdeid import __main__, cli, corpora
from crfdeid.tag import __main__ as tag

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("models_once")]

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$|<!-- by hand: (\w+) -->", re.M | re.S)
SMALLER = {
    r"--documents 400": "--documents 14",
    r"--documents 100": "--documents 6",
    r"--documents 200": "--documents 100",
    r"--documents 2\d ": "--documents 9 ",
    r"--model english\+rules": "--model rules",
    r"(crfdeid redact|crfdeid tag notes.csv)": r"\1 --model rules",
    r"(crfdeid train .*)": r"""\1 --set 'features=["lexical"]' --set crf.max_iterations=5""",
    r"(crfdeid evaluate .*)": r"\1 --resamples 20",
}  # the same commands on fewer notes, with small models


SHELL = ("(umask 077; head -c 32 /dev/urandom | base64 > key.txt)",)


class Step(NamedTuple):
    """A command, a piece of Python, or the name of what people do."""

    kind: str
    text: str


def list_steps(page: str) -> list[Step]:
    """The steps of a page in their order."""
    steps = []
    for kind, text, name in BLOCK.findall((DOCS / page).read_text(encoding="utf-8")):
        if name or kind == "python":
            steps.append(Step("hand" if name else kind, name or text))
        else:
            lines = text.replace("\\\n", " ").splitlines()
            steps += [Step("sh", line) for line in lines if line.strip() and not line.startswith("#")]
    return steps


def run_command(line: str) -> int:
    """Run a command of a page in this process; return its exit status."""
    for pattern, smaller in SMALLER.items():
        line = re.sub(pattern, smaller, line)
    if line in SHELL:
        return subprocess.run(line, shell=True, check=True).returncode
    program, *arguments = shlex.split(line, comments=True)
    assert program == "crfdeid", f"{program}: a guide runs nothing else"
    with pytest.raises(SystemExit) if "--skip-bad" in line else cli_ends() as stopped:
        __main__.main(arguments)
    return stopped.value.code if stopped else 0


class cli_ends:
    """A command that ends without an exit status."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


def run_guide(page: str, hands: dict[str, Any], without: str = " never ") -> dict[str, Any]:
    """Run all steps; return the names that the Python of the page has defined."""
    names: dict[str, Any] = {}
    for step in list_steps(page):
        if step.kind == "hand":
            hands.pop(step.text)()
        elif step.kind == "python":
            exec(compile(step.text, page, "exec"), names)
        elif without not in step.text:
            assert run_command(step.text) in (0, cli.SKIPPED)
    assert not hands
    return names


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_engineer_tags_a_table_and_joins_the_spans(folder):
    walk = (DOCS / "databases.md").read_text(encoding="utf-8").split("## Any database")[0]
    (folder / "walk.md").write_text(walk, encoding="utf-8")
    names = run_guide(str(folder / "walk.md"), {})
    assert ("ICU", "DOCTOR", "Ruiz") in names["found"] and ("ER", "PATIENT", "Okafor") in names["found"]
    assert ("ICU", "DOCTOR", 2) in names["counts"]
    spans = (folder / "spans.csv").read_text()
    assert "Ruiz" not in spans and "Okafor" not in spans
    assert (folder / "bad.csv").read_text().splitlines()[1].startswith('notes.csv,4,4,"its text is NULL')
    clean = (folder / "clean.csv").read_text()
    assert clean.startswith('"note_id","mrn","ward","body"\n') and '"ICU"' in clean
    assert not any(real in clean for real in ("Ruiz", "Okafor", '"A7"', "617-555-0148"))


def test_a_researcher_goes_from_a_corpus_to_a_table(folder, capsys):
    # tests/ablate trains all rows of an experiment
    run_guide("own-corpus.md", {}, without="crfdeid ablate")
    assert "mine & " in (folder / "table.tex").read_text() and "rules" in (folder / "table.md").read_text()
    assert (folder / "models/mine/scores.json").exists() and "<table>" in (folder / "stats.html").read_text()
    said = capsys.readouterr()
    assert "The scheme of the corpus is in models/mine.scheme.toml" in said.out


def decide():
    """Adjudicate as people do on the page: here the rules decide."""
    from crfdeid.review.operations.exports import export_spans
    from crfdeid.review.study.study import open_study
    from crfdeid.review.study.system_spans import import_consensus, match_documents

    tag.main(["notes", "--model", "rules", "--out", "read.jsonl", "--format", "jsonl"])
    study = open_study(Path("study.db"))
    import_consensus(study, match_documents(study, corpora.read(Path("read.jsonl"))))
    export_spans(study, {"name": "decided", "format": "jsonl", "what": "consensus"})
    study.store.close()


def read():
    """Mark what can be read in the sample: here the rules read for both."""
    Path("reading-export").mkdir()
    for reader in ("ann", "bob"):
        tag.main(["reading.jsonl", "--model", "rules", "--out", f"reading-export/{reader}.jsonl"])


def test_an_officer_releases_notes_in_eight_steps(folder, only_the_rules):
    for package in ("fastapi", "uvicorn", "argon2", "cryptography"):
        pytest.importorskip(package, reason="pip install 'crfdeid[review]'")
    # tests/review has the server and its certificate
    run_guide("release.md", {"decide": decide, "read": read}, without="--network")
    page = (folder / "release.html").read_text()
    assert "Approved by" in page and "notes with a leak" in page
    assert "<html" in (folder / "added.html").read_text()
    assert json.loads((folder / "report.json").read_text())["run"]["spans"] == "only the notes' own"
    released = [path.read_text() for path in (folder / "release").iterdir()]
    assert len(released) == 100 and {p.suffix for p in (folder / "release").iterdir()} == {".txt"}


def test_a_hospital_adapts_the_model_to_its_notes(folder, capsys):
    walk = (DOCS / "adapt.md").read_text(encoding="utf-8")
    (folder / "walk.md").write_text(walk[walk.index("To try it") :], encoding="utf-8")
    run_guide(str(folder / "walk.md"), {})
    said = capsys.readouterr().out
    assert "| as it is |" in said or "| **as it is** |" in said
    assert (folder / "models/site/manifest.json").exists() and (folder / "gained.html").exists()
    assert len(list((folder / "tagged").glob("*.xml"))) == 9
    assert "4 notes to correct: 2 at random, 2 by doubt" in said
    assert "Lines that repeat in " in said and ", then lines that repeat" in said
    assert (folder / "models/site_lines/manifest.json").exists()
