"""Messages in, the same messages out."""

import json
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from marked_notes import run, status

from crfdeid import convert, corpora
from crfdeid.corpora import hl7
from crfdeid.errors import FormatError
from crfdeid.redact.redactor import Replacement
from crfdeid.redact.run.message_output import MessageDestination, judge_terms
from crfdeid.tag import __main__ as tag
from crfdeid.text.document import Document, Span

HEAD = r"MSH|^~\&|||||20610402101500||ORU^R01|MSG{}|P|2.5.1"
RULES = ("--model", "rules", "--seed", 1)


def build_message(number: int, patient: str, name: str, text: str) -> str:
    head = HEAD.format(number)
    return f"{head}\rPID|1||{patient}||{name}||20010307\rOBX|1|TX|A||{text}\r"


@pytest.fixture
def messages(tmp_path: Path) -> Path:
    """A file with three messages; those of one patient are apart."""
    path = tmp_path / "in.hl7"
    texts = [
        build_message(10001, "4471902", "OKAFOR^ANA", "Ana came. MRN 4471902."),
        build_message(10002, "5530117", "EZE^CHIDI", "Chidi came."),
        build_message(10003, "4471902", "OKAFOR^ANA", "Mrs Okafor came again, born 3/7/2001."),
    ]
    path.write_text("".join(texts), newline="")
    return path


def read_fields(path: Path) -> list[list[str]]:
    return [[field.text for field in message.fields] for message in hl7.read_messages(path)]


def test_names_in_fields_and_texts_get_the_same_surrogates(messages, tmp_path, capsys):
    run(messages, "--out", tmp_path / "out.hl7", *RULES)
    (_, _, mrn, last, first, born), other, (*_, again, _, _) = read_fields(tmp_path / "out.hl7")
    texts = [note.text for note in corpora.read(tmp_path / "out.hl7") if "OBX" in note.id]
    assert texts[0] == f"{first.title()} came. MRN {mrn}." and last == again
    assert texts[1] == f"{other[-2].title()} came."
    assert texts[2].startswith(f"Mrs {last.title()} came again, born ")
    day = f"{int(born[5:7])}/{int(born[8:])}/{born[:4]}"
    assert texts[2].endswith(f"{day}.")
    clean = (tmp_path / "out.hl7").read_text()
    assert not any(real in clean for real in ("4471902", "OKAFOR", "Okafor", "ANA", "Ana", "MSG1000"))
    out = capsys.readouterr().out
    assert "known patients: 6 notes are of patients of the messages" in out and "--new-ids" not in out


def test_the_report_counts_what_was_taken_out(messages, tmp_path):
    with messages.open("a", newline="") as file:
        file.write("OBX|2|ED|A||x^pdf\rZPI|Ana\r")
    run(messages, "--out", tmp_path / "out.hl7", *RULES, "--report", tmp_path / "r.json")
    assert json.loads((tmp_path / "r.json").read_text())["taken_out_of_messages"] == {
        "attachments that are not text": 1, "segments or elements that are not known": 1,
    }  # fmt: skip


def test_ids_of_messages_are_no_ids_of_the_output(messages, tmp_path, capsys):
    """Their patients have numbers that are in the texts, which the fields of the output do not keep."""
    run(messages, "--out", tmp_path / "out.hl7", *RULES, "--report", tmp_path / "r.json")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["documents_whose_id_or_patient_holds_a_found_string"] == 0
    run(messages, "--out", tmp_path / "out.jsonl", *RULES, "--report", tmp_path / "r.json", "--overwrite")
    report = json.loads((tmp_path / "r.json").read_text())
    assert report["documents_whose_id_or_patient_holds_a_found_string"] > 0


