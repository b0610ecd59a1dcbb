"""Another run, as a test needs one: it holds an output."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from crfdeid.files import hold_output


@contextmanager
def hold_elsewhere(path: Path) -> Iterator[None]:
    """Hold an output until the block ends; a lock of another thread is like that of another process."""
    held = hold_output(path)
    with ThreadPoolExecutor(1) as thread:
        thread.submit(held.__enter__).result()
        try:
            yield
        finally:
            thread.submit(held.__exit__, None, None, None).result()
