"""The Python examples of the pages of docs/, which tests run."""

import re

from crfdeid import resources


def read_examples(page: str) -> list[str]:
    """Return the Python blocks of a page, in order."""
    text = (resources.PACKAGE.parent / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
