"""The sentences of stories, given to the tools that they ask for, so that the proof knows them."""

from collections.abc import Iterable
from typing import Any

import msgspec

from generator.core.toolbox import Toolbox
from generator.scenarios.goals.goals import Story, sentence_of, ways_of

Kept = tuple[str, str, str, str]
"""As `ToolSpec.kept` has it."""


def with_forms(toolbox: Toolbox, stories: Iterable[Story]) -> Toolbox:
    """Return the tools with the sentences by which stories ask for them, and the words for what holds on."""
    told: dict[str, list[str]] = {}
    kept: dict[str, list[Kept]] = {}
    stated: dict[str, list[tuple[str, str, Any]]] = {}
    for story in stories:
        goals = {name: goal for goal in story.goals for name in (goal.every[-1].call, goal.goal)}
        for goal in story.goals:
            for want in goal.every:
                forms = [sentence_of(way) for text in want.say for way in ways_of(text)]
                told.setdefault(want.call, []).extend([form.text for form, _ in forms])
                stated.setdefault(want.call, []).extend(
                    [
                        (slot, text, want.said[slot])
                        for _, words in forms
                        for slot, text in words.items()
                        if slot in want.said
                    ]
                )
                before = goals[goal.again].every[-1].sources if goal.again else {}
                for slot, source in {**before, **want.sources}.items():
                    if source.argument:
                        tool = goals[source.goal].every[-1].call if source.goal in goals else source.goal
                        words = dict.fromkeys([said.get(slot, "") for _, said in forms])
                        kept.setdefault(want.call, []).extend([(slot, one, tool, source.argument) for one in words])
    return {
        name: msgspec.structs.replace(
            spec,
            told=tuple(dict.fromkeys(told[name])),
            kept=tuple(dict.fromkeys(kept.get(name, ()))),
            stated=tuple(dict.fromkeys(stated[name])),
        )
        if name in told
        else spec
        for name, spec in toolbox.items()
    }
