"""Written policies as data: clauses that a system message states, that scenarios follow and that `compliance` holds rows to."""

from generator.policies.clauses import (
    KINDS,
    About,
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Limit,
    Policy,
    Rules,
    Stated,
    fill,
    fillings,
)
from generator.policies.read import check_policies, read_policies
from generator.policies.sentences import place_of_things, refusals_of, with_sentences
from generator.policies.text import draw_rules

__all__ = [
    "KINDS",
    "About",
    "Clause",
    "Confirm",
    "Eligible",
    "Forbid",
    "Limit",
    "Policy",
    "Rules",
    "Stated",
    "check_policies",
    "draw_rules",
    "fill",
    "fillings",
    "place_of_things",
    "read_policies",
    "refusals_of",
    "with_sentences",
]
