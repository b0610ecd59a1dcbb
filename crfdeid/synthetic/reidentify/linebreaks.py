"""Line breaks that an archive lost."""

from __future__ import annotations

import re
from collections.abc import Callable


def from_commas(text: str) -> str:
    """The text where breaks show as a comma without a space after it, as in MTSamples.

    >>> from_commas("HISTORY: , A cough.,PLAN:,1.  Rest.,2.  Fluids, 1,000 mL.")
    'HISTORY: A cough.\\n\\nPLAN:\\n1. Rest.\\n2. Fluids, 1,000 mL.'
    """
    text = re.sub(r": +, *", ": ", text)
    text = re.sub(r":,(?=\S)", ":\n", text)
    text = re.sub(r":, +", ": ", text)
    text = re.sub(r",+(?=[A-Z][A-Z /&()-]{3,60}:)", "\n\n", text)
    text = re.sub(r",(?=\d{1,2}[.)] )|(?<=[.?!:;)\"]),(?=\S)|,(?=[A-Z])", "\n", text)
    return re.sub(r" {2,}", " ", text).strip(" ,\n")


RESTORED: dict[str, Callable[[str], str]] = {"kept": str, "commas": from_commas}
