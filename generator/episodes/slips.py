"""Slips: the row's own actions with one thing wrong, to see what the score finds; and ways that are as good, which it must let pass.

Each takes what the row does, and returns what is done instead, or None where the row has no place for it.
"""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from generator.conversation import AssistantMessage, ToolCall
from generator.episodes.baselines import NOTHING, own_actions, play
from generator.episodes.episode import Episode
from generator.episodes.expected import ExpectedCall, expected_of
from generator.episodes.opening import Task
from generator.seeds import Draw, stream_seed

Action = AssistantMessage
"""A text, or calls made at once."""
Slip = Callable[[Task, list[Action], Draw], list[Action] | None]


# -- calls ---------------------------------------------------------------------------------------------------------------


def _chosen(task: Task, draw: Draw, wanted: Callable[[ExpectedCall], bool]) -> str:
    """Return the id of one of the row's calls; empty where it has none such."""
    found = [one.call.id for one in expected_of(task).calls if wanted(one)]
    return draw.choice(found) if found else ""


def _is_write(one: ExpectedCall) -> bool:
    return one.writes and one.ok


def _is_lookup(one: ExpectedCall) -> bool:
    return one.needed and one.ok and not one.writes


def _edited(actions: list[Action], call_id: str, edit: Callable[[ToolCall], ToolCall | None]) -> list[Action] | None:
    """Return the actions with a call changed, or left out."""
    done: list[Action] = []
    for action in actions:
        if not action.tool_calls:
            done.append(action)
            continue
        calls = [edit(call) if call.id == call_id else call for call in action.tool_calls]
        kept = tuple([call for call in calls if call is not None])
        if kept:
            done.append(msgspec.structs.replace(action, tool_calls=kept))
    return done if done != actions else None


