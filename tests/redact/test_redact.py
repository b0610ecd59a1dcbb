"""Redaction: the property of each style, the verb, the map, the report, and no PHI in any message."""

import json
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from marked_notes import KEY, SECRET, marked, redacted, run, status

from crfdeid import corpora
from crfdeid.errors import ConfigurationError, DocumentError
from crfdeid.redact import __main__ as redact
from crfdeid.redact import release, safe_harbor
from crfdeid.redact.redactor import STYLES, Redactor, Replacement, apply_replacements
from crfdeid.redact.surrogates import keyed_choice, kinds, names, surrogate_map
from crfdeid.redact.surrogates.patient_facts import PatientHistory
from crfdeid.redact.surrogates.surrogate_map import MapError, SurrogateMap
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"
TYPES = [*kinds.KINDS, "SPECIES"]


STORY = [
    marked("<DATE 3/7/2067> Mr. <PATIENT Robert Smith>, <AGE 67>, MRN <MEDICALRECORD 4471902>.", "a-1", "a"),
    marked("<PATIENT SMITH, ROBERT>, <DATE 3/21/2067>, Dr. <DOCTOR Okafor>. Bob Smith is ill", "a-2", "a"),
    marked("<PATIENT Ana Ruiz> of <CITY Boston>, <STATE MA> called <PHONE 617-555-0148>.", "b-1", "b"),
    marked("Dr. <DOCTOR Okafor> saw <PATIENT Ruiz> on <DATE 1/2/2067>. 4471902.", "b-2", "b"),
    marked("<PATIENT Okafor>, aged <AGE 93>", "c-1", None),
]  # fmt: skip


@st.composite
def documents(draw):
    text = draw(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=60))
    cuts = draw(
        st.lists(
            st.tuples(st.integers(0, len(text)), st.integers(0, len(text)), st.sampled_from(TYPES)),
            max_size=6,
        )
    )
    spans = {Span(min(a, b), max(a, b), type) for a, b, type in cuts if a != b}
    return Document("n", text, tuple(spans), draw(st.sampled_from([None, "7"])))


@given(documents(), st.sampled_from(STYLES), st.booleans())
@settings(max_examples=300, deadline=None)
def test_text_outside_is_untouched_and_every_span_is_replaced_whole(document, style, by_note):
    (found,) = Redactor(SECRET, style, by_note=by_note).redact([document])
    at, out = 0, ""
    for made in found.replacements:
        assert made.start >= at
        out += document.text[at : made.start] + made.replacement
        at = made.end
        if made.treatment not in ("kept",):
            assert style == "blank" or made.replacement != document.text[made.start : made.end]
    assert found.document.text == out + document.text[at:]
    covered = {i for p in found.replacements for i in range(p.start, p.end)}
    assert all(set(range(span.start, span.end)) <= covered for span in document.spans)
    assert [found.document.text_of(s) for s in found.document.spans] == [
        p.replacement for p in found.replacements
    ]
    assert style != "blank" or len(found.document.text) == len(document.text)
    assert Redactor(SECRET, style, by_note=by_note).redact([document])[0] == found


def test_a_patients_notes_are_tagged_together_and_gold_spans_stay():
    first = Document("1", "Seen by Dr. Quevix, lives in Zimmstraboro.", patient="7")
    second = Document("2", "Quevix agrees. Back to Zimmstraboro; quest.", patient="7")
    gold = marked("Quevix said <DATE today>.", "3")
    found = release.build_tagger("auto", "rules")([first, gold, second])
    assert [note.id for note in found] == ["1", "3", "2"] and found[1] == gold
    assert [second.text_of(span) for span in found[2].spans] == ["Quevix", "Zimmstraboro"]
    assert release.build_tagger("tag", "rules")([gold])[0].spans == ()
    assert release.build_tagger("gold", "rules")([first, gold]) == [first, gold]


@pytest.mark.parametrize("by_note", [False, True])
def test_the_order_of_the_notes_does_not_matter(by_note):
    first = redacted(STORY, by_note=by_note)
    for seed in range(8):
        shuffled = random.Random(seed).sample(STORY, len(STORY))
        assert redacted(shuffled, by_note=by_note) == first
    assert redacted(STORY, by_note=by_note, secret=b"another" * 5) != first


def test_notes_redacted_on_two_machines_agree():
    whole = redacted(STORY, by_note=True)
    assert redacted(STORY[:2], by_note=True) | redacted(STORY[2:], by_note=True) == whole


