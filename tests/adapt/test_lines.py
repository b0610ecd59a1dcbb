"""Lines that repeat in notes which nobody has corrected."""

import json

import pytest

from crfdeid import corpora
from crfdeid.adapt import choose
from crfdeid.adapt.__main__ import main
from crfdeid.errors import DocumentError
from crfdeid.systems import model
from crfdeid.systems.model import SITE_LINES, SITE_TERMS
from crfdeid.systems.repeated_lines import RepeatedLines
from crfdeid.text.document import Document, Span

KEY = "=ATT / / Aa [ 9 . 9 . 9 ] =AGE = 9"  # of the first line of the site's notes
NAMES = ("Ruiz", "Oda", "Quimby", "Voss", "Bly", "Roe", "Orr", "Weber")


def write_head(number):
    """A head whose name the small model finds, and whose date it finds in some notes."""
    return Document(f"h{number}", f"Seen by Dr. {NAMES[number]} on 3/4/2061.\n", (), f"p{number}")


@pytest.fixture(scope="module")
def lined(before, tmp_path_factory):
    """The folder of the model with lines, and what was printed is not looked at."""
    place = tmp_path_factory.mktemp("lined")
    corpora.write([write_head(number) for number in range(8)], place / "notes.jsonl", "jsonl")
    options = ["--unlabelled", str(place / "notes.jsonl"), "--model", str(before.folder)]
    main([*options, "--k", "4", "--out", str(place / "site")])
    return place


def test_the_lines_are_in_the_folder_with_words_of_k_patients_only(lined):
    kept = json.loads((lined / "site" / SITE_LINES).read_text())
    assert set(kept["words"]) == {"Seen", "by", "Dr", "on"}
    [(key, marks)] = kept["lines"].items()
    assert key == "=Seen =by =Dr . Aa =on 9 / 9 / 9 ." and [4, 4, "DOCTOR"] in marks
    written = (lined / "site" / "CARD.md").read_text() + (lined / "site" / "manifest.json").read_text()
    assert "Lines that repeat in the unlabelled notes: 1, each of at least 4 patients" in written and not [
        name for name in NAMES if name in written
    ]


def test_a_model_with_lines_finds_them_by_itself_and_with_a_list(before, lined, tmp_path):
    tagger = model.load(lined / "site")
    assert tagger.fingerprint != before.fingerprint
    line = json.loads((lined / "site" / SITE_LINES).read_text())["lines"]
    note = Document("n", "Seen by Dr. Zzyzx on 7/8/2061.\n")
    [marks] = line.values()
    assert [span.type for span in tagger.tag(note).spans] == [type for _, _, type in marks]
    step = model.load_site(lined / "site")
    assert [span.type for span in step(note).spans] == [type for _, _, type in marks]
    (tmp_path / SITE_TERMS).write_text("USERNAME Zzyzx\n")
    (tmp_path / SITE_LINES).write_text((lined / "site" / SITE_LINES).read_text())
    assert "USERNAME" in [span.type for span in model.load_site(tmp_path)(note).spans]  # lists are last
    assert model.load_site(before.folder) is None


def test_notes_without_patients_are_refused_or_counted_each(before, tmp_path, capsys):
    notes = [Document(note.id, note.text) for note in map(write_head, range(8))]
    corpora.write(notes, tmp_path / "notes.jsonl", "jsonl")
    options = ["--unlabelled", str(tmp_path / "notes.jsonl"), "--model", str(before.folder)]
    with pytest.raises(DocumentError, match="8 of 8 documents have no patient to count"):
        main([*options, "--out", str(tmp_path / "site")])
    assert not (tmp_path / "site").exists()
    main([*options, "--one-note-per-patient", "--out", str(tmp_path / "site")])
    assert (
        "Lines that repeat: 1, each of 5 or more patients, in 8 notes of 8 patients"
        in capsys.readouterr().out
    )
    with pytest.raises(DocumentError, match="8 patients; wanted at least 9"):
        main([*options, "--one-note-per-patient", "--k", "9", "--out", str(tmp_path / "other")])


def write_site(place, site):
    """Eight corrected notes, and these and sixteen others, of eight patients, that nobody has corrected."""
    corpora.write(site[:8], place / "corrected.jsonl", "jsonl")
    others = [Document(f"u{n.id}", n.text.replace("120", "118"), (), f"u{n.patient}") for n in site]
    corpora.write([*(n.with_spans(()) for n in site[:8]), *others], place / "notes.jsonl", "jsonl")
    return ["--notes", str(place / "corrected.jsonl"), "--unlabelled", str(place / "notes.jsonl"), "--k", "4"]