def test_a_folder_becomes_a_folder_with_the_same_names(messages, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    messages.rename(folder / "b.hl7")
    (folder / "a.hl7").write_text(build_message(1, "4471902", "OKAFOR^ANA", "Okafor"), newline="")
    run(folder, "--out", tmp_path / "out", *RULES)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.hl7", "b.hl7"]
    assert read_fields(tmp_path / "out/a.hl7")[0][3] == read_fields(tmp_path / "out/b.hl7")[0][3] != "OKAFOR"


@pytest.mark.parametrize("options", [("--spans", "tag"), ("--policy", "safe_harbor"), ("--jobs", 2)])
def test_no_option_lets_a_field_out(messages, tmp_path, options):
    never = tmp_path / "never.txt"
    never.write_text("OKAFOR\nANA\n")
    run(messages, "--out", tmp_path / "out.hl7", *RULES, *options, "--never", never)
    clean = (tmp_path / "out.hl7").read_text()
    assert not any(real in clean for real in ("4471902", "OKAFOR", "ANA"))


def test_a_date_that_is_a_marker_leaves_its_field_empty(messages, tmp_path):
    run(messages, "--out", tmp_path / "out.hl7", *RULES, "--style", "type")
    head, patient, *_ = (tmp_path / "out.hl7").read_bytes().decode().split("\r")
    assert head.split("|")[6] == "" and patient == "PID|1||[**MEDICALRECORD**]||[**PATIENT**]^[**PATIENT**]||"


def test_messages_keep_their_encoding(tmp_path):
    path = tmp_path / "in.hl7"
    path.write_bytes(build_message(1, "7", "EZE^ANA", "caf\xe9, 37\xb0").encode("latin-1"))
    run(path, "--out", tmp_path / "out.hl7", *RULES, "--encoding", "latin-1")
    assert b"caf\xe9, 37\xb0" in (tmp_path / "out.hl7").read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--new-ids",), "--new-ids: not for hl7"),
        (("--patient-from", "x"), "--patient-from: not for hl7"),
        (("--spans", "gold"), "--spans gold: hl7 has no spans"),
        (("--out", "-"), "wanted a file or folder, not -"),
        (("--out", "folder"), "wanted the name of a file"),
    ],
)
def test_options_that_messages_do_not_have_are_refused(
    messages, tmp_path, monkeypatch, capsys, options, said
):
    monkeypatch.chdir(tmp_path)
    assert status(messages, "--out", tmp_path / "out.hl7", *RULES, *options) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out.hl7").exists()


def list_documents(path):
    """The documents of all messages of a file, as a run gives them to the destination."""
    return [note for message in hl7.read_messages(path) for note in message.list_documents(True)]


def write_messages(destination, notes, name="Zoe"):
    """Write the messages of ``destination`` with the documents, whose names are all ``name``."""

    def give():
        for note in notes:
            texts = [name if each.type == "PATIENT" else note.text_of(each) for each in note.spans]
            made = [
                Replacement(each.start, each.end, each.type, text) for each, text in zip(note.spans, texts)
            ]
            destination.keep_replacements(note.id, made)
            yield note

    destination.write(give())


def test_messages_that_change_while_they_are_read_are_not_written(messages, tmp_path):
    """They are read twice: to be redacted, and to be written."""
    notes = list_documents(messages)
    for number, given in enumerate((notes, notes[::-1], notes[2:] + notes[:2])):
        target = MessageDestination(tmp_path / f"{number}.hl7", "hl7", source=messages)
        write_messages(target, given)
        assert [fields[3] for fields in read_fields(target.path)] == ["Zoe", "Zoe", "Zoe"]
    missing = MessageDestination(tmp_path / "missing.hl7", "hl7", source=messages)
    with pytest.raises(FormatError, match="^the messages changed while they were read; nothing was written$"):
        write_messages(missing, notes[:-1])
    assert not missing.path.exists()
    other = replace(notes[0], id="other")
    for given in ([*notes, other], [other, *notes]):
        more = MessageDestination(tmp_path / "more.hl7", "hl7", overwrite=True, source=messages)
        with pytest.raises(FormatError, match="^the messages changed while they were read$"):
            write_messages(more, given)


def test_a_surrogate_that_the_encoding_does_not_have_is_refused_without_its_text(tmp_path):
    (tmp_path / "in.hl7").write_text(build_message(1, "7", "EZE^ANA", "Ana came"), newline="")
    notes = list_documents(tmp_path / "in.hl7")
    target = MessageDestination(tmp_path / "out.hl7", "hl7", source=tmp_path / "in.hl7", encoding="ascii")
    with pytest.raises(FormatError, match=r"in\.hl7: a surrogate cannot be written in ascii$"):
        write_messages(target, notes, "Zo\xeb")
    assert not target.path.exists()


