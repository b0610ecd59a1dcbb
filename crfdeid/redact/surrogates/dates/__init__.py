"""Dates: parsed as people write them, shifted, and written again in the same form."""

from crfdeid.redact.surrogates.dates.shift import DateShifter, draw_shift

__all__ = ["DateShifter", "draw_shift"]