@pytest.fixture(scope="module")
def both(before, site, tmp_path_factory):
    """A folder with the model that was adapted to corrected and to unlabelled notes, and its page."""
    place = tmp_path_factory.mktemp("both")
    options = [*write_site(place, site), "--model", str(before.folder)]
    main([*options, "--out", str(place / "site"), "--page", str(place / "gained.html")])
    return place


def test_one_command_adapts_to_corrected_notes_and_learns_the_lines_of_others(both, site):
    kept = json.loads((both / "site" / SITE_LINES).read_text())
    assert set(kept["words"]) == {"ATT", "AGE", "No", "fever", "BP"}
    assert kept["lines"] == {KEY: [[3, 3, "DOCTOR"], [5, 9, "DATE"], [13, 13, "AGE"]]}
    tagger = model.load(both / "site")
    found = list(tagger.tag_all([note.with_spans(()) for note in site]))
    assert choose.compute_f1(site, found) > 0.9
    unknown = tagger.tag(Document("n", "ATT//Zzyzx [2061.3.4] AGE=17\nNo fever; BP 120/80.\n"))
    assert [span.type for span in unknown.spans] == ["DOCTOR", "DATE", "AGE"]


def test_the_card_and_the_manifest_say_from_what_and_have_no_text(both, site):
    card = (both / "site" / "CARD.md").read_text()
    manifest = (both / "site" / "manifest.json").read_text()
    record = json.loads(manifest)["training"]
    assert record["lines"] == {"k": 4, "lines": 1, "corrected_marks": True, "kept": True}
    assert record["corpora"]["corrected"]["notes"] == 8
    assert record["corpora"]["unlabelled"]["notes"] == 16 and record["corpora"]["unlabelled"]["patients"] == 8
    assert record["adapted"]["way"].endswith(", then lines that repeat")
    assert f"| **{record['adapted']['way']}** |" in card and "They stay: on the corrected notes" in card
    written = card + manifest + (both / "site" / SITE_LINES).read_text()
    assert not [note.id for note in site if note.text_of(note.spans[0]) in written]
    assert "ATT//" in (both / "gained.html").read_text()


def test_lines_that_do_harm_on_the_corrected_notes_are_left_out(before, site, tmp_path, monkeypatch, capsys):
    wrong = RepeatedLines(frozenset(["ATT", "AGE"]), {KEY: ((0, 13, "DATE"),)})
    monkeypatch.setattr(choose, "learn_lines", lambda *_: wrong)
    options = [*write_site(tmp_path, site), "--model", str(before.folder)]
    main([*options, "--out", str(tmp_path / "site")])
    said = capsys.readouterr().out
    assert ", then lines that repeat |" in said and ", then lines that repeat** |" not in said
    assert "1, each of 4 or more patients, with the marks of the corrected notes. They are left out" in said
    assert not (tmp_path / "site" / SITE_LINES).exists()
    record = json.loads((tmp_path / "site" / "manifest.json").read_text())["training"]
    assert not record["lines"]["kept"] and "lines" not in record["adapted"]["way"]


def test_the_lines_of_a_fold_are_of_other_patients(before, site, monkeypatch):
    choice, seen = choose.adapt(before, site[:8]), []
    learn = choose.learn_lines
    monkeypatch.setattr(choose, "learn_lines", lambda *given: seen.append(given) or learn(*given))
    others = [Document(f"u{note.id}", f"{note.text}Well.\n", (), note.patient) for note in site]
    choose.add_lines(choice, others, 3)
    assert len(seen) == 2 * (len(choice.folds) + 1)
    for fold, (notes, _, right) in zip(choice.folds, seen):
        patients = {note.patient for note in fold.inside}
        assert patients and not patients & {note.patient for note in [*notes, *right]}
        assert {note.patient for note in right} == {note.patient for note in fold.rest}


def test_lines_are_no_worse_where_as_much_is_covered_and_f1_is_not_lower(site):
    less = [site[0].with_spans(site[0].spans[1:]), *site[1:]]
    wide = [site[0].with_spans([Span(0, len(site[0].text), "DATE")]), *site[1:]]
    assert choose.is_no_worse(site, site, site) and choose.is_no_worse(site, less, site)
    assert not choose.is_no_worse(site, site, less) and not choose.is_no_worse(site, site, wide)


def test_corrected_notes_without_a_patient_are_refused_or_counted_each(before, site, tmp_path, capsys):
    options = [*write_site(tmp_path, site), "--model", str(before.folder), "--out", str(tmp_path / "site")]
    unnamed = [Document(note.id, note.text, note.spans) for note in site[:8]]
    corpora.write(unnamed, tmp_path / "corrected.jsonl", "jsonl", overwrite=True)
    with pytest.raises(DocumentError, match="8 of 32 documents have no patient to count"):
        main(options)
    assert not (tmp_path / "site").exists()
    main([*options, "--one-note-per-patient"])
    assert "to 8 notes of 8 patients" in capsys.readouterr().out
