"""A system that plays a reader is named, hard plants measure readers, and a rehearsal marks what stands."""

from random import Random

import pytest
from small_release import draw, read_notes, write_release

from crfdeid import corpora
from crfdeid.certify.__main__ import main
from crfdeid.certify.readers import NoteCounts, compare_mistakes, list_hard, list_mistakes, list_systems
from crfdeid.certify.reading_copy import Plant, draw_plants, make_reading_copy
from crfdeid.certify.rehearse import mark_leaks
from crfdeid.certify.sample_size import Aim
from crfdeid.certify.sampling import Unit
from crfdeid.certify.statement import make_statement
from crfdeid.certify.store import SampleFrame, SampleStore
from crfdeid.systems import model
from crfdeid.text.document import Document, Span

pytestmark = pytest.mark.usefixtures("models_once")


def make_note(number: int, text: str = "Seen by Dr. Ruiz on 3/4/2061.") -> Document:
    spans = (Span(12, 16, "DOCTOR"), Span(20, 28, "DATE"))
    return Document(f"n-{number}", text, spans)


@pytest.mark.parametrize(
    "mark, mistakes",
    [
        ((), {("n-1", 12, 16)}),  # the plant is missed
        ((Span(12, 16, "DOCTOR"),), set()),
        ((Span(8, 16, "DOCTOR"),), {("n-1", 12, 16)}),  # not its edges
        ((Span(12, 16, "PATIENT"), Span(0, 4, "CITY")), {("n-1", 0, 4)}),  # a mark beside it
    ],
)
def test_mistakes_are_missed_plants_and_marks_beside_them(mark, mistakes):
    copy = make_reading_copy(make_note(1), [Plant("n-1", 0)])
    assert list_mistakes({"n-1": copy}, {"n-1": mark}) == mistakes


@pytest.mark.parametrize("shared, is_like", [(10, True), (8, True), (7, False), (0, False)])
def test_a_reader_with_the_mistakes_of_a_system_is_one(shared, is_like):
    copies = {f"n-{n}": make_reading_copy(make_note(n), [Plant(f"n-{n}", 0)]) for n in range(12)}
    system = {f"n-{n}": (Span(12, 16, "DOCTOR"),) for n in range(10, 12)}  # misses ten of twelve
    reader = {id: (Span(12, 16, "DOCTOR"),) for id in [*copies][shared:]}
    found = compare_mistakes(copies, reader, system, "ann", "rules")
    assert (found is not None) == is_like
    if found:
        assert (found.reader, found.system, found.shared, found.mistakes) == ("ann", "rules", shared, 10)


@pytest.mark.parametrize("missed, is_like", [(0, False), (1, False), (2, True), (4, True)])
def test_a_reader_who_finds_what_a_system_misses_is_a_person(missed, is_like):
    """A good reader marks the real leaks that a good system finds too, and the plants that it misses."""
    copies = {f"n-{n}": make_reading_copy(make_note(n), [Plant(f"n-{n}", 0)]) for n in range(40)}
    leak, plant = Span(0, 4, "PATIENT"), Span(12, 16, "DOCTOR")
    system = {id: (leak,) if number < 4 else (leak, plant) for number, id in enumerate(copies)}
    reader = {id: (leak,) if number < missed else (leak, plant) for number, id in enumerate(copies)}
    assert (compare_mistakes(copies, reader, system, "ann", "english") is not None) == is_like


def test_few_mistakes_tell_nothing():
    copies = {"n-1": make_reading_copy(make_note(1), [Plant("n-1", 0)])}
    assert compare_mistakes(copies, {}, {}, "ann", "rules") is None


def test_the_systems_are_the_rules_and_the_shipped_models():
    assert list_systems(["mine"])[:3] == ["mine", "rules", "english"]
    assert "english+rules" in list_systems()


def test_half_of_the_plants_are_hard_ones():
    notes = [make_note(number) for number in range(40)]
    plants = draw_plants(notes, 20, 3, hard={note.id: frozenset({1}) for note in notes[:15]})
    assert sum(plant.hard for plant in plants) >= 10 and len({plant.id for plant in plants}) == 20
    assert all(plant.hard == (plant.span == 1 and int(plant.id[2:]) < 15) for plant in plants)


