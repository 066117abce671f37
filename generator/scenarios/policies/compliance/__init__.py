"""Whether a conversation keeps the policy that its system message states: read from messages, clauses and tools alone.

Nothing here knows how a row was planned or worded. Who plans a row asks here what a call would break (`verdicts`).
"""

from generator.scenarios.policies.compliance.check import Breach, breaches
from generator.scenarios.policies.compliance.grounds import Ground, grounds
from generator.scenarios.policies.compliance.transcript import read_transcript, unmade_calls

__all__ = ["Breach", "Ground", "breaches", "grounds", "read_transcript", "unmade_calls"]
