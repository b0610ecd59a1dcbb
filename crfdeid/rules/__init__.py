"""De-identification by rules and lists: Douglass 2005, chapter 5; Tafvizi 2011, section 2.5.
See docs/rules.md.

:data:`RULES` holds all rules by name, in the order in which they win; :class:`RuleSet` tags with them.
"""

from crfdeid.rules.tagger import RULES, RuleSet

__all__ = ["RULES", "RuleSet"]
