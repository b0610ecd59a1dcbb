"""The plan for the workers, made and checked on the driver."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from crfdeid import policy as policies
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.run import tagging
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.spark.shared_model import SharedModel, share_model
from crfdeid.spark.worker import Columns, Work, load_model
from crfdeid.systems import model as models
from crfdeid.systems.threshold import AnyThreshold, Threshold

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def plan_tagging(
    session: SparkSession,
    columns: Columns,
    model: str | Path | None = None,
    threshold: AnyThreshold | None = None,
    probabilities: bool = False,
) -> Work:
    """Plan what :func:`crfdeid.spark.tag` asks for, with its errors."""
    shared = share_model(session, model or models.RELEASE)
    return Work(columns, shared, check_threshold(shared, threshold, probabilities), probabilities)


def plan_redaction(
    session: SparkSession,
    columns: Columns,
    key_file: str | Path,
    policy: str | None = None,
    style: str = "surrogate",
    model: str | Path | None = None,
    threshold: tagging.ReleaseThreshold = None,
) -> Work:
    """Plan what :func:`crfdeid.spark.redact` asks for, with its errors."""
    rules = policies.read_policy(policy) if policy else None
    redactor = Redactor(keyed_choice.read_key_file(Path(key_file)), style, policy=rules)
    shared = share_model(session, model or models.DEFAULT)
    if rules:
        rules.check_scheme(load_model(shared.name).scheme)
    redactor.write_in(load_model(shared.name).language)
    chosen = tagging.choose_threshold(load_model(shared.name), threshold)
    return Work(columns, shared, chosen, redactor=redactor)


def check_threshold(
    shared: SharedModel, threshold: AnyThreshold | None, probabilities: bool = False
) -> Threshold | None:
    """Return the threshold. Raises :class:`ConfigurationError` where the model cannot use it, or has no
    probabilities; :class:`ModelError` where it is damaged."""
    tagger = load_model(shared.name)
    tagger.check_probabilities(probabilities)
    return None if threshold is None else tagger.check_threshold(threshold)
