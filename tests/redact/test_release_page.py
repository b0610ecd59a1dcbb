"""The page of a release that people sign: every figure of the report, no text of a note, no promise."""

import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from marked_notes import STORY, marked, run, status

from crfdeid import cli, corpora, pages
from crfdeid.certify.__main__ import main as certify
from crfdeid.errors import FormatError
from crfdeid.redact.report import release_page
from crfdeid.redact.report.release_inputs import LeftPlace, read_places, read_statement

CANARY, HOSTILE = "Zanzibarova", "<script>alert(1)</script>"
VOID = ("meta",)


class Page(HTMLParser):
    """The words, tags and attributes of a page. An element that is not closed is an error."""

    def __init__(self, html):
        super().__init__()
        self.words, self.tags, self.open, self.values, self.rows = "", [], [], [], []
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.values += attributes
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += data if "style" not in self.open else ""
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data

    def row(self, name):
        return next(row[1:] for row in self.rows if row[0] == name)


@pytest.fixture
def released(corpus, monkeypatch):
    """Redact the small corpus with the options, and return the page."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")

    def redact(*options, notes=STORY, name="release"):
        corpora.write(notes, corpus / "in.jsonl", "jsonl", overwrite=True)
        report, html = corpus / f"{name}.json", corpus / f"{name}.html"
        files = ("--report", report, "--html", html)
        run(corpus / "in.jsonl", "--out", corpus / f"{name}.jsonl", "--spans", "gold", *files, *options)
        return html.read_text(encoding="utf-8")

    return redact


def test_a_page_of_notes_without_patients_has_no_number_of_patients(released):
    notes = [replace(note, patient=None) for note in STORY]
    page = Page(released("--seed", "1", notes=notes))
    assert "notes 5; none names its patient" in page.words and "patientsnone named" in page.words
    assert "of 5 patients" not in page.words


def test_the_page_has_the_figures_of_the_report(corpus, released):
    html = released("--seed", "1", "--policy", "safe_harbor")
    page, report = Page(html), json.loads((corpus / "release.json").read_text())
    assert report["run"]["date"] == "2001-09-09"
    assert "notes 5 of 2 patients; 1 name none" in page.words and "redacted on 2001-09-09" in page.words
    found = sum(sum(v for v in row.values() if isinstance(v, int)) for row in report["categories"].values())
    assert page.row("total")[0] == str(found) == "18"
    assert page.row("(A) names")[:2] == ["9", "9"]
    assert "safe_harbor: 45 CFR 164.514(b)(2)(i)" in page.words
    assert page.words.count("signature") == 2 and "Approved by" in page.words
    assert ("name", "viewport") in page.values and "script" not in page.tags


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "The secret is random, and not kept"),
        (("--seed", "1"), "The secret is made from a seed, for experiments only"),
        (("--seed", "1"), "Ids of notes and patients are the real ones."),
        (("--seed", "1"), "The spans of the surrogates are beside the notes"),
        (("--seed", "1"), "Notes that name no patient: 1."),
        (("--seed", "1"), release_page.NO_BOUND),
        (("--seed", "1", "--by", "note"), "Each note was redacted alone"),
        (("--seed", "1", "--style", "type"), "none; style: type"),
        (("--seed", "1", "--new-ids"), "the ids of notes and patients are random"),
        (("--seed", "1", "--zip", "three"), "three"),
    ],
)
def test_the_page_says_what_one_needs_to_know_before_signing(released, options, said):
    page = Page(released(*options))
    assert said in page.words.replace("secretrandom", "The secret is random")


def test_what_is_no_reason_to_wait_is_not_said(released):
    words = Page(released("--new-ids", "--no-spans", notes=STORY[:3])).words
    before = words.split("Before you sign")[1].split("How much the release still holds")[0].strip()
    assert before == release_page.NO_BOUND
    headline = words.split("redacted on")[1].split("Before you sign")[0]
    assert release_page.NO_BOUND in headline


def test_the_page_has_the_places_by_offset_and_no_text_of_a_note(corpus, released, capsys):
    notes = [
        marked(
            f"Mrs. <PATIENT {CANARY}> of <{CANARY} Vorin>, Dr. Xu{CANARY}, 30990453SMITH", f"{CANARY} 1", "7"
        ),
        marked(f"<PATIENT {CANARY}>: {CANARY.lower()[:-1]}z, {CANARY}s, Dr. Quevixo", "n-2", HOSTILE),
        marked("nothing here", HOSTILE, "7"),
    ]
    page = Page(html := released("--seed", "1", notes=notes))
    assert CANARY.lower() not in html.lower() and "script" not in page.tags and "alert" not in html
    assert "Nothing was found in 1 notes whose ids are not shown here." in page.words
    rows = (corpus / "release.json.survivors.csv").read_text().splitlines()[1:]
    shown = [row for row in page.rows if row[0].startswith("line ") or row[0] == "n-2"]
    assert len(shown) == len(rows) > 1
    assert CANARY not in "".join(row.partition(",")[2] for row in rows)
    assert ["line 2", *rows[0].split(",")[1:3]] in [row[:3] for row in shown]
    assert [row[5] for row in shown] == sorted((row[5] for row in shown), reverse=True)
    assert (corpus / "release.html").stat().st_mode & 0o777 == 0o600


def test_the_same_seed_gives_the_same_bytes(released):
    assert released("--seed", "3", name="a").replace("a.json", "b.json") == released("--seed", "3", name="b")


GUARANTEES = re.compile(
    r"anonym|guarant|complian|comply|\bsafe\b|secure|certain|all PHI|no PHI|fully|free of", re.I
)


def test_no_sentence_can_be_read_as_a_promise(released):
    page = Page(released("--seed", "1"))
    for sentence in re.split(r"(?<=[.:])\s", page.words):
        assert not GUARANTEES.search(sentence) or " not " in sentence, sentence


def test_the_page_loads_nothing_and_prints(released):
    html = released("--seed", "1")
    assert not re.search(r"""(src|href)=|url\(|https?://|@import""", html) and "default-src 'none'" in html
    assert "prefers-color-scheme: dark" in html and "@media print" in html


# The statement of a sample


def state(**changes):
    bound = {"found": 0.01, "as_read": 0.0234, "corrected": 0.031}
    frame, aim = {"notes": 5, "patients": 3}, {"aim": 0.05}
    return {
        "notes": 4, "patients": 3, "misses": 2, "leaking_notes": 1, "confidence": 0.95, "is_shown": True,
        "draw": {"release": "77edd", "fingerprint": "d70cc", "frame": frame, "aim": aim},
        "together": {"plants": 60, "found": 55}, "notes_with_leak": bound,
        "spans_missed": {**bound, "corrected": None}, "misses_per_1000_notes": bound,
    } | changes  # fmt: skip


def test_a_statement_adds_its_bounds(corpus, released):
    released("--seed", "1")
    release = json.loads((corpus / "release.json").read_text())["release"]
    statement = state() | {"draw": state()["draw"] | {"release": release}}
    (corpus / "s.json").write_text(json.dumps(statement))
    arguments = [str(corpus / "release.json"), "--out", str(corpus / "signed.html")]
    release_page.write_page(corpus / "release.json", corpus / "signed.html", corpus / "s.json")
    page = Page((corpus / "signed.html").read_text())
    assert page.row("notes with a leak") == ["1.00%", "2.34%", "3.10%"]
    assert page.row("PHI spans missed") == ["1.00%", "2.34%", "none"]
    assert "55 of 60" in page.words and release_page.NO_BOUND not in page.words
    signed = (corpus / "signed.html").read_bytes()
    with pytest.raises(FormatError, match="exists"):
        release_page.main(arguments)
    assert (corpus / "signed.html").read_bytes() == signed
    release_page.main([*arguments, "--overwrite"])
    assert (corpus / "signed.html").read_bytes() == (corpus / "release.html").read_bytes()


def test_places_are_shown_in_their_context_on_demand(corpus, released):
    notes = [
        marked("Seen by <DOCTOR Zanzibarova>.", "a-1", "7"),
        marked("Dr. Zanzibarova & co\nleft.", "a-2", "8"),
    ]
    without = released("--seed", "1", "--by", "note", notes=[notes[0], replace(notes[1], patient="7")])
    arguments = [str(corpus / "release.json"), "--notes", str(corpus / "release.jsonl")]
    release_page.main([*arguments, "--out", str(corpus / "places.html")])
    html = (corpus / "places.html").read_text()
    page = Page(html)
    assert "Dr. <mark>Zanzibarova</mark> &amp; co left." in html and release_page.TEXT in page.words
    assert CANARY not in without and release_page.TEXT not in without and "in the note" not in without


def test_the_notes_of_another_release_are_refused(corpus, released, capsys):
    released("--seed", "1")
    corpora.write([marked("short", "x", "7")], corpus / "other.jsonl", "jsonl")
    arguments = [str(corpus / "release.json"), "--notes", str(corpus / "other.jsonl")]
    assert end([*arguments, "--out", str(corpus / "places.html")]) == 2
    assert "places are not in the notes; wanted the notes" in capsys.readouterr().err
    assert not (corpus / "places.html").exists()


def test_the_command_of_the_page_says_what_it_is_for_and_what_it_needs(capsys):
    with pytest.raises(SystemExit):
        release_page.main(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "The report of a release as a page that people sign: figures and offsets," in said
    for option in (
        "report ",
        "--out OUT ",
        "--statement FILE ",
        "--study STORE RELEASE ",
        "--notes PATH ",
        "--overwrite ",
        "--encoding ",
    ):
        assert f" {option}" in said
    for arguments, missing in (([], "report, --out"), (["report.json"], "--out")):
        with pytest.raises(SystemExit) as stopped:
            release_page.main(arguments)
        assert stopped.value.code == 2
        assert capsys.readouterr().err.endswith(f"the following arguments are required: {missing}\n")


def test_a_statement_may_have_whole_numbers_and_is_of_all_notes_that_were_written(tmp_path):
    bound = {"found": 0, "as_read": 1}
    statement = state(confidence=1, notes_with_leak=bound, spans_missed=bound, misses_per_1000_notes=bound)
    (tmp_path / "s.json").write_text(json.dumps(statement))
    for now, before in ((5, 0), (3, 2), (0, 5)):
        report = {"documents": now, "documents_written_before_and_not_counted": before, "release": "77edd"}
        assert read_statement(tmp_path / "s.json", report) == statement
    said = "s.json: is of a release of 5 notes, the report of 6; wanted the statement of this release"
    for now, before in ((6, 0), (5, 1)):
        report = {"documents": now, "documents_written_before_and_not_counted": before}
        with pytest.raises(FormatError, match=said):
            read_statement(tmp_path / "s.json", report)


@pytest.mark.parametrize(
    ("release", "said"), [("77ede", "is of another release"), (None, "no hash of its release")]
)
def test_a_statement_of_another_release_of_as_many_notes_is_refused(tmp_path, release, said):
    (tmp_path / "s.json").write_text(json.dumps(state()))
    report = {"documents": 5, "documents_written_before_and_not_counted": 0, "release": release}
    with pytest.raises(FormatError, match=said):
        read_statement(tmp_path / "s.json", report)


def test_the_table_of_survivors_is_read(tmp_path):
    table = 'id,start,end,type,kind\nn-1,1,4,PATIENT,survivor\n"a,b",0,2,,e-mail\n'
    (tmp_path / "s.csv").write_text("id,start,end,type,kind,probability\nn-1,1,4,PATIENT,survivor,0.9\n")
    assert read_places(tmp_path / "s.csv") == [LeftPlace("n-1", 1, 4, "PATIENT", "survivor", 0.9)]
    (tmp_path / "s.csv").write_text(table)  # of an earlier version
    assert read_places(tmp_path / "s.csv") == [
        LeftPlace("n-1", 1, 4, "PATIENT", "survivor"),
        LeftPlace("a,b", 0, 2, "", "e-mail"),
    ]
    (tmp_path / "s.csv").write_text(f"{table}n-2,1,x,PATIENT,survivor\n")
    with pytest.raises(FormatError, match="s.csv, line 4: wanted the table beside a report"):
        read_places(tmp_path / "s.csv")


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ({}, {"pictures that nobody looked at": "0"}),
        (
            {"pictures in PDF files": 2, "pictures in Word files": 3, "hidden": 1},
            {"pictures that nobody looked at": "5", "not read: hidden": "1"},
        ),
        (None, {"pictures and files of the input that were not read": "not counted"}),
    ],
)
def test_the_page_counts_what_was_not_read(left_out, said):
    assert release_page.describe_unread(left_out) == said


