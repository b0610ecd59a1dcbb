"""One surrogate of a doctor in the notes of all patients, on request."""

import pytest
from marked_notes import KEY, SECRET, marked, redacted, run, status

from crfdeid import corpora
from crfdeid.redact.surrogates.patient import Rules

SAME = Rules(same_doctors=True)
TEXT = (
    "Dr. <DOCTOR Chidi Okafor> saw <PATIENT Ana Ruiz>; <DOCTOR C. Okafor, MD>; <DOCTOR OKAFOR> "
    "<EMAIL okafor@x.org> <USERNAME okafor>. Okafor"
)
NOTES = [marked(TEXT, f"n{n}", str(n)) for n in range(12)]


def texts(number: int, **options) -> list[set[str]]:
    """The surrogates of span ``number`` in the notes, once for each secret."""
    made = [redacted(NOTES, bytes([seed]) * 16, **options).values() for seed in range(4)]
    return [{note.text_of(note.spans[number]) for note in notes} for notes in made]


@pytest.mark.parametrize("by_note", [False, True])
def test_a_doctor_has_one_surrogate_and_a_patient_has_many(by_note):
    for number in (0, 2, 3, 5, 6):
        assert all(len(found) == 1 for found in texts(number, rules=SAME, by_note=by_note))
        assert all(len(found) > 6 for found in texts(number, by_note=by_note))
    assert all(len(found) > 6 for found in texts(1, rules=SAME, by_note=by_note))
    assert len({*map(str, texts(0, rules=SAME, by_note=by_note))}) == 4


def test_all_mentions_of_the_doctor_agree():
    for note in redacted(NOTES, rules=SAME).values():
        first, last = note.text_of(note.spans[0]).split()
        assert note.text_of(note.spans[2]) == f"{first[0]}. {last}, MD"
        assert note.text_of(note.spans[3]) == last.upper() and note.text.endswith(f". {last}")
        assert note.text_of(note.spans[5]) == last.lower() and "kafor" not in note.text.lower()


def test_a_name_that_most_mentions_show_to_be_the_patients_stays_with_the_patient():
    note = marked("<PATIENT Ana Okafor>, Ms. <PATIENT Okafor>, Dr. <DOCTOR Okafor>", "x", "x")
    made = redacted([*NOTES, note], rules=SAME)
    own = {made["x"].text_of(span).split()[-1] for span in made["x"].spans}
    assert len(own) == 1 and own != {made["n0"].text_of(made["n0"].spans[0]).split()[-1]}


@pytest.mark.parametrize(("patients", "doctors", "shared"), [(1, 1, 0), (3, 2, 0), (1, 2, 1), (2, 3, 1)])
def test_a_name_is_a_doctors_if_more_than_half_of_its_mentions_are(patients, doctors, shared):
    text = "<PATIENT Quevixo> " * patients + "<DOCTOR Quevixo> " * doctors
    made = {
        note.text.split()[0]
        for note in redacted([marked(text, f"n{n}", str(n)) for n in range(8)], rules=SAME).values()
    }
    assert (len(made) == 1) == bool(shared)


def test_a_map_keeps_the_choice(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("CRFDEID_MAP_KEY", KEY.decode())
    corpora.write(NOTES, tmp_path / "n.jsonl", "jsonl")
    arguments = (tmp_path / "n.jsonl", "--spans", "gold", "--map", tmp_path / "map")
    run(*arguments, "--out", tmp_path / "c.jsonl", "--same-doctor-across-patients")
    assert len({note.text_of(note.spans[0]) for note in corpora.read(tmp_path / "c.jsonl")}) == 1
    assert status(*arguments, "--out", tmp_path / "d.jsonl") == 2
    assert "begun with" in capsys.readouterr().err


def test_without_the_option_nothing_changes():
    assert redacted(NOTES, SECRET, rules=Rules()) == redacted(NOTES, SECRET)
