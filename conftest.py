"""What can be collected where an extra is not installed."""

from importlib.util import find_spec

# Doctests import their module; tests/systems/test_rnn.py says itself that it skips.
collect_ignore = [] if find_spec("torch") else [
    f"crfdeid/systems/rnn/{name}.py" for name in ("embeddings", "network", "tagging", "training")
]
