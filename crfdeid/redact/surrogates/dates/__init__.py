"""Dates: parsed as people write them, shifted, and written again in the same form."""

from crfdeid.redact.surrogates.dates.shift import DateShifter

__all__ = ["DateShifter"]
