"""The Python examples of the pages of docs/, which tests run."""

import re
import sys

from crfdeid import files


def read_examples(page: str) -> list[str]:
    """Return the Python blocks of a page, in order."""
    text = (files.PACKAGE.parent / "docs" / page).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def use_this_python(code: str) -> str:
    """Return shell code of a page that runs the package of this test, wherever the command is on the path."""
    return re.sub(r"(?m)(^|\| *|do\n +)crfdeid (?=[a-z])", rf"\1{sys.executable} -m crfdeid ", code)
