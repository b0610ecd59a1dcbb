"""Experiments from the command to tables and plots."""

import csv
import dataclasses
import json
import statistics
import subprocess
import sys

import pytest
from experiments import SMALL, build_result, exit_status, run_ablation, write_config

from crfdeid import corpora
from crfdeid.ablate import __main__ as ablate
from crfdeid.ablate import jobs, plan, plot, results, runner
from crfdeid.corpora.folds import Part
from crfdeid.evaluate import scores, significance
from crfdeid.systems.works import rnn_options
from crfdeid.text import scheme
from crfdeid.text.document import Span

pytestmark = pytest.mark.slow


def test_the_table_is_written_in_every_form(finished):
    out = finished / "out"
    assert sorted(path.name for path in out.iterdir()) == [
        "base", "narrow", "no-form", "plot.png", "plot.svg", "table.csv", "table.html", "table.json",
        "table.md", "table.tex", "table.txt", "types.csv", "types.md", "types.tex",
    ]  # fmt: skip
    text = (out / "table.txt").read_text()
    assert "24 documents of 24 patients, 72 spans" in text and "version:" in text and "|system:" not in text
    assert "intervals and p are of 16 patients, which is too few to trust them" in text
    assert "i2b2 strict" in text and "0.8852" in text and "Non-PHI" in text
    html = (out / "table.html").read_text()
    assert all(name in html for name in ("narrow", "strict F1", "<svg", "95% interval", "the base is base"))
    assert html.count("<svg") == 2 and "Changes against base with 95% intervals" in html
    assert html.count("<caption>") >= 4 and "prefers-color-scheme" in html
    head, *rows = (out / "table.csv").read_text().splitlines()
    assert [row.split(",")[0] for row in rows] == ["base", "no form", "narrow"]
    table = json.loads((out / "table.json").read_text())
    assert set(table["rows"][2]["templates"]) == {"lexical", "orthographic", "form"}
    figures = table["rows"][1]["figures"]
    assert set(head.split(",")) == {"run", *figures}
    assert figures["strict F1 low"] <= figures["strict F1"] <= figures["strict F1 high"]
    assert 0 < figures["strict F1 p"] <= 1 and "strict F1 p" not in table["rows"][0]["figures"]
    assert figures["train seconds"] > 0 and figures["model MB"] > 0 and figures["tokens/s"] > 0
    assert figures["train CPU seconds"] > 0 and figures["tokens/CPU s"] > 0


def test_p_is_adjusted_for_the_number_of_rows(finished):
    rows = json.loads((finished / "out" / "table.json").read_text())["rows"][1:]
    for name in ("strict F1", "token R"):
        chances = [row["figures"][f"{name} p"] for row in rows]
        assert [row["figures"][f"{name} p Holm"] for row in rows] == significance.adjust_holm(chances)
    assert "Holm: p adjusted for the number of rows" in (finished / "out" / "table.txt").read_text()
    assert "Holm's method" in (finished / "out" / "table.md").read_text()


def test_figures_by_type_are_those_of_the_table_and_are_tested_together(finished):
    out = finished / "out"
    rows = list(csv.DictReader((out / "types.csv").read_text().splitlines()))
    figures = json.loads((out / "table.json").read_text())["rows"]
    for row in figures:
        types = {line["spans"]: line for line in rows if line["run"] == row["run"]}
        assert {"all", "PHI or not", "HIPAA", "NAME", "DOCTOR"} <= set(types)
        assert float(types["all"]["F1"]) == row["figures"]["strict F1"]
        assert float(types["all"]["R low"]) == row["figures"]["strict R low"]
        assert float(types["NAME"]["R"]) == row["figures"]["recall NAME"]
        assert (types["all"]["F1 p"] == "") == (row["run"] == "base")
    families = {"all": 0, "PHI or not": 0, "HIPAA": 0} | dict.fromkeys(scheme.read_scheme().categories, 1)
    for family in range(3):
        tested = [line for line in rows if line["F1 p"] and families.get(line["spans"], 2) == family]
        adjusted = significance.adjust_holm([float(line["F1 p"]) for line in tested])
        assert [float(line["F1 p Holm"]) for line in tested] == adjusted
    assert (out / "types.tex").read_text().count("\\begin{table}") == 3
    assert "| DOCTOR |" in (out / "types.md").read_text()