def test_the_report_counts_what_was_not_read(corpus):
    folder = corpus / "folder" / "7"
    corpora.write([marked("Seen by <DOCTOR Ruiz>.", "a-1", "7")], folder, "i2b2")
    (folder / ".hidden").write_text("x")
    options = ("--spans", "gold", "--report", corpus / "r.json", "--overwrite")
    for path, more in ((folder, ()), (folder.parent, ("--patient-from", "folder"))):
        run(path, "--out", corpus / "o", *options, *more)
        assert json.loads((corpus / "r.json").read_text())["left_out_of_the_input"] == {"hidden": 1}


@pytest.mark.parametrize(
    ("report", "statement", "said"),
    [
        (None, "no json", "no JSON; wanted the statement"),
        (None, "[]", "no notes; wanted the statement"),
        (None, json.dumps(state(draw={})), "no draw.release"),
        (None, json.dumps(state(misses="2")), "no misses"),
        (None, json.dumps(state(misses=2.5)), "no misses"),
        (None, json.dumps(state(confidence="0.95")), "no confidence"),
        (
            None,
            json.dumps(state(draw=state()["draw"] | {"frame": {"notes": 6}})),
            "of 6 notes, the report of 5",
        ),
        (None, json.dumps(state(draw=state()["draw"] | {"frame": {"notes": CANARY}})), "of another release"),
        ("[" * 100_000, None, "no JSON; wanted the report"),
        (json.dumps({"documents": 5}), None, "no run.date; wanted the report"),
        (json.dumps({CANARY: 5}), None, "no run.date; wanted the report"),
    ],
)
def test_other_files_are_refused_in_one_line(corpus, released, capsys, report, statement, said):
    released("--seed", "1")
    capsys.readouterr()
    arguments = [str(corpus / "release.json"), "--out", str(corpus / "signed.html")]
    if report:
        (corpus / "release.json").write_text(report)
    if statement:
        (corpus / "s.json").write_text(statement)
        (corpus / "study.json").write_text("")
        arguments += ["--statement", str(corpus / "s.json")]
        arguments += ["--study", str(corpus / "study.json"), str(corpus / "release.jsonl")]
    assert end(arguments) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1 and CANARY not in error
    assert not (corpus / "signed.html").exists()


