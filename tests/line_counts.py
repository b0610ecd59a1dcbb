"""How much work a function does, without a clock."""

import sys
from collections.abc import Callable


def count_lines(action: Callable[[], object]) -> int:
    """The number of lines of the package that run, those of each turn of a loop among them."""
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        if event == "call" and "crfdeid" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count
