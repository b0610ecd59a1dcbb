"""draw and state through the command line: figures, refusals, and the same bytes again."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from small_release import CANARY, draw, make_note, read_notes, write_release

from crfdeid import corpora
from crfdeid.certify import bounds
from crfdeid.certify import state as state_verb
from crfdeid.certify.__main__ import main
from crfdeid.certify.reading_copy import Allowed, draw_plants, make_reading_copy
from crfdeid.certify.sampling import Unit, draw_sample
from crfdeid.certify.store import name_ledger, read_store, render_store, seal_marks
from crfdeid.errors import CrfdeidError

pytestmark = pytest.mark.usefixtures("only_the_rules")


@pytest.fixture
def release(tmp_path):
    return write_release(tmp_path)


def state(folder, *options):
    main(["state", str(folder / "study.json"), str(folder / "clean.jsonl"), *options])


def read_statement(folder, *options):
    state(folder, *options, f"--out={folder / 'statement.json'}", "--overwrite")
    return json.loads((folder / "statement.json").read_text())


def test_the_sample_is_random_and_every_stratum_has_its_share():
    frame = [Unit(f"{n}", f"p{n // 3}", "a" if n < 300 else "b") for n in range(1000)]
    drawn = draw_sample(frame, 100, 1)
    assert len({unit.id for unit in drawn}) == 100
    assert sum(unit.stratum == "a" for unit in drawn) in (29, 30, 31)
    assert drawn == draw_sample(frame[::-1], 100, 1) != draw_sample(frame, 100, 2)


def test_each_note_has_the_same_chance():
    frame = [Unit(f"{n}", f"p{n // 5}", "a" if n < 13 else "b") for n in range(50)]
    counts = dict.fromkeys((unit.id for unit in frame), 0)
    for seed in range(3000):
        for unit in draw_sample(frame, 20, seed):
            counts[unit.id] += 1
    assert max(abs(count / 3000 - 0.4) for count in counts.values()) < 4 * (0.24 / 3000) ** 0.5


def test_readers_see_markers_and_plants_and_no_other_surrogate(release, tmp_path):
    draw(tmp_path, "--plants", "60")
    store, shown = read_store(tmp_path / "study.json"), list(corpora.read(tmp_path / "reading.jsonl"))
    assert len(shown) == 120 and not any(note.spans for note in shown)
    assert sum(note.text.count("Ruiz") + note.text.count("3/4/2061") for note in shown) == 60
    assert len(store.plants) == 60 and len({plant.id for plant in store.plants}) == 60
    assert "Ruiz" not in (tmp_path / "study.json").read_text()
    assert os.stat(tmp_path / "study.json").st_mode & 0o077 == 0


def test_a_release_with_markers_gets_invented_plants(tmp_path):
    write_release(tmp_path, markers=True)
    draw(tmp_path)
    shown = [note.text for note in corpora.read(tmp_path / "reading.jsonl")]
    assert sum("[DOCTOR]" not in text or "[DATE]" not in text for text in shown) == 60
    assert not any("[**" in text for text in shown)


def test_a_reading_copy_knows_where_its_plants_are(release):
    (note, *_) = corpora.read(release)
    (plant,) = draw_plants([note], 1, 5)
    copy = make_reading_copy(note, [plant])
    (span,) = copy.plants
    assert copy.document.text_of(span) in ("Ruiz", "3/4/2061")
    assert copy.document.text_of(copy.masks[0]) in ("[DOCTOR]", "[DATE]")


def test_the_statement_has_the_three_bounds_and_the_readers(release, tmp_path):
    store = read_store(draw(tmp_path))
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 1), read_notes(tmp_path, "bob", 0.8))
    leaks = sum(unit.id in ("n-000", "n-001") for unit in store.sample)
    assert (said["notes"], said["misses"], said["leaking_notes"], said["masked"]) == (120, leaks, leaks, 240)
    ann, bob = said["readers"]
    assert ann["found"] == 60 and 40 <= bob["found"] <= 56 and said["together"]["found"] == 60
    assert said["together"]["below"] == pytest.approx(bounds.bound_share_below(60, 60, 0.975))
    assert said["notes_with_leak"]["as_read"] == pytest.approx(bounds.bound_share_above(leaks, 120))
    corrected = bounds.bound_share_above(leaks, 120, 0.975) / said["together"]["below"]
    assert said["notes_with_leak"]["corrected"] == pytest.approx(corrected)
    plain = bounds.bound_share_above(leaks, 0.85 * 240 + leaks)
    assert said["spans_missed"]["as_read"] >= plain
    assert said["misses_per_1000_notes"]["as_read"] >= 1000 * bounds.bound_mean_above(leaks, 120)
    assert {group["name"] for group in said["types"]} == {"DOCTOR", "DATE"}


def test_no_bound_is_null_in_json(release, tmp_path):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    draw(tmp_path)
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 0))
    json.loads((tmp_path / "statement.json").read_text(), parse_constant=refuse)
    assert (said["together"]["found"], said["together"]["plants"]) == (0, 60)
    assert said["misses_per_1000_notes"]["corrected"] is None and not said["is_shown"]
    assert said["notes_with_leak"]["corrected"] == said["spans_missed"]["corrected"] == 1


def test_the_same_store_gives_the_same_bytes(release, tmp_path, capsys):
    draw(tmp_path)
    outs = [f"--out={tmp_path / name}" for name in ("s.txt", "s.json", "s.html")]
    state(tmp_path, read_notes(tmp_path, "ann", 0.9), *outs)
    first = [(tmp_path / name).read_bytes() for name in ("s.txt", "s.json", "s.html")]
    state(tmp_path, *outs, "--overwrite")
    assert [(tmp_path / name).read_bytes() for name in ("s.txt", "s.json", "s.html")] == first
    assert b"evidence for an expert" in first[0] and b"evidence for an expert" in first[2]
    assert not any(CANARY.encode() in content for content in first)
    assert CANARY not in (tmp_path / "study.json").read_text()


def test_the_page_begins_with_its_bound_and_ends_with_the_hashes(release, tmp_path):
    draw(tmp_path)
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 0.9))
    state(tmp_path, f"--out={tmp_path / 's.html'}")
    page = (tmp_path / "s.html").read_text()
    body = page.partition("<h1>")[2]
    bound = f"{said['spans_missed']['corrected']:.2%}"
    assert (
        body.index(f"At most {bound} of the PHI spans are missed") < body.index("<svg") < body.index("<table")
    )
    assert body.index("What was read, and by whom") < body.index("Reader ann") < body.index("<footer>")
    assert said["draw"]["release"] not in body.partition("<footer>")[0] and "<pre" not in page
    assert said["draw"]["release"] in body.partition("<footer>")[2]


def test_the_same_seed_draws_the_same_study(tmp_path):
    stores = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_release(tmp_path / name)
        stores.append(draw(tmp_path / name).read_bytes())
    assert stores[0] == stores[1]


def test_strata_are_compared(release, tmp_path):
    draw(tmp_path, f"--strata={tmp_path / 'sites.csv'}", "--by=site,year")
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 1))
    assert {group["name"]: group["notes"] for group in said["strata"]} == {
        "north · 2020": 90,
        "south · 2020": 30,
    }


def test_what_a_policy_keeps_is_shown_and_not_counted(release, tmp_path, capsys):
    """The limited data set keeps dates."""
    store = read_store(draw(tmp_path, "--policy=limited_data_set"))
    shown = [note.text for note in corpora.read(tmp_path / "reading.jsonl")]
    assert all("3/4/2061" in text and "[DATE]" not in text for text in shown)
    assert {plant.span for plant in store.plants} == {0}  # a doctor
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 1))  # who marks the dates
    assert (said["misses"], said["masked"]) == (said["leaking_notes"], 120)
    kept = "PHI that the policy limited_data_set keeps is neither masked nor counted"
    assert kept in capsys.readouterr().out


def test_a_store_of_an_earlier_version_masks_what_may_stay(release, tmp_path):
    (note, *_) = corpora.read(release)
    shown = make_reading_copy(note, [], Allowed(("DOCTOR",)))
    assert "[DOCTOR]" in shown.document.text
    found = json.loads(draw(tmp_path).read_text())
    assert not {"policy", "shows_kept"} & found.keys() and {"drawn", "has_chosen_seed"} <= found.keys()
    for key in ("drawn", "has_chosen_seed"):
        del found[key]
    (tmp_path / "old.json").write_text(json.dumps(found))
    old = read_store(tmp_path / "old.json")
    assert (old.drawn, old.has_chosen_seed) == ("", False) and "drawn" not in render_store(old)


def test_a_statement_says_when_how_and_how_often_a_sample_was_drawn(release, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    store = read_store(draw(tmp_path))
    ledger = name_ledger(release)
    other = {"release": store.release, "store": "f" * 64, "time": "1970-01-01"}
    ledger.write_text(json.dumps([other, *json.loads(ledger.read_text())]))
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 1))
    out = capsys.readouterr().out
    own = store.fingerprint[:12]
    line = "Drawn on 1970-01-02 with seed 7, which a person chose; draw 2 of 2 in the list of the release"
    assert f"{line}: {own}." in out and "Other draws: 1970-01-01 ffffffffffff." in out
    assert [each["time"] for each in said["draws"]] == ["1970-01-01", "1970-01-02"]
    assert said["draw"]["has_chosen_seed"] and said["draw"]["drawn"] == "1970-01-02"


def test_the_bound_for_notes_comes_first_and_templates_are_a_limit(release, tmp_path, capsys):
    draw(tmp_path)
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 1))
    lines = capsys.readouterr().out.partition("What this release still holds")[2].splitlines()
    assert lines[2].startswith(f"At most {said['notes_with_leak']['corrected']:.2%} of the notes hold a leak")
    assert any("plan and draw with --effect 20" in line for line in lines)


def test_notes_without_a_patient_are_no_patients(tmp_path, capsys):
    notes = [replace(make_note(each, int(each < 2)), patient=None) for each in range(160)]
    corpora.write(notes, tmp_path / "clean.jsonl", "jsonl")
    draw(tmp_path)
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 1))
    state(tmp_path, f"--out={tmp_path / 's.html'}")
    words = re.sub(r"<[^>]+>", " ", (tmp_path / "s.html").read_text().partition("<body")[2])
    assert not re.search(r"patients\s+0|0 patients|(\d+) of \1 patients", words)
    assert said["patients"] == said["draw"]["frame"]["patients"] == 0
    out = capsys.readouterr().out
    assert "160 notes, which name no patient" in out and "of 120 patients" not in out


def test_types_that_may_stay_are_not_leaks(release, tmp_path):
    draw(tmp_path, "--allowed=DOCTOR")
    assert all("Dr. Ruiz" in note.text for note in corpora.read(tmp_path / "reading.jsonl"))
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 1))
    assert (said["misses"], said["masked"], said["together"]["found"]) == (0, 120, 60)


def test_two_looks_read_half_each_and_share_the_error(release, tmp_path):
    draw(tmp_path, "--looks", "2")
    said = read_statement(tmp_path, read_notes(tmp_path, "ann", 1))
    assert (said["notes"], said["confidence"], said["together"]["plants"]) == (60, 0.975, 30)
    second = read_notes(tmp_path, "ann", 1, "reading.look2.jsonl")
    said = read_statement(tmp_path, second)
    assert (said["notes"], said["together"]["plants"]) == (120, 60)
    assert read_statement(tmp_path, second) == said
    with pytest.raises(CrfdeidError, match="2 looks planned, and taken"):
        state(tmp_path, read_notes(tmp_path, "ann", 0.5, "reading.look2.jsonl"))


def test_a_second_reading_of_the_same_look_is_refused(release, tmp_path):
    draw(tmp_path)
    state(tmp_path, read_notes(tmp_path, "ann", 1))
    with pytest.raises(CrfdeidError, match="1 look planned, and taken"):
        state(tmp_path, read_notes(tmp_path, "ann", 0.7))


def test_a_release_that_changed_is_refused(release, tmp_path):
    draw(tmp_path)
    release.write_text(release.read_text().replace(CANARY, "Somebody"))
    with pytest.raises(CrfdeidError, match="has changed since the draw"):
        state(tmp_path, read_notes(tmp_path, "ann", 1))


def test_a_second_draw_from_the_same_release_is_refused(release, tmp_path):
    draw(tmp_path).unlink()
    (tmp_path / "reading.jsonl").unlink()
    with pytest.raises(CrfdeidError, match="a sample was drawn from this release before"):
        draw(tmp_path)
    assert not (tmp_path / "study.json").exists() and not (tmp_path / "reading.jsonl").exists()


@pytest.mark.parametrize("change", ['"seed": 7', '"precision": 0.85', '"aim": 0.01'])
def test_a_store_that_was_changed_after_the_draw_is_refused(release, tmp_path, change):
    store = draw(tmp_path)
    text = store.read_text()
    assert change in text
    store.write_text(text.replace(change, change[:-1] + "3"))
    with pytest.raises(CrfdeidError, match="does not have the draw of this store|does not draw"):
        state(tmp_path, read_notes(tmp_path, "ann", 1))


def test_a_draw_that_nobody_recorded_is_refused(release, tmp_path):
    draw(tmp_path)
    name_ledger(release).unlink()
    with pytest.raises(CrfdeidError, match="does not have the draw"):
        state(tmp_path, read_notes(tmp_path, "ann", 1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--notes", "99"], "wanted 100 or more"),
        (["--notes", "161"], "161 notes of a release of 160"),
        (["--plants", "300"], "can be planted"),
        (["--precision", "0"], "wanted a share from 0.1 to 1"),
        (["--precision", "0.09"], "wanted a share from 0.1 to 1"),
        (["--policy", "limited"], "did you mean limited_data_set"),
        (["--by", "site"], "wanted both, or neither"),
    ],
)
def test_a_draw_that_would_prove_nothing_is_refused(release, tmp_path, options, message):
    with pytest.raises(CrfdeidError, match=message):
        draw(tmp_path, *options)
    assert not (tmp_path / "study.json").exists()


def test_a_small_release_is_refused(tmp_path):
    write_release(tmp_path, number=99)
    with pytest.raises(CrfdeidError, match="a release of 99 notes; wanted 100 or more"):
        draw(tmp_path)


def test_notes_that_tuned_the_model_are_refused(release, tmp_path):
    tuned = tmp_path / "train.jsonl"
    corpora.write(list(corpora.read(release))[3:5], tuned, "jsonl")
    with pytest.raises(CrfdeidError, match="2 of 160 notes of the release tuned the model"):
        draw(tmp_path, f"--tuned={tuned}")


def test_a_reader_must_read_all_notes_of_the_sample_as_they_were(release, tmp_path):
    draw(tmp_path)
    option = read_notes(tmp_path, "ann", 1)
    path = tmp_path / "ann.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))
    with pytest.raises(CrfdeidError, match="1 of 120 notes of the sample are missing"):
        state(tmp_path, option)
    path.write_text("".join(lines).replace("Seen", "Gone"))
    with pytest.raises(CrfdeidError, match="has another text"):
        state(tmp_path, option)


def test_no_error_quotes_a_note(release, tmp_path):
    draw(tmp_path)
    option = read_notes(tmp_path, "ann", 1)
    (tmp_path / "ann.jsonl").write_text((tmp_path / "ann.jsonl").read_text().replace(CANARY, CANARY + "x"))
    command = [sys.executable, "-m", "crfdeid.certify", "state", tmp_path / "study.json", release, option]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2 and ended.stderr.count("\n") == 1 and CANARY not in ended.stderr


def edit_store(path, change):
    found = json.loads(path.read_text())
    change(found)
    path.write_text(json.dumps(found))


@pytest.mark.parametrize(
    ("change", "number"),
    [
        (lambda found: found["looks"][0]["bob"].clear(), 2),
        (lambda found: next(iter(found["looks"][0]["ann"].values())).append([0, 4, "DATE"]), 1),
        (lambda found: found["looks"][0].update(cat={}), 3),
        (lambda found: found["looks"][0].pop("bob"), 2),
    ],
)
def test_marks_that_were_edited_after_a_look_are_refused(release, tmp_path, change, number):
    path = draw(tmp_path)
    state(tmp_path, read_notes(tmp_path, "ann", 0.9), read_notes(tmp_path, "bob", 0.8))
    state(tmp_path)
    edit_store(path, change)
    with pytest.raises(
        CrfdeidError, match=f"marks of reader {number} .by name. at look 1 .* edited"
    ) as refused:
        state(tmp_path)
    assert CANARY not in str(refused.value) and "\n" not in str(refused.value)
    with pytest.raises(CrfdeidError, match=f"reader {number} .by name. at look 1"):
        state_verb.recount(path, release, list(corpora.read(release)), [])


def test_a_look_that_was_taken_cannot_be_taken_again_with_other_marks(release, tmp_path):
    path = draw(tmp_path)
    ann = read_notes(tmp_path, "ann", 0.9)
    state(tmp_path, ann)
    edit_store(path, lambda found: found["looks"].clear())
    with pytest.raises(CrfdeidError, match="marks of reader 1 .by name. at look 1"):
        state(tmp_path, read_notes(tmp_path, "ann", 0.5))
    state(tmp_path, read_notes(tmp_path, "ann", 0.9))  # those of before, as after an interruption


def test_marks_that_nobody_read_are_refused(release, tmp_path):
    path = draw(tmp_path)
    edit_store(path, lambda found: found["looks"].append({"ann": {}}))
    with pytest.raises(CrfdeidError, match="marks of reader 1 .by name. at look 1"):
        state(tmp_path)


def test_the_marks_of_each_look_are_chained_to_those_before(tmp_path):
    write_release(tmp_path, number=260)
    path = draw(tmp_path, "--looks", "2", "--notes", "240")
    state(tmp_path, read_notes(tmp_path, "ann", 0.9))
    (first,) = seal_marks(read_store(path))
    state(tmp_path, read_notes(tmp_path, "ann", 0.9, "reading.look2.jsonl"))
    store = read_store(path)
    assert seal_marks(store)[0] == first
    others = replace(store, looks=({"ann": {}}, store.looks[1]))
    assert all(seal_marks(others)[look]["ann"] != seal_marks(store)[look]["ann"] for look in (0, 1))
    edit_store(path, lambda found: found["looks"][0]["ann"].clear())
    with pytest.raises(CrfdeidError, match="at look 1"):
        state(tmp_path)


def test_a_list_of_draws_of_an_earlier_version_has_no_marks(release, tmp_path):
    path = draw(tmp_path)
    edit_store(name_ledger(release), lambda draws: draws[0].pop("marks"))
    state(tmp_path, read_notes(tmp_path, "ann", 0.9))
    state(tmp_path)
    edit_store(path, lambda found: found["looks"][0]["ann"].clear())
    with pytest.raises(CrfdeidError, match="marks of reader 1 .by name. at look 1"):
        state(tmp_path)


def test_a_store_of_an_earlier_version_with_marks_is_stated_again(release, tmp_path, capsys):
    draw(tmp_path)
    capsys.readouterr()
    state(tmp_path, read_notes(tmp_path, "ann", 0.9))
    said = capsys.readouterr().out
    edit_store(name_ledger(release), lambda draws: draws[0].pop("marks"))
    state(tmp_path)
    assert capsys.readouterr().out == said
    edit_store(name_ledger(release), lambda draws: draws[0].update(marks="no list"))
    with pytest.raises(CrfdeidError, match="not a list of draws"):
        state(tmp_path)
