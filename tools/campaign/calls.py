"""Which test calls which functions of the package, and how long it takes: a plugin of pytest for
:mod:`campaign.mutants`, which runs for a change those tests alone that can see it."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from types import CodeType, FrameType

import pytest

Called = dict[int, CodeType]  # by the place in memory: to compare codes takes long


class Calls:
    """Notes the calls of each test. What a shared fixture calls counts for each test that uses it, and what
    the modules call when they are imported for none: a change there may reach any test."""

    def __init__(self, root: Path, output: Path) -> None:
        self.root, self.output = root, output
        self.current = self.imported = Called()
        self.tests: dict[str, Called] = defaultdict(dict)
        self.fixtures: dict[str, Called] = defaultdict(dict)
        self.used: dict[str, list[str]] = {}
        self.seconds: dict[str, float] = {}

    def trace(self, frame: FrameType, event: str, value: object) -> None:
        self.current[id(frame.f_code)] = frame.f_code

    @pytest.hookimpl(tryfirst=True)
    def pytest_load_initial_conftests(self) -> None:
        sys.settrace(self.trace)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.current = self.tests[item.nodeid]
        self.used[item.nodeid] = getattr(item, "fixturenames", [])
        began = time.perf_counter()
        sys.settrace(self.trace)
        threading.settrace(self.trace)
        result = yield
        sys.settrace(None)
        threading.settrace(None)
        self.seconds[item.nodeid] = time.perf_counter() - began
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
        before, self.current = self.current, self.fixtures[fixturedef.argname]
        result = yield
        self.current = before
        return result

    def pytest_sessionfinish(self) -> None:
        sys.settrace(None)
        imported = self.name_functions(self.imported)
        found = {}
        for test, called in self.tests.items():
            fixtures = [self.fixtures.get(name, {}) for name in self.used[test]]
            names = set().union(*map(self.name_functions, [called, *fixtures]))
            found[test] = [self.seconds[test], sorted(names - imported)]
        report = {"tests": found, "imported": sorted(imported)}
        self.output.write_text(json.dumps(report), "utf-8")

    def name_functions(self, called: Called) -> set[str]:
        return set(map(self.name_function, called.values())) - {""}

    def name_function(self, code: CodeType) -> str:
        """Return the module and the function as :mod:`campaign.changes` names its places."""
        path = Path(code.co_filename)
        if not path.is_relative_to(self.root / "crfdeid"):
            return ""
        name = code.co_qualname.replace(".<locals>", "").partition(".<")[0]
        return f"{path.relative_to(self.root)}: {name}"


class Chosen:
    """Runs only the chosen tests, in their order."""

    def __init__(self, tests: list[str]) -> None:
        self.tests = tests

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        found = {item.nodeid: item for item in items}
        items[:] = [found[test] for test in self.tests if test in found]
