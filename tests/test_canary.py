"""A name in every place of a file of documents: no reader and no verb says it in a message."""

import json
import re

import pytest

from crfdeid import cli, convert, corpora, errors
from crfdeid.corpora import registry
from crfdeid.evaluate.__main__ import main as evaluate_main
from crfdeid.redact.__main__ import main as redact_main
from crfdeid.redact.utility.__main__ import main as utility_main
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document
from crfdeid.train import main as train_main

CANARY = "Zanzibarova"
NAME = f"Mrs. {CANARY} of 12 Main Street"
TEXT = f"Seen: {NAME}, 3/4/2061"
NAMED = f'ID="{NAME}"'
XML_TEXT = f"<TEXT>{TEXT}</TEXT>"


def span(type="PATIENT", start=6, end=11):
    return {"start": start, "end": end, "type": type}


def item(**changes):
    return json.dumps({"id": "n1", "text": TEXT, "spans": []} | changes) + "\n"


def task(**changes):
    return {"id": 1, "data": {"text": TEXT}, "annotations": []} | changes


def tags(element="NAME", type="PATIENT", start="6", more="", length="11"):
    tag = f'<{element} start="{start}" end="{length}" TYPE="{type}" {more}/>'
    return f"<x>{XML_TEXT}<TAGS>{tag}</TAGS></x>"


def record(inside=TEXT, attributes='ID="n1"', element="RECORD"):
    return f"<ROOT><{element} {attributes}><TEXT>{inside}</TEXT></{element}></ROOT>"


def conll(head="", line=""):
    return f'# id = "n1"\n{head}Seen\t0\t4\tO\n{line}\n'


