"""Ctrl-C while the modules of a command load: one line, as later from :func:`crfdeid.cli.run`, and no
traceback."""

from __future__ import annotations

import os
import signal
from types import FrameType


def stop_early(number: int, frame: FrameType | None) -> None:
    os.write(2, b"crfdeid: stopped before it began\n")
    os._exit(130)


def handle_interrupts() -> None:
    """Stop early at Ctrl-C, until :func:`crfdeid.cli.run` begins. Where it is ignored, as in what a shell
    runs in the background, it stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop_early)
