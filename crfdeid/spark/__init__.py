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

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from crfdeid import policy as policies
from crfdeid.redact import release
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.spark import frames, worker
from crfdeid.spark.shared_model import SharedModel, share_model
from crfdeid.systems import model as models
from crfdeid.systems.threshold import AnyThreshold, Threshold

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
    columns = worker.Columns(text, id, patient)
    frames.check_columns(df, columns, new=worker.NEW)
    shared = share_model(df.sparkSession, model or models.DEFAULT)
    work = worker.Work(
        columns, shared, worker.check_threshold(shared, threshold, probabilities), probabilities
    )
    return frames.group_rows(df, columns).mapInArrow(
        partial(worker.tag_rows, work), frames.add_new(df.schema)
    )


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
    columns = worker.Columns(text, id, patient)
    frames.check_columns(df, columns, new=worker.NEW)
    rules = policies.read_policy(policy) if policy else None
    redactor = Redactor(keyed_choice.read_key_file(Path(key_file)), style, policy=rules)
    shared = share_model(df.sparkSession, model or models.CAREFUL)
    if rules:
        rules.check_scheme(worker.load_model(shared.name).scheme)
    work = worker.Work(columns, shared, choose_threshold(shared, threshold), redactor=redactor)
    narrow = df.select(*columns.names)
    rows = frames.group_rows(narrow, columns)
    return rows.mapInArrow(partial(worker.redact_rows, work), frames.add_new(narrow.schema))


def choose_threshold(
    shared: SharedModel, threshold: AnyThreshold | Literal["best"] | None
) -> Threshold | None:
    """Return the threshold of a release: the careful one, if the model can use it and no other is given."""
    if threshold is None and worker.load_model(shared.name).has_threshold:
        return release.CAREFUL
    return worker.check_threshold(shared, None if isinstance(threshold, str) else threshold)
