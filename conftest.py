"""What can be collected where an extra is not installed, and how the processes of a test run work."""

import os
import sys
from importlib.util import find_spec

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
