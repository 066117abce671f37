"""What each code that a check can report stands for."""

from generator.formats import FORMATS
from generator.run.check import LINE_CODE, LINE_STATEMENT
from generator.validation import RULES


def rule_statements() -> dict[str, str]:
    """Code → the rule in one sentence."""
    statements = {LINE_CODE: LINE_STATEMENT}
    statements |= {rule.code: rule.statement for rule in RULES.values()}
    return statements | {code: text for fmt in FORMATS.values() for code, text in fmt.faults}
