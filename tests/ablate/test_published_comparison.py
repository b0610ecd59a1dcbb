"""Our figures in the papers' tables."""

import dataclasses

import pytest
from experiments import build_result

from crfdeid.ablate import published_comparison
from crfdeid.evaluate import evaluation, published_tables
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.evaluate.scores import Counts
from crfdeid.text import scheme
from crfdeid.text.document import Document, Span

PAPERS = ("he-2015-", "tafvizi-2011-table-a-", "tafvizi-2011-table-b-")


@pytest.mark.parametrize("name", [name for name in published_tables.list_tables() if name.startswith(PAPERS)])
def test_each_table_of_he_and_tafvizi_finds_our_figures(name, notes, tmp_path):
    table = published_tables.read_table(name)
    found = published_comparison.choose_view(table)(
        [build_result("official", notes, tmp_path), build_result("WI-deId", notes, tmp_path)]
    )
    cells = {(row, column) for row in found for column in found[row]}
    if "gain" in table.columns:  # its rows are categories that these notes have not
        assert found["NAME"] == {"gain": 0}
    else:
        assert cells & {(row, column) for row in table.rows for column in table.columns}


def test_figures_of_a_papers_table_are_right(notes, tmp_path):
    found = [build_result("base", notes, tmp_path)]
    types = published_comparison.view_types(found)
    sizes = {"train": 40, "gold": 40, "system": 39, "right": 39}
    assert types["DOCTOR"] == sizes | {"P": 1.0, "R": 39 / 40, "F1": pytest.approx(78 / 79)}
    assert types["NAME"] == types["DOCTOR"]
    assert published_comparison.view_error_kinds(found)["missing"] == {"count": 3, "share": 0.75}
    assert published_comparison.view_margins(found)["AGE"]["missing share"] == 1 / 40
    assert list(published_comparison.view_margins(found)) == ["DOCTOR", "AGE", "DATE", "all"]
    assert published_comparison.view_margins(found)["all"] == {"missing": 3, "spurious": 0}
    assert published_comparison.view_margins(found)["DATE"]["gold"] == 39  # the extent error is left out
    assert published_comparison.view_extents(found)["short"] == {"DATE": 1, "all": 1}


def test_a_category_takes_one_of_its_types_for_another(notes, tmp_path):
    found = build_result("base", notes, tmp_path)
    gold = Document("n", "Roe", (Span(0, 3, "DOCTOR"),))
    sides = (
        [build_scored_document(d, scheme.read_scheme())]
        for d in (gold, gold.with_spans([Span(0, 3, "PATIENT")]))
    )
    evaluated = evaluation.evaluate(*sides, evaluation.EvaluationOptions(scheme.read_scheme(), resamples=0))
    other = dataclasses.replace(found, evaluation=evaluated)
    assert published_comparison.score_category(other, "NAME") == Counts(1, 0, 0)
    assert published_comparison.view_types([other])["DOCTOR"]["right"] == 0
