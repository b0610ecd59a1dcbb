"""De-identification by rules and lists: Douglass 2005, chapter 5; Tafvizi 2011, section 2.5.
See docs/rules.md.

:data:`RULES` are all rules by name. Where two find the same stretch under different types,
the one that stands first here wins.
"""

from __future__ import annotations

from crfdeid.rules import (
    addresses,
    ages,
    contacts,
    dates,
    hospitals,
    identifiers,
    locations,
    name_lists,
    names,
    occupations,
    repeats,
    years,
)
from crfdeid.rules.rule import Rule

RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        *contacts.RULES, *dates.RULES, *years.RULES, *identifiers.RULES, *ages.RULES, *hospitals.RULES,
        *names.RULES, *addresses.RULES, *locations.RULES, *occupations.RULES, *name_lists.RULES,
        *repeats.RULES,
    )
}  # fmt: skip
FAMILIES: dict[str, tuple[Rule, ...]] = {
    "contacts": contacts.RULES, "dates": dates.RULES + years.RULES, "identifiers": identifiers.RULES,
    "ages": ages.RULES, "hospitals": hospitals.RULES, "names": names.RULES + name_lists.RULES,
    "locations": addresses.RULES + locations.RULES, "work": occupations.RULES, "repeats": repeats.RULES,
}  # fmt: skip