def test_a_patient_stays_one_person_over_the_notes():
    a1, a2, *_ = redacted(STORY).values()
    first, last = a1.text_of(a1.spans[1]).split()
    assert a2.text_of(a2.spans[0]) == f"{last.upper()}, {first.upper()}"
    assert f"{last} is ill" in a2.text and "Bob" not in a2.text  # repeats that had no span


def test_markers():
    note = marked("<PATIENT Ana>, <DATE 3/7>, <PHONE 555>, <SSN 123>, <SPECIES cat>, <HOSPITAL MGH>")
    assert Redactor(SECRET, "type").redact([note])[0].document.text == (
        "[**PATIENT**], [**DATE**], [**PHONE**], [**SSN**], [**PHI**], [**HOSPITAL**]"
    )
    assert Redactor(SECRET, "type", "shweta").redact([note])[0].document.text == (
        "XYZ_Patient, 00.00.Date, NUM_PHONE, NUM_ID, XYZ_Phi, XYZ_Hospital"
    )
    assert Redactor(SECRET, "type", "<{type}>").redact([note])[0].document.text.startswith("<PATIENT>")


@pytest.mark.parametrize("marker", ["{name}", "{", "{0}", "{type.x}"])
def test_a_marker_that_cannot_be_is_refused(marker):
    with pytest.raises(ConfigurationError, match="--marker"):
        Redactor(SECRET, "type", marker)


def test_overlaps_are_replaced_whole_and_counted():
    note = Document("n", "Ana Ruiz Smith", (Span(0, 8, "PATIENT"), Span(4, 14, "DOCTOR")))
    (found,) = Redactor(SECRET).redact([note])
    assert found.overlaps == 1 and len(found.replacements) == 1
    assert not {"Ana", "Ruiz", "Smith"} & set(found.document.text.split())


def test_what_cannot_be_read_becomes_a_marker_and_is_told():
    (found,) = Redactor(SECRET).redact([marked("<DATE Ramadan> <SPECIES cat> <OTHER x>")])
    assert found.document.text == "[**DATE**] [**PHI**] [**OTHER**]"
    assert [p.why for p in found.replacements] == ["not read as date", "no known type", "not read as other"]
    assert not any(p.resolved for p in found.replacements)


def test_proposals_can_be_edited_and_applied():
    redactor = Redactor(SECRET)
    proposals = redactor.propose(STORY[1], [STORY[0]])
    assert apply_replacements(STORY[1], proposals) == redacted(STORY)["a-2"]
    edited = [
        Replacement(p.start, p.end, p.type, "X" if p.type == "DOCTOR" else p.replacement) for p in proposals
    ]
    assert "Dr. X." in apply_replacements(STORY[1], edited).text
    with pytest.raises(DocumentError, match="overlaps another replacement"):
        apply_replacements(STORY[1], [*proposals, Replacement(0, 3, "PATIENT", "")])
    assert "Okafor" not in repr(proposals) and proposals[0].replacement not in repr(proposals)


@pytest.mark.parametrize(
    ("text", "replaced"),
    [
        ("Then Okafor left.", True), ("okafor left", True), ("seen by Dr. May", True),
        ("in May he left", False), ("A Foley catheter", False), ("the Foley was removed", False),
        ("Mr. Foley", True), ("will do", False), ("Will was here", True), ("Will be seen", False),
        ("with Will at home", True), ("May Okafor", True), ("Okafors", True),
        ("the Okafors left", True), ("Foleys were removed", False), ("xOkafor", False),
        ("Foley's wife", True), ("OKAFOR", True),
    ],
)  # fmt: skip
def test_repeats_and_their_brake(text, replaced):
    people = marked("<PATIENT May Okafor>, <DOCTOR Foley>, <PATIENT Will>", "n1")
    found = Redactor(SECRET).redact([people, Document("n2", text, (), "7")])[1]
    assert (found.document.text != text) == replaced and any(p.repeat for p in found.replacements) == replaced


def test_what_is_left_is_listed_by_offset():
    note = marked("<PATIENT May Okafor> in May. <STREET 12 Oak Street>; 12 oak street. <ROOM 5>: 5 mg")
    (found,) = Redactor(SECRET).redact([note])
    left = [(found.document.text[s.start : s.end], s.type) for s in found.survivors]
    assert left == [("May", "PATIENT"), ("5", "ROOM")]


