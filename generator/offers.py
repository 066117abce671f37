"""What the assistant offers when a call cannot be made as asked, in fixed words: those of the wording, which the proof reads."""

from typing import Any

from generator.connectives import argument_name
from generator.toolbox import ToolSpec, name_as_words
from generator.yaml_values import own_data

_TABLES: dict[str, Any] = own_data(__file__)
REFUSING_ANOTHER: tuple[str, ...] = tuple(_TABLES["another"]["refused"])
"""What the user says who does not want another thing in place of one that cannot be had."""
NONE_TAKEN: tuple[str, ...] = tuple(_TABLES["another"]["left"])
"""What the assistant says to that."""
UNBLOCKING: tuple[str, ...] = tuple(_TABLES["unblocking"]["offers"])
"""How the assistant asks for leave to change a state because of which a call is refused; `{}` is what it would do."""
IF_NEED_BE: tuple[str, ...] = tuple(_TABLES["unblocking"]["allowed"])
"""How the user gives that leave with the request."""
KEEPING_BLOCKED: tuple[str, ...] = tuple(_TABLES["unblocking"]["refused"])
"""What the user says who does not give it."""
LEFT_BLOCKED: tuple[str, ...] = tuple(_TABLES["unblocking"]["left"])
"""What the assistant says to that."""


def _by_name(spec: ToolSpec) -> str:
    """Return what a tool does in the words of its name, with an article before the thing: `recall_book` as "recall the book"."""
    verb, _, noun = name_as_words(spec.name).partition(" ")
    is_thing = spec.effect is not None and noun == name_as_words(spec.effect.entity)
    return f"{verb} {f'the {noun}' if noun else 'it'}" if is_thing or not noun else f"{verb} {noun}"


def words_to_unblock(spec: ToolSpec, chosen: dict[str, Any]) -> tuple[str, ...]:
    """Return verb phrases for a call that changes the state of "it": "reopen it"; none where nobody would know what it does.

    Args:
        spec: The tool. Without phrases of its own for that (`phrases.unblock`) its name is said, or the state that it leads to.
        chosen: Its arguments beside the one that names the thing.
    """
    if spec.phrases.unblock:
        return tuple([one.say for one in spec.phrases.unblock if dict(one.when) == chosen])
    if not chosen:
        return (_by_name(spec),)
    if len(chosen) > 1:
        return ()
    ((slot, state),) = chosen.items()
    name = argument_name(name_as_words(slot))
    return (f"set the {name} to {name_as_words(str(state))}",) if name else ()
