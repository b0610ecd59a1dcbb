"""Our figures in the papers' tables."""

import dataclasses
import re
import tomllib

import pytest
from experiments import build_result
from shipped_plans import CONFIGS, read_shipped

from crfdeid import files
from crfdeid.ablate import published_comparison
from crfdeid.ablate.__main__ import rename_run
from crfdeid.errors import ConfigurationError
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


def list_printed(config):
    """The papers' tables that a configuration names; to read it as a plan takes longer."""
    found = tomllib.loads(files.find_file("configs", config, ".toml").read_text()).get("published", ())
    return [found] if isinstance(found, str) else list(found)


BY_SYSTEM = [
    getattr(published_comparison, f"view_{name}")
    for name in ("categories", "criteria", "phi_words", "scores", "systems")
]
PRINTED = [(config, name) for config in CONFIGS for name in list_printed(config)]


def test_the_printed_tables_are_those_of_the_plans():
    assert [(config, name) for config in CONFIGS for name in read_shipped(config).published] == PRINTED


@pytest.mark.parametrize(("config", "name"), PRINTED)
def test_the_rows_of_a_configuration_are_found_in_the_papers_table(config, name, notes, tmp_path):
    """With the paper's names of systems, kinds of words and figures."""
    planned = read_shipped(config)
    titles = planned.published[name] or {run.name: "" for run in planned.runs}
    found = []
    for title, label in titles.items():
        result = build_result(title, notes, tmp_path)
        run = dataclasses.replace(result.row.run, name=re.sub(r", \d+ folds$", "", title))
        row = dataclasses.replace(result.row, run=run)
        found.append(rename_run(dataclasses.replace(result, row=row), label))
    table = published_tables.read_table(name)
    cells = published_comparison.choose_view(table)(found)
    both = {(row, column) for row in table.rows for column in table.columns if column in cells.get(row, {})}
    assert both or "gain" in table.columns
    if published_comparison.choose_view(table) in BY_SYSTEM:
        names = {result.row.run.name for result in found}
        heads = [*table.rows, *table.columns]
        assert [n for n in names if not any(f"{head} ".startswith(f"{n} ") for head in heads)] == []
    assert published_comparison.format_comparison(name, found, "notes").count("\n") > len(table.rows)


VIEWS = {
    "douglass-2005-table-5-4": published_comparison.view_instances,
    "he-2015-table-3": published_comparison.view_criteria,
    "he-2015-table-4": published_comparison.view_types,
    "he-2015-table-5": published_comparison.view_systems,
    "he-2015-table-8": published_comparison.view_extents,
    "shweta-2016-table-2": published_comparison.view_sizes,
    "shweta-2016-table-4": published_comparison.view_scores,
    "shweta-2016-table-5": published_comparison.view_categories,
    "shweta-2016-table-6": published_comparison.view_scores,
    "tafvizi-2011-table-a-12": published_comparison.view_words,
    "sibanda-uzuner-2006-table-2": published_comparison.view_phi_words,
    "sibanda-uzuner-2006-table-9": published_comparison.view_phi_words,
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_papers_table_is_read_by_its_rows_and_columns(name):
    assert published_comparison.choose_view(published_tables.read_table(name)) is VIEWS[name]


@pytest.mark.parametrize(
    "name", ["shweta-2016-table-3", "sibanda-uzuner-2006-table-1", "douglass-2005-table-4-1"]
)
def test_a_table_that_no_run_can_fill_is_refused(name):
    with pytest.raises(ConfigurationError, match="a run has no figures for this table"):
        published_comparison.choose_view(published_tables.read_table(name))


def test_categories_stand_down_and_systems_across(notes, tmp_path):
    """Shweta et al. 2016, table 5; in cross-validation a row has the name of its run."""
    found = [build_result("CRF, 10 folds", notes, tmp_path), build_result("Elman", notes, tmp_path)]
    named = dataclasses.replace(found[0].row, run=dataclasses.replace(found[0].row.run, name="CRF"))
    cells = published_comparison.view_categories([dataclasses.replace(found[0], row=named), found[1]])
    assert list(cells) == ["NAME", "AGE", "DATE", "all"]
    assert list(cells["NAME"]) == ["CRF P", "CRF R", "CRF F1", "Elman P", "Elman R", "Elman F1"]
    assert cells["NAME"]["Elman R"] == 39 / 40


def test_words_of_phi_stand_beside_other_words(notes, tmp_path):
    """Sibanda & Uzuner 2006, section 6: a word of the wrong type is right."""
    cells = published_comparison.view_phi_words([build_result("SVM", notes, tmp_path)])
    assert list(cells) == ["SVM PHI", "SVM Non-PHI"]
    assert cells["SVM PHI"]["P"] == 1 and cells["SVM Non-PHI"]["R"] == 1
    assert 0.9 < cells["SVM PHI"]["R"] < 1


def test_sizes_of_training_and_test(notes, tmp_path):
    cells = published_comparison.view_sizes([build_result("base", notes, tmp_path)])
    assert cells["NAME"] == {"train": 40, "test": 40}


def test_counts_of_a_type_that_the_paper_lacks_are_counts():
    """He et al. 2015, table 8 has only counts; our further types are counts too."""
    table = published_tables.read_table("he-2015-table-8")
    text = published_tables.format_beside(table, {"short": {"DATE": 1, "ZIP": 7}})
    (row,) = (line for line in text.splitlines() if line.startswith("short ") and line.endswith(" 7"))
    assert "." not in row


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


def test_of_a_configurations_tables_one_can_be_chosen():
    planned, name = read_shipped("tafvizi_corpora"), "tafvizi-2011-table-b-6"
    assert list(published_comparison.choose_published(planned, [name]).published) == [name]
    assert published_comparison.choose_published(planned, []).published == planned.published
    with pytest.raises(
        ConfigurationError, match="tafvizi_corpora does not name it; did you mean tafvizi-2011"
    ):
        published_comparison.choose_published(planned, ["tafvizi-2011-table-b-5"])
