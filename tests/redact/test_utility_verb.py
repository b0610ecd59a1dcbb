"""The verb ``utility``: the counts of a release, and no word of a note in what it writes."""

import json
import re
import shlex

import pytest
from marked_notes import SECRET, STORY

from crfdeid import __main__ as face
from crfdeid import cli, corpora, files
from crfdeid.corpora.output import hash_documents
from crfdeid.redact.__main__ import main as redact
from crfdeid.redact.report.kept import show_share
from crfdeid.redact.report.release_page import NO_COUNTS
from crfdeid.redact.report.release_page import main as release
from crfdeid.redact.utility.__main__ import main
from crfdeid.text.document import Document

FIRST = "Okafor, 67M, seen 3/7/2061 and 3/9/2061. No fever. Lasix 40 mg."
MOVED = "Lindqvist, 67M, seen 4/7/2061 and 4/9/2061. No fever. Brzezinska 40 mg."
NOTES = [Document("110-01", FIRST, (), "110"), Document("110-02", "Pneumonia on 3/12/2061", (), "110")]
CLEAN = [Document("110-01", MOVED, (), "110"), Document("110-02", "Pneumonia on 4/12/2061", (), "110")]
TABLE = """\
2 documents compared, 0 unchanged

what programs read                    before  after  kept   share  in order  new
words of medicine                          3      2     2   66.6%     66.6%    0
  diseases                                 1      1     1  100.0%    100.0%    0
  drugs                                    1      0     0    0.0%      0.0%    0
  findings                                 1      1     1  100.0%    100.0%    0
  other words of medicine                  0      0     0       -         -    0
  eponyms before a thing                   0      0     0       -         -    0
numbers with a unit                        1      1     1  100.0%    100.0%    0
negations                                  1      1     1  100.0%    100.0%    0
  words of medicine after a negation       1      1     1  100.0%    100.0%    0
all of the above, in one row               5      4     4   80.0%     80.0%    0
all words and numbers                     13     13    11   84.6%     84.6%    2

dates and intervals                                   before  kept   share
dates with day, month and year                             3     3  100.0%
pairs in a note, as many days apart                        1     1  100.0%
pairs in a note, as many years apart                       1     1  100.0%
pairs in two notes of a patient, as many days apart        2     2  100.0%
pairs in two notes of a patient, as many years apart       2     2  100.0%

ages   before  same band   share  same age
60-69       1          1  100.0%         1

documents that changed most  before  lost  share kept  new
110-01                            4     1       75.0%    0
"""


@pytest.fixture
def folder(tmp_path):
    corpora.write(NOTES, tmp_path / "notes.jsonl", "jsonl")
    corpora.write(CLEAN, tmp_path / "clean.jsonl", "jsonl")
    return tmp_path


def run(*arguments, verb=main):
    verb([str(argument) for argument in arguments])


def fail(capsys, *arguments, verb=main):
    """The one line of an error, with which the verb ends with status 2."""
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: run(*arguments, verb=verb))
    said = capsys.readouterr().err
    assert stopped.value.code == 2 and said.count("\n") == 1
    return said


def test_the_table_of_a_release(folder, capsys):
    run(folder / "notes.jsonl", folder / "clean.jsonl")
    assert capsys.readouterr().out == TABLE


def test_the_json_and_the_page_have_the_same_figures(folder, capsys):
    files = folder / "u.json", folder / "u.html"
    run(folder / "notes.jsonl", folder / "clean.jsonl", "--json", files[0], "--html", files[1], "--most", 0)
    found = json.loads(files[0].read_text())
    assert found["documents"] == {"compared": 2, "unchanged": 0, "only_original": 0, "only_released": 0}
    drugs = {"before": 1, "after": 0, "kept": 0, "in_order": 0, "new": 0, "part_of": "words of medicine"}
    assert found["read"]["drugs"] == drugs and found["release"] == hash_documents(CLEAN)
    assert found["dates"] == {"before": 3, "kept": 3}
    pairs = {"days": 2, "same_days": 2, "years": 2, "same_years": 2}
    assert found["intervals"]["in_two_notes_of_a_patient"] == pairs
    assert found["ages"] == {"60-69": {"before": 1, "same_band": 1, "same_age": 1}} and found["changed"] == []
    page = files[1].read_text()
    assert '<th scope="row">drugs</th><td>1</td><td>0</td><td>0</td><td>0.0%</td>' in page
    assert "changed most" not in page and "changed most" not in capsys.readouterr().out


