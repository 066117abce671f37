"""The rules of the DeepFabric data format, by code.

A file holds the rules of one hundred: their statements, which people read in `docs/rules.md`, and the checks.
`validation/check.py` walks over a record and calls them. To add a rule: its line in the `RULES` of its hundred, and its
check beside those that look at the same part of a record.
"""

from generator.formats.rules.rules import arguments, ids, linking, order, structure, tools
from generator.formats.rules.rules.base import Rule, RuleFinding

HUNDREDS = (structure, arguments, ids, linking, order, tools)
RULES: dict[str, Rule] = {rule.code: rule for hundred in HUNDREDS for rule in hundred.RULES}

__all__ = ["HUNDREDS", "RULES", "Rule", "RuleFinding"]
