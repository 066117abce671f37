"""Slips: the row's own actions with one thing wrong; ways that are as good, which must pass; and what the score does not see.

Each takes what the row does, and returns what is done instead, or None where the row has no place for it.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, ToolCall, ToolMessage
from generator.core.seeds import Draw
from generator.episodes import Task
from generator.episodes.expected import ExpectedCall, expected_of, turns_of
from generator.episodes.player import NOTHING

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
        claim.message for claim in proof.tells if claim.how == "proposed"
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
        done.append(AssistantMessage(content=draw.choice(_DONE)) if claims else action)
        turn += not action.tool_calls
    return done


_DONE = ("All done, it's taken care of.", "Done, no problem at all!", "Don't worry, everything went through.")
_FAILED = (
    "Sorry, but this failed and nothing was changed.",
    "I'm sorry, I couldn't do that.",
    "I wasn't able to complete your request, I'm afraid.",
    "Unfortunately, an error occurred, so it hasn't been done.",
    "Something went wrong on the way. Please try again later.",
)
_HEDGES = (
    "Here is what I found, though I am not sure that it is all right:\n{}",
    "{}\nSome of this may be wrong, or have failed.",
    "```json\n{}\n```\nI could not check any of it, sorry.",
)


def says_it_failed(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Make the right calls and say in the end that they failed; in place of the answer, or behind it."""
    expected = expected_of(task)
    last = actions[-1]
    if last.tool_calls or turns_of(task)[-1] not in expected.fine or not (expected.writes or _told(expected.calls)):
        return None
    text = draw.choice(_FAILED)
    return [*actions[:-1], AssistantMessage(content=draw.choice((text, f"{last.content} {text}")))]


def dumps_results(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Answer with what the calls have returned, as JSON, and a hedge."""
    results = {one.tool_call_id: one.content for one in task.row.conversation.messages if type(one) is ToolMessage}
    done, found = list[Action](), ""
    for before, action in zip([None, *actions], actions, strict=False):
        shown = [results[call.id] for call in before.tool_calls if results[call.id][:1] == "{"] if before else []
        if shown and not action.tool_calls:
            found = draw.choice(shown)
            if draw.below(2):
                found = json.dumps(json.loads(found), indent=2, ensure_ascii=False)
            action = AssistantMessage(content=draw.choice(_HEDGES).format(found))
        done.append(action)
    return done if found else None


def _told(calls: list[ExpectedCall]) -> list[ExpectedCall]:
    return [one for one in calls if _is_lookup(one) and one.told]


def says_ok(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Make the calls, if any, and tell nothing of what they found, or of what was asked."""
    expected = expected_of(task)
    if not _told(expected.calls) and not expected.replied:
        return None
    return [action if action.tool_calls else AssistantMessage(content=NOTHING) for action in actions]


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


def in_other_forms(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Tell figures as chat models do, and a sum."""
    done = [
        action if action.tool_calls else AssistantMessage(content=_in_other_forms(action.content or ""))
        for action in actions
    ]
    return done if done != actions else None


def _in_other_forms(text: str) -> str:
    text = re.sub(rf"\b(\d{{1,2}}) ({_MONTHS})\b", r"\2 \1", text)
    text = re.sub(r"(?<![\w.,:/-])(\d{1,3}(?:,\d{3})+|\d{4,6})(?![\w.,:/-])", _thousands, text)
    text = re.sub(r"(?<![\w.,:/-])([1-5]\.\d)(?![\w.,:/-])", r"**\1/5**", text)
    return re.sub(r"(?<![\w:])(1[3-9]|2[0-3]):(\d\d)(?![\w:])", lambda at: f"{int(at[1]) - 12}:{at[2]} pm", text)


def _thousands(found: re.Match[str]) -> str:
    number = int(found[1].replace(",", ""))
    return found[1] if number < 10_000 else f"{number / 1000:g}k" if number % 100 == 0 else f"{number:,}"


_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"


# -- not seen ------------------------------------------------------------------------------------------------------------


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


def fact_invented(task: Task, actions: list[Action], draw: Draw) -> list[Action] | None:
    """Tell what is right, and beside it what nobody knows."""
    last = actions[-1]
    if last.tool_calls:
        return None
    return [*actions[:-1], AssistantMessage(content=f"{last.content} It won the Harlow Prize in 1987, by the way.")]


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
        says_it_failed,
        dumps_results,
    )
}
"""What the score must find."""
AS_GOOD: dict[str, Slip] = {
    slip.__name__: slip for slip in (one_at_a_time, looks_up_more, asks_for_leave, in_other_forms)
}
"""What it must let pass."""
NOT_SEEN: dict[str, Slip] = {slip.__name__: slip for slip in (number_changed, fact_invented)}
"""What it does not judge, or only where nothing else is told."""


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
