"""What is written for a span in place of a surrogate: the marker of its type, or blanks."""

from __future__ import annotations

from crfdeid.errors import ConfigurationError
from crfdeid.redact.surrogates import kinds

MARKER = "[**{type}**]"
SHWETA = "shweta"  # names the markers of Shweta et al. 2016 (the end of their section on methods)
GENERIC_TYPE = "PHI"
BLANK = "_"


def check_marker(marker: str) -> str:
    """Return ``marker``. Raises :class:`ConfigurationError` if it has a field other than ``{type}``."""
    if marker == SHWETA:
        return marker
    try:
        marker.format(type="PATIENT")
    except (KeyError, IndexError, ValueError, AttributeError):
        raise ConfigurationError(f"--marker: wanted a text with {{type}} in it, such as {MARKER}") from None
    return marker


def name_type(type: str) -> str:
    """The type as it is written out. One that no scheme has is never repeated: it may be text of a note."""
    return GENERIC_TYPE if kinds.kind_of(type) == kinds.UNKNOWN else type


def make_marker(type: str, marker: str = MARKER) -> str:
    """The marker of a type; the generic one for a type that no scheme has.

    >>> make_marker("DOCTOR"), make_marker("SPECIES"), make_marker("DOCTOR", "<{type}>")
    ('[**DOCTOR**]', '[**PHI**]', '<DOCTOR>')
    >>> [make_marker(type, "shweta") for type in ("PATIENT", "DATE", "SSN")]
    ['XYZ_Patient', '00.00.Date', 'NUM_ID']
    """
    kind, name = kinds.kind_of(type), name_type(type)
    if marker != SHWETA:
        return marker.format(type=name)
    if kind == kinds.DATE:
        return "00.00.Date"
    if kind in (kinds.PHONE, kinds.IDENTIFIER):
        return "NUM_PHONE" if kind == kinds.PHONE else "NUM_ID"
    return f"XYZ_{name.title()}"


def make_blanks(text: str) -> str:
    """Replace each character by a blank, except line ends.

    >>> make_blanks("Ana Ruiz")
    '________'
    """
    return "".join(c if c in "\r\n" else BLANK for c in text)
