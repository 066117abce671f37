"""Kinds of conversations, what the tools of a recipe can do together (`affordances`), and written policies with their checker (`policies`).

To add a kind: a new file in one of the folders here, and its name in the import and the tuple below. It may import the rooms from
`dialogue` down. Start reading at calls/single.py, then scenario.py.
"""

from generator.scenarios.affordances import Toolkit, compile_toolkit
from generator.scenarios.ask_first import ambiguous, clarify, confirm
from generator.scenarios.calls import fan_out, mixed, multiple, parallel, parallel_multiple, script, sequential, single
from generator.scenarios.documents import fill_in_the_middle, multi_file
from generator.scenarios.errors import empty_result, error_recover, error_stop, partial_failure, retry_later
from generator.scenarios.no_call import direct_answer, held_back, irrelevant, near_miss, withheld_tool
from generator.scenarios.scenario import DocumentScenario, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.service import under_policy
from generator.scenarios.turns import follow_up, multi_turn

SCENARIOS: dict[str, Scenario] = {
    module.SCENARIO.name: module.SCENARIO
    for module in (
        *(single, multiple, parallel, parallel_multiple, sequential, fan_out, mixed, script),
        *(irrelevant, near_miss, direct_answer, held_back, withheld_tool),
        *(clarify, confirm, ambiguous),
        *(follow_up, multi_turn),
        *(error_recover, error_stop, retry_later, partial_failure, empty_result),
        under_policy,
    )
} | {script.LONG_CONTEXT.name: script.LONG_CONTEXT}
"""Scenarios whose rows are conversations, by name."""

DOCUMENT_SCENARIOS: dict[str, DocumentScenario] = {
    module.SCENARIO.name: module.SCENARIO for module in (fill_in_the_middle, multi_file)
}
"""Scenarios whose rows are documents, by name."""

__all__ = [
    "DOCUMENT_SCENARIOS",
    "SCENARIOS",
    "DocumentScenario",
    "Scenario",
    "Scene",
    "Toolkit",
    "compile_toolkit",
]
