"""How often frames with each type are chosen, against chance.

The rates bring the default mix near the proportions of i2b2 2014 (Stubbs & Uzuner 2015),
with somewhat more of the rare types, so that they can be learned. Found by counting what
the generator wrote.
"""

from __future__ import annotations

from math import prod

from crfdeid.synthetic.frames import Frame

RATES = {
    "AGE": 2.0, "HOSPITAL": 1.8, "PHONE": 0.4, "ORGANIZATION": 0.45, "FAX": 0.3, "EMAIL": 0.5, "URL": 0.3,
    "IDNUM": 0.8, "LICENSE": 0.4, "SSN": 0.4, "IPADDR": 0.4, "ACCOUNT": 0.6, "DEVICE": 0.4, "HEALTHPLAN": 0.6,
    "PATIENT": 0.7, "DOCTOR": 0.85, "CITY": 0.75, "COUNTRY": 0.4, "PROFESSION": 1.4, "DATE": 1.2,
}  # fmt: skip


def rate(frame: Frame) -> float:
    """The weight of the frame: the product of its types' rates, within 0.15 and 2."""
    return min(2.0, max(0.15, prod(RATES.get(type, 1.0) for type in frame.types)))