@pytest.mark.parametrize("name", ["notes", "notes.csv", "notes.jsonl", "brat"])
def test_a_release_in_any_format_keeps_everything_of_itself(name, tmp_path, capsys):
    formats = {"notes": "text", "notes.csv": "table", "notes.jsonl": "jsonl", "brat": "brat"}
    corpora.write(STORY, tmp_path / name, formats[name])
    run(tmp_path / name, tmp_path / name, "--json", tmp_path / "u.json")
    found = json.loads((tmp_path / "u.json").read_text())
    assert found["documents"]["compared"] == found["documents"]["unchanged"] == len(STORY)
    assert all(row["before"] == row["in_order"] and row["new"] == 0 for row in found["read"].values())
    assert found["read"]["all words and numbers"]["before"] > 20 and found["changed"] == []


def test_documents_of_one_side_are_counted_and_said(folder, capsys):
    corpora.write([*CLEAN[:1], Document("110-09", "Fever")], folder / "other.jsonl", "jsonl")
    run(folder / "notes.jsonl", folder / "other.jsonl", "--json", folder / "u.json")
    said = capsys.readouterr().out.splitlines()[0]
    assert said == ("1 document compared, 0 unchanged, 1 only in the original notes, 1 only in the release")
    found = json.loads((folder / "u.json").read_text())["documents"]
    assert (found["only_original"], found["only_released"]) == (1, 1)


@pytest.mark.parametrize("ids", [("random", "--map"), ("keyed", "--map"), ("keyed", "--key-file")])
def test_new_ids_are_found_by_their_map_or_key(ids, folder, capsys):
    kind, option = ids
    key = folder / "key"
    key.write_bytes(SECRET)
    key.chmod(0o600)
    secret = [option, folder / "map", "--map-key", key] if option == "--map" else [option, key]
    plan = ["--new-ids", kind, "--spans", "gold", "--out", folder / "new.jsonl", "--by", "patient", *secret]
    redact([str(argument) for argument in (folder / "notes.jsonl", *plan)])
    assert "no id in both; for a release with new ids" in fail(
        capsys, folder / "notes.jsonl", folder / "new.jsonl"
    )
    run(folder / "notes.jsonl", folder / "new.jsonl", *secret)
    assert capsys.readouterr().out.startswith("2 documents compared, 2 unchanged\n")


def test_a_table_whose_ids_are_codes_is_compared_by_its_order(folder, capsys):
    corpora.write(NOTES, folder / "notes.csv", "table")
    redact([str(folder / "notes.csv"), "--spans", "gold", "--out", str(folder / "clean.csv")])
    run(folder / "notes.csv", folder / "clean.csv", "--by-order")
    assert "2 documents compared, 2 unchanged" in capsys.readouterr().out
    corpora.write(CLEAN[:1], folder / "short.csv", "table")
    said = fail(capsys, folder / "notes.csv", folder / "short.csv", "--by-order")
    assert "--by-order: 2 original and 1 released notes; wanted as many" in said


def test_a_patient_found_in_the_id_has_intervals_between_notes(folder):
    for name, notes in (("a.jsonl", NOTES), ("b.jsonl", CLEAN)):
        corpora.write([Document(note.id, note.text) for note in notes], folder / name, "jsonl")
    pattern = ["--patient-from", r"^(\d+)-"]
    for option, pairs in (([], 0), (pattern, 2)):
        run(folder / "a.jsonl", folder / "b.jsonl", "--json", folder / "u.json", *option)
        found = json.loads((folder / "u.json").read_text())["intervals"]["in_two_notes_of_a_patient"]
        assert (found["days"], found["same_days"]) == (pairs, pairs)


