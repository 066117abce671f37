"""Tools that have nothing to do with another one, and tools that only seem to do what another one does."""

from typing import TYPE_CHECKING

from generator.dialogue.no_call.abilities import is_alien, is_sister

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit


def find_aliens(toolkit: "Toolkit") -> dict[str, tuple[str, ...]]:
    """Return, for each tool that can be asked for, those that have nothing to do with it."""
    toolbox = toolkit.toolbox
    unlike = {
        wished: tuple([name for name, spec in toolbox.items() if is_alien(spec, toolbox[wished])])
        for wished in toolkit.starters
    }
    return {wished: names for wished, names in unlike.items() if names}


def find_sisters(toolkit: "Toolkit") -> dict[str, tuple[str, ...]]:
    """Return, for each tool that can be asked for, those that only seem to do what it does."""
    toolbox = toolkit.toolbox
    sisters = {
        wished: tuple([name for name, spec in toolbox.items() if is_sister(spec, toolbox[wished])])
        for wished in toolkit.starters
    }
    return {wished: names for wished, names in sisters.items() if names}