def test_seeds_have_a_mean_and_a_deviation(in_process, corpus, tmp_path, capsys):
    config = write_config(tmp_path, "seeds = [1, 2]\n" + SMALL + "[learning_curve]\ndocuments = [8]\n")
    run_ablation(config, corpus, tmp_path / "out")
    rows = {row["run"]: row for row in json.loads((tmp_path / "out" / "table.json").read_text())["rows"]}
    assert list(rows) == ["base", "base, 8 documents", "base, 8 documents, seed 2"]
    samples = [row["trainings"][0]["train"]["fingerprint"] for row in rows.values()]
    assert len(set(samples)) == 3
    one, two = (rows[title]["figures"] for title in list(rows)[1:])
    values = one["strict F1"], two["strict F1"]
    assert one["seeds"] == 2 and one["strict F1 seeds mean"] == statistics.mean(values)
    assert one["strict F1 seeds sd"] == pytest.approx(statistics.stdev(values))
    assert "strict F1 seeds mean" not in two and "mean (SD) of seeds" in capsys.readouterr().out


def test_a_run_keeps_its_model_with_the_templates_as_they_were_rewritten(finished):
    model = finished / "out" / "narrow" / "model"
    assert "[-2..2]" not in (model / "features" / "lexical.template").read_text()
    table = json.loads((finished / "out" / "narrow" / "run.json").read_text())
    assert table["settings"]["features"] == ["lexical", "orthographic", "form"]
    assert {"python", "numpy", "python-crfsuite"} <= set(table["libraries"])
    assert table["cost"]["train_cpu_seconds"] > 0 and table["cost"]["tag_cpu_seconds"] > 0
    assert (finished / "out" / "narrow" / "spans.jsonl").read_text().count("\n") == 16


def test_the_figures_are_those_of_the_written_spans(finished, corpus):
    gold = list(corpora.read(corpus / "test"))
    lines = (finished / "out" / "no-form" / "spans.jsonl").read_text().splitlines()
    spans = {row["id"]: [Span(*span) for span in row["spans"]] for row in map(json.loads, lines)}
    system = [document.with_spans(spans[document.id]) for document in gold]
    counts = scores.score(gold, system, scheme.read_scheme()).micro(results.STRICT)
    row = json.loads((finished / "out" / "table.json").read_text())["rows"][1]["figures"]
    assert (row["strict P"], row["strict R"], row["strict F1"]) == (
        counts.precision,
        counts.recall,
        counts.f1,
    )


def test_finished_runs_are_not_trained_again_and_changed_runs_are(in_process, finished, corpus, monkeypatch):
    trained = []
    run = runner.run_jobs

    def recorded(jobs, *rest):
        trained.extend(job.title for job in jobs)
        run(jobs, *rest)

    monkeypatch.setattr(runner, "run_jobs", recorded)
    out = finished / "out"
    before = (out / "table.txt").read_bytes(), (out / "plot.svg").read_bytes()
    run_ablation(finished / "mine.toml", corpus, out)
    assert trained == [] and before == ((out / "table.txt").read_bytes(), (out / "plot.svg").read_bytes())
    text = (finished / "mine.toml").read_text().replace("window = 0", "window = 1")
    run_ablation(write_config(finished, text, "changed.toml"), corpus, out)
    assert trained == ["narrow"]
    trained.clear()
    run_ablation(finished / "changed.toml", corpus, out, "--again")
    assert trained == ["base", "no form", "narrow"]


def test_cross_validation_pools_the_folds_beside_the_split(in_process, corpus, tmp_path, capsys):
    text = 'published = { tafvizi-2011-table-b-7 = ["base, 2 folds", "base"] }\n' + SMALL
    config = write_config(tmp_path, text + "[cross_validation]\nfolds = 2\nseed = 3\n")
    run_ablation(config, corpus, tmp_path / "out")
    rows = json.loads((tmp_path / "out" / "table.json").read_text())["rows"]
    assert [row["run"] for row in rows] == ["base", "base, 2 folds"]
    folded = rows[1]
    assert folded["recipe"]["documents"] == 24 and len(folded["trainings"]) == 2
    assert "strict F1 sd" in folded["figures"] and "strict F1 sd" not in rows[0]["figures"]
    printed = capsys.readouterr().out
    assert "mean (SD) of folds" in printed and "10-fold F1" in printed
    run_ablation(config, corpus, tmp_path / "alone", test=False)
    alone = json.loads((tmp_path / "alone" / "table.json").read_text())["rows"]
    assert alone[0]["figures"]["strict F1"] == folded["figures"]["strict F1"]
    assert "not shown, for there is no row base" in capsys.readouterr().out


