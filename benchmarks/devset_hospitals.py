"""Hospitals of many shapes for the development set, composed from invented towns, surnames and words."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

FOUNDERS = ["Ashgrove", "Brightwell", "Corbin Vale", "Halden", "Merrow", "Pell", "Tansley", "Wexmoor"]
SAINTS = ["Brigid", "Cuthbert", "Odile", "Ansgar", "Ita", "Wendelin"]
KINDS = ["Hospital", "Medical Center", "Clinic", "Health Center", "Regional Hospital", "Infirmary"]
FIELDS = ["Orthopedics", "Eye", "Heart", "Spine", "Pediatrics", "Surgical", "Imaging", "Cancer"]
LEGAL = ["Inc.", "LLC", "P.C.", "Ltd.", "PLLC", "P.A."]
CAMPUSES = ["North Campus", "East Campus", "West Pavilion", "Main Campus", "South Building"]
SHAPES = [
    "{town} {kind}", "{founder} {kind}", "{founder}", "{town} Health", "{founder} Rest Home",
    "{town} {field} Associates, {legal}", "{founder} {field} Group {legal}", "{founder} Health At {town}",
    "{kind} at {town}", "{founder} {kind}, {campus}", "{town} {kind} {campus}", "University of {town} {kind}",
    "{town} University Hospital", "{town} State Medical College", "St. {saint}'s - {town}", "St. {saint}'s",
    "Saint {saint} of {town}", "{founder}-{surname} Health System", "{founder} and {surname} {kind}",
    "{surname} {field} Institute", "{surname} Children's", "{town} VA", "{town} General", "{town} County",
    "Our Lady of {town}", "{founder} Village", "{town} Hills Care Center", "{field} Center of {town}",
    "{acronym}", "{acronym} {town}",
]  # fmt: skip


def draw_hospital(rng: Random, kind: str, town: Callable[[], str], surname: Callable[[], str]) -> str:
    """Return a hospital: an ``acronym``, a ``saint``, or ``any`` of :data:`SHAPES`."""
    if kind == "acronym":
        return draw_acronym(rng)
    shape = f"St. {{saint}}'s - {town()}" if kind == "saint" else rng.choice(SHAPES)
    return shape.format(
        town=town(),
        surname=surname(),
        founder=rng.choice([surname(), *rng.sample(FOUNDERS, 2)]),
        saint=rng.choice(SAINTS),
        kind=rng.choice(KINDS),
        field=rng.choice(FIELDS),
        legal=rng.choice(LEGAL),
        campus=rng.choice(CAMPUSES),
        acronym=draw_acronym(rng),
    )


def draw_acronym(rng: Random) -> str:
    """Return three or four capitals that end as hospitals' do.

    >>> draw_acronym(Random(3))
    'LGH'
    """
    return "".join(rng.choices("BDFGHJKLNRVW", k=rng.randrange(1, 3))) + rng.choice(["MC", "GH", "RMC", "H"])
