"""How a command runs and ends: signals, exit statuses, one line for an error, rare garbage collection."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from crfdeid.errors import CrfdeidError, locate_error

NEW_OBJECTS = 200_000  # after which garbage is looked for: after 700, a tenth of a run went into it


def run(main: Callable[[list[str] | None], None]) -> None:
    """Call ``main`` and end with an exit status: 2 for an error in the input or of the system, such as a full
    disk, 1 for an error of the program, 130 for Ctrl-C, 0 when the reader of a pipe has closed it. SIGTERM (a
    batch system sends it) also removes half-written files."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # also where the locale is C
    try:
        call_main(main)
        sys.stdout.flush()  # a full disk shows here, and not after the exit status
    except CrfdeidError as error:
        sys.exit(report_error(str(error)))
    except KeyboardInterrupt as stopped:
        report_error(str(stopped) or "stopped; nothing half-written was left")
        sys.exit(130)
    except BrokenPipeError:
        discard_output()
    except OSError as error:  # a full disk, a file that may not be read
        discard_output()
        sys.exit(report_error(f"{error.strerror or 'refused by the system'} ({locate_error(error)})"))
    except Exception as error:
        report_error(
            f"{locate_error(error)}; please report it (its message is withheld: it may quote a note)"
        )
        sys.exit(1)


def call_main(main: Callable[[list[str] | None], None]) -> None:
    """Call ``main``. Python makes a SystemError of a signal that comes while a compiled loop is called: the
    signal counts."""
    try:
        main(None)
    except SystemError as error:
        if isinstance(error.__cause__, (KeyboardInterrupt, SystemExit)):
            raise error.__cause__ from None
        raise


def discard_output() -> None:
    """Let standard output lead nowhere: what it could not take would fail once more at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def report_error(message: str) -> int:
    """Print one line on standard error. Return the exit status."""
    print("crfdeid: " + " ".join(message.splitlines()), file=sys.stderr)
    return 2


def print_warnings(lines: Iterable[str]) -> None:
    """Print each line on standard error."""
    sys.stderr.writelines(f"{line}\n" for line in lines)


def collect_rarely() -> None:
    """Let Python look for garbage rarely: a model is many objects, and a run makes few circles of them."""
    gc.set_threshold(NEW_OBJECTS)


def keep_loaded() -> None:
    """Let Python look for no garbage among what is loaded so far. Later calls change nothing: what other
    runs of this process have left is among it then."""
    if not gc.get_freeze_count():
        gc.freeze()
