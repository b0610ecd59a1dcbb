"""What a/b is: a date, or a score, strength, pressure, fraction or dose.

Douglass 2005, table 5.4, has 132 false dates of 292 for want of this. A word for a date
before it decides; else a word for a measurement on either side; else the numbers: what is
counted out of 2 to 6 or out of 10 is rather a score.
"""

from __future__ import annotations

import re

NEAR = 24  # characters to the left that are looked at
SCALES = frozenset([2, 3, 4, 5, 6, 10])

DATED = re.compile(
    r"\b(?:on|since|from|until|till|dated?|by|through|thru|of|before|after|as of|in|to|start(?:ing"
    r"|ed)|last|due|seen"
    r"|admitted|admit|disch(?:arged?)?|labs?|ct|mri|cxr|echo|ekg|ecg|exam|visit|dob|d|t|done"
    r"|obtained|performed"
    r"|drawn|and|next|appt|appointment|post|surgery|admission|note|scan|biopsy|cath|colonoscopy)[ :]*$",
    re.IGNORECASE,
)
CERTAIN = re.compile(r"\b(?:on|since|until|till|dated?|dob|admitted|thru|appt)[ :]*$", re.IGNORECASE)
MEASURED = re.compile(
    r"(?:\b(?:bp|pressure|strength|grades?|scale|pain|pulses?|reflex(?:es)?|dtrs?|murmur|stage"
    r"|score|apgars?|gcs|rated?"
    r"|motor|power|vision|va|od|os|ou|level|ratio|every|q|x|ages?|times|peep|ips|vent|psv|simv"
    r"|cpap|bipap|insulin"
    r"|position|sensation|dose|take|tab|about|approximately|nearly|over|the|trop|edema|grip"
    r"|triceps|biceps|deltoids?"
    r"|quads?|dp|pt|op|gag|ros|i/?o|jvp|a/?o|alert|oriented|clock|mm|for|only|left|right|lower"
    r"|upper|with|vanderbilt"
    r"|conners|phq|gad|mmse|moca|audit|cage|recall|was|is|are|adls|iadls|passed)[ :=of]*|[><=±~+*#%$][ ]?"
    r"|\d/\d{1,2}(?:,| and|;) )$",
    re.IGNORECASE,
)
UNIT = re.compile(
    r"[ -]?(?:strength|tabs?|tablets?|pills?|caps?|mg|mcg|ml|cc|units?|hours?|hrs?|days?|weeks?"
    r"|wks?|months?|years?|yrs?"
    r"|murmur|systolic|sem|hsm|diastolic|pain|of the|pack|ppd|inch|in\b|cm|mm|ft|dose|scale|motor|throughout"
    r"|bilaterally|b/l|beers?|drinks?|percent|%|[+]|x\b|amp|ns\b|nodes?|lymph|positive|vessels?"
    r"|lobes?|sutures?"
    r"|reps?|nsr|lpm|liters?|l\b|g\b|kg|lbs?|edema|a\b|way|cup|bottle|strips?|sets?|trials?|sided?"
    r"|ventilation|peep"
    r"|rll|lll|areas|adls|iadls|gra?ins?|symptoms|domains|items|recall|objects|words)",
    re.IGNORECASE,
)


def around(match: re.Match[str], text: str) -> str:
    return text[max(0, match.start() - NEAR) : match.start()]


def dated(match: re.Match[str], text: str) -> bool:
    """Whether a word for a date stands before."""
    return bool(DATED.search(around(match, text)))


def measured(match: re.Match[str], text: str) -> bool:
    """Whether a/b is rather a measurement than a date."""
    if UNIT.match(text, match.end()):
        return True
    before, lower = around(match, text), int(re.split(r"[/-]", match[0])[1])
    if match[0].startswith("0"):
        return False
    if DATED.search(before):
        return lower == 10 and not CERTAIN.search(before)
    return bool(MEASURED.search(before)) or lower in SCALES