def write_missing(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Leave out something that is to be changed."""
    return _edited(actions, _chosen(task, draw, _is_write), lambda call: None)


def wrong_value_in_write(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Change something with another value than the user wants."""
    return _edited(actions, _chosen(task, draw, _is_write), lambda call: _with_other_value(task, call, draw))


def another_entity(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Change another thing than the one that is meant."""

    def edit(call: ToolCall) -> ToolCall:
        keys = [key for key, value in call.arguments.items() if _is_key(value)]
        return _with(call, draw.choice(keys), _other_key(task, call, draw)) if keys else call

    return _edited(actions, _chosen(task, draw, _is_write), edit)


def wrong_value_in_lookup(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Look something else up than what is asked for, and tell what is right."""
    return _edited(actions, _chosen(task, draw, _is_lookup), lambda call: _with_other_value(task, call, draw))


def lookup_missing(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Tell what is right without looking it up."""
    return _edited(actions, _chosen(task, draw, _is_lookup), lambda call: None)


def no_calls(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Say what is right and do nothing."""
    texts = [action for action in actions if not action.tool_calls]
    needs = any(one.needed or _is_write(one) for one in expected_of(task).calls)
    return texts if needs else None


def write_twice(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Do something a second time."""
    chosen, done = _chosen(task, draw, _is_write), list[Action]()
    for action in actions:
        done.append(action)
        again = [msgspec.structs.replace(call, id=f"{call.id}x") for call in action.tool_calls if call.id == chosen]
        if again:
            done.append(AssistantMessage(tool_calls=tuple(again)))
    return done if chosen else None


def gives_up_after_error(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Say sorry after a call that failed, where it can be made again."""
    calls = {one.call.id: one for one in expected_of(task).calls}
    failed = [at for at, action in enumerate(actions) if any(not calls[call.id].ok for call in action.tool_calls)]
    if not failed:
        return None
    later = [call.id for action in actions[failed[0] + 1 :] for call in action.tool_calls]
    if not any(calls[one].needed or _is_write(calls[one]) for one in later):
        return None
    return [*actions[: failed[0] + 1], AssistantMessage(content="Sorry, that didn't work.")]


def acts_instead_of_asking(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Make the calls of the next turn without asking for what they need."""
    at = _asking(task, actions)
    following = next((i for i in range(at, len(actions)) if actions[i].tool_calls), None) if at is not None else None
    if at is None or following is None:
        return None
    return [*actions[:at], actions[following], *actions[at:following], *actions[following + 1 :]]


def does_not_ask(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Say that it will be done, where something must be asked."""
    at = _asking(task, actions)
    if at is None:
        return None
    return [*actions[:at], AssistantMessage(content="Right, I'll see to it."), *actions[at + 1 :]]


def _asking(task: Task, actions: list[Action]) -> int | None:
    """Return the place of the first action that asks the user something."""
    proof, messages = task.opening.proof, task.row.conversation.messages
    asking = {claim.message for claim in proof.asks} | {
        claim.message for claim in proof.tells if claim.how in {"proposed", "alternative", "offered", "unblocking"}
    }
    places = [at for at, message in enumerate(messages) if type(message) is AssistantMessage]
    return next((actions.index(actions[i]) for i, at in enumerate(places) if at in asking), None)


# -- texts ---------------------------------------------------------------------------------------------------------------


def claims_to_have_done_it(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Say that it is done where it cannot be done, or did not work out."""
    expected, turn, done = expected_of(task), 0, list[Action]()
    if not expected.declined:
        return None
    for action in actions:
        claims = not action.tool_calls and turn in expected.declined
        done.append(AssistantMessage(content="All done, it's taken care of.") if claims else action)
        turn += not action.tool_calls
    return done


def says_ok(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Make the calls and tell nothing of what they found."""
    told = [one for one in expected_of(task).calls if _is_lookup(one) and one.told]
    if not told:
        return None
    return [action if action.tool_calls else AssistantMessage(content=NOTHING) for action in actions]


def number_changed(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Tell one number of an answer wrongly."""
    places = [
        (at, match.span())
        for at, action in enumerate(actions)
        if not action.tool_calls and at > 0 and actions[at - 1].tool_calls
        for match in re.finditer(r"[0-9]+", action.content or "")
    ]
    if not places:
        return None
    at, (start, end) = draw.choice(places)
    text = actions[at].content or ""
    digits = text[start:end]
    place = draw.below(len(digits))
    others = [digit for digit in "0123456789" if digit != digits[place] and (digit != "0" or place)]
    other = digits[:place] + draw.choice(others) + digits[place + 1 :]
    return [*actions[:at], AssistantMessage(content=text[:start] + other + text[end:]), *actions[at + 1 :]]


# -- as good -------------------------------------------------------------------------------------------------------------


def one_at_a_time(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Make calls one after the other that the row makes at once."""
    if not any(len(action.tool_calls) > 1 for action in actions):
        return None
    return [
        part
        for action in actions
        for part in (
            [AssistantMessage(tool_calls=(call,)) for call in action.tool_calls] if action.tool_calls else [action]
        )
    ]


def looks_up_more(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Look something up a second time."""
    chosen, done = _chosen(task, draw, _is_lookup), list[Action]()
    for action in actions:
        done.append(action)
        again = [msgspec.structs.replace(call, id=f"{call.id}x") for call in action.tool_calls if call.id == chosen]
        if again:
            done.append(AssistantMessage(tool_calls=tuple(again)))
    return done if chosen else None


def asks_for_leave(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Ask for leave that nobody asked it to get."""
    expected = expected_of(task)
    first = next((at for at, action in enumerate(actions) if action.tool_calls), None)
    if first != 0 or not expected.writes or expected.asks:
        return None
    return [AssistantMessage(content="Shall I go ahead with that?"), *actions]


SLIPS: dict[str, Slip] = {
    slip.__name__: slip
    for slip in (
        write_missing,
        wrong_value_in_write,
        another_entity,
        write_twice,
        wrong_value_in_lookup,
        lookup_missing,
        no_calls,
        gives_up_after_error,
        does_not_ask,
        acts_instead_of_asking,
        claims_to_have_done_it,
        says_ok,
        number_changed,
    )
}
"""What the score must find."""
AS_GOOD: dict[str, Slip] = {slip.__name__: slip for slip in (one_at_a_time, looks_up_more, asks_for_leave)}
"""What it must let pass."""


def play_slip(episode: Episode) -> None:
    """Do what the row does with one thing wrong: the first slip, in an order that depends on the row, that it has a place for."""
    task = episode.task
    assert task is not None
    draw = Draw(stream_seed("slip", task.row.index), task.opening.today)
    for slip in draw.shuffled(list(SLIPS.values())):
        actions = slip(task, own_actions(task), draw)
        if actions is not None:
            return play(episode, actions)
    return play(episode, [AssistantMessage(content=NOTHING)])


# -- other values --------------------------------------------------------------------------------------------------------


def _with(call: ToolCall, key: str, value: Any) -> ToolCall:
    return msgspec.structs.replace(call, arguments={**call.arguments, key: value})


def _is_key(value: Any) -> bool:
    return isinstance(value, str) and any(letter.isdigit() for letter in value) and value.upper() == value


def _other_key(task: Task, call: ToolCall, draw: Draw) -> str:
    """Return another key of the same form that some result shows, or else one with another digit."""
    value = str(next(value for value in call.arguments.values() if _is_key(value)))
    prefix = re.match(r"[A-Za-z]*", value)
    form = re.compile(rf"\"({re.escape(prefix[0] if prefix else '')}[-A-Z0-9]*)\"")
    seen = [
        key
        for message in task.row.conversation.messages
        for key in form.findall(getattr(message, "content", None) or "")
        if key != value and len(key) == len(value)
    ]
    return draw.choice(seen) if seen else value[:-1] + ("1" if value[-1] == "0" else "0")


def _with_other_value(task: Task, call: ToolCall, draw: Draw) -> ToolCall:
    """Return a call with another value of one argument, which its schema allows as a rule."""
    tool = next(tool for tool in task.row.conversation.tools if tool.name == call.name)
    properties = (tool.parameters or {}).get("properties", {})
    others = {
        key: other
        for key, value in call.arguments.items()
        if (other := _other(value, properties.get(key, {}))) is not None
    }
    if not others:
        return call
    key = draw.choice(list(others))
    return _with(call, key, others[key])


def _other(value: Any, schema: Any) -> Any:
    members = schema.get("enum") if isinstance(schema, dict) else None
    if members:
        return next((member for member in members if member != value), None)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        return f"{value[:-1]}{'1' if value[-1] != '1' else '2'}"
    if isinstance(value, str):
        return f"{value} Two" if value else None
    if isinstance(value, list):
        return value[:-1] if len(value) > 1 else None
    return None