def test_the_report_counts_by_category_and_holds_no_text():
    report = safe_harbor.Report()
    for group in (STORY[:2], STORY[2:4], STORY[4:]):
        for redaction in Redactor(SECRET).redact(group):
            report.add(redaction)
    table = report.table()
    assert table["documents"] == 5 and table["documents_without_patient"] == 1
    assert table["categories"]["A"]["surrogate"] >= 7 and table["categories"]["C"]["generalised"] == 1
    said = json.dumps(table) + "\n".join(report.lines())
    assert not any(name in said for name in ("Okafor", "Ruiz", "4471902", "Boston"))
    assert {safe_harbor.find_category(type) for type in TYPES} <= set(safe_harbor.CATEGORIES)


# The map


def test_a_map_comes_back_as_it_was_and_tells_what_is_wrong(tmp_path):
    path, held = (
        tmp_path / "map",
        SurrogateMap(
            SECRET,
            patients={"patient 7": PatientHistory({"smith": "Ruiz"}, {"day first": 1}, {"CITY": {"a": "b"}})},
        ),
    )
    surrogate_map.write_map(held, path, KEY)
    assert surrogate_map.read_map(path, KEY) == held and path.stat().st_mode & 0o777 == 0o600
    data = path.read_bytes()
    assert b"smith" not in data and SECRET not in data
    with pytest.raises(MapError, match="not the key of this map"):
        surrogate_map.read_map(path, b"another key, long enough")
    for broken, said in (
        (data[:-1], "damaged"),
        (data[:30], "damaged"),
        (b"x" + data, "not a map"),
        (data[:60] + b"!" + data[61:], "damaged"),
        (data.replace(b"map 1", b"map 9"), "another version"),
    ):
        path.write_bytes(broken)
        with pytest.raises(MapError, match=said):
            surrogate_map.read_map(path, KEY)
    assert "smith" not in repr(held) + repr(held.patients["patient 7"])


def test_notes_that_arrive_later_stay_alike_and_keep_what_was_given(tmp_path):
    first, second = Redactor(SECRET), Redactor(b"another secret, not the one")
    with release.use_map(first, tmp_path / "map", KEY):
        a1 = first.redact(STORY[:1])[0].document
    given = a1.text_of(a1.spans[1]).split()
    later = marked(f"<PATIENT R. Smith> with <DOCTOR {given[1]}> and Smith", "a-3", "a")
    with release.use_map(second, tmp_path / "map", KEY):
        a3 = second.redact([later])[0].document
    assert a3.text_of(a3.spans[0]) == f"{given[0][0]}. {given[1]}"
    assert a3.text_of(a3.spans[1]) != given[1]
    with pytest.raises(ConfigurationError, match="begun with --shift-years 25"):
        rules = redact.Rules(years=3)
        release.use_map(Redactor(SECRET, rules=rules), tmp_path / "map", KEY).__enter__()
    pairs = surrogate_map.read_map(tmp_path / "map", KEY).patients["patient a"].pairs["PATIENT"]
    assert pairs["Robert Smith"] == " ".join(given)  # its holder can undo it


# The verb


@pytest.fixture
def corpus(tmp_path):
    corpora.write(STORY, tmp_path / "notes.jsonl", "jsonl")
    (tmp_path / "key").write_bytes(SECRET)
    (tmp_path / "key").chmod(0o600)
    return tmp_path


@pytest.mark.parametrize("format", ["i2b2", "brat", "table", "jsonl", "labelstudio"])
def test_redacted_notes_come_with_exact_spans_in_any_format(corpus, format, capsys):
    run(corpus / "notes.jsonl", "--out", corpus / "clean", "--format", format, "--key-file", corpus / "key")
    expected = redacted(STORY, by_note=True)
    for note in corpora.read(corpus / "clean", format):
        assert (note.text, note.spans) == (expected[note.id].text, expected[note.id].spans)
    assert "5 notes" in capsys.readouterr().out


def test_a_file_for_all_and_a_report(corpus, capsys):
    run(
        corpus / "notes.jsonl",
        "--out",
        corpus / "clean.jsonl",
        "--seed",
        1,
        "--report",
        corpus / "report.json",
    )
    assert [note.id for note in corpora.read(corpus / "clean.jsonl")] == [note.id for note in STORY]
    assert json.loads((corpus / "report.json").read_text())["documents"] == 5
    assert (corpus / "report.json.survivors.csv").read_text().startswith("id,start,end,type\n")
    assert "1 notes name no patient" in capsys.readouterr().out