def end(arguments):
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: release_page.main(arguments))
    return stopped.value.code


@pytest.mark.parametrize(
    "rows",
    [
        CANARY,
        "",
        'id,start\n"x',
        *(
            f"id,start,end,type,kind\nn-1,1,2,PATIENT,survivor\n{row}\n"
            for row in ("1,x,2,PATIENT,survivor", '"n"-1,1,2,PATIENT,survivor', "n-1,1,2,PATIENT")
        ),
    ],
)
def test_another_table_of_survivors_is_refused(corpus, released, capsys, rows):
    released("--seed", "1")
    (corpus / "release.json.survivors.csv").write_text(rows)
    assert end([str(corpus / "release.json"), "--out", str(corpus / "signed.html")]) == 2
    error = capsys.readouterr().err
    assert "survivors.csv" in error and CANARY not in error and error.count("\n") == 1


def test_the_page_needs_the_report_and_replaces_nothing(corpus, capsys):
    out = ("--out", corpus / "clean.jsonl", "--spans", "gold")
    assert status(corpus / "notes.jsonl", *out, "--html", corpus / "r.html") == 2
    assert "--report is missing" in capsys.readouterr().err
    (corpus / "r.html").write_text("mine")
    assert (
        status(corpus / "notes.jsonl", *out, "--report", corpus / "r.json", "--html", corpus / "r.html") == 2
    )
    assert "r.html: exists" in capsys.readouterr().err
    assert (corpus / "r.html").read_text() == "mine" and not (corpus / "clean.jsonl").exists()


