"""Written policies as data: clauses that a system message states, that scenarios follow and that `compliance` holds rows to."""

from generator.scenarios.policies.clauses import (
    KINDS,
    About,
    Amount,
    Ask,
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Hide,
    Identity,
    Instead,
    Limit,
    OneByOne,
    Order,
    Scope,
    Tell,
    Transfer,
    Whose,
)
from generator.scenarios.policies.read import check_policies, read_policies
from generator.scenarios.policies.sentences import listed, refusals_of, with_sentences
from generator.scenarios.policies.stated import Policy, Rules, Stated, fill, fillings
from generator.scenarios.policies.text import draw_rules, spans_of

__all__ = [
    "KINDS",
    "About",
    "Amount",
    "Ask",
    "Clause",
    "Confirm",
    "Eligible",
    "Forbid",
    "Hide",
    "Identity",
    "Instead",
    "Limit",
    "OneByOne",
    "Order",
    "Policy",
    "Rules",
    "Scope",
    "Stated",
    "Tell",
    "Transfer",
    "Whose",
    "check_policies",
    "draw_rules",
    "fill",
    "fillings",
    "listed",
    "read_policies",
    "refusals_of",
    "spans_of",
    "with_sentences",
]
