"""Resampling against brute force, and the z-test against the thesis's own tables."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid.evaluate import evaluation, report
from crfdeid.evaluate.__main__ import choose_unit
from crfdeid.evaluate.evaluation import EvaluationOptions
from crfdeid.evaluate.leakage import sum_groups
from crfdeid.evaluate.matching import PairError, build_scored_document
from crfdeid.evaluate.significance import (
    CHUNK,
    adjust_holm,
    bootstrap,
    bootstrap_rows,
    compute_metrics,
    draw_swaps,
    draw_weights,
    find_edge_interval,
    find_exact_interval,
    randomisation_test,
    randomisation_tests,
    z_test,
)
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

SCHEME = scheme.read_scheme()

# Tafvizi 2011, tables B.1 and B.8: F of two systems, gold words of the kind (table 5.1), |Z|
THESIS = [
    (0.97517, 0.96903, 402, 0.52857),  # Patients
    (0.96467, 0.95061, 2097, 2.26042),  # Doctors
    (0.54190, 0.49863, 216, 0.90008),  # Locations
    (0.80210, 0.81075, 1602, 0.61962),  # Hospitals
    (0.98500, 0.98526, 2161, 0.07061),  # Dates
    (0.99417, 0.99208, 1198, 0.61904),  # IDs
    (0.85906, 0.85906, 70, 0.0),  # Phone Numbers
    (0.0, 0.5, 3, 1.41421),  # Ages, B.8
    (0.97517, 0.0, 402, 27.65936),  # Patients, B.8
]


@pytest.mark.parametrize(("first", "second", "words", "z"), THESIS)
def test_the_z_test_gives_the_thesis_its_figures(first, second, words, z):
    # five printed decimals of F leave a few hundredths of z open for the large kinds
    assert abs(z_test(first, words, second, words).z) == pytest.approx(z, abs=0.03)


@pytest.mark.parametrize(("first", "second", "words"), [(0, 0, 10), (1, 1, 10), (0.5, 0.9, 0), (0.7, 0.7, 9)])
def test_no_difference_or_no_words_is_z_0(first, second, words):
    assert z_test(first, words, second, words) == (0.0, 1.0)
    assert z_test(first, 0, second, 10) == z_test(first, 10, second, 0) == (0.0, 1.0)


@pytest.mark.parametrize("count", [1, 7, 20, 300])
def test_a_perfect_or_an_empty_figure_has_the_exact_interval(count):
    assert find_edge_interval(count, 0, 5, "precision") == pytest.approx(find_exact_interval(count, count))
    assert find_edge_interval(0, 5, count, "recall") == pytest.approx(find_exact_interval(0, count))
    assert find_edge_interval(count, 0, 0, "f1").high == 1
    assert find_edge_interval(0, 0, 0, "f1") is find_edge_interval(2, 0, 1, "recall") is None


def test_the_bootstrap_gives_a_perfect_figure_a_width():
    found = bootstrap(np.array([[3, 0, 1], [4, 0, 0]]), resamples=50)
    assert found["precision"] == pytest.approx(find_exact_interval(7, 7))
    assert 0 < found["recall"].low < found["recall"].high == 1


@pytest.mark.parametrize("resamples", [1, CHUNK, CHUNK + 1, 2 * CHUNK + 3])
def test_there_are_as_many_resamples_as_asked_for(resamples):
    assert sum(map(len, draw_weights(2, resamples, 0))) == resamples
    assert sum(map(len, draw_swaps(2, resamples, 0))) == resamples


def test_the_seed_is_0_unless_another_is_said():
    counts = np.random.default_rng(3).integers(0, 9, (12, 3))
    assert bootstrap(counts, resamples=60) == bootstrap(counts, resamples=60, seed=0)
    assert randomisation_test(counts, counts[::-1], resamples=60) == randomisation_test(
        counts, counts[::-1], resamples=60, seed=0
    )


def test_beyond_1_96_is_below_5_percent():
    z, p = z_test(0.60, 200, 0.50, 200)
    assert (z > 1.96) == (p < 0.05)
    assert z_test(0.50, 200, 0.60, 200).z == -z


def test_the_interval_is_that_of_every_resample():
    counts = np.array([[3, 1, 0], [0, 2, 2], [5, 0, 1]])
    exact = np.array(
        [compute_metrics(counts[list(rows)].sum(axis=0)) for rows in product(range(3), repeat=3)]
    )
    found = bootstrap(counts, resamples=20_000, seed=1)
    for place, name in enumerate(("precision", "recall", "f1")):
        low, high = np.quantile(exact[:, place], (0.025, 0.975), method="inverted_cdf")
        assert found[name] == pytest.approx((low, high), abs=0.02)


@pytest.mark.parametrize(("options", "tail"), [({}, 0.025), ({"confidence": 0.5}, 0.25)])
def test_as_many_resamples_lie_below_an_interval_as_above(options, tail):
    counts = np.random.default_rng(1).integers(0, 30, (25, 3))
    drawn = compute_metrics(np.concatenate(list(draw_weights(25, 2500, 7))) @ counts)
    for place, ends in enumerate(bootstrap(counts, resamples=2500, seed=7, **options).values()):
        assert ends == pytest.approx(tuple(np.quantile(drawn[:, place], (tail, 1 - tail))))


def test_ten_thousand_resamples_are_drawn_unless_another_number_is_said():
    counts = np.random.default_rng(2).integers(0, 30, (25, 3))
    assert bootstrap(counts) == bootstrap(counts, resamples=10_000) != bootstrap(counts, resamples=10_001)
    right, wrong = np.array([[9, 0, 0]] * 25), np.array([[0, 9, 9]] * 25)
    assert randomisation_test(right, wrong)["f1"].p == 1 / 10_001


def test_rows_are_resampled_together():
    rows = np.random.default_rng(3).integers(0, 9, (6, 4, 3))
    assert bootstrap_rows(rows, None, 1200) == [bootstrap(rows[:, row], resamples=1200) for row in range(4)]
    others = rows[::-1]
    assert randomisation_tests(rows, others, None, 1200, 0) == [
        randomisation_test(rows[:, row], others[:, row], resamples=1200) for row in range(4)
    ]


def test_groups_change_places_whole():
    """Two patients with two notes each: of four ways to swap, two are as different as what was seen."""
    first, second = np.array([[1, 0, 0]] * 4), np.array([[0, 1, 1]] * 4)
    found = randomisation_test(first, second, ["a", "a", "b", "b"], resamples=4000)
    assert found["f1"].p == pytest.approx(1 / 2, abs=0.03)
    assert randomisation_test(first, second, resamples=4000)["f1"].p == pytest.approx(1 / 8, abs=0.03)


def test_groups_are_drawn_whole():
    counts = np.array([[1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]])
    interval = bootstrap(counts, groups=["a", "a", "b", "b"], resamples=200)["recall"]
    assert interval == (0.5, 0.5)
    assert bootstrap(counts, resamples=200)["recall"] != (0.5, 0.5)


def test_one_document_has_no_width():
    low, high = bootstrap(np.array([[1, 1, 0]]), resamples=50)["precision"]
    assert low == high == 0.5


def test_randomisation_tends_to_the_share_of_all_swaps():
    first = np.array([[4, 0, 1], [3, 1, 2], [5, 0, 0], [2, 2, 2], [4, 1, 1]])
    second = np.array([[2, 2, 3], [3, 2, 2], [4, 1, 1], [1, 2, 3], [4, 0, 1]])
    observed = abs(compute_metrics(first.sum(0)) - compute_metrics(second.sum(0)))
    reached = np.zeros(3)
    for swap in product((False, True), repeat=5):
        mask = np.array(swap)[:, None]
        ours, theirs = np.where(mask, second, first), np.where(mask, first, second)
        reached += abs(compute_metrics(ours.sum(0)) - compute_metrics(theirs.sum(0))) >= observed - 1e-12
    found = randomisation_test(first, second, resamples=20_000)
    for place, name in enumerate(("precision", "recall", "f1")):
        assert found[name].p == pytest.approx(reached[place] / 32, abs=0.015)


@pytest.mark.parametrize("resamples", [CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1])
def test_as_many_resamples_are_drawn_as_were_asked_for(resamples):
    """They are drawn in parts; a chance of 1 means that each of them was counted."""
    drawn = list(draw_swaps(3, resamples, 0))
    assert sum(len(part) for part in drawn) == resamples and {part.shape[1] for part in drawn} == {3}
    table = np.array([[1, 2, 3], [2, 2, 3]])
    chances = {each.p for each in randomisation_test(table, table, resamples=resamples).values()}
    assert chances == {1.0}


def test_a_system_does_not_differ_from_itself():
    counts = np.array([[1, 2, 3], [4, 5, 6]])
    assert all(difference.p == 1 for difference in randomisation_test(counts, counts, resamples=99).values())


def test_the_same_seed_gives_the_same_figures():
    counts = np.array([[3, 1, 0], [0, 2, 2], [5, 0, 1]])
    assert bootstrap(counts, resamples=1500, seed=4) == bootstrap(counts, resamples=1500, seed=4)


tables = st.lists(st.tuples(*[st.integers(0, 9)] * 3), min_size=1, max_size=6)


@settings(max_examples=30)
@given(tables)
def test_intervals_are_ordered_ratios(table):
    for low, high in bootstrap(np.array(table), resamples=50).values():
        assert 0 <= low <= high <= 1


@given(tables, st.lists(st.sampled_from("abc"), min_size=6, max_size=6))
def test_grouping_keeps_the_sum(table, names):
    counts = np.array(table)
    assert (sum_groups(counts, names[: len(counts)]).sum(axis=0) == counts.sum(axis=0)).all()


def evaluated(ids, *spans):
    documents = [Document(id, "Ana Roe", tuple(Span(*span) for span in spans)) for id in ids]
    gold = [build_scored_document(Document(id, "Ana Roe", (Span(0, 7, "PATIENT"),)), SCHEME) for id in ids]
    side = [build_scored_document(document, SCHEME) for document in documents]
    return evaluation.evaluate(gold, side, EvaluationOptions(SCHEME, resamples=100))


def test_two_systems_are_compared():
    right, wrong = evaluated("ab", (0, 7, "PATIENT")), evaluated("ab", (0, 3, "PATIENT"))
    found = evaluation.compare(right, wrong)
    assert found.randomised["strict"]["f1"][:2] == (1.0, 0.0)
    assert found.z["Patients"][0] == 1.0
    assert found.z["Patients"][2].z > 0


def test_without_resamples_the_systems_change_places_once():
    right, wrong = (
        replace(side, options=replace(side.options, resamples=0))
        for side in (evaluated("ab", (0, 7, "PATIENT")), evaluated("ab", (0, 3, "PATIENT")))
    )
    found = evaluation.compare(right, wrong)
    assert right.intervals == {}
    assert found.randomised["strict"]["f1"].p in (1 / 2, 1) and found.rows["PHI or not"][0].p in (1 / 2, 1)


def test_the_unit_is_a_document_or_a_patient():
    """Each patient has a note that is right and one that is wrong: drawn whole, half is right."""
    notes = [
        Document(str(n), "Ana Roe", (Span(0, 7 if n % 2 else 3, "PATIENT"),), patient=str(n // 2))
        for n in range(8)
    ]
    gold = [document.with_spans([Span(0, 7, "PATIENT")]) for document in notes]
    sides = [[build_scored_document(document, SCHEME) for document in side] for side in (gold, notes)]
    ends = {}
    for unit in ("document", "patient"):
        options = EvaluationOptions(SCHEME, resamples=100, unit=unit)
        ends[unit] = evaluation.evaluate(*sides, options).intervals["strict"]["recall"]
    assert ends["patient"] == (0.5, 0.5) != ends["document"]


def test_the_signature_counts_spans_of_both_sides():
    """Twice the same span counts once."""
    two = evaluated("abc", (0, 3, "PATIENT"), (4, 7, "DATE"), (4, 7, "DATE")).signature
    assert (two.documents, two.gold, two.system, two.missing) == (3, 3, 6, 0)
    assert two.text(row="all").startswith("row:all|scheme:i2b2-2014|hipaa:script|corpus:")


def test_two_systems_of_different_documents_are_not():
    with pytest.raises(PairError, match="not scored on the same documents"):
        evaluation.compare(evaluated("ab"), evaluated("a"))


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order_and_lies_between_p_and_bonferroni(chances):
    adjusted = adjust_holm(chances)
    for p, found in zip(chances, adjusted):
        assert p <= found <= max(p, min(1, len(chances) * p))
    ranks = sorted(range(len(chances)), key=lambda place: chances[place])
    assert [adjusted[place] for place in ranks] == sorted(adjusted)


def test_the_difference_is_in_its_rows():
    """Forty notes: the second system misses every date and no doctor."""
    text = "Dr. Roe 3/4"
    gold = [Document(str(n), text, (Span(4, 7, "DOCTOR"), Span(8, 11, "DATE"))) for n in range(40)]
    system = [document.with_spans(document.spans[:1]) for document in gold]
    sides = [[build_scored_document(d, SCHEME) for d in side] for side in (gold, system)]
    options = EvaluationOptions(SCHEME, resamples=500)
    first, second = (evaluation.evaluate(sides[0], side, options) for side in sides)
    rows = evaluation.compare(first, second).rows
    assert list(rows) == ["PHI or not", "HIPAA", "NAME", "DOCTOR", "DATE"]
    found, adjusted = rows["DATE"]
    assert (
        (found.first, found.second) == (1, 0) and found.p == 1 / 501 and adjusted == 2 / 501
    )  # of NAME and DATE
    assert rows["DOCTOR"][0].p == rows["DOCTOR"][1] == 1


def test_few_patients_give_no_small_p_and_say_which_difference_they_show():
    """Six notes of six patients: the second system misses every date."""
    text = "Dr. Roe 3/4"
    spans = (Span(4, 7, "DOCTOR"), Span(8, 11, "DATE"))
    gold = [Document(str(n), text, spans, str(n)) for n in range(6)]
    system = [document.with_spans(document.spans[:1]) for document in gold]
    sides = [[build_scored_document(d, SCHEME) for d in side] for side in (gold, system)]
    options = EvaluationOptions(SCHEME, resamples=2000, unit="patient")
    first, second = (evaluation.evaluate(sides[0], side, options) for side in sides)
    found = evaluation.compare(first, second)
    assert found.units == 6 and found.randomised["strict"]["f1"].p == pytest.approx(2 / 64, abs=0.015)
    low, shown = report.describe_power(found, options)
    assert low == "6 patients: no p under 0.031" and f"strict F1 of {found.shown:.4f}" in shown
    assert 0 < found.shown < 1


def test_patients_are_resampled_where_documents_name_them():
    named, unnamed = Document("1", "x", patient="7"), Document("2", "x")
    assert [choose_unit(some) for some in ([unnamed, named], [unnamed])] == ["patient", "document"]
