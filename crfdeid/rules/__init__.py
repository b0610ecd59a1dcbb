"""De-identification by rules and lists: Douglass 2005, chapter 5; Tafvizi 2011, section 2.5.
See docs/rules.md.

:data:`RULES` are all rules by name. Where two find the same stretch under different types,
the one that stands first here wins.
"""

from __future__ import annotations

from crfdeid.rules import ages, contacts, dates, hospitals, identifiers, locations, names, repeats
from crfdeid.rules.rule import Rule


def _sure(rules: tuple[Rule, ...], guess: bool) -> tuple[Rule, ...]:
    return tuple(rule for rule in rules if rule.guess == guess)


RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        *contacts.RULES, *dates.RULES, *identifiers.RULES, *ages.RULES, *hospitals.RULES, *_sure(names.RULES, False),
        *locations.RULES, *_sure(names.RULES, True), *repeats.RULES,
    )
}  # fmt: skip
FAMILIES: dict[str, tuple[Rule, ...]] = {
    "names": names.RULES, "locations": locations.RULES, "hospitals": hospitals.RULES, "dates": dates.RULES,
    "contacts": contacts.RULES, "identifiers": identifiers.RULES, "ages": ages.RULES, "repeats": repeats.RULES,
}  # fmt: skip
