"""Dates: parsed as people write them, shifted, and written again in the same form."""

from crfdeid.redact.surrogates.dates.shift import DateShifter, Shift, draw_shift

__all__ = ["DateShifter", "Shift", "draw_shift"]
