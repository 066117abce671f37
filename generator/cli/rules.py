"""What each code that a check can report stands for."""

from generator.acts.check import CODES as PROOF_CODES
from generator.cli.row_codes import ROW_CODES
from generator.data.profile_limits import CODES as PROFILE_CODES
from generator.data.validate import LINE_CODE, LINE_STATEMENT
from generator.formats import FORMATS
from generator.validation import RULES


def rule_statements() -> dict[str, str]:
    """Code → the rule in one sentence."""
    statements = {LINE_CODE: LINE_STATEMENT, **PROFILE_CODES, **ROW_CODES}
    statements |= {code: f"{text[0].upper()}{text[1:]}." for code, text in PROOF_CODES.items()}
    statements |= {rule.code: rule.statement for rule in RULES.values()}
    return statements | {code: text for fmt in FORMATS.values() for code, text in fmt.faults}
