"""The report of a redaction by the categories of the Safe Harbor: counts, never text.

The categories come from 45 CFR 164.514(b)(2)(i), (A) to (R); ``configs/policies/safe_harbor.toml`` says
which type belongs to which. Replacements that the rule does not require are counted separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol

from crfdeid.errors import show_id
from crfdeid.policy import Policy, read_policy
from crfdeid.redact.actions import KEPT, name_type
from crfdeid.redact.leftover.suspicious import ORDER
from crfdeid.redact.redactor import Redaction
from crfdeid.text.document import Document

NO_RULE, BEYOND = "none", "-"  # how the policy and the report name what the rule does not ask for
TagGroup = Callable[[Sequence[Document]], list[Document]]
SHOWN_PLACES = 10  # of survivors, in what the run prints
SOURCES = {
    "own": "notes have only their own",
    "model": "only the model's",
    "both": "both",
    "none": "none",
}
IDS = {
    None: "the ids of notes and patients are unchanged; --new-ids replaces them",
    "random": "the ids of notes and patients are random",
    "keyed": "the ids are codes of the real ids: 45 CFR 164.514(c), the Safe Harbor, does not allow that",
}
IDS_OF_MESSAGES = (
    "the ids of the messages and their patients became surrogates or codes; names of files are unchanged"
)
SECRETS = {
    "map": "in the map: whoever has its key can undo the release",
    "key_file": "in a key file: whoever has it can test guesses",
    "seed": "made from a seed, for experiments only: whoever guesses the seed can undo the release",
    None: "random, and not kept",
}


class ReportedStage(Protocol):
    """A step between tagging and redacting that the report shows: lists of terms, known patients. ``options``
    are what a run that is resumed needs to have again."""

    @property
    def options(self) -> tuple[str, ...]: ...

    def wrap(self, tag_group: TagGroup) -> TagGroup:
        """Return a function that does the step after ``tag_group``."""

    def report(self) -> dict[str, object]:
        """The results of the step, for JSON."""

    def lines(self) -> Iterable[str]:
        """The results of the step, for people."""

    def take_counts(self) -> Any:
        """Return the counts, and begin again with 0."""

    def add_counts(self, counts: Any) -> None: ...


@cache
def list_categories() -> dict[str, str]:
    """Return what each category is about, by letter.

    >>> list_categories()["C"]
    'dates, and ages over 89'
    """
    rules = read_policy("safe_harbor").rules
    found = {rule.cite.strip("()"): rule.title for rule in rules if rule.cite != NO_RULE}
    found["Q"] = "photographs (not looked for: notes are text)"
    return dict(sorted(found.items())) | {BEYOND: "not asked for by the rule: states, countries"}


def find_category(type: str) -> str:
    """
    >>> find_category("DOCTOR"), find_category("FAX"), find_category("STATE"), find_category("SPECIES")
    ('A', 'E', '-', 'R')
    """
    rule = read_policy("safe_harbor").by_type.get(type)
    if rule is None:
        return "R"
    return BEYOND if rule.cite == NO_RULE else rule.cite.strip("()")


def find_rule(policy: Policy, type: str) -> tuple[str, str]:
    """The paragraph and the title of a type's rule; a type of no scheme has none."""
    rule = policy.by_type.get(type)
    return (rule.cite, rule.title) if rule else (NO_RULE, "types of no scheme")


