"""Kinds of conversations. To add one: a new file beside these, and its name in the import and the tuple below."""

from generator.scenarios import (
    clarify,
    compare,
    conditional,
    confirm,
    correct,
    direct_answer,
    empty_result,
    error_recover,
    error_stop,
    fan_out,
    fill_in_the_middle,
    follow_up,
    helper,
    irrelevant,
    mixed,
    multi_file,
    multi_turn,
    multiple,
    near_miss,
    parallel,
    parallel_multiple,
    partial_failure,
    retry_later,
    sequential,
    single,
    switch,
    withheld_tool,
)
from generator.scenarios.scenario import DocumentScenario, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.toolkit import Toolkit, compile_toolkit

SCENARIOS: dict[str, Scenario] = {
    module.SCENARIO.name: module.SCENARIO
    for module in (
        *(single, multiple, parallel, parallel_multiple, sequential, fan_out, mixed, follow_up, clarify),
        *(error_recover, error_stop, retry_later, partial_failure, empty_result, multi_turn, switch, confirm, conditional, correct),
        *(helper, compare),
        *(irrelevant, near_miss, direct_answer, withheld_tool),
    )
}
"""Conversations."""

DOCUMENT_SCENARIOS: dict[str, DocumentScenario] = {
    module.SCENARIO.name: module.SCENARIO for module in (fill_in_the_middle, multi_file)
}
"""Rows that are documents."""

__all__ = [
    "DOCUMENT_SCENARIOS",
    "SCENARIOS",
    "DocumentScenario",
    "Scenario",
    "Scene",
    "Toolkit",
    "compile_toolkit",
]
