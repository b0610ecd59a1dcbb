"""Changes of functions, tried in a process that has loaded the package and collected the tests: a plugin of
pytest for :mod:`campaign.mutants`. To load and to collect takes seconds, and most tests milliseconds."""

from __future__ import annotations

import ast
import functools
import gc
import importlib
import multiprocessing
import os
import shutil
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FunctionType

import pytest
from _pytest.runner import runtestprotocol


@dataclass(frozen=True)
class Task:
    """A changed module, the function in it that differs, and the tests that are to see it."""

    path: Path  # in the package
    place: str
    code: str
    tests: list[str]
    seconds: float


class InPlace:
    """Instead of the tests as they are, runs those of each task in a fork of this process, where the changed
    function has the new code. Sends the name of the failed test of each, "time", or "" if all pass."""

    def __init__(self, copy: Path, tasks: Sequence[Task], answers: Connection) -> None:
        self.copy, self.tasks, self.answers = copy, tasks, answers

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for path in {task.path for task in self.tasks}:
            importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))
        functions, caches = find_functions(self.copy), find_caches()
        items = {item.nodeid: item for item in session.items}
        for task in self.tasks:
            original = (self.copy / task.path).read_bytes()
            (self.copy / task.path).write_text(task.code, "utf-8")  # for the tests that start processes
            clear_copy(self.copy)
            chosen = [items[test] for test in task.tests if test in items]
            self.answers.send(try_task(self.copy, task, chosen, functions, caches))
            (self.copy / task.path).write_bytes(original)
        return True


def list_left(copy: Path) -> list[str]:
    """What tests left in the folder from which they run, and the whole project beside it has not."""
    own = {entry.name for entry in copy.with_name("whole").iterdir()} | {".hypothesis"}
    return sorted(entry.name for entry in copy.iterdir() if entry.name not in own)


def clear_copy(copy: Path) -> None:
    """Remove what tests left, and what hypothesis found: the next change would be killed by it."""
    for name in [*list_left(copy), ".hypothesis"]:
        if (copy / name).is_dir():
            shutil.rmtree(copy / name)
        else:
            (copy / name).unlink(missing_ok=True)


Functions = dict[tuple[str, str], list[FunctionType]]


def find_functions(root: Path) -> Functions:
    """The living functions of the package by file and qualified name."""
    found: Functions = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(f"{root / 'crfdeid'}/"):
            found[each.__code__.co_filename, each.__code__.co_qualname].append(each)
    return found


def find_caches() -> list[Callable[[], None]]:
    """What empties the caches of the package's functions: an answer may be of the time before the change."""
    kind = type(functools.lru_cache(len))
    found = [each for each in gc.get_objects() if isinstance(each, kind)]
    return [each.cache_clear for each in found if each.__module__.partition(".")[0] == "crfdeid"]


def try_task(
    copy: Path,
    task: Task,
    items: list[pytest.Item],
    functions: Functions,
    caches: list[Callable[[], None]],
) -> str:
    def run(answer: Connection) -> None:
        os.setsid()
        for empty in caches:
            empty()
        change_functions(copy / task.path, task, functions)
        answer.send(run_items(items))
        os._exit(0)  # no other process of this one waits for the end of pytest

    fork = multiprocessing.get_context("fork")
    answer, told = fork.Pipe(duplex=False)
    child = fork.Process(target=run, args=(told,))
    child.start()
    told.close()
    try:
        return answer.recv() if answer.poll(task.seconds) else "time"
    except EOFError:
        return "end of the process"
    finally:
        if child.is_alive():
            os.killpg(child.pid or 0, signal.SIGKILL)  # with the processes that a test started
        child.join()


def change_functions(path: Path, task: Task, functions: Functions) -> None:
    """Give every living function of the changed place its new code."""
    for code in list_codes(compile(task.code, str(path), "exec", dont_inherit=True)):
        if code.co_qualname == task.place:
            for function in functions[str(path), task.place]:
                function.__code__ = code


def list_codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from list_codes(each)


def run_items(items: list[pytest.Item]) -> str:
    """Run tests until one fails, and return its name."""
    for item, following in zip(items, [*items[1:], None]):
        if any(report.failed for report in runtestprotocol(item, log=False, nextitem=following)):
            return item.nodeid
    return ""


def find_function(tree: ast.Module, place: str) -> tuple[str, ast.FunctionDef] | None:
    """Return the qualified name and the definition of the function at a place of :mod:`campaign.changes`, the
    outermost of nested ones; None for a constant, the body of a class, or a name that is defined twice."""
    body: Sequence[ast.stmt] = tree.body
    names: list[str] = []
    for name in place.split("."):
        names.append(name)
        found = [each for each in body if getattr(each, "name", "") == name]
        match found:
            case [ast.FunctionDef() as function]:
                return ".".join(names), function
            case [ast.ClassDef() as kind]:
                body = kind.body
            case _:
                return None
    return None


def differs_inside(old: ast.FunctionDef, new: ast.FunctionDef) -> bool:
    """Whether two functions have the same defaults and decorators: they belong to the living function."""
    return all(
        ast.dump(before) == ast.dump(after)
        for before, after in zip([old.args, *old.decorator_list], [new.args, *new.decorator_list])
    )
