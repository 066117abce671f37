"""The tools for which every row of a family of twins can be made (`run/twins.py`)."""

from functools import lru_cache

from generator.core.errors import PlanError
from generator.recipe import TWINS
from generator.scenarios import SCENARIOS
from generator.scenarios.affordances import Toolkit


@lru_cache(maxsize=8)
def twin_tools(toolkit: Toolkit) -> frozenset[str]:
    """Return the tools that can be asked for without a value, without being on offer, and with a wrong value.

    Raises:
        PlanError: when there are none.
    """
    refused = SCENARIOS[TWINS["wrong_value"].scenario].tools(toolkit)
    able = frozenset(tool for tool, _ in toolkit.gaps) & toolkit.aliens.keys() & frozenset(refused)
    if not able:
        raise PlanError(
            "twins need a tool with a required argument that a request can leave out, and others that have nothing to do with it"
        )
    return able