def test_a_mark_in_a_part_is_not_filled(tmp_path):
    (tmp_path / "page.html").write_text("<!-- a --><!-- b -->")
    parts = {"<!-- a -->": "<!-- b -->", "<!-- b -->": "2"}
    assert pages.fill_file(tmp_path / "page.html", parts) == "<!-- b -->2"


@pytest.mark.parametrize("options", [(), ("--policy", "gdpr")])
def test_the_page_of_spanish_notes_is_in_spanish(corpus, released, options):
    page = released("--language", "spanish", *options)
    words = set(re.findall(r"[^\W\d_]+", Page(page).words.lower()))
    assert '<html lang="es">' in page and "Antes de firmar" in page and "Firmas" in page
    assert words & {"the", "of", "and", "that", "were", "which", "is", "not", "found", "notes"} == set()
    other = Page(released("--seed", "1", *options, name="other"))
    assert "Before you sign" in other.words
    assert len(Page(page).rows) == len(other.rows)


def test_texts_of_notes_on_a_translated_page_stay():
    page = '<p>note</p><td class="context">note <mark>note</mark></td>'
    assert pages.translate(page, {"note": "nota"}) == page.replace("<p>note", "<p>nota")


@pytest.fixture(scope="module")
def studied(only_the_rules, tmp_path_factory):
    """A release of 110 notes of which 100 were read; return its statement, the page with it, and a function
    that gives the arguments for a page with another statement."""
    folder = tmp_path_factory.mktemp("studied")
    text = "Seen by Dr. <DOCTOR Ruiz> on <DATE 3/4/2061>."
    corpora.write([marked(text, f"n-{n}", f"{n}") for n in range(110)], folder / "in.jsonl", "jsonl")
    report, clean, store, reading, said, page = (
        folder / name
        for name in ("r.json", "clean.jsonl", "study.json", "reading.jsonl", "s.json", "signed.html")
    )
    run(folder / "in.jsonl", "--out", clean, "--spans", "gold", "--seed", "1", "--report", report)
    options = ("--seed", "7", "--notes", "100", "--plants", "20")
    certify(["draw", str(clean), "--store", str(store), "--out", str(reading), *options])
    notes = [note.with_spans(()) for note in corpora.read(reading)]
    corpora.write(notes, folder / "ann.jsonl", "jsonl")
    certify(["state", str(store), str(clean), f"--reader=ann={folder / 'ann.jsonl'}", "--out", str(said)])
    arguments = [str(report), "--statement", str(said), "--study", str(store), str(clean), "--out", str(page)]
    release_page.main(arguments)

    def change(**changed):
        said.write_text(json.dumps(statement | changed))
        return [*arguments, "--overwrite"]

    statement = json.loads(said.read_text())
    return statement, page, page.read_text(), change