def test_a_papers_table_of_two_rows_needs_two_rows(corpus, tmp_path, capsys):
    config = write_config(tmp_path, 'published = "tafvizi-2011-table-b-7"\n' + SMALL)
    assert exit_status([config, corpus / "train", corpus / "test", "--out", tmp_path / "out"]) == 2
    assert "compares two rows; there is 1" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_learning_curve_grows_and_leaves_out_sizes_that_the_corpus_does_not_have(
    in_process, corpus, tmp_path, capsys
):
    config = write_config(tmp_path, SMALL + "[learning_curve]\ndocuments = [6, 12, 500]\n")
    run_ablation(config, corpus, tmp_path / "out")
    rows = json.loads((tmp_path / "out" / "table.json").read_text())["rows"]
    assert [row["trainings"][0]["train"]["documents"] for row in rows] == [24, 6, 12]
    assert "left out, for the corpus has no more documents: base, 500 documents" in capsys.readouterr().out


def test_a_learning_curve_draws_patients(notes, tmp_path):
    config = write_config(tmp_path, SMALL + "[learning_curve]\ndocuments = [6, 12]\n")
    owned = (dataclasses.replace(note, patient=f"p{place % 8}") for place, note in enumerate(notes[:24]))
    parts = {"train": Part("train", tuple(owned)), "test": Part("test", tuple(notes[24:]))}
    _, six, twelve = jobs.build_rows(plan.read_plan(config), parts, tmp_path)
    patients = [{note.patient for note in row.jobs[0].train.documents} for row in (six, twelve)]
    assert [len(found) for found in patients] == [2, 4] and patients[0] < patients[1]


def test_runs_name_other_corpora(in_process, corpus, tmp_path, capsys):
    text = 'published = { tafvizi-2011-table-a-13 = ["there"] }\n' + SMALL
    text += '[[run]]\nname = "both"\ntrain = ["train", "other"]\n'
    text += '[[run]]\nname = "there"\ntrain = "other"\ntest = "other"\n'
    config = write_config(tmp_path, text)
    arguments = [config, corpus / "train", corpus / "test", "--out", tmp_path / "out"]
    assert exit_status(arguments) == 2
    assert "run both: wants the corpus other: --corpus other=PATH" in capsys.readouterr().err
    assert exit_status([*arguments, "--corpus", "othr=x"]) == 2
    assert "--corpus othr: no run names it; did you mean other?" in capsys.readouterr().err
    run_ablation(config, corpus, tmp_path / "out", "--corpus", f"other={corpus / 'test'}")
    rows = {row["run"]: row for row in json.loads((tmp_path / "out" / "table.json").read_text())["rows"]}
    assert rows["both"]["trainings"][0]["train"]["documents"] == 40
    printed = capsys.readouterr().out
    assert "no fair test, for some of its documents were trained on: both, there" in printed
    ours = next(line for line in printed.splitlines() if line.startswith("ours:"))
    assert "there; other:" in ours and "train:" not in ours


@pytest.fixture
def two_sets(corpus, tmp_path):
    """The training notes in two folders, of which one has a doubled tag and an overlap."""
    notes = list(corpora.read(corpus / "train"))
    doctor, *rest = notes[0].spans
    longer = Span(doctor.start - 4, doctor.end, "PATIENT")
    odd = notes[0].with_spans([doctor, doctor, longer, *rest])
    corpora.write([odd, *notes[1:12]], tmp_path / "Set1", "i2b2")
    corpora.write(notes[12:], tmp_path / "Set2", "i2b2")
    return [tmp_path / "Set1", tmp_path / "Set2"]


def test_several_folders_train_and_overlaps_longest_chooses(in_process, corpus, two_sets, tmp_path, capsys):
    arguments = [write_config(tmp_path, SMALL), *two_sets, "--test", corpus / "test", "--resamples", "0"]
    arguments += ["--out", tmp_path / "out"]
    assert exit_status(arguments) == 2
    said = capsys.readouterr().err
    assert "--overlaps longest" in said and not (tmp_path / "out" / "base").exists()
    assert "Set1: spans that occur twice in one place, and count once: 1" in said
    ablate.main([str(argument) for argument in (*arguments, "--overlaps", "longest")])
    (row,) = json.loads((tmp_path / "out" / "table.json").read_text())["rows"]
    (training,) = row["trainings"]
    assert (training["train"]["documents"], training["test"]["documents"]) == (24, 16)
    assert row["settings"]["overlaps"] == "longest"


