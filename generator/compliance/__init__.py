"""Whether a conversation keeps the policy that its system message states: read from messages, clauses and tools alone.

Nothing here knows how a row was planned or worded; with `scenarios` it shares the clauses and the language of their expressions.
"""

from generator.compliance.check import Breach, breaches
from generator.compliance.transcript import Left, Played, in_force, played

__all__ = ["Breach", "Left", "Played", "breaches", "in_force", "played"]