def test_a_file_that_came_after_the_run_began_stays(messages, tmp_path):
    target = MessageDestination(tmp_path / "out.hl7", "hl7", source=messages)
    target.path.write_text("mine")
    with pytest.raises(FormatError, match="out.hl7: exists"):
        write_messages(target, list_documents(messages))
    assert target.path.read_text() == "mine"


def test_messages_that_are_there_stay_without_overwrite(messages, tmp_path, capsys):
    path = tmp_path / "out.hl7"
    path.write_text("mine")
    assert status(messages, "--out", path, *RULES) == 2 and path.read_text() == "mine"
    assert "--overwrite" in capsys.readouterr().err
    run(messages, "--out", path, *RULES, "--overwrite")
    assert path.read_text().startswith("MSH")


def test_a_message_that_cannot_be_read_leaves_no_output(messages, tmp_path, capsys):
    messages.write_text(messages.read_text() + "\rOkafor\r", newline="")
    assert status(messages, "--out", tmp_path / "out.hl7", *RULES) == 2
    error = capsys.readouterr().err
    assert "message 3, segment 4" in error and "Okafor" not in error
    assert not (tmp_path / "out.hl7").exists()


def test_messages_become_notes_of_another_format(messages, tmp_path):
    run(messages, "--out", tmp_path / "out.jsonl", *RULES, "--new-ids")
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len(lines) == 3 and not any("Okafor" in line["text"] for line in lines)


def test_tag_and_convert_read_messages(messages, tmp_path, capsys):
    with messages.open("a", newline="") as file:
        file.write("OBX|2|ED|A||x^pdf\rNTE|1||Eze\r")
    tag.main([str(messages), "--model", "rules"])
    out, err = capsys.readouterr()
    assert "in.1.OBX.3" in out and out.count(",Ana\n") == 1 and "1 attachments that are not text" in err
    convert.main([str(messages), str(tmp_path / "n.jsonl"), "--to", "jsonl"])
    convert.main([str(tmp_path / "n.jsonl"), str(tmp_path / "again.hl7"), "--to", "hl7"])
    first, again = (list(corpora.read(tmp_path / name)) for name in ("n.jsonl", "again.hl7"))
    assert [(note.text, note.patient) for note in first] == [(note.text, note.patient) for note in again]


def test_the_same_key_gives_the_same_messages(messages, tmp_path, key):
    for name in ("a", "b"):
        run(messages, "--out", tmp_path / f"{name}.hl7", "--model", "rules", "--key-file", key)
    assert (tmp_path / "a.hl7").read_bytes() == (tmp_path / "b.hl7").read_bytes()
    assert "Okafor" not in (tmp_path / "a.hl7").read_text()


