"""What can be collected where an extra is not installed."""

from importlib.util import find_spec

# Doctests import their module; tests/systems/test_rnn.py says itself that it skips.
collect_ignore = [
    f"crfdeid/{name}.py"
    for extra, names in {
        "torch": [f"systems/rnn/{name}" for name in ("embeddings", "network", "tagging", "training")],
        "transformers": ["systems/transformer/training"],
        "spacy": ["integrations/spacy"],
        "presidio_analyzer": ["integrations/presidio"],
        "litellm": ["integrations/litellm"],
    }.items()
    for name in names
    if not find_spec(extra)
]
