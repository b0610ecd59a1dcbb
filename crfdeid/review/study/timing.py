"""Time that readers report, and how long they have worked without a pause."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from crfdeid.review.study.accounts import Reader
from crfdeid.review.study.errors import Invalid
from crfdeid.review.study.study import Study

Table = dict[str, Any]
LONGEST_REPORT = 60.0  # seconds that one report of time may claim
PAUSE = 300.0  # seconds without a report that make a pause


def spend(study: Study, reader: Reader, number: int, given: Mapping[str, Any]) -> Table:
    """Note down seconds that the reader looked at the note."""
    seconds = given.get("seconds")
    if (
        not isinstance(seconds, int | float)
        or isinstance(seconds, bool)
        or not 0 <= seconds <= LONGEST_REPORT
    ):
        raise Invalid(f"a report of 0 to {LONGEST_REPORT:.0f} seconds")
    study.notes.note(number)
    now = time.monotonic()
    since, until = study.worked.get(reader.name, (now - seconds, now))
    study.worked[reader.name] = (since if now - until < PAUSE else now - seconds, now)
    sql = """INSERT INTO times VALUES(?, ?, ?)
             ON CONFLICT(reader, note) DO UPDATE SET seconds = seconds + excluded.seconds"""
    study.store.write(sql, reader.name, number, float(seconds))
    row = study.store.row("SELECT seconds FROM times WHERE reader = ? AND note = ?", reader.name, number)
    return {"seconds": row[0] if row else 0, "worked": worked(study, reader)}


def worked(study: Study, reader: Reader) -> float:
    """Seconds since the reader's last pause."""
    since, until = study.worked.get(reader.name, (0.0, -PAUSE))
    return until - since if time.monotonic() - until < PAUSE else 0.0
