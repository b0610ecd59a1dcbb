"""Another bias for a trained model: the operating point moves without a new training (Tafvizi 2011, section
7.2.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from crfdeid.config import Config
from crfdeid.errors import ConfigurationError
from crfdeid.systems import registry
from crfdeid.systems.tagger import ModelFolder
from crfdeid.text import bio


@dataclass(frozen=True)
class Bias:
    """``recall`` takes the place of the setting ``recall_bias``, where it is not ``None``; ``by_type`` takes
    that of ``type_bias``, type by type."""

    recall: float | None = None
    by_type: Mapping[str, float] = field(default_factory=dict)

    def change_folder(self, model: ModelFolder) -> ModelFolder:
        """Return the folder with this bias. Raises :class:`ConfigurationError` where its system does not
        have such a bias, or its scheme does not have a type."""
        if "recall_bias" not in registry.find_system(model.config.system).settings:
            raise ConfigurationError(f"--recall-bias: the system {model.config.system} has none")
        recall = model.config.recall_bias if self.recall is None else self.recall
        types = model.config.type_bias | dict(self.by_type)
        settings = replace(model.config, recall_bias=recall, type_bias=types)
        if self.by_type:
            registry.check_type_bias(settings)
        return replace(model, config=settings, learned=model.learned or model.config)


def parse_bias(values: Sequence[str] | None) -> Bias | None:
    """Return the bias of the option's values, each a number or TYPE=NUMBER; the last of each counts. ``None``
    without values.

    >>> parse_bias(["1", "PATIENT=2"]), parse_bias([])
    (Bias(recall=1.0, by_type={'PATIENT': 2.0}), None)
    """
    recall, by_type = None, {}
    for value in values or ():
        name, equals, number = value.rpartition("=")
        if equals and name:
            by_type[name] = parse_number(number, value)
        else:
            recall = parse_number(value, value)
    return Bias(recall, by_type) if values else None


def parse_number(text: str, option: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ConfigurationError(f"--recall-bias {option}: wanted a number or TYPE=NUMBER")
    return number


def list_amounts(config: Config) -> dict[str, float]:
    """Return what the settings add to the score of each label at every token."""
    amounts = {bio.OUTSIDE: -config.recall_bias}
    for type, bias in config.type_bias.items():
        amounts |= {f"B-{type}": bias, f"I-{type}": bias}
    return amounts


def list_changes(model: ModelFolder) -> dict[str, float]:
    """Return what the settings add to the score of each label beyond what the model's files already have."""
    if model.learned is None:
        return {}
    before, now = list_amounts(model.learned), list_amounts(model.config)
    changes = {label: now.get(label, 0.0) - before.get(label, 0.0) for label in before | now}
    return {label: amount for label, amount in changes.items() if amount}
