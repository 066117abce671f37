"""What each code that a check can report stands for."""

from generator.dialogue.acts.check import CODES as PROOF_CODES
from generator.dialogue.proof import reader, scrambled, styles
from generator.formats import FORMATS, crosscheck
from generator.formats.files.validate import LINE_CODE, LINE_STATEMENT, PROFILE_CODES
from generator.formats.rules import DOCUMENT_CODE, DOCUMENT_STATEMENT, RULES
from generator.run.stages import attempts

ROW_CODES = {
    "PL101": "The tools can be called as the scenario planned it.",
    "PL103": "No part of this program fails at these tools; if one does, please report it.",
    "PL102": "The row has at most `max_tokens` tokens, if need be without tools that are not called or, with `cut_turns`, early turns.",
    "SC101": "The finished row has the shape that its scenario promises.",
    "SC102": "A call has the arguments that go together, and one of those that stand in each other's place.",
    "PO101": "What is done, asked and refused follows from the clauses of the policy that the system message states.",
    "WD101": "What the results of a conversation say agrees with its tools' invariants.",
    "RP101": "Making the calls again gives the same results.",
    "RP102": "Making the calls again leaves the same entities.",
    crosscheck.CODE: crosscheck.STATEMENT,
    attempts.CODE: attempts.STATEMENT,
    DOCUMENT_CODE: DOCUMENT_STATEMENT,
    scrambled.CODE: scrambled.STATEMENT,
    styles.CODE: styles.STATEMENT,
}
"""What the codes of rejected rows stand for that are neither rules nor proofs."""


def rule_statements() -> dict[str, str]:
    """Code → the rule in one sentence."""
    statements = {LINE_CODE: LINE_STATEMENT, **PROFILE_CODES, **ROW_CODES}
    statements |= {code: f"{text[0].upper()}{text[1:]}." for code, text in (PROOF_CODES | reader.CODES).items()}
    statements |= RULES
    return statements | {code: text for fmt in FORMATS.values() for code, text in fmt.faults}
