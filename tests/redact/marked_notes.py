"""Notes with marked spans, and ways to redact them, for the tests of this folder."""

from collections.abc import Sequence
from typing import Any

import pytest

from crfdeid import cli
from crfdeid.redact import __main__ as redact
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.run import patients
from crfdeid.redact.run.plan import RedactPlan
from crfdeid.redact.surrogates.identifiers import Identifiers
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.patient_facts import PatientFacts
from crfdeid.text.document import Document, Span

SECRET = b"0123456789abcdef0123456789abcdef"
KEY = b"a key of the map, long enough"


def marked(text: str, id: str = "1", patient: str | None = "7") -> Document:
    """``<TYPE text>`` is a span."""
    pieces, spans = text.split("<"), []
    plain = pieces[0]
    for piece in pieces[1:]:
        (type, _, inside), rest = piece.split(">")[0].partition(" "), piece.partition(">")[2]
        spans.append(Span(len(plain), len(plain) + len(inside), type))
        plain += inside + rest
    return Document(id, plain, tuple(spans), patient)


STORY = [
    marked("<DATE 3/7/2067> Mr. <PATIENT Robert Smith>, <AGE 67>, MRN <MEDICALRECORD 4471902>.", "a-1", "a"),
    marked("<PATIENT SMITH, ROBERT>, <DATE 3/21/2067>, Dr. <DOCTOR Okafor>. Bob Smith is ill", "a-2", "a"),
    marked("<PATIENT Ana Ruiz> of <CITY Boston>, <STATE MA> called <PHONE 617-555-0148>.", "b-1", "b"),
    marked("Dr. <DOCTOR Okafor> saw <PATIENT Ruiz> on <DATE 1/2/2067>. 4471902.", "b-2", "b"),
    marked("<PATIENT Okafor>, aged <AGE 93>", "c-1", None),
]  # fmt: skip


def redacted(documents: Sequence[Document], secret: bytes = SECRET, **options: Any) -> dict[str, Document]:
    """The redacted notes by id, patient by patient as a run redacts them."""
    redactor = Redactor(secret, **options)
    groups = patients.group_by_patient(lambda: iter(documents), redactor.by_note)
    return {r.document.id: r.document for group in groups for r in redactor.redact(group)}


def replace_identifier(text: str, choices: KeyedChoices, check_digits: str = "same") -> str:
    """Replace an identifier of a patient without other facts."""
    made = Identifiers(choices, PatientFacts(), {}, check_digits).replace_identifier(text)
    assert made is not None
    return made


def make_plan(*arguments: object) -> RedactPlan:
    """The plan of a command line."""
    return RedactPlan.of(redact.build_parser().parse_args([str(argument) for argument in arguments]))


def run(*arguments: object) -> None:
    """Run the verb in this process."""
    redact.main([str(argument) for argument in arguments])


def status(*arguments: object) -> int | str | None:
    """Run the verb and return its exit status."""
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: run(*arguments))
    return stopped.value.code
