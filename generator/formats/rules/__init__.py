"""Checks of finished rows: rules over raw records, and readers that turn spoken text back into values."""

from generator.formats.rules.check import check_record, examine
from generator.formats.rules.rules import RULES, Rule, RuleFinding

__all__ = ["RULES", "Rule", "RuleFinding", "check_record", "examine"]
