"""What stands in place of PHI where no surrogate does: a marker of its type, or blanks."""

from __future__ import annotations

from crfdeid.errors import ConfigurationError
from crfdeid.redact.surrogates import kinds

MARKER = "[**{type}**]"
SHWETA = "shweta"  # names the markers of Shweta et al. 2016 (the end of their section on methods)
GENERIC = "PHI"
BLANK = "_"


def checked(marker: str) -> str:
    """Raises :class:`ConfigurationError` where a marker cannot be made of the type alone."""
    if marker == SHWETA:
        return marker
    try:
        marker.format(type="PATIENT")
    except (KeyError, IndexError, ValueError, AttributeError):
        raise ConfigurationError(f"--marker: wanted a text with {{type}} in it, such as {MARKER}") from None
    return marker


def marked(type: str, marker: str = MARKER) -> str:
    """The marker of a type; of one that is in no scheme, the generic one.

    >>> marked("DOCTOR"), marked("SPECIES"), marked("DOCTOR", "<{type}>"), marked("ZIP", "shweta")
    ('[**DOCTOR**]', '[**PHI**]', '<DOCTOR>', 'XYZ_Zip')
    """
    kind = kinds.of(type)
    if marker != SHWETA:
        return marker.format(type=GENERIC if kind == kinds.UNKNOWN else type)
    return shweta(type, kind)


def shweta(type: str, kind: str) -> str:
    """
    >>> shweta("PATIENT", "name"), shweta("DATE", "date"), shweta("SSN", "identifier")
    ('XYZ_Patient', '00.00.Date', 'NUM_ID')
    """
    if kind == kinds.DATE:
        return "00.00.Date"
    if kind in (kinds.PHONE, kinds.IDENTIFIER):
        return "NUM_PHONE" if kind == kinds.PHONE else "NUM_ID"
    return f"XYZ_{(GENERIC if kind == kinds.UNKNOWN else type).title()}"


def blank(text: str) -> str:
    """As long as ``text``; line ends stay.

    >>> blank("Ana Ruiz")
    '________'
    """
    return "".join(c if c in "\r\n" else BLANK for c in text)
