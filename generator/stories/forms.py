"""The sentences of stories, given to the tools that they ask for, so that the proof knows them."""

from collections.abc import Iterable

import msgspec

from generator.stories.goals import Story, sentence_of
from generator.toolbox import Toolbox


def with_forms(toolbox: Toolbox, stories: Iterable[Story]) -> Toolbox:
    """Return the tools with the sentences by which stories ask for them, and the words for what holds on."""
    told: dict[str, list[str]] = {}
    kept: dict[str, list[tuple[str, str, str, str]]] = {}
    for story in stories:
        tools = {goal.goal: goal.every[-1].call for goal in story.goals}
        for want in [want for goal in story.goals for want in goal.every]:
            for text in want.say:
                form, words = sentence_of(text)
                told.setdefault(want.call, []).append(form.text)
                for slot, said in words.items():
                    source = want.sources[slot]
                    kept.setdefault(want.call, []).append((slot, said, tools[source.goal], source.argument))
    return {
        name: msgspec.structs.replace(
            spec, told=tuple(dict.fromkeys(told[name])), kept=tuple(dict.fromkeys(kept.get(name, ())))
        )
        if name in told
        else spec
        for name, spec in toolbox.items()
    }
