"""Written policies as data: clauses that a system message states, that scenarios follow and that `compliance` holds rows to."""

from generator.policies.clauses import (
    KINDS,
    About,
    Ask,
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Identity,
    Instead,
    Limit,
    OneByOne,
    Order,
    Policy,
    Rules,
    Stated,
    Tell,
    Transfer,
    fill,
    fillings,
)
from generator.policies.read import check_policies, read_policies
from generator.policies.sentences import refusals_of, with_sentences
from generator.policies.text import draw_rules

__all__ = [
    "KINDS",
    "About",
    "Ask",
    "Clause",
    "Confirm",
    "Eligible",
    "Forbid",
    "Identity",
    "Instead",
    "Limit",
    "OneByOne",
    "Order",
    "Policy",
    "Rules",
    "Stated",
    "Tell",
    "Transfer",
    "check_policies",
    "draw_rules",
    "fill",
    "fillings",
    "read_policies",
    "refusals_of",
    "with_sentences",
]
