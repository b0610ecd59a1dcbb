"""Heuristic+dictionary, the baseline of Sibanda & Uzuner 2006, section 4.1: they "obtained one
such system (Douglass, 2005)" with three kinds of dictionaries: tables of PHI, a dictionary
of common words "that should never be classified as PHI", and tables of context clues.

So these are the rules that Douglass 2005, chapter 5, has, without those of other works and our
own, and with common and medical words as an absolute brake: a name that is a word too is
missed even after "Mr.".
"""

from __future__ import annotations

from pathlib import Path

from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.rules import lists
from crfdeid.rules.tagger import Rules
from crfdeid.systems.rule_based import rules
from crfdeid.systems.rule_based.rules import Options, train

__all__ = ["HEURISTIC", "Options", "load", "train", "untrained"]

HEURISTIC = (
    "phone_with_area", "local_phone", "spaced_phone", "pager", "extension", "labelled_ssn", "ssn",
    "date_mdy", "date_dmy", "month_and_day", "month_and_year", "month_day_year", "day_month_year",
    "month_of_year", "month_alone", "ordinal_day", "weekday", "medical_record_number", "account_number",
    "health_plan_number", "license_number", "device_number", "vehicle_number", "id_number",
    "hospital_list", "doctor_title", "patient_title", "other_title", "relative", "staff", "state",
    "clear_city", "place_indicator", "initials_surname", "surname_prefix", "first_and_surname",
    "popular_name", "clear_first_name", "clear_surname", "misspelt_name", "repeated_name",
    "repeated_place",
)  # fmt: skip


def load(folder: Path, pipeline: Pipeline) -> rules.Tagger:
    """The rules of Douglass with the lists of ``folder``."""
    found = rules.of_folder(folder, pipeline).make_strict()
    return rules.Tagger(folder, pipeline, found, rules.kept(HEURISTIC, pipeline))


def untrained() -> Rules:
    """The system with the shipped lists, without a model's folder."""
    return Rules(lists.load_shipped().make_strict(), HEURISTIC)