@pytest.mark.slow
def test_small_letters_and_ordinary_words_are_hard_to_see():
    note = Document("n", "Saw ruiz, Mr. Young and Dr. Wojciechowski.", ())
    spans = [Span(4, 8, "PATIENT"), Span(14, 19, "PATIENT"), Span(28, 41, "DOCTOR")]
    assert {0, 1} <= list_hard([note.with_spans(spans)])["n"]


@pytest.mark.slow
def test_the_marks_of_a_system_are_no_evidence(tmp_path, capsys):
    """The attack of a newcomer: redact by rules, then let the rules read."""
    text = "Seen by Dr. Ruiz on 3/4/2061. Young Mercy, of Bath, saw mary field."
    missed = Span(text.index("mary"), text.index("field") + 5, "PATIENT")  # by the rules
    notes = [make_note(number, text) for number in range(130)]
    notes = [note.with_spans([*note.spans, missed]) for note in notes]
    corpora.write(notes, tmp_path / "clean.jsonl", "jsonl")
    draw(tmp_path)
    read = list(corpora.read(tmp_path / "reading.jsonl"))
    corpora.write(model.load("rules").tag_all(read), tmp_path / "bob.jsonl", "jsonl")
    state = ["state", str(tmp_path / "study.json"), str(tmp_path / "clean.jsonl")]
    main([*state, f"--reader=bob={tmp_path / 'bob.jsonl'}"])
    printed = capsys.readouterr().out
    first = next(line for line in printed.splitlines() if "EVIDENCE" in line or "What this" in line)
    assert first.startswith("NOT EVIDENCE: the marks of bob come from the system rules")
    assert "not shown" in printed


@pytest.mark.slow
def test_people_are_not_taken_for_a_system(tmp_path, capsys):
    write_release(tmp_path)
    draw(tmp_path)
    main(
        [
            "state",
            str(tmp_path / "study.json"),
            str(tmp_path / "clean.jsonl"),
            read_notes(tmp_path, "ann", 0.9),
        ]
    )
    assert "NOT EVIDENCE" not in capsys.readouterr().out


def test_a_rehearsal_marks_plants_and_gold_that_stands():
    gold = Document(
        "n-1", "Seen by Dr. Cox on 1/2/2060 with Ann.", (Span(12, 15, "DOCTOR"), Span(33, 36, "PATIENT"))
    )
    copy = make_reading_copy(make_note(1, "Seen by Dr. Ruiz on 3/4/2061 with Ann."), [Plant("n-1", 0)])
    marked = mark_leaks(copy, gold, 1, Random(1))
    assert [marked.text_of(span) for span in marked.spans] == ["Ruiz", "Ann"]
    assert mark_leaks(copy, gold, 0, Random(1)).spans == ()


@pytest.mark.slow
def test_the_bound_holds_where_leaks_are_harder_than_easy_plants():
    """Readers find 95% of the easy plants and 70% of the hard ones and of the leaks; 4% of the spans leak."""
    share, notes, spans, held = 0.04, 150, 12, 0
    for seed in range(300):
        rng = Random(seed)
        held += bound_leaks(rng, share, notes, spans) >= share
    assert held >= 0.95 * 300


def bound_leaks(rng: Random, share: float, notes: int, spans: int) -> float:
    counts, plants = [], 60
    for number in range(notes):
        leaks = sum(rng.random() < share for _ in range(spans))
        found = ("DATE",) * sum(rng.random() < 0.7 for _ in range(leaks))
        is_hard = number % 2 == 1
        seen = frozenset({"ann"} if rng.random() < (0.7 if is_hard else 0.95) else ())
        here = ((seen,), (is_hard,)) if number < plants else ((), ())
        counts.append(NoteCounts(("ann",), ("DATE",) * (spans - leaks), found, *here))
    units = [Unit(f"n-{number}", f"p-{number}", "") for number in range(notes)]
    frame = SampleFrame(notes, notes, {"": notes}, [], {})
    store = SampleStore(Aim(), 1.0, 1, "", frame, tuple(units), ())
    corrected = make_statement(store, units, counts).spans_missed.corrected
    assert corrected is not None
    return corrected
