"""Between a command line and the nouns is a plan: plain values, and no parser below it."""

import ast
from dataclasses import FrozenInstanceError, fields, replace

import pytest

from crfdeid import files
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.redact.__main__ import build_parser as build_redact_parser
from crfdeid.redact.run import plan as redact_plan
from crfdeid.redact.run.plan import RedactPlan
from crfdeid.tag import run as tag_plan
from crfdeid.tag.__main__ import build_parser as build_tag_parser
from crfdeid.tag.run import TagPlan

NOT_DECIDING = {"engine", "jobs", "overwrite", "resume"}  # of tag: they do not change spans
OF_REDACTOR = {"style", "marker", "rules", "language", "by_note", "policy", "key_file", "map", "map_key",
               "seed", "import_shifts"}  # fmt: skip
OF_STAGES = {"always", "never", "patients"}  # by the contents of their files
NOT_REDACTED = {"notes", "out", "query", "export_shifts", "in_new_order", "keep_ids", "is_spreadsheet_safe",
                "columns", "report", "html", "resume", "overwrite", "jobs"}  # fmt: skip
# Modules that hold a part of a command: they belong to its ``__main__``.
PARTS = {"cli/__init__.py", "certify/choose.py", "certify/draw.py", "certify/plan.py",
         "certify/rehearse.py", "certify/state.py"}  # fmt: skip
PLANS = {"tag/run.py", "redact/run/plan.py"}


@pytest.fixture
def note(tmp_path):
    path = tmp_path / "note.txt"
    path.write_text("Seen by Dr. Ruiz.")
    return str(path)


def plan_tag(*arguments: object) -> TagPlan:
    return TagPlan.of(build_tag_parser().parse_args([str(argument) for argument in arguments]))


def plan_redact(*arguments: object) -> RedactPlan:
    return RedactPlan.of(build_redact_parser().parse_args([str(argument) for argument in arguments]))


def test_each_field_of_a_plan_decides_what_is_resumed_or_does_not():
    """A new option belongs to one of these lists."""
    names = {field.name for field in fields(TagPlan)}
    assert names == {*tag_plan.DECIDING, *NOT_DECIDING} and not NOT_DECIDING & {*tag_plan.DECIDING}
    names = {field.name for field in fields(RedactPlan)}
    parts = [{*redact_plan.DECIDING}, OF_REDACTOR, OF_STAGES, NOT_REDACTED]
    assert names == set().union(*parts) and len(names) == sum(map(len, parts))


def test_a_plan_stays_as_it_is_and_says_nothing_of_a_note(note):
    for plan in (plan_tag(note), plan_redact(note, "--out", "clean")):
        with pytest.raises(FrozenInstanceError):
            plan.jobs = 2
        assert "Ruiz" not in repr(plan)


@pytest.mark.parametrize(
    ("option", "is_same"),
    [("--jobs 2", True), ("--engine crfsuite", True), ("--overwrite", True), ("--threshold 0.1", False),
     ("--types hipaa", False), ("--model rules", False), ("--policy safe_harbor", False),
     ("--encoding latin-1", False), ("--no-text", False), ("--part 1/2", False), ("--recall-bias 1", False),
     ("--probabilities", False), ("--out other.csv", False)],
)  # fmt: skip
def test_a_run_is_resumed_with_what_decides_its_spans(note, option, is_same):
    usual = [note, "--out", "spans.csv"]
    first, second = plan_tag(*usual), plan_tag(*usual, *option.split())
    assert (first.hash_deciding() == second.hash_deciding()) is is_same
    assert first.hash_deciding() == plan_tag(*usual).hash_deciding() != first.hash_deciding("a list")


@pytest.mark.parametrize(
    ("options", "said"),
    [("--jobs 0", "--jobs 0: wanted 1 or more"), ("--threshold x", "--threshold x: wanted a number"),
     ("--part 3/2", "--part 3/2: wanted a part"), ("--recall-bias x", "--recall-bias x: wanted a number"),
     ("--policy safe_harbour", "did you mean safe_harbor"), ("--no-text --format brat --out x", "--no-text"),
     ("--resume", "--resume: wanted --out")],
)  # fmt: skip
def test_what_is_wrong_is_said_before_a_model_is_loaded(note, options, said):
    with pytest.raises(ConfigurationError, match=said):
        plan_tag(note, "--model", "no such model", *options.split())


