"""Configurations, runs and results that several test files use."""

import dataclasses

import pytest

from crfdeid import cli
from crfdeid.ablate import __main__ as ablate
from crfdeid.ablate import jobs, results
from crfdeid.ablate.one_training import Cost
from crfdeid.ablate.run import Run
from crfdeid.config import Config
from crfdeid.corpora.folds import Part
from crfdeid.evaluate import evaluation
from crfdeid.evaluate.matching import build_scored_document
from crfdeid.text import scheme

BASE = 'features = ["lexical", "orthographic", "form"]\n'
SMALL = BASE + "[crf]\nc1 = 0.1\nmax_iterations = 8\n"


def write_config(folder, text, name="mine.toml"):
    path = folder / name
    path.write_text(text)
    return path


def run_ablation(config, corpus, out, *more, test=True):
    sides = [corpus / "train", *([corpus / "test"] if test else [])]
    ablate.main([str(a) for a in (config, *sides, "--out", out, "--resamples", "200", "--jobs", "2", *more)])


def exit_status(arguments):
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: ablate.main([str(argument) for argument in arguments]))
    return stopped.value.code


def build_result(title, notes, folder):
    """Return a row without spans in the first document, and with a date in the second that ends too early."""
    part = Part("notes", tuple(notes))
    job = jobs.Job(title, folder, Config(("lexical",)), {}, part, part)
    row = jobs.Row(title, Run(title, job.config), (job,))
    doctor, date, age = notes[1].spans
    short = notes[1].with_spans([doctor, dataclasses.replace(date, end=date.end - 1), age])
    sides = (
        [build_scored_document(d, scheme.read_scheme()) for d in side]
        for side in (notes, [notes[0].with_spans([]), short, *notes[2:]])
    )
    found = evaluation.evaluate(*sides, evaluation.EvaluationOptions(scheme.read_scheme(), resamples=0))
    return results.Result(row, found, (Cost(1, 1, 1, 1, 1),))
