"""US states and where the numbers of their ZIP codes begin (USPS Publication 65, three-digit prefixes)."""

from __future__ import annotations

from functools import cache

import regex

from crfdeid.redact.surrogates.letter_case import words
from crfdeid.redact.surrogates.name_pools import listed

STATES = dict(line.split("|") for line in listed("state_names")) | {"DC": "District of Columbia"}
RANGES = """
AK 995-999, AL 350-369, AR 716-729, AZ 850-865, CA 900-961, CO 800-816, CT 060-069, DC 200-205, DE 197-199,
FL 320-349, GA 300-319 398-399, HI 967-968, IA 500-528, ID 832-838, IL 600-629, IN 460-479, KS 660-679,
KY 400-427,
LA 700-714, MA 010-027, MD 206-219, ME 039-049, MI 480-499, MN 550-567, MO 630-658, MS 386-397, MT 590-599,
NC 270-289, ND 580-588, NE 680-693, NH 030-038, NJ 070-089, NM 870-884, NV 889-898, NY 100-149, OH 430-459,
OK 730-749, OR 970-979, PA 150-196, RI 028-029, SC 290-299, SD 570-577, TN 370-385, TX 750-799, UT 840-847,
VA 220-246, VT 050-059, WA 980-994, WI 530-549, WV 247-268, WY 820-831
"""
# Prefixes whose areas held 20,000 people or fewer in the 2000 census: the list of the HHS guidance on
# de-identification (26 November 2012). 45 CFR 164.514(b)(2)(i)(B) has them written 000.
SMALL = words("036 059 063 102 203 556 692 790 821 823 830 831 878 879 884 890 893")
FIVE = regex.compile(r"(?<!\d)(\d{3})\d\d(?:-?\d{4})?(?!\d)")


@cache
def prefixes(state: str | None) -> tuple[str, ...]:
    """The prefixes of a state, or of all."""
    found: list[str] = []
    for row in RANGES.replace("\n", " ").split(","):
        code, *spans = row.split()
        if state in (None, code):
            for low, high in (span.split("-") for span in spans):
                found += [f"{number:03}" for number in range(int(low), int(high) + 1)]
    return tuple(found)


@cache
def _states() -> dict[str, str]:
    return {prefix: code for code in STATES for prefix in prefixes(code)}


def state(zip: str) -> str | None:
    """
    >>> state("02115"), state("00000")
    ('MA', None)
    """
    return _states().get(zip[:3])


def code(text: str) -> str | None:
    """The postal abbreviation of a state written in any way.

    >>> code("Mass."), code("N.Y."), code("ohio"), code("Ontario")
    ('MA', 'NY', 'OH', None)
    """
    letters = regex.sub(r"[^a-z]", "", text.lower())
    if letters.upper() in STATES:
        return letters.upper()
    full = {regex.sub(r"[^a-z]", "", name.lower()): code for code, name in STATES.items()}
    if letters in full:
        return full[letters]
    starts = [code for name, code in full.items() if len(letters) > 3 and name.startswith(letters)]
    return starts[0] if len(starts) == 1 else None


def generalised(text: str) -> str:
    """The Safe Harbor's rule: three digits, and 000 for the small areas.

    >>> generalised("02115-1234"), generalised("03601")
    ('021', '000')
    """
    found = FIVE.search(text)
    if found is None:
        return "000"
    return "000" if found[1] in SMALL else found[1]
