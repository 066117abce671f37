"""The entities of one conversation: which exist at its start, what calls do to them, arguments that name them.

Start reading at effects.py: what one tool's effect is, ready to run. state.py holds the entities.
"""

from generator.world.state.entities import Entities, entities_of, state_of
from generator.world.state.facts import check_formulas, find_dead_ends
from generator.world.state.population import Population, compile_population
from generator.world.state.state import State

__all__ = [
    "Entities",
    "Population",
    "State",
    "check_formulas",
    "compile_population",
    "entities_of",
    "find_dead_ends",
    "state_of",
]
