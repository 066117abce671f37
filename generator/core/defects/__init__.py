"""The names of what can be wrong with a continuation that a model should not choose, for preference data."""

DEFECTS_OF_CALLS = {
    "wrong_tool": "another tool on offer is called, with values of the right call",
    "missing_call": "one of three or more calls is not made",
    "extra_call": "a call is made that nobody asked for",
    "swapped_values": "two values stand in each other's places",
    "wrong_value": "a value is not the one that was said or found",
    "unsaid_optional": "an optional argument is given that nobody spoke of",
    "wrong_type": "a value is of a type that the schema does not allow",
    "serial_calls": "of calls that can be made at once only the first is made",
}
"""Those that show in two messages with calls alone (`generator.core.defects.naming`), without the rest of the conversation."""
DEFECTS = {
    **DEFECTS_OF_CALLS,
    "dependent_calls": "a call is made together with the one whose result it needs",
    "call_instead_of_question": "a call is made with a value that nobody has said, or without the leave that is needed",
    "question_instead_of_call": "the assistant asks for a value that has been said",
    "unfounded_claim": "an answer states a value that no result holds",
    "early_stop": "the assistant answers although calls are still to be made",
    "ignored_error": "the assistant tells a result of a call that failed",
}
"""Name -> what is wrong; a rejected continuation has exactly one of them."""
DEFECTS_OF_TRIES = {
    "failed_try": "a model did or said this, and what is chosen does not lead to a right end after it",
}
"""What a model's own tries at a row show (`solve`); no maker makes it."""
NAMED_DEFECTS = {**DEFECTS, **DEFECTS_OF_TRIES}
"""All that data may name."""