def test_standard_input_is_one_plain_note():
    assert plan_tag("-").reading.format == "text" and plan_tag("-", "--from", "text").is_stream
    for wrong in (["-", "x"], ["-", "--part", "1/2"]):
        with pytest.raises(ConfigurationError, match="standard input is"):
            plan_tag(*wrong)
    with pytest.raises(FormatError, match="standard input is read as one plain note"):
        plan_tag("-", "--from", "jsonl")


@pytest.mark.parametrize(
    ("options", "said"),
    [("--jobs 0", "--jobs 0"), ("--html x", "--report is missing"), ("--seed 1 --key-file k", "choose one"),
     ("--map-key k", "--map is missing"), ("--resume", "--resume needs --key-file or --map"),
     ("--resume --new-ids --key-file k", "--resume with --new-ids needs --map"),
     ("--map m --by note", "it needs --by patient"), ("--shift-years 0", "--shift-years is from 1"),
     ("--threshold 0.1 --spans gold", "--spans gold does not use one"),
     ("--keep-ids --new-ids", "--keep-ids and --new-ids: choose one")],
)  # fmt: skip
def test_a_wrong_release_is_refused_before_notes_are_read(note, options, said):
    with pytest.raises(ConfigurationError, match=said):
        plan_redact(note, "--out", "clean", *options.split())


def test_the_secret_of_a_release_has_one_source(note):
    kinds = {"": None, "--seed 0": "seed", "--key-file k": "key_file", "--map m": "map"}
    plans = {options: plan_redact(note, "--out", "clean", *options.split()) for options in kinds}
    assert {options: plan.secret_kind for options, plan in plans.items()} == kinds
    assert [plan.by_note for plan in plans.values()] == [False, False, True, False]


def test_a_release_is_resumed_with_what_decides_it(note):
    plan = plan_redact(note, "--out", "clean")
    assert plan.deciding == replace(plan, jobs=4, overwrite=True).deciding
    assert plan.deciding != replace(plan, model="rules").deciding


def list_modules(word):
    """The modules that have the word, as trees."""
    root = files.PACKAGE
    for path in sorted(root.rglob("*.py")):
        if word in (text := path.read_text("utf-8")):
            yield path.relative_to(root).as_posix(), ast.parse(text)


def test_a_namespace_stays_in_the_command_and_the_plan():
    """A module with ``build_parser`` is a command."""
    outside = {
        name
        for name, tree in list_modules("Namespace")
        if any(isinstance(node, ast.Attribute) and node.attr == "Namespace" for node in ast.walk(tree))
        and not any(isinstance(node, ast.FunctionDef) and node.name == "build_parser" for node in tree.body)
        and not name.endswith("__main__.py")
    }
    assert outside == PARTS & outside | PLANS


def test_only_commands_and_plans_import_the_command_line():
    importers = {
        name
        for name, tree in list_modules("cli")
        if any(
            isinstance(node, ast.ImportFrom)
            and (str(node.module).startswith("crfdeid.cli") or any(a.name == "cli" for a in node.names))
            for node in ast.walk(tree)
        )
        and not any(isinstance(node, ast.FunctionDef) and node.name == "main" for node in tree.body)
        and not name.startswith(("cli/", "__init__"))
        and not any(isinstance(node, ast.If) and "__name__" in ast.unparse(node.test) for node in tree.body)
    }
    assert importers - PARTS == PLANS


@pytest.mark.parametrize("room", ["tag", "redact"])
def test_the_main_of_a_planned_verb_is_short(room):
    tree = ast.parse((files.PACKAGE / room / "__main__.py").read_text("utf-8"))
    (main,) = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
    assert main.end_lineno - main.lineno < 20


def test_a_language_chooses_the_model(note):
    assert plan_tag(note, "--language", "spanish").model == "spanish"
    assert plan_tag(note).model is None
    release = [plan_redact(note, "--out", "clean", *options) for options in ((), ("--language", "spanish"))]
    assert [plan.model for plan in release] == ["english+sure_rules", "spanish"]
    plan = plan_redact(note, "--out", "clean", "--language", "spanish", "--model", "english")
    assert (plan.model, plan.language) == ("english", "spanish")
    with pytest.raises(ConfigurationError, match="choose one"):
        plan_tag(note, "--language", "spanish", "--model", "english")
