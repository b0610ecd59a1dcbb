"""What is collected, and how the processes of a test run work."""

import os
import re
import sys
from importlib.util import find_spec

import pytest

SLOW = re.compile(r"^pytestmark = .*mark\.slow", re.M)
# Tests start hundreds of programs: what Python compiles is kept, also where the environment says otherwise.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# One thread for each test worker: the threads of several workers wait for each other, and then a fit of
# 0.1 s takes 20 s.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Doctests import their module; tests/systems/test_rnn.py says itself that it skips.
collect_ignore = [
    f"crfdeid/{name}.py"
    for extra, names in {
        "torch": [f"systems/works/rnn_{name}" for name in ("embeddings", "network", "training")],
        "transformers": ["systems/transformer/training"],
        "spacy": ["integrations/spacy"],
        "presidio_analyzer": ["integrations/presidio"],
        "litellm": ["integrations/litellm"],
        "langchain_core": ["integrations/langchain"],
    }.items()
    for name in names
    if not find_spec(extra)
]


def pytest_ignore_collect(collection_path, config):
    """``-m "not slow"`` does not import the modules that are slow as a whole."""
    if config.option.markexpr == "not slow" and collection_path.name.startswith("test_"):
        return bool(SLOW.search(collection_path.read_text(encoding="utf-8"))) or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path):
    """Docstrings of test files hold no examples."""
    collectors = yield
    if file_path.name.startswith("test_"):
        return [found for found in collectors if type(found) is pytest.Module]
    return collectors