def test_the_resources_of_a_patient_agree_across_files(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    patient = {"resourceType": "Patient", "id": "7", "name": [{"family": "Okafor", "given": ["Ana"]}]}
    other = {"resourceType": "Patient", "id": "8", "name": [{"family": "Ana"}]}
    reports = [
        {
            "resourceType": "DiagnosticReport",
            "subject": {"reference": f"Patient/{id}"},
            "conclusion": "Ana came.",
        }
        for id in (7, 8)
    ]
    for name, resources in (("Patient", [patient, other]), ("DiagnosticReport", reports)):
        (folder / f"{name}.ndjson").write_text("".join(json.dumps(each) + "\n" for each in resources))
    run(folder, "--out", tmp_path / "out", *RULES)
    first, second = (
        [json.loads(line) for line in (tmp_path / "out" / f"{name}.ndjson").read_text().splitlines()]
        for name in ("Patient", "DiagnosticReport")
    )
    assert [each["subject"]["reference"] for each in second] == [f"Patient/{each['id']}" for each in first]
    names = [first[0]["name"][0]["given"][0], first[1]["name"][0]["family"]]
    assert [each["conclusion"] for each in second] == [
        f"{name} came." for name in names
    ] and "Ana" not in names


def test_no_file_says_in_a_code_who_the_patient_of_another_is(tmp_path, capsys):
    folder = tmp_path / "in"
    folder.mkdir()
    names = [{"family": "Okafor"}]
    patient = {"resourceType": "Patient", "id": "7", "name": names, "identifier": [{"value": "4471902"}]}
    report = {"resourceType": "DiagnosticReport", "subject": {"reference": "Patient/7"}, "conclusion": "x"}
    report |= {"status": "OKAFOR", "valueInteger": 4471902}
    other = report | {"subject": {"reference": "Patient/8"}}
    for name, resources in (("Patient", [patient]), ("DiagnosticReport", [report, other])):
        (folder / f"{name}.ndjson").write_text("".join(json.dumps(each) + "\n" for each in resources))
    run(folder, "--out", tmp_path / "out", *RULES)
    lines = (tmp_path / "out" / "DiagnosticReport.ndjson").read_text().splitlines()
    first, second = map(json.loads, lines)
    assert "_status" in first and "_valueInteger" in first and second["status"] == "OKAFOR"
    assert "2 values that say who the patient is" in capsys.readouterr().out


@pytest.mark.parametrize("born", ["1935-09-14", "1990-09-14"])
def test_a_birth_that_shows_an_age_over_89_is_in_no_resource(born, tmp_path):
    """The age shows by the date of another resource; the birth date went out shifted."""
    source, out = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    resources = [
        {"resourceType": "Patient", "id": "p", "birthDate": born, "name": [{"family": "Okafor"}]},
        {"resourceType": "Condition", "subject": {"reference": "Patient/p"}, "recordedDate": "2061-04-02"},
        {"resourceType": "Condition", "subject": {"reference": "Patient/p"},
         "note": [{"text": f"Okafor, DOB 9/14/{born[:4]}."}], "onsetDateTime": born},
    ]  # fmt: skip
    source.write_text("".join(json.dumps(each) + "\n" for each in resources))
    run(source, "--from", "fhir", "--out", out, *RULES)
    patient, _, condition = map(json.loads, out.read_text().splitlines())
    text = condition["note"][0]["text"]
    said = ("birthDate" in patient, "onsetDateTime" in condition, "[**DATE**]" not in text)
    assert said == ((born > "1972",) * 3)


def test_a_json_output_of_resources_is_no_label_studio_file(tmp_path, capsys):
    resource = {"resourceType": "Basic", "birthDate": "2001-03-07", "comment": "Seen by Dr. Ruiz"}
    (tmp_path / "in.json").write_text(json.dumps(resource))
    run(tmp_path / "in.json", "--out", tmp_path / "out.json", *RULES, "--style", "type")
    made = json.loads((tmp_path / "out.json").read_text())
    assert made["comment"] == "Seen by Dr. [**DOCTOR**]" and "_birthDate" in made and "birthDate" not in made
    tag.main([str(tmp_path / "in.json"), "--model", "rules"])
    assert "in.1.comment" in (out := capsys.readouterr().out) and ",Ruiz\n" in out


def test_a_clinical_document_keeps_its_encoding_and_its_form(tmp_path, capsys):
    head = '<?xml version="1.0" encoding="ISO-8859-1"?><ClinicalDocument xmlns="urn:hl7-org:v3">'
    name = "<recordTarget><patient><name>Zo\xe9 Okafor</name></patient></recordTarget>"
    text = "<section><text>Zo\xe9 Okafor saw Dr. Ruiz, 37\xb0</text></section>"
    source = f"{head}{name}{text}</ClinicalDocument>"
    (tmp_path / "in.xml").write_bytes(source.encode("latin-1"))
    run(tmp_path / "in.xml", "--out", tmp_path / "out.xml", *RULES)
    made = (tmp_path / "out.xml").read_bytes().decode("latin-1")
    assert made.startswith(head) and ", 37\xb0</text>" in made and not {"Okafor", "Ruiz"} & {*made.split()}
    (note,) = corpora.read(tmp_path / "out.xml")
    assert made.split("<name>")[1].split("</name>")[0] in note.text
    tag.main([str(tmp_path / "in.xml"), "--model", "rules"])
    assert ",Ruiz\n" in capsys.readouterr().out
    assert status(tmp_path / "in.xml", "--out", tmp_path / "folder", *RULES) == 2


def test_rows_of_omop_keep_their_form(tmp_path, capsys):
    head = "NOTE_ID,PERSON_ID,NOTE_DATE,NOTE_TEXT\r\n"
    rows = ['101,7,2061-04-02,"Ana Okafor, seen 4/2/2061"', "102,7,2061-04-09,Seen by Dr. Ruiz", '103,8,,""']
    (tmp_path / "in.csv").write_bytes((head + "\r\n".join(rows)).encode())
    run(tmp_path / "in.csv", "--out", tmp_path / "out.csv", *RULES)
    made = (tmp_path / "out.csv").read_bytes().decode()
    assert made.startswith(head) and made.count("\r\n") == 3 and made.endswith(',,""')
    first, second, _ = corpora.read(tmp_path / "out.csv")
    assert first.patient == second.patient != "7" and first.id.isdigit() and "Okafor" not in first.text
    cells = [line.split(",") for line in made.splitlines()]
    days = [date.fromisoformat(row[2]) for row in cells[1:3]]
    assert days[1] - days[0] == timedelta(days=7)
    assert first.text.endswith(f", seen {days[0].month}/{days[0].day}/{days[0].year}")
    run(tmp_path / "in.csv", "--out", tmp_path / "kept.csv", *RULES, "--keep-ids")
    assert [note.id for note in corpora.read(tmp_path / "kept.csv")] == ["101", "102", "103"]
    capsys.readouterr()
    tag.main([str(tmp_path / "in.csv"), "--model", "rules"])
    out = capsys.readouterr().out
    assert out.startswith("note_nlp_id,note_id,") and "type=DOCTOR;end=16" in out and "Ruiz" not in out
    columns = ("--id-column", "note_id", "--text-column", "NOTE_TEXT")
    assert status(tmp_path / "in.csv", "--out", tmp_path / "no.csv", *RULES, *columns) == 2
    assert "--from table" in capsys.readouterr().err
    tag.main([str(tmp_path / "in.csv"), "--model", "rules", "--format", "spans"])
    assert ",Ruiz" in capsys.readouterr().out


def test_what_waits_for_its_message_is_in_no_repr(messages, tmp_path):
    target = MessageDestination(tmp_path / "out.hl7", "hl7", source=messages)
    target.keep_replacements("Okafor-7", [Replacement(0, 3, "PATIENT", "Weber")])
    assert "Okafor" not in repr(target) and "Weber" not in repr(target)


USUAL = (Path(__file__).parent / "usual_displays.txt").read_text().splitlines()


def test_usual_displays_stay(tmp_path):
    """16 of 136 usual displays changed: the allergy "Sulfa" became "Rria"."""
    source, out = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    resources = [
        {"resourceType": "Condition", "id": f"c{n}", "code": {"coding": [{"display": text}], "text": text}}
        for n, text in enumerate(USUAL)
    ]
    source.write_text("".join(json.dumps(each) + "\n" for each in resources))
    run(source, "--from", "fhir", "--out", out, "--seed", 1)
    codes = [json.loads(line)["code"] for line in out.read_text().splitlines()]
    assert [code["text"] for code in codes] == [code["coding"][0]["display"] for code in codes] == USUAL


VALUES = [
    "High", "Low", "Many", "Few", "Trace", "Straw", "Brown", "White", "Black", "Green", "Gray", "Tan",
    "Amber", "Orange", "Small", "Large", "Good", "Fair", "Poor", "Strong", "Cane", "Christian", "Catholic",
    "Jewish", "Dark Yellow", "Light Brown", "Many WBC",
]  # fmt: skip


def test_usual_values_stay(tmp_path):
    """23 of 100 usual values of observations became names: "High" became "Rippey"."""
    source, out = tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    resources = [
        {"resourceType": "Observation", "id": f"o{n}", "valueString": text, "note": [{"text": text}]}
        for n, text in enumerate(VALUES)
    ]
    source.write_text("".join(json.dumps(each) + "\n" for each in resources))
    run(source, "--from", "fhir", "--out", out, "--seed", 1)
    made = [json.loads(line) for line in out.read_text().splitlines()]
    assert [each["valueString"] for each in made] == [each["note"][0]["text"] for each in made] == VALUES
    lines = [f"OBX|{n}|ST|X^Colour||{text}" for n, text in enumerate(VALUES)]
    (tmp_path / "in.hl7").write_text("\r".join(["MSH|^~\\&", *lines, ""]), newline="")
    run(tmp_path / "in.hl7", "--out", tmp_path / "out.hl7", "--seed", 1)
    clean = (tmp_path / "out.hl7").read_bytes().decode().split("\r")
    assert [line.split("|")[5] for line in clean[1:-1]] == VALUES


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Brown", False), ("light brown", False), ("High", False),
        ("Kaplan", True), ("Young", True), ("Dr. Brown", True), ("Brown, Good", True), ("Brown 7", True),
        ("Brown called", True), ("seen by Tan", True), ("Tan", False), ("", True), ("1/2", True),
        ("High\nBrown", False), ("High\nKaplan", True), ("He was seen again today.\nBrown", True),
    ],
)  # fmt: skip
def test_a_whole_value_of_words_of_reports_is_not_a_name(text, kept):
    start = text.rfind("\n") + 1
    note = Document("m.OBX-1", text, (Span(start, len(text), "PATIENT", 0.9),) if text else ())
    assert judge_terms(lambda group: group)([note]) == [note if kept else note.with_spans(())]


