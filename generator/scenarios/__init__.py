"""Conversation shapes. To add one: a new file beside these and one word in the tuple below."""

from generator.scenarios import fan_out, mixed, multiple, parallel, parallel_multiple, sequential, single
from generator.scenarios.base import Scenario, Scene, set_scene

SCENARIOS: dict[str, Scenario] = {
    module.SCENARIO.name: module.SCENARIO
    for module in (single, multiple, parallel, parallel_multiple, sequential, fan_out, mixed)
}

__all__ = ["SCENARIOS", "Scenario", "Scene", "set_scene"]
