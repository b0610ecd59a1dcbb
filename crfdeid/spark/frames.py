"""Frames on the driver: their columns, their schema, and the rows of a patient side by side."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from crfdeid.errors import ConfigurationError
from crfdeid.spark.worker import ERROR, SPANS, Columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

SPAN = "array<struct<start: int, end: int, type: string, probability: double>>"


def check_columns(df: DataFrame, columns: Columns, new: Iterable[str] = ()) -> None:
    """Raise :class:`ConfigurationError` where the frame lacks a column, its text is not a string, or it has
    a column that is to be added. No message shows a name that only the frame has."""
    types = dict(df.dtypes)
    for name in columns.names:
        if name not in types:
            raise ConfigurationError(f"column {name}: not in the frame of {len(types)} columns")
    if (found := types[columns.text]) != "string":
        raise ConfigurationError(f"column {columns.text}: is of type {found}; wanted a string")
    for name in new:
        if name in types:
            raise ConfigurationError(f"column {name}: already in the frame; the result has one of this name")


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
    from pyspark.sql import functions

    patient, id = functions.col(columns.patient), functions.col(columns.id)
    owner = functions.struct(patient, functions.when(patient.isNull(), id))
    return df.repartition(owner).sortWithinPartitions(patient, id)