def test_a_value_that_is_the_name_of_the_patient_is_one(tmp_path):
    lines = ["MSH|^~\\&", "PID|||7||BROWN^ANA", "OBX|1|ST|X^Colour||Brown", "OBX|2|ST|X^Colour||White", ""]
    (tmp_path / "in.hl7").write_text("\r".join(lines), newline="")
    run(tmp_path / "in.hl7", "--out", tmp_path / "out.hl7", "--seed", 1)
    clean = (tmp_path / "out.hl7").read_text()
    assert "Brown" not in clean and "White" in clean


RACE = "http://hl7.org/fhir/us/core/StructureDefinition/us-core-race"
WHITE = {"system": "urn:oid:2.16.840.1.113883.6.238", "code": "2106-3", "display": "White"}
PALSY = {"system": "http://snomed.info/sct", "code": "193093009", "display": "Bell's palsy"}


def test_the_display_of_a_public_code_does_not_give_the_name_of_the_patient_away(tmp_path):
    """A surrogate beside the code 2106-3 said that it stands for White."""
    source, out = tmp_path / "in.json", tmp_path / "out.json"
    race = [{"url": "ombCategory", "valueCoding": WHITE}, {"url": "text", "valueString": "White"}]
    name = [{"family": "White", "given": ["Bell"]}]
    texts = "White blood cells 12. Seen for Bell's palsy. Has Graves' disease. Dear Ms. White."
    codes = [PALSY, WHITE | {"system": "http://a.example/codes"}, PALSY | {"display": "Okafor's palsy"}]
    name += [{"family": "Graves"}, {"family": "Okafor"}]
    patient = {"resourceType": "Patient", "id": "p", "name": name,
               "extension": [{"url": RACE, "extension": race}]}  # fmt: skip
    condition = {"resourceType": "Condition", "subject": {"reference": "Patient/p"},
                 "code": {"coding": codes}, "note": [{"text": texts}]}  # fmt: skip
    entries = [{"resource": patient}, {"resource": condition}]
    source.write_text(json.dumps({"resourceType": "Bundle", "entry": entries}))
    run(source, "--out", out, *RULES)
    patient, condition = (entry["resource"] for entry in json.loads(out.read_text())["entry"])
    assert patient["extension"] == [{"url": RACE, "extension": race}]
    palsy, local, other = (code.get("display", "") for code in condition["code"]["coding"])
    assert palsy == "Bell's palsy" and local != "White" and "Okafor" not in other
    text = condition["note"][0]["text"]
    assert text.startswith(texts.removesuffix("White.")) and not text.endswith("White.")


