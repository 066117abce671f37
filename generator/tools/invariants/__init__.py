"""What must agree in one conversation, whatever tool tells it: invariants as data, and a check that sees only messages."""

from generator.tools.invariants.calls import SeenCall, calls_of
from generator.tools.invariants.check import Contradiction, contradictions
from generator.tools.invariants.read import Invariants, invariants_beside, read_invariants, shipped_invariants

__all__ = [
    "Contradiction",
    "Invariants",
    "SeenCall",
    "calls_of",
    "contradictions",
    "invariants_beside",
    "read_invariants",
    "shipped_invariants",
]