JSON_FILES = {
    "a key": item(**{NAME: 1}),
    "only a key": json.dumps({NAME: 1}),
    "a text": json.dumps(NAME),
    "a list": json.dumps([NAME]),
    "no JSON": NAME,
    "cut": item()[:-20],
    "an id": item(id=NAME),
    "an id in a list": item(id=[NAME]),
    "an id that occurs twice": item(id=NAME) * 2,
    "an id that occurs in upper case": item(id=NAME) + item(id=NAME.upper()),
    "an id with a span that leaves": item(id=NAME, spans=[span(end=999)]),
    "an id with spans that overlap": item(id=NAME, spans=[span(), span("CITY", 8, 14)]),
    "an id with a lone surrogate": item(id=NAME, text="\ud800"),
    "an id with a NUL in its note": item(id=NAME, text="\0"),
    "a patient": item(patient=NAME),
    "a patient in a list": item(patient=[NAME]),
    "a type": item(spans=[span(NAME)]),
    "a type of one word": item(spans=[span(CANARY)]),
    "a type with a line end": item(spans=[span(f"{CANARY}\n")]),
    "a type of a span that leaves": item(spans=[span(NAME, end=999)]),
    "a type of a span that overlaps": item(spans=[span(NAME), span("CITY", 8, 14)]),
    "a type like a known one": item(spans=[span(f"PATIENT {CANARY}")]),
    "a span": item(spans=[NAME]),
    "spans": item(spans=NAME),
    "an offset": item(spans=[span(start=NAME)]),
    "a probability": item(spans=[span() | {"probability": NAME}]),
    "a label": item(label=[[0, NAME, "PATIENT"]], spans=None),
}
TASKS = {
    "no tasks": {NAME: 1},
    "a text": NAME,
    "a task": [NAME],
    "data": [task(data=NAME)],
    "a text in a list": [task(data={"text": [NAME]})],
    "an id": [task(data={"text": TEXT, "id": NAME})] * 2,
    "annotations": [task(annotations=NAME)],
    "a result": [task(annotations=[{"result": [NAME]}])],
    "a value": [task(annotations=[{"result": [{"value": {"start": NAME, "end": 1, "labels": ["X"]}}]}])],
    "a label": [task(annotations=[{"result": [{"value": {"start": 0, "end": 1, "labels": [NAME]}}]}])],
    "a label that is no text": [
        task(annotations=[{"result": [{"value": {"start": 0, "end": 1, "labels": [[NAME]]}}]}])
    ],
}
TABLES = {
    "a note and no header": f'1,"{TEXT}"\n2,"{TEXT}"\n',
    "a header": f"{NAME},text\n1,x\n",
    "a header beside the known ones": f"id,text,{NAME}\n1,x,y\n",
    "a header that occurs twice": f"{NAME},{NAME}\n1,2\n",
    "an id": f'id,text\n"{NAME}",x\n"{NAME}",x\n',
    "spans": f'id,text,spans\n1,x,"{NAME}"\n',
    "more cells": f"id,text\n1,{NAME}\n1,2,{NAME},{NAME}\n",
    "more cells in each row": f"id,text\n1,2,{NAME}\n",
    "an open quote": f'id,text\n1,"{NAME}\n',
    "a note": TEXT * 3,
    "a header of spans": f"id,start,end,type,text\n1,0,1,{NAME},{NAME}\n",
}
XML_FILES = {
    "no XML": NAME,
    "cut": tags()[:-20],
    "an element": f"<{CANARY}>x</{CANARY}>",
    "an element that is not closed": f"<x>{XML_TEXT}<{CANARY}></x>",
    "an entity": f"<x><TEXT>&{CANARY};</TEXT></x>",
    "a declared entity": f'<!DOCTYPE x [<!ENTITY {CANARY} "{NAME}">]><x>{XML_TEXT}</x>',
    "a document type": f"<!DOCTYPE {CANARY}><x>{XML_TEXT}</x>",
    "a prefix": f"<x>{XML_TEXT}<{CANARY}:y/></x>",
    "an attribute twice": f'<x {CANARY}="1" {CANARY}="2">{XML_TEXT}</x>',
    "an encoding": f'<?xml version="1.0" encoding="{CANARY}"?><x>{XML_TEXT}</x>',
    "an encoding that is none of texts": '<?xml version="1.0" encoding="rot13"?>' + f"<x>{XML_TEXT}</x>",
    "an element among the tags": tags(element=CANARY),
    "a type": tags(type=NAME),
    "an offset": tags(start=NAME),
    "an end": tags(length=NAME),
    "a type of an empty tag": tags(type=NAME, start="11"),
    "an attribute": tags(more=f'{CANARY}="{NAME}"'),
    "a tag without type": tags().replace("TYPE", CANARY),
    "a processing instruction": f"<?{CANARY} {NAME}?>{tags()}",
}
RECORDS = {
    "an id": record(attributes=NAMED),
    "an id that occurs twice": f"<ROOT>{record(attributes=NAMED)[6:-7] * 2}</ROOT>",
    "no id": record(attributes=f'NAME="{NAME}"'),
    "an element": record(f"<{CANARY}>x</{CANARY}>", NAMED),
    "an element in PHI": record(f'<PHI TYPE="DOCTOR"><{CANARY}/></PHI>', NAMED),
    "an attribute": record(f'<PHI {CANARY}="{NAME}">x</PHI>'),
    "a type": record(f'<PHI TYPE="{NAME}">x</PHI>'),
    "an element for records": record(element=CANARY),
}
CONLL_FILES = {
    "a note": TEXT,
    "an id": f"# id = {NAME}\nx\t0\t1\tO\n\n# id = {NAME}\nx\t0\t1\tO\n",
    "an id that is no JSON": f'# id = "{NAME}\nx\t0\t1\tO\n',
    "a text that is no JSON": conll(f"# text = {NAME}\n"),
    "a text in lists": conll(f"# text = {'[' * 100_000}{NAME}\n"),
    "another text": conll(f"# text = {json.dumps(NAME)}\n"),
    "a key": conll(f"# {NAME} = {NAME}\n"),
    "a patient": conll(f'# patient = "{NAME}\n'),
    "a token": conll(line=f"{CANARY}\t5\t6\tO\n"),
    "columns": conll(line=f"{CANARY}\t5\n"),
    "an offset": conll(line=f"x\t{NAME}\t6\tO\n"),
    "a label": conll(line=f"x\t5\t6\t{NAME}\n"),
    "a type": conll(line=f"x\t5\t6\tB-{NAME}\n"),
    "a far token": conll(line=f"{CANARY}\t900000000\t900000011\tO\n"),
}
BRAT_FILES = {
    "a note": TEXT,
    "a type": f"T1\t{CANARY} 0 4\tSeen\n",
    "a type and an offset": f"T1\t{CANARY} 0 999\tSeen\n",
    "another text": f"T1\tDOCTOR 0 4\t{NAME}\n",
    "a key": f"{CANARY}\tDOCTOR 0 4\tSeen\n",
    "an offset": f"T1\tDOCTOR {CANARY} 4\tSeen\n",
}
FILES = {
    "jsonl": (JSON_FILES, "notes.jsonl"),
    "doccano": ({"labels": item(label=[[0, 4, NAME]])}, "notes.jsonl"),
    "labelstudio": ({key: json.dumps(value) for key, value in TASKS.items()}, "notes.json"),
    "table": (TABLES, "notes.csv"),
    "parquet": ({"a note": TEXT, "a note with the magic": f"PAR1{NAME}PAR1"}, "notes.parquet"),
    "i2b2": (XML_FILES, "100-01.xml"),
    "i2b2-2006": (RECORDS, "notes.xml"),
    "conll": (CONLL_FILES, "notes.conll"),
    "brat": (BRAT_FILES, "n1.ann"),
}
CASES = [
    pytest.param(format, name, content, id=f"{format}: {fault}")
    for format, (contents, name) in FILES.items()
    for fault, content in contents.items()
]
QUICK = ("--set", 'features=["lexical"]', "--set", "crf.max_iterations=2")
WRITTEN = [name for name in corpora.FORMATS if name != "parquet"]


