"""The statement as text, as JSON, and as a page to sign. The same store gives the same bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from crfdeid import files, pages
from crfdeid.certify.statement import Bound, Group, Sensitivity, Statement
from crfdeid.pages.pictures import draw_missed, render_figures

PURPOSE = (
    "This is evidence for an expert, who decides (in the United States by 45 CFR 164.514(b)(1)).\n"
    "It says what a random sample shows; it does not say that the release is anonymous."
)
NOTHING_SHOWN = "Nothing is shown: a system played a reader, so no figure here bounds what is missed."
TEMPLATE_EFFECT = 20
LIMIT = (
    "Limit: where all notes of a template leak alike (a letter head, a form), misses cluster more than by\n"
    f"patient, and the bounds may be too low: plan and draw with --effect {TEMPLATE_EFFECT}."
)
COLUMNS = f"{'':<34}{'found':>9}{'as read':>10}{'corrected':>11}"
GROUP_COLUMNS = f"{'':<24}{'missed':>7}{'masked':>8}{'as read':>10}{'corrected':>11}{'p':>8}{'p corr.':>9}"


def render_statement(statement: Statement, kind: str) -> str:
    """Return the statement as ``text``, ``json`` or ``html``."""
    if kind == "json":
        return json.dumps(build_table(statement), indent=2, sort_keys=True, allow_nan=False) + "\n"
    return render_page(statement) if kind == "html" else "\n".join(list_lines(statement)) + "\n"


def build_table(statement: Statement) -> dict[str, Any]:
    """Return every figure by name. The sample, its plants and its marks stay in the store. JSON has no
    infinity: a corrected bound is None also where there are plants, and the readers found none."""
    table = {name: value for name, value in asdict(statement).items() if name != "store"}
    most = table["misses_per_1000_notes"]
    if most["corrected"] == math.inf:
        most["corrected"] = None
    store = statement.store
    frame = {name: value for name, value in asdict(store.frame).items() if name != "stratum_of"}
    drawn = {
        "aim": asdict(store.aim),
        "precision": store.precision,
        "policy": store.policy,
        "drawn": store.drawn,
        "has_chosen_seed": store.has_chosen_seed,
        "allowed": list(store.allowed),
        "seed": store.seed,
        "release": store.release,
        "frame": frame,
        "fingerprint": store.fingerprint,
        "look": len(store.looks),
    }
    return {"purpose": " ".join(PURPOSE.split()), "is_shown": statement.is_shown, "draw": drawn, **table}


def list_lines(statement: Statement) -> Iterator[str]:
    yield from describe_systems(statement)
    yield "What this release still holds"
    yield ""
    yield from describe_result(statement)
    yield ""
    yield from describe_sample(statement)
    yield ""
    yield from describe_readers(statement)
    yield ""
    yield from describe_bounds(statement)
    for title, groups in (("By type", statement.types), ("By stratum", statement.strata)):
        if len(groups) > 1:
            yield ""
            yield from describe_groups(title, groups, statement)
    yield ""
    yield PURPOSE


def describe_systems(statement: Statement) -> Iterator[str]:
    for like in statement.systems:
        yield (
            f"NOT EVIDENCE: the marks of {like.reader} come from the system {like.system} "
            f"({like.shared} of its {like.mistakes} mistakes). People must read the notes."
        )
        yield ""


def describe_sample(statement: Statement) -> Iterator[str]:
    store, frame = statement.store, statement.store.frame
    yield f"Release {store.release}: {count_all(frame.notes, frame.patients)}."
    yield (
        f"Read: {count_all(statement.notes, statement.patients)}, drawn at random; "
        f"look {len(store.looks)} of {store.aim.looks}."
    )
    yield from describe_draw(statement)
    if frame.refused is None:
        yield "No list of notes that tuned the model was given: it is not known that the sample is new to it."
    else:
        yield "No note of the release is in the lists of those that tuned the model or the threshold."
    yield (
        f"Masked spans: {statement.masked:,}, of which {store.precision:.0%} are taken for PHI. Missed spans "
        f"that readers found: {statement.misses:,}, in {statement.leaking_notes:,} notes."
    )
    if store.allowed:
        yield f"Types that the release may show, not counted: {', '.join(store.allowed)}."
    if store.policy:
        yield f"PHI that the policy {store.policy} keeps is neither masked nor counted; readers saw it."
    yield f"Design effect: {statement.design_effect:.2f} measured, {statement.assumed_effect:.2f} used."


def count_all(notes: int, patients: int) -> str:
    """Count notes and the patients that they name.

    >>> count_all(300, 121), count_all(300, 0)
    ('300 notes of 121 patients', '300 notes, which name no patient')
    """
    return f"{notes:,} notes" + (f" of {patients:,} patients" if patients else ", which name no patient")


def describe_result(statement: Statement) -> Iterator[str]:
    """The bound for notes, before all others: what it means for one who gets the release."""
    if statement.systems:
        yield NOTHING_SHOWN
        return
    notes = statement.notes_with_leak
    most = notes.as_read if notes.corrected is None else notes.corrected
    yield (
        f"At most {most:.2%} of the notes hold a leak, with {statement.confidence:.1%} confidence; "
        f"{statement.leaking_notes:,} of {statement.notes:,} notes that were read do."
    )


def describe_draw(statement: Statement) -> Iterator[str]:
    """When and how the sample was drawn, and what other draws the list beside the release has."""
    store, draws = statement.store, statement.draws
    seed = (
        f"seed {store.seed}, which a person chose" if store.has_chosen_seed else f"a random seed {store.seed}"
    )
    when = f"on {store.drawn} " if store.drawn else ""
    own = [number for number, draw in enumerate(draws, 1) if draw["store"] == store.fingerprint]
    which = f"; draw {own[0]} of {len(draws)} in the list of the release" if own else ""
    yield f"Drawn {when}with {seed}{which}: {store.fingerprint[:12]}."
    if others := [draw for draw in draws if draw["store"] != store.fingerprint]:
        shown = ", ".join(f"{draw['time'] or 'earlier'} {draw['store'][:12]}" for draw in others)
        yield f"Other draws: {shown}."


def describe_readers(statement: Statement) -> Iterator[str]:
    yield from describe_plants(statement)
    if not statement.systems:
        yield f"No reader's marks come from a system: compared with {', '.join(statement.compared)}."


def describe_plants(statement: Statement) -> Iterator[str]:
    if not statement.together.plants:
        yield "There were no planted leaks: nothing shows how many leaks the readers find."
        return
    yield f"Planted leaks: {statement.together.plants}."
    for reader in (*statement.readers, statement.together):
        yield f"  {reader.reader}: found {describe_reader(reader)}"
    if statement.hard.plants and statement.easy.plants:
        yield f"  of {statement.easy.plants} easy ones {describe_reader(statement.easy)}"
        yield f"  of {statement.hard.plants} hard ones {describe_reader(statement.hard)}"


def describe_reader(reader: Sensitivity) -> str:
    return f"{reader.found} ({reader.found / reader.plants:.1%}; at least {reader.below:.1%})"


def describe_bounds(statement: Statement) -> Iterator[str]:
    aim = statement.store.aim
    yield f"Upper bounds, each with {statement.confidence:.1%} confidence:"
    yield COLUMNS
    yield show_bound("notes with a leak", statement.notes_with_leak, "{:.2%}")
    yield show_bound("PHI spans missed", statement.spans_missed, "{:.2%}")
    yield show_bound("missed spans per 1,000 notes", statement.misses_per_1000_notes, "{:,.0f}")
    yield ""
    verdict = "shown" if statement.is_shown else "not shown"
    yield f"Aim: at most {aim.aim:.2%} of the PHI spans are missed: {verdict}."
    if aim.effect < TEMPLATE_EFFECT:
        yield LIMIT


def show_bound(title: str, bound: Bound, form: str) -> str:
    found, as_read, corrected = show_figures(bound, form)
    return f"{title:<34}{found:>9}{as_read:>10}{corrected:>11}"


def show_figures(bound: Bound, form: str) -> Iterator[str]:
    """Yield the three figures of a bound. Readers who found no plant correct it to no bound.

    >>> [*show_figures(Bound(1, 5, float("inf")), "{:,.0f}"), *show_figures(Bound(0, 5, None), "{:,.0f}")]
    ['1', '5', 'none', '0', '5', '-']
    """
    for value in (bound.found, bound.as_read, bound.corrected):
        yield "-" if value is None else "none" if math.isinf(value) else form.format(value)


def describe_groups(title: str, groups: tuple[Group, ...], statement: Statement) -> Iterator[str]:
    yield (
        f'{title}: PHI spans missed; p of "{statement.store.aim.aim:.2%} or more is missed", '
        f"adjusted by Holm for {len(groups)}:"
    )
    yield GROUP_COLUMNS
    yield from map(show_group, groups)


def show_group(group: Group) -> str:
    corrected = "-" if group.missed.corrected is None else f"{group.missed.corrected:.2%}"
    p_corrected = "-" if group.p_corrected is None else f"{group.p_corrected:.3f}"
    return (
        f"{group.name:<24}{group.misses:>7,}{group.masked:>8,}{group.missed.as_read:>10.2%}{corrected:>11}"
        f"{group.p_as_read:>8.3f}{p_corrected:>9}"
    )


def render_page(statement: Statement) -> str:
    """Render the page to sign: the bound in a sentence and in a picture, one table, what was read and by
    whom, the types; the hashes at the foot."""
    store, missed = statement.store, statement.spans_missed
    people = tuple(f"Reader {reader.reader}" for reader in statement.readers)
    readers = list(describe_readers(statement))
    sample = [*describe_result(statement), *list(describe_sample(statement))[1:]]
    parts = {
        "<!-- headline -->": pages.escape(describe_bound(statement)),
        "<!-- picture -->": render_figures([draw_missed(missed.found, find_bound(missed), store.aim.aim)]),
        "<!-- bounds -->": render_bounds(statement),
        "<!-- sample -->": pages.render_list(sample),
        "<!-- readers -->": pages.render_list(line.strip() for line in readers),
        "<!-- types -->": render_groups("By type", statement.types, statement),
        "<!-- strata -->": render_groups("By stratum", statement.strata, statement),
        "<!-- purpose -->": pages.escape(PURPOSE),
        "<!-- signatures -->": pages.render_signatures((*people, "Expert")),
        "<!-- hashes -->": pages.render_about({"release": store.release, "draw": store.fingerprint}),
    }
    body = pages.fill_file(files.PACKAGE / "certify" / "statement.html", parts)
    patients = {"patients": f"{store.frame.patients:,}"} if store.frame.patients else {}
    about = {"notes": f"{store.frame.notes:,}", **patients}
    warning = " ".join(filter(None, describe_systems(statement)))
    return pages.render_page("What this release still holds", about, body, warning=warning)


def describe_bound(statement: Statement) -> str:
    """The bound that the aim is about, in one sentence."""
    if statement.systems:
        return NOTHING_SHOWN
    verdict = "as was wanted" if statement.is_shown else "which is not shown to be as low as was wanted"
    return (
        f"At most {find_bound(statement.spans_missed):.2%} of the PHI spans are missed, with "
        f"{statement.confidence:.0%} confidence, {verdict} (at most {statement.store.aim.aim:.2%})."
    )


def find_bound(bound: Bound) -> float:
    """The bound that counts: the one that is corrected for the readers, where there is one."""
    return bound.as_read if bound.corrected is None else bound.corrected


def render_bounds(statement: Statement) -> str:
    """The table of the three bounds."""
    figures = {
        "notes with a leak": (statement.notes_with_leak, "{:.2%}"),
        "PHI spans missed": (statement.spans_missed, "{:.2%}"),
        "missed spans per 1,000 notes": (statement.misses_per_1000_notes, "{:,.0f}"),
    }
    rows = [(name, *show_figures(bound, form)) for name, (bound, form) in figures.items()]
    caption = f"Upper bounds, each with {statement.confidence:.1%} confidence"
    return pages.render_table(
        caption, ("", "found", "at most, as read", "at most, corrected for readers"), rows
    )


def render_groups(title: str, groups: tuple[Group, ...], statement: Statement) -> str:
    """The table of the groups, or nothing where there is only one."""
    if len(groups) < 2:
        return ""
    caption = next(describe_groups(title, groups, statement))
    columns = ("", "missed", "masked", "as read", "corrected", "p", "p corrected")
    return pages.render_table(caption, columns, [split_group(group) for group in groups])


def split_group(group: Group) -> tuple[str, ...]:
    """The cells of a group's row; its name may have blanks."""
    return group.name, *show_group(group).removeprefix(group.name).split()
