"""Search a patient's notes for texts that were found once and missed elsewhere."""

from crfdeid.redact.surrogates.search.patient_search import PatientSearch

__all__ = ["PatientSearch"]