def test_which_corpus_is_the_test_is_never_guessed(corpus, two_sets, tmp_path, capsys):
    config, out = write_config(tmp_path, SMALL), ["--out", tmp_path / "out"]
    assert exit_status([config, *two_sets, corpus / "test", *out]) == 2
    assert "3 corpora: wanted --test FOLDER or --no-test" in capsys.readouterr().err
    for more, sides in (
        ([], {"train": 12, "test": 12}),
        (["--no-test"], {"train": 24}),
        (["--test", str(corpus / "test")], {"train": 24, "test": 16}),
    ):
        args = ablate.split_test(
            ablate.build_parser().parse_args([*map(str, (config, *two_sets, *out)), *more])
        )
        read = ablate.read_corpora(args, plan.read_plan(config))
        assert {name: len(part.documents) for name, part in read.items()} == sides


def test_the_draws_of_a_learning_curve_are_one_line_with_a_band(notes, tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    found, figures = [], {}
    values = {"base": 0.9, "base, 4 documents": 0.5, "base, 4 documents, seed 2": 0.7}
    for title, value in values.items():
        result = build_result(title, notes[:4] if "4" in title else notes, tmp_path)
        repeats = "base, 4 documents" if "seed" in title else ""
        run = dataclasses.replace(result.row.run, documents=4 if "4" in title else 0, repeats=repeats)
        found.append(dataclasses.replace(result, row=dataclasses.replace(result.row, run=run)))
        figures[title] = dict.fromkeys(plot.CURVES, value)
    axes = Figure().subplots()
    plot.draw_curves(axes, found, figures)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == list(plot.CURVES)
    assert [list(line.get_ydata()) for line in axes.get_lines()] == [pytest.approx([0.6, 0.9])] * 3
    low, high = (end(axes.collections[0].get_paths()[0].vertices[:, 1]) for end in (min, max))
    assert (low, high) == (0.5, 0.9) and len(axes.collections) == 3
    assert axes.get_xlabel().endswith("band: lowest to highest draw")


def test_a_plot_has_room_for_long_names(notes, tmp_path):
    """Matplotlib warns where there is none, and warnings are errors here."""
    found = {title: build_result(title, notes, tmp_path) for title in ("base", "c1=0.1 " * 12)}
    plot.write_plot(
        list(found.values()), {t: results.compute_scores(r) for t, r in found.items()}, tmp_path, "caption"
    )
    assert (tmp_path / "plot.png").stat().st_size > 1000 and (tmp_path / "plot.svg").exists()


def test_without_matplotlib_there_is_a_line_and_no_plot(in_process, corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("crfdeid.ablate.plot.find_spec", lambda name: None)
    run_ablation(write_config(tmp_path, SMALL), corpus, tmp_path / "out")
    printed = capsys.readouterr()
    assert "crfdeid[plot]" in printed.err and printed.err.count("\n") == 1 and "strict F1" in printed.out
    assert not list((tmp_path / "out").glob("plot.*"))


def test_a_missing_program_is_reported_before_any_training(corpus, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    text = write_config(tmp_path, 'features = ["stat_deid"]\npos = "gruut"\n[crf]\nc1 = 0.1\n')
    assert exit_status([text, corpus / "train", corpus / "test", "--out", tmp_path / "out"]) == 2
    assert "link-parser" in capsys.readouterr().err and not (tmp_path / "out").exists()


def test_a_missing_package_is_reported_before_any_training(corpus, tmp_path, monkeypatch, capsys):
    """Not after hours, when the turn of the network comes."""
    monkeypatch.setattr(rnn_options, "find_spec", lambda name: None)
    config = write_config(tmp_path, f'{SMALL}\n[[run]]\nname = "Elman"\nbase = "rnn_elman"\n')
    assert exit_status([config, corpus / "train", corpus / "test", "--out", tmp_path / "out"]) == 2
    said = capsys.readouterr().err
    assert (
        "run Elman: the system rnn needs torch, safetensors, gensim" in said
        and not (tmp_path / "out").exists()
    )


def test_ablate_runs_from_the_command_line(corpus, tmp_path):
    config = write_config(tmp_path, SMALL)
    command_line = [sys.executable, "-m", "crfdeid.ablate", config, corpus / "train", corpus / "test"]
    run = subprocess.run([*command_line, "--out", tmp_path / "out", "--resamples", "0"], capture_output=True)
    assert run.returncode == 0 and run.stderr == b"" and b"strict F1" in run.stdout
