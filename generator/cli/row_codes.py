"""What the codes of rejected rows stand for that are neither rules nor proofs."""

from generator.run.stages import judge
from generator.validation import crosscheck, documents, scrambled

ROW_CODES = {
    "PL101": "The tools can be called as the scenario planned it.",
    "PL103": "No part of this program fails at these tools; if one does, please report it.",
    "PL102": "The row has at most `max_tokens` tokens, if need be without tools that are not called.",
    "SC101": "The finished row has the shape that its scenario promises.",
    "SC102": "A call has the arguments that go together, and one of those that stand in each other's place.",
    "RP101": "Making the calls again gives the same results.",
    "RP102": "Making the calls again leaves the same entities.",
    crosscheck.CODE: crosscheck.STATEMENT,
    judge.CODE: judge.STATEMENT,
    documents.CODE: documents.STATEMENT,
    scrambled.CODE: scrambled.STATEMENT,
}
