"""Whether a conversation keeps the policy that its system message states: read from messages, clauses and tools alone.

Nothing here knows how a row was planned or worded; with `scenarios` it shares the clauses and the language of their expressions.
"""

from generator.scenarios.policies.compliance.check import Breach, breaches
from generator.scenarios.policies.compliance.grounds import Ground, grounds
from generator.scenarios.policies.compliance.transcript import Left, Played, in_force, played, unmade_of

__all__ = ["Breach", "Ground", "Left", "Played", "breaches", "grounds", "in_force", "played", "unmade_of"]