def test_notes_without_spans_are_tagged(corpus, notes, small_model, capsys):
    bare = [note.with_spans(()) for note in notes[:4]]
    corpora.write(bare, corpus / "bare.jsonl", "jsonl")
    run(corpus / "bare.jsonl", "--out", corpus / "clean.jsonl", "--model", small_model.folder)
    for before, after in zip(bare, corpora.read(corpus / "clean.jsonl")):
        assert after.spans and after.text != before.text
    run(corpus / "bare.jsonl", "--out", corpus / "same.jsonl", "--spans", "gold")
    assert [note.text for note in corpora.read(corpus / "same.jsonl")] == [note.text for note in bare]


def test_a_patient_column_and_notes_that_lie_apart(corpus):
    mixed = [STORY[0], STORY[2], STORY[1], STORY[3]]
    corpora.write(mixed, corpus / "notes.csv", "table")
    run(corpus / "notes.csv", "--out", corpus / "clean.csv", "--key-file", corpus / "key", "--by", "patient")
    expected = redacted(STORY)
    assert {note.id: note.text for note in corpora.read(corpus / "clean.csv")} == {
        note.id: expected[note.id].text for note in mixed
    }


def test_an_interrupted_run_leaves_whole_notes_and_is_resumed(corpus, monkeypatch):
    target, key = corpus / "clean", ("--key-file", corpus / "key", "--format", "brat")
    write_each, written = corpora.write_each, []

    def failing(*arguments, **options):
        if len(written) == 2:
            raise KeyboardInterrupt
        written.append(1)
        write_each(*arguments, **options)

    monkeypatch.setattr(corpora, "write_each", failing)
    assert status(corpus / "notes.jsonl", "--out", target, *key) == 130
    assert sorted(path.name for path in target.iterdir()) == ["a-1.ann", "a-1.txt", "a-2.ann", "a-2.txt"]
    monkeypatch.undo()
    before = (target / "a-1.txt").stat().st_mtime_ns
    run(corpus / "notes.jsonl", "--out", target, *key, "--resume")
    assert (target / "a-1.txt").stat().st_mtime_ns == before
    expected = redacted(STORY, by_note=True)
    assert {n.id: n.text for n in corpora.read(target, "brat")} == {id: n.text for id, n in expected.items()}


def test_names_of_notes_and_spans_can_be_left_out(corpus):
    run(corpus / "notes.jsonl", "--out", corpus / "clean.jsonl", "--seed", 1, "--new-ids", "--no-spans")
    made = list(corpora.read(corpus / "clean.jsonl"))
    assert not {note.id for note in made} & {note.id for note in STORY}
    assert not any(note.spans for note in made) and made[0].patient == made[1].patient != "a"


def test_the_map_through_the_verb(corpus, monkeypatch):
    monkeypatch.setenv(surrogate_map.KEY_VARIABLE, KEY.decode())
    corpora.write(STORY[1:2], corpus / "later.jsonl", "jsonl")
    run(corpus / "notes.jsonl", "--out", corpus / "a.jsonl", "--map", corpus / "map")
    run(corpus / "later.jsonl", "--out", corpus / "b.jsonl", "--map", corpus / "map")
    first = {note.id: note for note in corpora.read(corpus / "a.jsonl")}
    (later,) = corpora.read(corpus / "b.jsonl")
    assert later == first["a-2"]


def test_the_verb_in_a_process_of_its_own(corpus):
    arguments = [corpus / "notes.jsonl", "--out", corpus / "clean", "--format", "text", "--style", "blank"]
    done = subprocess.run(
        [sys.executable, "-m", "crfdeid.redact", *map(str, arguments)], capture_output=True, text=True
    )
    assert done.returncode == 0 and not done.stderr and "blank" in done.stdout
    assert (corpus / "clean" / "c-1.txt").read_text() == "______, aged __"


SPAN = {"start": 5, "end": 16, "type": "PATIENT"}
NOTE = {"id": "n1", "text": f"Mrs. {CANARY}, {CANARY}", "patient": "7", "spans": [SPAN]}
SECRET_NOTE = json.dumps(NOTE) + "\n"


