"""The rows of a feature selection: what each fold keeps, and the curve of F1 by the number of templates.

Backward selection begins with all groups. It trains without each of them on four fifths of the patients of a
fold's training documents, and drops the one without which strict F1 on the last fifth is best, until one
group is left.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from crfdeid import pages
from crfdeid.ablate import jobs, results
from crfdeid.ablate.jobs import Job, Row
from crfdeid.ablate.plan import Plan
from crfdeid.ablate.results import STRICT, Result
from crfdeid.ablate.run import Run
from crfdeid.ablate.selection import BACKWARD, keep_templates, list_templates, rank_templates
from crfdeid.corpora import folds
from crfdeid.corpora.folds import Part
from crfdeid.files import open_whole
from crfdeid.pages.curves import draw_curve
from crfdeid.pages.pictures import Axis, fit_shares, render_figures, render_file

INNER = 5  # folds of the training documents, of which backward selection scores one
PAGE, TABLE = "selection.html", "selection.json"
TrainJobs = Callable[[Sequence[Job]], None]
Choice = tuple[tuple[str, ...], dict[str, str]]  # feature groups, and the new text of their files


def build_rows(planned: Plan, corpora: Mapping[str, Part], out: Path, train_jobs: TrainJobs) -> list[Row]:
    """Return a row for each method and size of ``planned.selection``. Backward selection trains with
    ``train_jobs`` before it returns."""
    if not (wanted := planned.selection):
        return []
    run = planned.base
    train = folds.join_parts([jobs.find_corpus(name, run, corpora) for name in run.train])
    parts = folds.make_folds(jobs.map_part(train, run), planned.fold_count, planned.fold_seed)
    rows: dict[str, list[Job]] = {}
    for number, (train, test) in enumerate(parts, 1):
        for method in wanted.by:
            folder = out / f"{run.folder}-{method}-search" / str(number)
            if method == BACKWARD:
                choices = drop_groups(run, train, folder, planned.fold_seed, train_jobs)
            else:
                choices = choose_templates(method, run, train, wanted.templates)
            for size, choice in choices:
                job = build_job(run, f"{method}: {size}", number, choice, (train, test), out)
                rows.setdefault(f"{run.name}, {method}: {size}", []).append(job)
    return [Row(title, replace(run, name=title), tuple(found), True) for title, found in rows.items()]


def build_job(run: Run, name: str, fold: int, choice: Choice, parts: tuple[Part, Part], out: Path) -> Job:
    """Build the training of a fold with the features that were chosen for it."""
    features, texts = choice
    title = f"{run.name}, {name}"
    folder = out / f"{replace(run, name=title).folder}-folds" / str(fold)
    return Job(f"{title}, fold {fold}", folder, replace(run.config, features=features), texts, *parts)


def choose_templates(
    method: str, run: Run, train: Part, sizes: Sequence[int]
) -> Iterator[tuple[str, Choice]]:
    """Yield the first templates of a ranking for each size that is smaller than their number."""
    ranked = rank_templates(method, run.config, train.documents)
    for size in sizes:
        if size < len(ranked):
            yield f"{size} templates", keep_templates(run.config, frozenset(ranked[:size]))


def drop_groups(
    run: Run, train: Part, folder: Path, seed: int, train_jobs: TrainJobs
) -> Iterator[tuple[str, Choice]]:
    """Yield the groups that are left after each step of backward selection."""
    fit, held = folds.make_folds(train, INNER, seed)[0]
    left = run.config.features
    while len(left) > 1:
        trials = {job.config.features: job for job in build_trials(run, left, fit, held, folder)}
        train_jobs(list(trials.values()))
        left = max(trials, key=lambda rest: score_job(run, trials[rest]))  # the first of equal ones
        yield f"{len(left)} groups", (left, {})


def build_trials(run: Run, left: Sequence[str], fit: Part, held: Part, folder: Path) -> Iterator[Job]:
    """Yield a training without each of the groups that are left."""
    for group in left:
        config = replace(run.config, features=tuple(other for other in left if other != group))
        place = folder / f"{len(left)}-without-{Path(group).stem}"
        yield Job(f"{run.name}, without {group}", place, config, {}, fit, held)


def score_job(run: Run, job: Job) -> float:
    """Return strict F1 of a job that is done."""
    return find_f1(results.read_result(Row(job.title, run, (job,)), 0, 0))


def find_selected(finished: Sequence[Result], planned: Plan) -> dict[str, list[Result]]:
    """Return the rows of each method, from few templates to many, with the base's row at the end."""
    base = next((r for r in finished if r.row.cross_validated and r.row.run == planned.base), None)
    found: dict[str, list[Result]] = {}
    for method in planned.selection.by if planned.selection else ():
        own = [r for r in finished if r.title.startswith(f"{planned.base.name}, {method}: ")]
        found[method] = sorted([*own, *([base] if base else [])], key=count_templates)
    return found


