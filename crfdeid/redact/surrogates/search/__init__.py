"""Search a patient's notes for texts that were found once and missed elsewhere."""

from crfdeid.redact.surrogates.search.patient_search import PatientSearch
from crfdeid.redact.surrogates.search.search_strings import NUMBERS, find_days, list_days, list_starts
from crfdeid.redact.surrogates.search.text_index import TextIndex

__all__ = ["NUMBERS", "PatientSearch", "TextIndex", "find_days", "list_days", "list_starts"]