def test_displays_of_messages_and_documents_stay(messages, tmp_path):
    source, out = tmp_path / "in.hl7", tmp_path / "out.hl7"
    fields = "2106-3^White^HL70005", "", "", "", "", "M", "CHR^Christian"
    codes = "1^Bell's palsy^SCT", "^White", "1^White^L", "1^By White Bell^LN", "1^White 447190^LN"
    patient, coded = f"PID|||||WHITE^BELL|||||{'|'.join(fields)}", f"OBX|1|CWE|1^A^L||{'~'.join(codes)}"
    source.write_text(f"MSH|^~\\&\r{patient}\r{coded}\r", newline="")
    run(source, "--out", out, *RULES)
    clean = out.read_text()
    assert "2106-3^White^HL70005" in clean and "CHR^Christian" in clean and "1^Bell's palsy^SCT" in clean
    assert clean.count("White") == 1 and clean.count("Bell") == 1
    document = tmp_path / "in.xml"
    document.write_text(
        '<ClinicalDocument xmlns="urn:hl7-org:v3"><recordTarget><patientRole><id extension="7"/><patient>'
        '<name><given>Bell</given><family>White</family></name><raceCode code="2106-3" displayName="White" '
        'codeSystem="2.16.840.1.113883.6.238"/><raceCode displayName="White" code="1" codeSystem="1.2"/>'
        "</patient></patientRole></recordTarget></ClinicalDocument>"
    )
    run(document, "--out", tmp_path / "out.xml", *RULES)
    clean = (tmp_path / "out.xml").read_text()
    assert 'code="2106-3" displayName="White"' in clean and clean.count("White") == 1


