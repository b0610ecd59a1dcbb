"""How much work a function does, without a clock."""

import sys
from collections.abc import Callable

SIZE = 150  # of the smaller of two inputs


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


def check_proportion(work: Callable[[int], object]) -> None:
    """At four times the size the work is four times as much, and a little more at most."""
    work(3)  # reads the lists
    small, large = (count_lines(lambda: work(n)) for n in (SIZE, 4 * SIZE))  # noqa: B023
    assert large < 5.5 * small, f"{small:,} lines, and {large:,} at four times the size"
