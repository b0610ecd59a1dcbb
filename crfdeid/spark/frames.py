"""Frames on the driver: their columns, their schema, and the rows of a patient side by side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from crfdeid.errors import ConfigurationError
from crfdeid.spark import worker
from crfdeid.spark.worker import ERROR, NEW, SPANS, Columns, Work

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

SPAN = "array<struct<start: int, end: int, type: string, probability: double>>"


def check_columns(df: DataFrame, columns: Columns) -> None:
    """Raise :class:`ConfigurationError` where the frame lacks a column, its text is not a string, or it has
    a column that is to be added. No message shows a name that only the frame has."""
    types = dict(df.dtypes)
    for name in columns.names:
        if name not in types:
            raise ConfigurationError(f"column {name}: not in the frame of {len(types)} columns")
    if (found := types[columns.text]) != "string":
        raise ConfigurationError(f"column {columns.text}: is of type {found}; wanted a string")
    for name in NEW:
        if name in types:
            raise ConfigurationError(f"column {name}: already in the frame; the result has one of this name")


def apply_work(df: DataFrame, work: Work) -> DataFrame:
    """Return the frame that the workers make of this one."""
    rows = worker.tag_rows if work.redactor is None else worker.redact_rows
    return group_rows(df, work.columns).mapInArrow(partial(rows, work), add_new(df.schema))


def add_new(schema: StructType) -> StructType:
    """Return the schema with the columns of the result."""
    from pyspark.sql.types import StructType

    new = StructType.fromDDL(f"{SPANS} {SPAN}, {ERROR} string")
    return StructType([*schema.fields, *new.fields])


def group_rows(df: DataFrame, columns: Columns) -> DataFrame:
    """Put the rows of each patient one after the other into one partition, in the order of their ids; rows
    without a patient are grouped by their id."""
    if columns.patient is None:
        return df
    return df.repartition(find_owner(columns)).sortWithinPartitions(columns.patient, columns.id)


def find_owner(columns: Columns) -> Column:
    """Return the column that rows have in common where they are tagged or redacted together: the patient, or
    the id of a row without one."""
    from pyspark.sql.functions import col, concat, lit, when

    id = col(columns.id).cast("string")
    if columns.patient is None:
        return concat(lit("i"), id)
    patient = col(columns.patient).cast("string")
    return when(patient.isNull(), concat(lit("i"), id)).otherwise(concat(lit("p"), patient))