def count_templates(result: Result) -> float:
    """Return the number of templates, the mean over the folds."""
    return sum(map(len, list_kept(result))) / len(result.row.jobs)


def list_kept(result: Result) -> list[list[str]]:
    """Return the templates of each fold."""
    return [list_templates(job.config, job.templates) for job in result.row.jobs]


def write_selection(finished: Sequence[Result], planned: Plan, out: Path) -> None:
    """Write a picture of each method's curve, a page with all of them, and what each fold keeps."""
    if not (methods := find_selected(finished, planned)):
        return
    pictures = {method: draw_method(method, own) for method, own in methods.items()}
    for method, picture in pictures.items():
        with open_whole(out / f"selection-{method}.svg") as file:
            file.write(render_file(picture))
    rows = {result.title: result for own in methods.values() for result in own}
    with open_whole(out / TABLE) as file:
        json.dump({title: describe_row(result) for title, result in rows.items()}, file, indent=1)
        file.write("\n")
    body = [render_figures(list(pictures.values()))]
    body += [render_method(method, own) for method, own in methods.items()]
    with open_whole(out / PAGE) as file:
        about = pages.stamp(base=planned.base.name, folds=str(planned.fold_count))
        file.write(pages.render_page(f"Features of {planned.name}", about, "".join(body)))


def describe_row(result: Result) -> dict[str, object]:
    """Return the numbers of a row, and the templates of each fold."""
    return {
        "templates": count_templates(result),
        "strict F1": find_f1(result),
        "folds": list_kept(result),
    }


def find_f1(result: Result) -> float:
    return result.evaluation.scores.micro(STRICT).f1


def draw_method(method: str, own: Sequence[Result]) -> str:
    """Draw strict F1 by the number of templates."""
    points = [(count_templates(result), find_f1(result)) for result in own]
    axes = (
        Axis("templates (mean of the folds)", 0.0, max(x for x, _ in points)),
        fit_shares("strict F1", [y for _, y in points]),
    )
    marked = {f"{x:g}: {y:.3f}": (x, y) for x, y in points}
    about = "Strict F1 of all folds by the number of templates that are kept."
    return draw_curve(f"Selection by {method}", about, axes, points, marked)


def render_method(method: str, own: Sequence[Result]) -> str:
    """Render a method's rows as a table: what it keeps in every fold, and in some."""
    rows = []
    for result in own:
        counts = Counter(name for kept in list_kept(result) for name in kept)
        always = [name for name, count in counts.items() if count == len(result.row.jobs)]
        cells = f"{count_templates(result):g}", f"{find_f1(result):.4f}", str(len(always)), str(len(counts))
        rows.append((result.title, *cells, " ".join(always[:20])))
    head = ("run", "templates", "strict F1", "in every fold", "in some fold", "in every fold, the first 20")
    return pages.render_table(f"Selection by {method}", head, rows)
