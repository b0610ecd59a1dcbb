"""A key gives the surrogates that it gave before: who redacts the next month's notes with a newer version
relies on it. After an intended change, ``PYTHONPATH=. python tests/redact/test_kept_surrogates.py`` writes
the table anew; its difference shows what users will see, and belongs into CHANGELOG.md."""

from pathlib import Path

import pytest
from marked_notes import SECRET, marked

from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates.keyed_choice import stretch_password

TABLE = Path(__file__).with_name("kept_surrogates.txt")  # notes, each with its redaction below, after "= "
LINES = TABLE.read_text("utf-8").split("\n")


def redact_line(line: str) -> str:
    """The redacted note, and what the run would report as left in it."""
    redaction = Redactor(SECRET).redact([marked(line)])[0]
    left = [redaction.document.text_of(span) for span in redaction.survivors]
    return redaction.document.text + (f" · left: {', '.join(left)}" if left else "")


@pytest.mark.parametrize(("line", "made"), [pair for pair in zip(LINES, LINES[1:]) if pair[1][:2] == "= "])
def test_a_key_gives_the_surrogates_that_it_gave_before(line, made):
    assert f"= {redact_line(line)}" == made


def test_a_password_gives_the_key_that_it_gave_before():
    key = "23e58fc9ffd1660a1d329a6037b6c8518ea846fe6b995530ca6e630aaeb5cbe8"
    assert stretch_password(b"a password").hex() == key


if __name__ == "__main__":
    kept = [line for line in LINES if not line.startswith("= ")]
    made = (f"{line}\n= {redact_line(line)}" if line and line[0] != "#" else line for line in kept)
    TABLE.write_text("\n".join(made), "utf-8")
