"""What every verb of the command line shares: one line for a fault, and exit status 2."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from typing import TypeVar

from tqdm import tqdm

from crfdeid.faults import Fault

Item = TypeVar("Item")


def run(main: Callable[[list[str] | None], None]) -> None:
    """Call ``main`` and turn what can go wrong into an exit status: 2 for a fault of
    the input, 130 for Ctrl-C, 0 where the reader of a pipe has gone."""
    try:
        main(None)
    except Fault as fault:
        sys.exit(complain(str(fault)))
    except KeyboardInterrupt:
        complain("stopped; nothing half-written was left")
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> int:
    """One line on standard error; returns the status to exit with."""
    print("crfdeid: " + " ".join(message.splitlines()), file=sys.stderr)
    return 2


def progress(items: Iterable[Item], title: str, total: int | None = None) -> Iterable[Item]:
    """Show a bar on a terminal, nothing when standard error is piped."""
    return tqdm(items, desc=title, total=total, disable=None, leave=False)