@dataclass
class Report:
    """Counts over redactions. ``treated`` counts by category and treatment, and with a ``policy``,
    ``treated_by_rule`` by the paragraph and title of its rules. ``by_note``: each note was redacted by
    itself, so a text found in another note of its patient may remain in it. ``ids_with_phi`` counts the notes
    whose id, or whose patient's id, contains a text that was found. ``sources`` counts the notes by where
    their spans come from, and ``untouched`` has the ids of notes without a replacement; the ``unchanged``
    have the text that they had. ``run`` says how it was redacted, ``stages`` what lists did, and
    ``taken_out`` counts by reason what messages lost, ``left_in_values`` by type the values of the written
    messages that still say who the patient is, and ``left_out`` what of the input was not read (None: not
    counted). ``release`` is the hash of what was written (:func:`crfdeid.corpora.output.hash_documents`),
    which the statement of a sample has too; None where it cannot be read again."""

    by_note: bool = False
    run: Mapping[str, object] = field(default_factory=dict)
    patient_source: str = "the notes"
    documents: int = 0
    patients: set[str] = field(default_factory=set, repr=False)
    sources: Counter[str] = field(default_factory=Counter)
    untouched: list[str] = field(default_factory=list, repr=False)
    unchanged: int = 0
    written_before: int = 0
    ids_with_phi: int = 0
    without_patient: int = 0
    overlaps: int = 0
    repeats: int = 0
    unresolved: int = 0
    survivors: Counter[str] = field(default_factory=Counter)
    places: list[str] = field(default_factory=list)  # of the first survivors
    suspicious: Counter[str] = field(default_factory=Counter)
    treated: dict[str, Counter[str]] = field(default_factory=dict)
    policy: Policy | None = None
    threshold: str | None = None
    stages: Sequence[ReportedStage] = ()
    taken_out: Mapping[str, int] = field(default_factory=dict)
    left_in_values: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] | None = None
    release: str | None = None
    treated_by_rule: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)

    def add(self, redaction: Redaction, id: str, source: str) -> None:
        """Count a redaction. ``id`` names the note in the output, ``source`` is one of :data:`SOURCES`."""
        self.documents += 1
        self.sources[source] += 1
        if not redaction.replacements:
            self.untouched.append(id)
        self.unchanged += all(made.treatment == KEPT for made in redaction.replacements)
        if redaction.document.patient is not None:
            self.patients.add(redaction.document.patient)
        self.without_patient += redaction.document.patient is None
        self.ids_with_phi += redaction.id_has_phi
        self.overlaps += redaction.overlaps
        self.survivors.update(name_type(span.type) for span in redaction.survivors)
        for span in redaction.survivors[: SHOWN_PLACES - len(self.places)]:
            shown = show_id(id, f"note {self.documents}")
            self.places.append(f"{shown}: {name_type(span.type)} at {span.start}-{span.end}")
        self.suspicious.update(suspicion.kind for suspicion in redaction.suspicions)
        for made in redaction.replacements:
            self.repeats += made.repeat
            self.unresolved += not made.resolved
            self.treated.setdefault(find_category(made.type), Counter())[made.treatment] += 1
            if self.policy:
                rule = find_rule(self.policy, made.type)
                self.treated_by_rule.setdefault(rule, Counter())[made.treatment] += 1

    def table(self) -> dict[str, object]:
        """The report for JSON."""
        return {
            **({"run": dict(self.run)} if self.run else {}),
            "release": self.release,
            "documents": self.documents,
            "documents_written_before_and_not_counted": self.written_before,
            "documents_without_patient": self.without_patient,
            "patients": len(self.patients),
            "patients_from": self.patient_source,
            "documents_by_source_of_spans": {name: self.sources[name] for name in SOURCES},
            "left_out_of_the_input": None if self.left_out is None else dict(sorted(self.left_out.items())),
            "documents_in_which_nothing_was_found": sorted(self.untouched),
            "documents_unchanged": self.unchanged,
            "documents_whose_id_or_patient_holds_a_found_string": self.ids_with_phi,
            "looked_for_survivors_in": "each note alone" if self.by_note else "all notes of the patient",
            "overlapping_spans_of_different_types_united": self.overlaps,
            "repeats_replaced": self.repeats,
            "unread_replaced_by_marker": self.unresolved,
            "survivors": dict(sorted((self.survivors + Counter(self.left_in_values)).items())),
            "suspicious": self._order_suspicious(),
            "categories": {
                letter: {"name": name, **dict(sorted(self.treated.get(letter, Counter()).items()))}
                for letter, name in list_categories().items()
            },
            **({"threshold": self.threshold} if self.threshold else {}),
            **self._policy_table(),
            **{key: found for stage in self.stages for key, found in stage.report().items()},
            **({"taken_out_of_messages": dict(sorted(self.taken_out.items()))} if self.taken_out else {}),
        }

    def _order_suspicious(self) -> dict[str, int]:
        """The counts by kind, the most suspicious kind first."""
        return {kind: self.suspicious[kind] for kind in ORDER if self.suspicious[kind]}

    def _policy_table(self) -> dict[str, object]:
        """The policy's actions, by rule; nothing without a policy."""
        if not self.policy:
            return {}
        rules = [
            {"cite": cite, "title": title, **dict(sorted(counts.items()))}
            for (cite, title), counts in sorted(self.treated_by_rule.items())
        ]
        return {"policy": {"name": self.policy.name, "source": self.policy.source, "rules": rules}}

    def _category_lines(self) -> Iterator[str]:
        """The spans and their treatment, by rule of the policy, otherwise by category."""
        rows = {f"({letter}) {list_categories()[letter]}": counts for letter, counts in self.treated.items()}
        if self.policy:
            rows = {f"{cite} {title}": counts for (cite, title), counts in self.treated_by_rule.items()}
        yield f"{self.policy.source if self.policy else '45 CFR 164.514(b)(2)(i)':46}  found  treated"
        for name, counts in sorted(rows.items()):
            treatments = ", ".join(f"{count} {treatment}" for treatment, count in sorted(counts.items()))
            yield f"{name:46} {sum(counts.values()):6}  {treatments}"

    def lines(self) -> list[str]:
        """The report for people."""
        out = [*self._category_lines()]
        out.append(f"{self.documents} notes; {self.repeats} repeats without a span were replaced")
        out += [*self._origin_lines(), *(line for stage in self.stages for line in stage.lines())]
        if self.overlaps:
            out.append(f"{self.overlaps} merged spans had different types; each was replaced as a whole")
        if self.unresolved:
            lost = f"{self.unresolved} dates or names could not be given a surrogate"
            out.append(f"{lost}; they are markers such as [**DATE**]")
        return [*out, *self._remaining_lines()]

    def _origin_lines(self) -> Iterator[str]:
        """Where patients and spans come from."""
        if self.patients:
            yield f"patients: {len(self.patients)}, by {self.patient_source}"
        if self.without_patient:
            yield f"{self.without_patient} notes name no patient: each counts as a separate patient"
        counts = [f"{self.sources[name]} {text}" for name, text in SOURCES.items() if self.sources[name]]
        if counts:
            yield f"spans: {', '.join(counts)}"
        if self.threshold:
            yield f"the model tagged at threshold {self.threshold}"

    def _remaining_lines(self) -> Iterator[str]:
        """The texts that were not replaced."""
        if self.untouched:
            yield f"{len(self.untouched)} notes are unchanged: nothing was found in them; --report lists them"
        if kept := sum(counts["kept"] for counts in self.treated.values()):
            allowed = "weekdays, seasons, ages up to 89, the USA in an address"
            allowed += f", and what policy {self.policy.name} keeps" if self.policy else ""
            yield f"{kept} were kept as allowed: {allowed}"
        if self.ids_with_phi:
            yield (
                f"{self.ids_with_phi} notes have a found text in their id or their patient's; "
                "--new-ids replaces both"
            )
        if self.written_before:
            yield f"{self.written_before} notes were written before and are not counted here"
        in_values = sum(self.left_in_values.values())
        count, where = (
            self.survivors.total() + in_values,
            "its own note" if self.by_note else "its patient's output",
        )
        yield f"{count} places in the output still contain a text that was found elsewhere in {where}"
        yield from (f"  {place}" for place in self.places)
        if in_values:
            yield f"  {in_values} in ids and codes of the messages"
        if (more := count - in_values - len(self.places)) > 0:
            yield f"  and {more} more; --report FILE lists all"
        kinds = [f"{count} {kind}" for kind, count in self._order_suspicious().items()]
        yield f"{self.suspicious.total()} other places look like PHI{': ' * bool(kinds)}{', '.join(kinds)}"
        yield "PHI that the program missed completely is not counted"
