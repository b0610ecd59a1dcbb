"""Attempts in forked children: one that dies or takes too long is a failure, and the others go on."""

from __future__ import annotations

import multiprocessing
import resource
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import TypeVar

from campaign.area import Hang, describe

Item = TypeVar("Item")
fork = multiprocessing.get_context("fork")


def try_each(
    items: Sequence[Item], attempt: Callable[[Item], str], seconds: Callable[[Item], float]
) -> Counter[str]:
    """Count the outcomes. Raises :class:`AssertionError` with all failures: an exception of an attempt, the
    death of its process, or more than ``seconds`` of processor time, in whatever C code it is."""
    outcomes: Counter[str] = Counter()
    failures = []
    begin = 0
    while begin < len(items):
        receiver, sender = fork.Pipe(duplex=False)
        child = fork.Process(target=attempt_each, args=(items[begin:], attempt, seconds, sender))
        child.start()
        sender.close()
        try:
            while (received := receive(receiver)) is not None:
                failure, outcome = received
                begin += 1
                if failure:
                    failures.append(f"{items[begin - 1]}: {failure}")
                else:
                    outcomes[outcome] += 1
        except Hang:
            child.kill()
            raise
        child.join()
        if child.exitcode:
            failures.append(f"{items[begin]}: the process ended with {child.exitcode}")
            begin += 1
    assert not failures, f"{len(failures)} failures: {'; '.join(failures)}"
    return outcomes


def receive(receiver: Connection) -> tuple[str, str] | None:
    try:
        return receiver.recv()
    except EOFError:
        return None


def attempt_each(
    items: Sequence[Item],
    attempt: Callable[[Item], str],
    seconds: Callable[[Item], float],
    sender: Connection,
) -> None:
    """Send a failure or an outcome for each."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for item in items:
        used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds(item)) + 1, resource.RLIM_INFINITY))
        try:
            sender.send(("", attempt(item)))
        except Exception as error:
            sender.send((describe(error), ""))
