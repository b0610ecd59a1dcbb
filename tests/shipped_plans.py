"""The configurations that ship, each read as a plan once for all tests."""

from functools import cache

from crfdeid import files
from crfdeid.ablate import plan
from crfdeid.ablate.plan import Plan

CONFIGS = [path.stem for path in sorted(files.find_folder("configs").glob("*.toml"))]


@cache
def read_shipped(name: str) -> Plan:
    return plan.read_plan(name)