@pytest.mark.parametrize(
    ("found", "probability", "kept"),
    [
        ("Sulfa", 0.4, False),
        ("Critical", 0.9, False),
        ("Okafor", 0.4, False),
        ("Okafor", 0.6, True),
        ("Okafor", None, True),
        ("10 2061", 0.6, True),
    ],
)
def test_of_short_texts_only_probable_words_that_are_not_ordinary_are_phi(found, probability, kept):
    text = "Critical high\nSulfa, Okafor\nroom 10 2061"
    span = Span(text.index(found), text.index(found) + len(found), "PATIENT", probability)
    notes = [Document(f"m.{name}", text, (span,)) for name in ("terms", "OBX-1")]
    terms, passage = judge_terms(lambda group: group)(notes)
    assert (terms.spans == (span,)) == kept and passage.spans == (span,)


def test_what_still_says_who_the_patient_is_is_counted_in_the_written_messages(tmp_path, capsys):
    """The type of MSH-9 stays, whatever the patient is called; an id stays with --keep-ids."""
    (tmp_path / "in.hl7").write_text(build_message(1, "4471902", "ORU^ANA", "x"), newline="")
    options = (*RULES, "--report", tmp_path / "r.json", "--overwrite")
    run(tmp_path / "in.hl7", "--out", tmp_path / "out.hl7", *options)
    assert json.loads((tmp_path / "r.json").read_text())["survivors"] == {"PATIENT": 1}
    out = capsys.readouterr().out
    assert "1 places in the output still contain" in out and "1 in ids and codes of the messages" in out
    patient = {"resourceType": "Patient", "id": "okafor-7", "name": [{"family": "Okafor"}]}
    (tmp_path / "in.json").write_text(json.dumps(patient))
    for more, left in (((), {}), (("--keep-ids",), {"PATIENT": 1})):
        run(tmp_path / "in.json", "--out", tmp_path / "out.json", *options, *more)
        assert json.loads((tmp_path / "r.json").read_text())["survivors"] == left


def test_insurance_that_is_off_by_one_says_nothing_of_the_patient(messages, tmp_path, capsys):
    with messages.open("a", newline="") as file:
        file.write(f"IN1|1{14 * '|'}OKAFOR^ANA||20010307\rIN1|2{16 * '|'}OKAFOR^ANA|20010307\r")
    run(messages, "--out", tmp_path / "out.hl7", *RULES, "--report", tmp_path / "r.json")
    clean = (tmp_path / "out.hl7").read_text()
    assert not any(real in clean for real in ("OKAFOR", "ANA", "20010307"))
    counts = json.loads((tmp_path / "r.json").read_text())
    assert counts["taken_out_of_messages"]["values that say who the patient is"] == 3
    assert "3 values that say who the patient is" in capsys.readouterr().out