def test_a_folder_of_each_patient_is_read_as_redact_reads_it(folder):
    """The release is one folder, in which the ids begin with the names of the patients' folders."""
    for patient, notes in (("p7", NOTES), ("p8", [Document("1", "Fever on 3/7/2061")])):
        corpora.write(notes, folder / "notes" / patient, "text")
    (folder / "notes" / "p7" / ".hidden").write_text("Okafor")
    pattern = ["--patient-from", "folder"]
    redact([str(folder / "notes"), "--model", "rules", "--seed", "1", "--out", str(folder / "out"), *pattern])
    run(folder / "notes", folder / "out", "--json", folder / "u.json", *pattern)
    found = json.loads((folder / "u.json").read_text())
    assert found["documents"]["compared"] == 3 and found["documents"]["only_released"] == 0
    assert found["intervals"]["in_two_notes_of_a_patient"]["same_days"] == 2


def test_a_date_that_proves_the_order_counts_for_the_patient(folder):
    """The day is first, which only one note shows: 7/3 moves to 8/3, a day and not a month."""
    before = [Document("1", "on 25/12/2061", (), "p"), Document("2", "on 7/3/2061, 9/3/2061", (), "p")]
    after = [Document("1", "on 26/12/2061", (), "p"), Document("2", "on 8/3/2061, 10/3/2061", (), "p")]
    for name, notes in (("a.jsonl", before), ("b.jsonl", after)):
        corpora.write(notes, folder / name, "jsonl")
    run(folder / "a.jsonl", folder / "b.jsonl", "--json", folder / "u.json")
    found = json.loads((folder / "u.json").read_text())["intervals"]
    assert [pairs["same_days"] for pairs in found.values()] == [1, 2]


