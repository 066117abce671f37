"""Checks of finished rows: rules over raw records, and readers that turn spoken text back into values."""

from generator.validation.check import check_record, is_clean
from generator.validation.rules import RULES
from generator.validation.rules.base import Rule

__all__ = ["RULES", "Rule", "check_record", "is_clean"]
