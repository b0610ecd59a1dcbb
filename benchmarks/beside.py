"""What the machine itself gives to several processes at this moment: they only count, and touch no memory."""

from __future__ import annotations

import subprocess
import sys
import time

COUNT = "n = 0\nfor i in range(20_000_000): n += i"


def count_beside(processes: int) -> float:
    """The seconds in which each of some processes counts as far as the others."""
    begin = time.monotonic()
    running = [subprocess.Popen([sys.executable, "-c", COUNT]) for _ in range(processes)]
    for each in running:
        each.wait()
    return time.monotonic() - begin