@pytest.fixture(scope="module")
def gold(notes, tmp_path_factory):
    path = tmp_path_factory.mktemp("gold") / "gold.jsonl"
    corpora.write([*notes[:3], Document("n1", TEXT)], path, "jsonl")
    return path


def write_notes(folder, name, content):
    """Write one file of documents; return it."""
    path = folder / name
    if path.suffix == ".ann":
        (folder / "n1.txt").write_text(TEXT)
    path.write_text(content, encoding="utf-8", errors="surrogatepass")
    return path


def run(main, capfd, *arguments):
    """Run a verb; return what it said on standard error. Only a user's error may end it."""
    try:
        cli.run(lambda _: main([str(argument) for argument in arguments]))
    except SystemExit as stopped:
        assert stopped.code == 2
    return capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("format", "name", "content"), CASES)
def test_no_message_names_what_a_file_of_documents_holds(
    format, name, content, gold, small_model, tmp_path, capfd, recwarn
):
    path = write_notes(tmp_path, name, content)
    once = [
        (tag.main, "--model", small_model.folder, "--from", format, path, "--out", tmp_path / "tagged"),
        (evaluate_main, "--resamples", 0, "--format", format, path, path),
        (evaluate_main, "--resamples", 0, gold, path),
        (evaluate_main, "--resamples", 0, path, gold),
        (redact_main, path, "--model", small_model.folder, "--from", format, "--out", tmp_path / "clean"),
        (utility_main, "--from", format, path, path),
        (utility_main, gold, path),
        (utility_main, path, gold),
        (train_main, path, "--out", tmp_path / "model", *QUICK),
        (convert.main, path, "-", "--from", format, "--to", "jsonl", "--scheme", "i2b2-2014"),
    ]
    each = [(convert.main, path, tmp_path / to, "--from", format, "--to", to) for to in WRITTEN]
    said = [run(main, capfd, *arguments) for main, *arguments in once + each]
    assert not [line for line in said if re.search(CANARY, line, re.IGNORECASE)]
    assert all(line.count("\n") <= 1 for line in said)
    assert not [found for found in recwarn if CANARY in str(found.message)]


@pytest.mark.parametrize("format", [name for name, found in registry.FORMATS.items() if found.read])
def test_a_file_of_another_kind_is_not_quoted(format, tmp_path):
    for content in (content for contents, _ in FILES.values() for content in contents.values()):
        path = write_notes(tmp_path, "notes.txt", content)
        try:
            list(corpora.read(path, format))
        except errors.CrfdeidError as error:
            assert CANARY.casefold() not in str(error).casefold()


@pytest.mark.parametrize(
    ("id", "shown"),
    [("110-01", True), ("a_1.b", True), ("7", True), ("x" * 39 + "1", True), ("x" * 40 + "1", False),
     ("Ruiz", False), ("Ruiz 7", False), ("7\n", False), ("", False), ("7/a", False)],
)  # fmt: skip
def test_an_id_is_shown_where_it_looks_like_one(id, shown):
    assert errors.looks_like_id(id) is shown
    assert (errors.show_id(id, "number 3") == id) is shown


@pytest.mark.parametrize("error", [KeyError(NAME), ValueError(f"{NAME}\n{NAME}"), UnicodeError(NAME)])
def test_an_unforeseen_error_is_reported_without_its_message(error, capfd):
    def fail(arguments):
        try:
            raise LookupError(CANARY)
        except LookupError:
            raise error  # noqa: B904 (Python would print both)

    with pytest.raises(SystemExit) as stopped:
        cli.run(fail)
    said = capfd.readouterr().err
    assert stopped.value.code == 1 and CANARY not in said and said.count("\n") == 1
    assert f"{type(error).__name__} at test_canary.py:" in said
