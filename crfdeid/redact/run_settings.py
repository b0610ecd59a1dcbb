"""What the report says of how a run redacted: no secret, no path, no text of a note."""

from __future__ import annotations

from pathlib import Path

from crfdeid import __version__
from crfdeid.files import find_date
from crfdeid.redact.plan import RedactPlan
from crfdeid.redact.redactor import Redactor
from crfdeid.systems import model, model_folder

IDS = {
    None: "the ids of notes and patients are unchanged; --new-ids replaces them",
    "random": "the ids of notes and patients are random",
    "keyed": "the ids are codes of the real ids: 45 CFR 164.514(c), the Safe Harbor, does not allow that",
}
IDS_OF_MESSAGES = (
    "the ids of the messages and their patients became surrogates or codes; names of files are unchanged"
)
SPANS = {
    "auto": "the notes' own and the model's",
    "gold": "only the notes' own",
    "tag": "only the model's",
}
SECRETS = {
    "map": "in the map: whoever has its key can undo the release",
    "key_file": "in a key file: whoever has it can test guesses",
    "seed": "made from a seed, for experiments only: whoever guesses the seed can undo the release",
    None: "random, and not kept",
}


def describe_run(plan: RedactPlan, redactor: Redactor) -> dict[str, object]:
    """Describe the options of a run."""
    rules = redactor.rules
    shift = f"whole weeks, at most {rules.years} years and {rules.weeks} weeks"
    return {
        "crfdeid": __version__,
        "date": find_date(),
        "spans": SPANS[plan.spans],
        "model": None if plan.spans == "gold" else describe_model(plan.model),
        "style": plan.style,
        "together": "each note alone" if redactor.by_note else "all notes of a patient",
        "secret": SECRETS[plan.secret_kind],
        "ids": IDS[plan.new_ids],
        "dates_shift_by": shift + "; some patients' days come from a table" * bool(redactor.shifts),
        "zip": rules.zip,
        "check_digits": rules.check_digits,
        "same_doctor_across_patients": rules.same_doctors,
        "format": plan.format,
        "spans_beside_the_notes": plan.has_spans,
    }


def describe_model(name: str) -> str:
    """The names of the models, each with the beginning of its manifest's SHA-256."""
    return " + ".join(map(describe_part, model.split_names(name)))


def describe_part(name: str) -> str:
    manifest = model_folder.find_folder(name) / "manifest.json"
    shown = Path(name).name
    return f"{shown} ({model_folder.hash_manifest(manifest)[:12]})" if manifest.is_file() else shown