@pytest.mark.slow
def test_a_statement_that_somebody_has_edited_is_refused(studied, capsys):
    statement, _, _, change = studied
    for key, value in {
        "spans_missed": {"found": 0.0, "as_read": 0.001, "corrected": 0.001},
        "is_shown": True,
        "misses": 7,
        "compared": [],
    }.items():
        assert statement[key] != value
        assert end(change(**{key: value})) == 2
        error = capsys.readouterr().err
        assert f"{key}: not what " in error and error.count("\n") == 1


@pytest.mark.slow
def test_readers_who_found_no_plant_give_no_bound(studied):
    statement, path, html, change = studied
    assert statement["misses_per_1000_notes"]["corrected"] is None
    page = Page(html)
    assert page.row("missed spans per 1,000 notes")[-1] == "none"
    earlier = statement["misses_per_1000_notes"] | {"corrected": math.inf}  # as earlier versions wrote it
    release_page.main(change(misses_per_1000_notes=earlier))
    assert Page(path.read_text()).rows == page.rows


def test_a_statement_needs_its_study(corpus, released, capsys):
    released("--seed", "1")
    capsys.readouterr()
    arguments = [str(corpus / "release.json"), "--out", str(corpus / "signed.html")]
    assert end([*arguments, "--statement", str(corpus / "s.json")]) == 2
    assert "wanted both, or neither" in capsys.readouterr().err


def test_a_page_says_that_a_system_played_a_reader():
    bound = state(systems=[{"reader": "ann", "system": "rules", "shared": 9, "mistakes": 9}])
    assert release_page.describe_bound(bound) == release_page.SYSTEM_READ
    assert "2.34%" in release_page.describe_bound(state(systems=[]))
