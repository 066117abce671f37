"""The entities of one conversation: which exist at its start, what calls do to them, arguments that name them.

Start reading at effects.py: what one tool's effect is, ready to run. state.py holds the entities.
"""

from generator.world.state.entities import Entities, entities_of, state_of
from generator.world.state.facts import Mend, Refusal, StateFacts, check_formulas, find_facts
from generator.world.state.population import Population, compile_population
from generator.world.state.state import State

__all__ = [
    "Entities",
    "Mend",
    "Population",
    "Refusal",
    "State",
    "StateFacts",
    "check_formulas",
    "compile_population",
    "entities_of",
    "find_facts",
    "state_of",
]
