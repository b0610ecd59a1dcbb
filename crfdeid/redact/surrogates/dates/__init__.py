"""Dates: parsed as people write them, shifted, and written again in the same form."""

from crfdeid.redact.surrogates.dates.resolve import find_nearest, make_date
from crfdeid.redact.surrogates.dates.shift import DateShifter, Shift, draw_shift, find_note_date

__all__ = ["DateShifter", "Shift", "draw_shift", "find_nearest", "find_note_date", "make_date"]
