"""Written policies as data: clauses that a system message states, that scenarios follow and that `compliance` holds rows to."""

from generator.scenarios.policies.read import check_policies, read_policies
from generator.scenarios.policies.sentences import with_sentences
from generator.scenarios.policies.stated import Policy, Rules, draw_rules, spans_of_numbers

__all__ = ["Policy", "Rules", "check_policies", "draw_rules", "read_policies", "spans_of_numbers", "with_sentences"]
