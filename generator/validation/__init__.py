"""Checks of finished rows: rules over raw records, and readers that turn spoken text back into values."""

from generator.validation.check import check_record, examine
from generator.validation.rules import RULES, Rule, RuleFinding

__all__ = ["RULES", "Rule", "RuleFinding", "check_record", "examine"]