BAD = {
    "no file": (["nowhere", "clean.jsonl"], "nowhere"),
    "no common id": (["notes.jsonl", "other.jsonl"], "no common documents: 2 original and 1 released"),
    "a key without a map": (["notes.jsonl", "clean.jsonl", "--map-key", "key"], "--map is missing"),
    "an order and a map": (["notes.jsonl", "clean.jsonl", "--by-order", "--map", "m"], "choose one"),
    "no map": (["notes.jsonl", "clean.jsonl", "--map", "nowhere", "--map-key", "key"], "nowhere"),
    "a pattern": (["notes.jsonl", "clean.jsonl", "--patient-from", "("], "no regular expression"),
    "another format": (["notes.jsonl", "clean.jsonl", "--from", "jsnl"], "did you mean jsonl?"),
    "broken": (["notes.jsonl", "broken.jsonl"], "broken.jsonl"),
    "an id twice": (["twice.jsonl", "clean.jsonl"], "occurs twice"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_line_and_status_2_without_a_word_of_a_note(name, folder, capsys, key, monkeypatch):
    monkeypatch.chdir(folder)
    corpora.write([Document("Okafor", "Lindqvist")], folder / "other.jsonl", "jsonl")
    line = json.dumps({"id": "Okafor", "text": "Lindqvist", "spans": []}) + "\n"
    (folder / "broken.jsonl").write_text(line[:-9])
    (folder / "twice.jsonl").write_text(line * 2)
    arguments, wanted = BAD[name]
    said = fail(capsys, *arguments)
    assert wanted in said and not re.search("okafor|lindqvist|lasix", said, re.IGNORECASE)


def outputs(folder, before, after, capsys):
    """All that the verb writes about a release: both streams, the JSON and the page."""
    for name, notes in (("before.jsonl", before), ("after.jsonl", after)):
        corpora.write(notes, folder / name, "jsonl", overwrite=True)
    files = folder / "u.json", folder / "u.html"
    run(folder / "before.jsonl", folder / "after.jsonl", "--json", files[0], "--html", files[1])
    said = capsys.readouterr()
    texts = [said.out, said.err, *(file.read_text() for file in files)]
    return [text.replace(hash_documents(after), "HASH") for text in texts]


def test_no_word_of_a_note_leaves(folder, capsys):
    """Other words with the same counts give the same bytes, except the hash of the release; no id that may
    be a name is shown."""
    other = {
        "Okafor": "Marquez", "Lindqvist": "Devereux", "Lasix": "Prilosec", "Brzezinska": "Halvorsen",
        "fever": "cough", "Pneumonia": "Asthma", "40 mg": "35 cc",
    }  # fmt: skip
    pattern = re.compile("|".join(other))

    def swap(note, id=None):
        return Document(id or note.id, pattern.sub(lambda m: other[m[0]], note.text), (), note.patient)

    named = [[Document("Okafor Ada", notes[0].text, (), "110"), notes[1]] for notes in (NOTES, CLEAN)]
    swapped = [[swap(notes[0], "Marquez Bo"), swap(notes[1])] for notes in (NOTES, CLEAN)]
    first, second = (outputs(folder, *sides, capsys) for sides in (named, swapped))
    assert first == second
    assert "number 1" in first[0]
    assert not any(word.lower() in text.lower() for word in other for text in first if not word[0].isdigit())


@pytest.fixture
def counted(folder):
    """A release with its report and its counts."""
    files = "--out", folder / "out.jsonl", "--report", folder / "r.json", "--spans", "gold", "--seed", "1"
    redact([str(argument) for argument in (folder / "notes.jsonl", *files)])
    run(folder / "notes.jsonl", folder / "out.jsonl", "--json", folder / "u.json")
    return folder


def test_the_page_that_people_sign_has_the_counts(counted):
    arguments = [str(counted / "r.json"), "--overwrite", "--out", str(counted / "page.html")]
    release(arguments)
    assert NO_COUNTS in (counted / "page.html").read_text()
    release([*arguments, "--utility", str(counted / "u.json")])
    page = (counted / "page.html").read_text()
    assert '<th scope="row">negations</th><td>1</td><td>1</td>' in page and NO_COUNTS not in page
    assert "2 documents compared, 2 unchanged" in page


CHANGES = {
    "another release": ({"release": "7f"}, "is of another release; wanted the counts of this one"),
    "no hash": ({"release": None}, "no release; wanted the counts that utility --json writes"),
    "a text": ({"read": {"drugs": {"before": "Okafor"}}}, "counts are missing or not numbers"),
    "another text": ({"changed": ["Okafor"]}, "counts are missing or not numbers"),
    "no ages": ({"ages": 7}, "no ages"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_counts_of_another_release_or_without_numbers_are_refused(name, counted, capsys):
    change, wanted = CHANGES[name]
    (counted / "u.json").write_text(json.dumps(json.loads((counted / "u.json").read_text()) | change))
    arguments = [counted / "r.json", "--out", counted / "page.html", "--utility", counted / "u.json"]
    capsys.readouterr()
    said = fail(capsys, *arguments, verb=release)
    assert wanted in said and "Okafor" not in said and not (counted / "page.html").exists()


def test_a_share_is_100_percent_only_of_all():
    assert [show_share(*counts) for counts in ((1999, 2000), (2000, 2000), (1, 3), (0, 0))] == [
        "99.9%", "100.0%", "33.3%", "-",
    ]  # fmt: skip


PAGE = files.PACKAGE.parent / "docs" / "utility.md"


def read_shares(table):
    """The names of the rows of a table with the first share of each."""
    rows = (re.split(r"  +", line.strip()) for line in table.splitlines() if line.strip())
    return {name: next((float(cell[:-1]) for cell in cells if "%" in cell), None) for name, *cells in rows}


@pytest.mark.slow
def test_the_example_of_the_page_is_what_its_commands_give(tmp_path, capsys, monkeypatch):
    """The figures may differ a little, because surrogates change with the lists that they are drawn from."""
    monkeypatch.chdir(tmp_path)
    commands, shown = re.findall(r"^```(?:sh)?\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)[:2]
    for line in commands.splitlines():
        capsys.readouterr()
        face.main(shlex.split(line)[1:])
    said, wanted = read_shares(capsys.readouterr().out), read_shares(shown)
    places = list(wanted)[: list(wanted).index("documents that changed most")]
    assert places == list(said)[: len(places)]
    assert [name for name in places if wanted[name] and abs(wanted[name] - said[name]) > 3] == []
    assert (tmp_path / "utility.html").exists() and (tmp_path / "utility.json").exists()
