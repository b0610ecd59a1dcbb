"""Find and replace PHI in a Spark frame (docs/scale.md). Needs pyspark 4 and Java 17: the extra ``spark``.

    from crfdeid import spark
    found = spark.tag(notes, text="note", id="id")
    clean = spark.redact(notes, patient="patient", key_file="key")

Nothing runs before an action on the returned frame. Each row of the frame gives one row. ``spans`` is an
array of structs ``start, end, type, probability`` with offsets in code points, so that
``substring(note, start + 1, end - start)`` is the text of a span. ``error`` is null, or one word: the class
of the error that the note raised, ``NullText``, ``NullId``, or ``WorkerDied`` for a note that ended its
process. Where it is not null, ``spans`` (and a redacted text) are null.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from crfdeid.spark import frames, plan
from crfdeid.spark.worker import Columns
from crfdeid.systems.threshold import AnyThreshold

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def tag(
    df: DataFrame,
    text: str = "note",
    id: str = "id",
    patient: str | None = None,
    model: str | Path | None = None,
    threshold: AnyThreshold | None = None,
    probabilities: bool = False,
) -> DataFrame:
    """Return the frame with the columns ``spans`` and ``error``.

    With ``patient`` the notes of a patient are tagged together, in the order of their ids, which some systems
    use; this moves the rows. ``probabilities`` fills the field of each span, and takes longer. ``model`` is
    what ``tag --model`` accepts; a folder goes to the workers. Raises :class:`ConfigurationError` for a
    column that is missing or that the result would have twice, and for a threshold or probabilities that the
    model does not have; :class:`ModelError` for a damaged model."""
    columns = Columns(text, id, patient)
    frames.check_columns(df, columns)
    return frames.apply_work(df, plan.plan_tagging(df.sparkSession, columns, model, threshold, probabilities))


def redact(
    df: DataFrame,
    text: str = "note",
    id: str = "id",
    patient: str | None = None,
    *,
    key_file: str | Path,
    policy: str | None = None,
    style: str = "surrogate",
    model: str | Path | None = None,
    threshold: AnyThreshold | Literal["best"] | None = None,
) -> DataFrame:
    """Return the columns ``id``, ``patient`` (where it is named) and ``text`` with the text redacted, and
    ``spans`` over the replacements, and ``error``. Other columns are left out, because they can hold PHI. Ids
    and patients stay as they are.

    The notes of a patient are redacted together, by the secret that the driver reads from ``key_file``, so
    that the result does not depend on the partitions. An error of one note is an error of all notes of the
    patient. By default, PHI is what the rules find, and what the shipped model finds at a probability of
    0.1, as in the command ``redact``; the threshold ``best`` is the most probable labels. Raises the errors
    of :func:`tag`, and :class:`ConfigurationError` for a key that cannot be read or a policy that does not
    fit."""
    columns = Columns(text, id, patient)
    frames.check_columns(df, columns)
    work = plan.plan_redaction(df.sparkSession, columns, key_file, policy, style, model, threshold)
    return frames.apply_work(df.select(*columns.names), work)