def faulty(corpus):
    """Every way to go wrong: what is in the folder, what is asked, and what is said."""
    notes, key = corpus / "canary.jsonl", corpus / "key"
    notes.write_text(SECRET_NOTE)
    out = ("--out", corpus / "out.jsonl")
    short, bad = corpus / "short", corpus / "bad.jsonl"
    short.write_bytes(b"short")
    bad.write_text(SECRET_NOTE.replace('"end": 16', '"end": 1600'))
    wrong = corpus / "wrong"
    wrong.write_bytes(b"another key for the map")
    wrong.chmod(0o600)
    open_key = corpus / "open"
    open_key.write_bytes(SECRET)
    open_key.chmod(0o644)
    surrogate_map.write_map(SurrogateMap(SECRET), corpus / "map", SECRET)
    surrogate_map.write_map(SurrogateMap(SECRET), corpus / "torn", SECRET)
    (corpus / "torn").write_bytes((corpus / "torn").read_bytes()[:-4])
    (corpus / "full").mkdir()
    (corpus / "full" / "n1.txt").write_text(CANARY)
    (corpus / "twice.jsonl").write_text(SECRET_NOTE * 2)
    return [
        ((bad, *out), "leaves the text"),
        ((corpus / "missing", *out), "no such file or folder"),
        ((corpus / "twice.jsonl", *out), "occurs twice"),
        ((notes, *out, "--key-file", short), "a key of 5 bytes"),
        ((notes, *out, "--key-file", open_key), "others may read this key"),
        ((notes, *out, "--key-file", corpus / "nokey"), "No such file"),
        ((notes, *out, "--key-file", key, "--seed", 1), "choose one"),
        ((notes, *out, "--map", corpus / "map", "--map-key", wrong), "not the key of this map"),
        ((notes, *out, "--map", corpus / "torn", "--map-key", key), "damaged"),
        ((notes, *out, "--map", notes, "--map-key", key), "not a map"),
        ((notes, *out, "--map", corpus / "map"), "CRFDEID_MAP_KEY"),
        ((notes, *out, "--map-key", key), "--map is missing"),
        ((notes, *out, "--map", corpus / "map", "--map-key", key, "--by", "note"), "--by patient"),
        ((notes, *out, "--resume", "--seed", 1), "--resume is for a folder"),
        ((notes, "--out", corpus / "o", "--format", "text", "--resume"), "--resume needs"),
        ((notes, "--out", corpus / "full", "--format", "text"), "holds files"),
        ((notes, *out, "--format", "txet"), "no format to write"),
        ((notes, *out, "--marker", "{x}", "--style", "type"), "--marker"),
        ((notes, *out, "--shift-years", 0), "--shift-years is from 1"),
        ((notes, *out, "--model", corpus / "nomodel", "--spans", "tag"), "nomodel"),
    ]


def test_no_message_holds_text_of_a_note_and_nothing_is_left(corpus, capsys, monkeypatch):
    monkeypatch.delenv(surrogate_map.KEY_VARIABLE, raising=False)
    for arguments, said in faulty(corpus):
        assert status(*arguments) == 2, said
        streams = capsys.readouterr()
        assert said in streams.err and streams.err.count("\n") == 1
        assert CANARY not in streams.err + streams.out
        assert not (corpus / "out.jsonl").exists()


def test_what_is_shown_and_written_never_holds_the_canary(corpus, capsys):
    (corpus / "canary.jsonl").write_text(SECRET_NOTE)
    run(corpus / "canary.jsonl", "--out", corpus / "clean.jsonl", "--report", corpus / "r.json")
    streams = capsys.readouterr()
    assert CANARY not in streams.out + streams.err
    assert not any(
        CANARY in (corpus / name).read_text() for name in ("clean.jsonl", "r.json", "r.json.survivors.csv")
    )
    redactor = Redactor(SECRET)
    found = redactor.redact([marked(f"<PATIENT {CANARY}>")])
    assert CANARY not in repr(found)


def test_an_error_of_the_program_is_told_without_what_it_says(corpus, capsys, monkeypatch):
    def failing(self, text):
        raise KeyError(CANARY)

    monkeypatch.setattr(names.Names, "replace_names", failing)
    assert status(corpus / "notes.jsonl", "--out", corpus / "clean", "--format", "text") == 2
    said = capsys.readouterr().err
    assert "a-1: not redacted" in said and "KeyError in test_redact.py" in said and CANARY not in said
    assert not list((corpus / "clean").iterdir())


def test_secrets_come_from_a_seed_or_are_new():
    assert (
        keyed_choice.secret_of_seed(1) == keyed_choice.secret_of_seed(1) != keyed_choice.secret_of_seed(2)
        and keyed_choice.make_secret() != keyed_choice.make_secret()
    )
