"""Kinds of conversations, what the tools of a recipe can do together (`affordances`), and written policies with their checker (`policies`).

Scripts make all kinds but a few (`scripts`); the kinds that have events are also put together of the tools' phrases. To add one of
these: its function and its `Scenario` in one of the modules here. It may import the rooms from `dialogue` down. Start reading at
calls.py, then scenario.py.
"""

from generator.core.errors import CannotFillError
from generator.scenarios import calls, documents, no_call
from generator.scenarios.affordances import Toolkit
from generator.scenarios.scenario import DocumentScenario, Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.scripts import SCRIPTED
from generator.scenarios.service import under_policy


def _no_events(scene: Scene) -> Events:
    """Scripts have no events; a row that comes here found no script that fits."""
    raise CannotFillError("no script is left for this row; `per_script` of `scripts` allows more rows of each")
    yield  # a generator, as for all scenarios


SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        *calls.SCENARIOS,
        *no_call.SCENARIOS,
        under_policy.SCENARIO,
        *[
            Scenario(
                name,
                about,
                lambda _: (),
                _no_events,
                (),
                needs="a script of this kind for the recipe's tools (docs/scripts.md says how they are written, `tools author` has a model "
                "write them)",
                calls=False,
            )
            for name, about in SCRIPTED.items()
        ],
    )
}
"""Scenarios whose rows are conversations, by name."""

DOCUMENT_SCENARIOS: dict[str, DocumentScenario] = {scenario.name: scenario for scenario in documents.SCENARIOS}
"""Scenarios whose rows are documents, by name."""

__all__ = [
    "DOCUMENT_SCENARIOS",
    "SCENARIOS",
    "DocumentScenario",
    "Scenario",
    "Scene",
    "Toolkit",
]
