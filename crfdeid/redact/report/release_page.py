"""The report of a release as a page that people sign: figures and offsets, text of notes only on demand.

    crfdeid release report.json --out release.html
    crfdeid release report.json --notes clean.jsonl --out places.html   # places in their context
    crfdeid release report.json --statement statement.json --study sample.json clean.jsonl --out release.html

The report is what ``redact --report`` writes, with its table of survivors beside it. The statement is that of
``certify state``: what people found in a sample of the release; its figures are counted again from the study,
so that none was edited. The counts that ``utility --json`` writes say how much of the medicine stays. Only
the owner can read the page, because offsets of survivors show where real names may be.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from crfdeid import cli, files, pages
from crfdeid.corpora import storage
from crfdeid.errors import ConfigurationError, looks_like_id
from crfdeid.lexicon import ENGLISH, find_language
from crfdeid.pages.pictures import draw_missed, render_figures
from crfdeid.redact.report import kept, release_inputs
from crfdeid.redact.report.release_inputs import UNKNOWN, Context, LeftPlace, Study, Table
from crfdeid.redact.report.safe_harbor import IDS, SECRETS
from crfdeid.text.document import Document

KEPT, TOTAL = "kept", "total"
TREATMENTS = ("surrogate", "shifted", "generalised", "hashed", "marker", "blank")
SHOWN_IDS = 100
SIGNS = {
    "known name": "a name of a known patient in small letters, which is also a word",
    "e-mail": "written like an e-mail address",
    "check digit": "a number that passes a check, such as a payment card's",
    "long number": "six or more digits",
    "date": "a whole date that was not shifted",
    "age": "over 89",
    "glued": "capitalized letters that touch a number",
    "title": "a name beside a title",
    "initials": "of a person who wrote or typed, or before a name",
    "spaced letters": "single letters with blanks between them",
    "listed name": "a capitalized word in a list of names of people or towns, and in no list of words",
    UNKNOWN: "a capitalized word in no list, used as names are",
}
BOUNDS = {
    "notes_with_leak": ("notes with a leak", "{:.2%}"),
    "spans_missed": ("PHI spans missed", "{:.2%}"),
    "misses_per_1000_notes": ("missed spans per 1,000 notes", "{:,.0f}"),
}
WARNING = (
    "This page counts what was found. PHI that the program missed completely is not counted. It shows where "
    "real names may be: keep it where the notes are kept."
)
TEXT = " It has text of notes, in which real names may be."
FIGURES = ("found", "as_read", "corrected")
NO_COUNTS = "Not counted: utility --json counts it, and release --utility shows it here."
SYSTEM_READ = (
    "NOT EVIDENCE: a system played a reader of the sample, so no figure here says how much was missed."
)
NO_BOUND = "No sample was read, or its statement is not attached: no figure here says how much was missed."


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid release", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("report", type=Path, help="the file that redact --report has written")
    add("--out", type=Path, required=True, help="the page, which only its owner can read")
    add("--statement", type=Path, metavar="FILE", help="FILE.json of certify state: what people found in a "
        "sample")  # fmt: skip
    add("--study", type=Path, nargs=2, metavar=("STORE", "RELEASE"), help="with --statement: what certify "
        "draw wrote, and the release, from which the figures are counted again")  # fmt: skip
    add("--utility", type=Path, metavar="FILE", help="what utility --json wrote: how much medicine stays")
    add("--notes", type=Path, metavar="PATH", help="the redacted notes, in any format: the page shows each "
        "place in its context, and so text of notes")  # fmt: skip
    add("--overwrite", action="store_true", help="replace an existing page")
    cli.add_reading_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    storage.refuse_existing(args.out, args.overwrite)
    notes = cli.read_documents(args.notes, None, args) if args.notes else None
    study = read_study(args.statement, args.study, args)
    write_page(args.report, args.out, args.statement, notes, args.utility, study)


def read_study(
    statement: Path | None, paths: Sequence[Path] | None, args: argparse.Namespace
) -> Study | None:
    """Read what a statement is counted again from."""
    if bool(statement) != bool(paths):
        raise ConfigurationError("--statement and --study STORE RELEASE: wanted both, or neither")
    if not paths:
        return None
    store, release = paths
    return Study(store, release, list(cli.read_documents(release, None, args)))


def write_page(
    report: Path,
    out: Path,
    statement: Path | None = None,
    notes: Iterable[Document] | None = None,
    utility: Path | None = None,
    study: Study | None = None,
) -> None:
    """Write the page of a report, which has its table of survivors beside it, to ``out``; with the redacted
    ``notes`` it shows the places in their context, and with the counts of ``utility`` what stays. Raises
    :class:`FormatError` if a file is none of these, belongs to another release, or is a statement that is not
    what its ``study`` gives."""
    table, survivors = release_inputs.read_report(report), release_inputs.name_survivors(report)
    bound = release_inputs.read_statement(statement, table) if statement else None
    if statement and study:
        release_inputs.refuse_edited(statement, study)
    places = release_inputs.read_places(survivors)
    contexts = release_inputs.find_contexts(places, notes) if notes is not None else None
    counts = kept.read_kept(utility, table) if utility else None
    page = render_page(table, places, survivors.name, bound, contexts, counts)
    with files.open_page(out) as file:
        file.write(page)


def render_page(
    report: Table,
    places: Sequence[LeftPlace],
    file: str,
    bound: Table | None = None,
    contexts: Mapping[LeftPlace, Context] | None = None,
    counts: Table | None = None,
) -> str:
    """Render the page. ``file`` is the name of the table that has the ``places``, ``bound`` the statement of
    a sample, ``contexts`` the texts around the places, and ``counts`` what the release keeps."""
    run = report["run"]
    about = {
        "notes": describe_notes(report),
        "system": run["model"] or "none",
        "crfdeid": run["crfdeid"],
        "redacted on": run["date"],
    }
    parts = {
        "<!-- headline -->": pages.escape(describe_bound(bound)),
        "<!-- picture -->": draw_bound(bound) if bound else "",
        "<!-- checks -->": pages.render_list(list_checks(report, bound)),
        "<!-- input -->": pages.render_facts(describe_input(report)),
        "<!-- treated -->": "".join(render_treated(report)),
        "<!-- left -->": pages.render_facts(describe_left(report)) + render_untouched(report),
        "<!-- sources -->": pages.render_facts(describe_sources(report)),
        "<!-- remaining -->": render_remaining(report),
        "<!-- places -->": release_inputs.render_places(places, file, contexts, report["documents"]),
        "<!-- kept -->": kept.render_kept(counts) if counts else pages.render_list([NO_COUNTS]),
        "<!-- bound -->": render_bound(bound, bool(report["patients"]))
        if bound
        else pages.render_list([NO_BOUND]),
        "<!-- signatures -->": pages.render_signatures(("Prepared by", "Approved by")),
        "<!-- foot -->": render_foot(bound) if bound else "",
    }
    body = pages.fill_file(files.PACKAGE / "redact" / "report" / "release_page.html", parts)
    warning = WARNING + TEXT * (contexts is not None)
    page = pages.render_page("Release of redacted notes", about, body, warning=warning)
    phrases = find_language(run.get("language", ENGLISH)).page
    return pages.translate(page, pages.read_phrases(Path(phrases))) if phrases else page


def describe_bound(bound: Table | None) -> str:
    """Say in one sentence how much the release still holds, or that nobody knows."""
    if not bound:
        return NO_BOUND
    if bound.get("systems"):
        return SYSTEM_READ
    verdict = "as was wanted" if bound["is_shown"] else "which is not shown to be as low as was wanted"
    return (
        f"At most {find_bound(bound):.2%} of the PHI spans are missed, with {bound['confidence']:.0%} "
        f"confidence, {verdict} (at most {find_aim(bound):.2%})."
    )


def find_bound(bound: Table) -> float:
    """The bound that counts: the one that is corrected for the readers, where there is one."""
    missed = bound["spans_missed"]
    return float(missed["as_read"] if missed.get("corrected") is None else missed["corrected"])


def find_aim(bound: Table) -> float:
    return float(bound["draw"]["aim"].get("aim", 0))


def draw_bound(bound: Table) -> str:
    picture = draw_missed(bound["spans_missed"]["found"], find_bound(bound), find_aim(bound))
    return render_figures([picture])


def render_foot(bound: Table) -> str:
    """The hashes of the release and of the draw, for those who compare files."""
    draw = bound["draw"]
    hashes = pages.render_about({"release, by SHA-256": draw["release"], "draw": draw["fingerprint"]})
    return f"<footer>{hashes}</footer>\n"


def describe_notes(report: Table) -> str:
    """The number of notes, and of how many patients they are; a note that names none is not a patient
    here."""
    patients, alone = report["patients"], report["documents_without_patient"]
    if not patients:
        return f"{report['documents']:,}; none names its patient"
    others = f"; {alone:,} name none" if alone else ""
    return f"{report['documents']:,} of {patients:,} patients{others}"


def list_checks(report: Table, bound: Table | None) -> Iterator[str]:
    """Yield what the person who signs needs to know or to do first."""
    run, left = report["run"], sum(report["survivors"].values())
    untouched = list_untouched(report)
    alone = report["documents_without_patient"]
    named = report["documents_whose_id_or_patient_holds_a_found_string"]
    checks = {
        f"The secret is {SECRETS['seed']}.": run["secret"] == SECRETS["seed"],
        "The spans of the surrogates are beside the notes: they show which names are surrogates, and "
        "which are real.": run["spans_beside_the_notes"],
        "Ids of notes and patients are the real ones.": run["ids"] == IDS[None],
        f"Read the ids that contain a text that was found: {named:,}.": named,
        f"Read the places that still contain a text that was found: {left:,}.": left,
        f"Read the notes in which nothing was found: {len(untouched):,}.": untouched,
        f"Notes that name no patient: {alone:,}. A text found in one was not looked for in others.": alone,
        "Each note was redacted alone: a text found in one note may remain in others of its patient.":
            run["together"] == "each note alone",
        "Notes that an earlier run wrote are not in these counts.":
            report["documents_written_before_and_not_counted"],
        NO_BOUND: not bound,
        SYSTEM_READ: bool(bound and bound.get("systems")),
    }  # fmt: skip
    return (check for check, is_needed in checks.items() if is_needed)


def list_untouched(report: Table) -> list[str]:
    return list(report["documents_in_which_nothing_was_found"])


def describe_input(report: Table) -> dict[str, str]:
    """Say what was redacted, and how."""
    run, policy = report["run"], report.get("policy")
    known, terms = report.get("known_patients"), report.get("listed_terms")
    return {
        "notes": f"{report['documents']:,}",
        "patients": f"{report['patients']:,}, told apart by {report['patients_from']}"
        if report["patients"]
        else "none named",
        "notes that name no patient": f"{report['documents_without_patient']:,}",
        "redacted together": run["together"],
        "spans": run["spans"],
        "model": run["model"] or "none",
        "threshold": report.get("threshold") or "none: the most probable labels",
        "policy": f"{policy['name']}: {policy['source']}" if policy else f"none; style: {run['style']}",
        "dates shift by": run["dates_shift_by"],
        "ZIP codes": run["zip"],
        "check digits": run["check_digits"],
        "doctors": "one surrogate in all notes" if run["same_doctor_across_patients"] else "by patient",
        "known patients": f"a table, for {known['notes_of_known_patients']:,} notes" if known else "no table",
        "lists of terms": ", ".join(f"--{name}" for name in terms) if terms else "none",
        "secret": run["secret"],
        "ids": run["ids"],
        "format": run["format"],
        "spans of surrogates": "beside the notes" if run["spans_beside_the_notes"] else "not written",
        "version": f"crfdeid {run['crfdeid']}",
        "date": run["date"],
    }


def render_treated(report: Table) -> Iterator[str]:
    """Yield tables of what was found and what it became: by rule of the policy, and by category."""
    if policy := report.get("policy"):
        rules = {f"{rule['cite']} {rule['title']}": rule for rule in policy["rules"]}
        yield render_counts(f"By rule of the policy {policy['name']}: {policy['source']}", rules)
    categories = {f"({letter}) {row['name']}": row for letter, row in report["categories"].items()}
    yield render_counts("By category: 45 CFR 164.514(b)(2)(i)", categories)


def render_counts(caption: str, rows: Mapping[str, Table]) -> str:
    """A table: spans before, by what they became, and spans that are in the output as they were."""
    used = [name for name in TREATMENTS if any(row.get(name) for row in rows.values())]
    kinds = (*TREATMENTS, KEPT)
    total = {name: sum(row.get(name, 0) for row in rows.values()) for name in kinds}
    lines = []
    for title, row in [*rows.items(), (TOTAL, total)]:
        before = sum(row.get(name, 0) for name in kinds)
        lines.append([title, *(f"{n:,}" for n in (before, *(row.get(name, 0) for name in (*used, KEPT))))])
    return pages.render_table(caption, ("", "before", *used, "after: kept"), lines, TOTAL)


def describe_left(report: Table) -> dict[str, str]:
    facts = describe_unread(report.get("left_out_of_the_input")) | {
        "notes whose text is unchanged": f"{report['documents_unchanged']:,}",
        "notes in which nothing was found": f"{len(list_untouched(report)):,}",
        "dates or names without a surrogate, which are markers": f"{report['unread_replaced_by_marker']:,}",
        "notes written by an earlier run, in no count here":
            f"{report['documents_written_before_and_not_counted']:,}",
    }  # fmt: skip
    never = report.get("listed_terms", {}).get("never")
    return facts | ({} if never is None else {"spans left out because a list has them": f"{never:,}"})


def describe_unread(left_out: Mapping[str, int] | None) -> dict[str, str]:
    """Say what of the input was not read: pictures first, which may show a face, a name or a number."""
    if left_out is None:
        return {"pictures and files of the input that were not read": "not counted"}
    pictures = sum(count for reason, count in left_out.items() if "picture" in reason)
    others = {reason: count for reason, count in left_out.items() if "picture" not in reason}
    facts = {"pictures that nobody looked at": f"{pictures:,}"}
    return facts | {f"not read: {reason}": f"{count:,}" for reason, count in others.items()}


def render_untouched(report: Table) -> str:
    """The ids of the notes in which nothing was found, except those that may be names."""
    ids = list_untouched(report)
    shown = [id for id in ids if looks_like_id(id)][:SHOWN_IDS]
    sentences = [f"Nothing was found in {', '.join(shown)}."] if shown else []
    if left := len(ids) - len(shown):
        sentences.append(f"Nothing was found in {left:,} notes whose ids are not shown here.")
    return "".join(f"<p>{pages.escape(sentence)}</p>\n" for sentence in sentences)


def describe_sources(report: Table) -> dict[str, str]:
    notes = report["documents_by_source_of_spans"]
    names = {"own": "only the notes' own", "model": "only the model's", "both": "both", "none": "no span"}
    facts = {f"notes with {name}": f"{notes.get(key, 0):,}" for key, name in names.items()}
    facts["repeats that had no span, replaced"] = f"{report['repeats_replaced']:,}"
    facts["merged spans of different types"] = f"{report['overlapping_spans_of_different_types_united']:,}"
    known = report.get("known_patients", {}).get("found_without_another_span")
    always = report.get("listed_terms", {}).get("always")
    if known is not None:
        facts["texts of the table of patients without another span"] = f"{sum(known.values()):,}"
    if always is not None:
        facts["texts of the list of terms that are always PHI"] = f"{sum(always.values()):,}"
    return facts


def render_remaining(report: Table) -> str:
    """Tables of what still holds a text that was found, and of what looks like PHI."""
    left = [(type, f"{count:,}") for type, count in report["survivors"].items()]
    signs = [(kind, SIGNS.get(kind, ""), f"{count:,}") for kind, count in report["suspicious"].items()]
    left.append((TOTAL, sum_up(report["survivors"])))
    signs.append((TOTAL, "", sum_up(report["suspicious"])))
    where = f"Texts found elsewhere in {report['looked_for_survivors_in']} and still in the output"
    tables = pages.render_table(where, ("type", "places"), left, TOTAL)
    return tables + pages.render_table("What else looks like PHI", ("kind", "", "places"), signs, TOTAL)


def sum_up(counts: Mapping[str, int]) -> str:
    return f"{sum(counts.values()):,}"


def render_bound(statement: Table, has_patients: bool = True) -> str:
    """The figures of a sample that people read; of patients only where notes name them."""
    patients = f" of {statement['patients']:,} patients" if has_patients else ""
    draw, together = statement["draw"], statement["together"]
    plants = f"{together['found']:,} of {together['plants']:,}" if together["plants"] else "none were planted"
    facts = {
        "read": f"{statement['notes']:,} notes{patients}, drawn at random",
        "missed spans": f"{statement['misses']:,}, in {statement['leaking_notes']:,} notes",
        "planted leaks that readers found": plants,
        "aim": f"at most {draw['aim'].get('aim', 0):.2%} of the PHI spans are missed: "
               f"{'shown' if statement['is_shown'] else 'not shown'}",
    }  # fmt: skip
    caption = f"Upper bounds, each with {statement['confidence']:.1%} confidence"
    absent = "none" if together["plants"] else "-"
    rows = [
        (name, *(show_figure(statement[key].get(figure), form, absent) for figure in FIGURES))
        for key, (name, form) in BOUNDS.items()
    ]
    head = ("", "found", "at most, as read", "at most, corrected for readers")
    return pages.render_facts(facts) + pages.render_table(caption, head, rows)


def show_figure(value: float | None, form: str, absent: str) -> str:
    """Show a figure, or ``absent``: readers who found no plant give no bound."""
    return absent if value is None else form.format(value)


if __name__ == "__main__":
    cli.run(main)
