"""What the assistant thinks before it calls or answers: the three thought blocks of OpenChatML, section 4.

Everything is said from the finished conversation and its proof, so that nothing is made up. `reason` says why these
tools, what may be done at once, and where each value comes from: the user's words, an earlier result, or the schema.
`reflect` says what can be seen of the user: how many calls the request takes, and its tone as far as the words show
it. `introspect` says what the assistant means to do next.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Thoughts, ToolCall, UserMessage
from generator.core.seeds import Draw
from generator.core.toolbox import Toolbox
from generator.core.yaml_values import own_data
from generator.dialogue.thoughts.origins import as_they_are, origin_of, shown, values_of
from generator.dialogue.thoughts.told import Because, Told, told_of

_POLITE = re.compile(r"\b(?:please|thanks|thank you|could you|would you|can you|kindly)\b", re.IGNORECASE)


_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


_PLACES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


_IMPERATIVE = re.compile(r"(?:[A-Z][a-z]*[a-rt-z]) (?:.*)")


_NO_VERBS = {"A", "An", "The", "This", "All", "Current", "Information", "Tool", "Function", "For", "Given", "List"}


@cache
def _texts() -> dict[str, list[str]]:
    """Return the texts of `thoughts.yaml`."""
    texts: dict[str, list[str]] = own_data(__file__, "thoughts.yaml")
    return texts


def _one_of(key: str, draw: Draw) -> str:
    """Return one of the texts under a key."""
    return draw.choice(_texts()[key])


def think(
    conversation: Conversation,
    proof: Proof,
    toolbox: Toolbox,
    blocks: Sequence[str],
    draw: Draw,
    because: Mapping[int, Sequence[Because]] = MappingProxyType({}),
) -> Conversation:
    """Return the conversation with thoughts before each assistant message.

    Args:
        conversation: A finished conversation.
        proof: Where its values come from.
        toolbox: The tools that are called, for their descriptions.
        blocks: Which of `reflect`, `introspect` and `reason` to write.
        draw: The row's stream; it is drawn from only here.
        because: The rules of the system message that a message follows, by its index.
    """
    told = told_of(conversation, proof, toolbox, because)
    messages = list(conversation.messages)
    for i, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.train:
            introspect, reason = _aim_and_reason(told, i, message, draw)
            reason = " ".join([*_rules(told, i, message, draw), reason])
            thoughts = Thoughts(
                reflect=_reflect(told, i, draw) if "reflect" in blocks else None,
                introspect=introspect if "introspect" in blocks else None,
                reason=reason if "reason" in blocks else None,
            )
            messages[i] = msgspec.structs.replace(message, thoughts=thoughts)
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def _aim_and_reason(told: Told, at: int, message: AssistantMessage, draw: Draw) -> tuple[str, str]:
    """Return what the assistant means to do with a message, and why."""
    how, missing = told.otherwise.get(at), told.asks.get(at)
    if missing is not None:
        why = how if how == "not_accepted" else "to_be_asked" if told.because.get(at) else "missing"
        return _one_of("meaning_to_ask", draw).format(missing), _one_of(why, draw).format(missing)
    if how is not None and not message.tool_calls:
        return _one_of(_AIMS.get(how, "meaning_to_own_up"), draw), _one_of(how, draw)
    return _introspect(told.conversation.messages, at, draw), _reason(told, message, draw)


def _rules(told: Told, at: int, message: AssistantMessage, draw: Draw) -> list[str]:
    """Return the rules of the system message that a message follows, with the values that decide."""
    said = []
    for rule in told.because.get(at, ()):
        values = " and ".join([f"{name} is {shown(value)}" for name, value in rule.seen.items()])
        said.append(_one_of("a_rule", draw).format(rule.text) + (f" Here {values}." if values else ""))
    return [*said, _one_of("done_first", draw)] if said and message.tool_calls else said


_AIMS = {"over": "meaning_to_end", "ruled_out": "meaning_to_refuse", "unmoved": "meaning_to_refuse"}
"""Which texts say what it means to do then."""


def _reflect(told: Told, at: int, draw: Draw) -> str | None:
    """Return a thought about the user; only for the first message after the user's."""
    messages = told.conversation.messages
    asked = messages[at - 1] if at else None
    if not isinstance(asked, UserMessage):
        return None
    answer = messages[at]
    calls = len(answer.tool_calls) if isinstance(answer, AssistantMessage) else 0
    what = "asks a question" if "?" in asked.content else "makes a request"
    begun = f"The user {what}; I can begin with {_counted(calls)}." if calls else _OPEN
    return " ".join(filter(None, [told.seen.get(at - 1, begun), told.reasons.get(at - 1), _tone(asked.content, draw)]))


_OPEN = "The user makes a request that leaves something open."


def _tone(content: str, draw: Draw) -> str:
    return _one_of("politely" if _POLITE.search(content) else "lively" if "!" in content else "plain", draw)


def _introspect(messages: Sequence[Any], at: int, draw: Draw) -> str:
    calls = messages[at].tool_calls
    size = len(calls)
    if not size:
        return _one_of("meaning_to_answer", draw)
    nth = _steps_before(messages, at)
    if not nth:
        return _one_of("meaning_to_call", draw).format(calls=_counted(size))
    nth_said = _PLACES[nth] if nth < len(_PLACES) else f"{nth + 1}th"
    return _one_of("meaning_to_go_on", draw).format(calls=_counted(size), nth=nth_said)


def _steps_before(messages: Sequence[Any], at: int) -> int:
    """Return how many messages of the same turn have made calls before this one."""
    asked = max((i for i in range(at) if isinstance(messages[i], UserMessage)), default=0)
    return sum(isinstance(message, AssistantMessage) and bool(message.tool_calls) for message in messages[asked:at])


def _reason(told: Told, message: AssistantMessage, draw: Draw) -> str:
    claims, conversation, calls = told.claims, told.conversation, message.tool_calls
    if not calls:
        return _one_of("done", draw)
    sentences = [_why(name, calls, told.toolbox) for name in dict.fromkeys(call.name for call in calls)]
    if any(claim.source == "result" for call in calls for claim in claims.get(call.id, ())):
        sentences.append(_one_of("now_known", draw))
    if len(calls) > 1:
        sentences.append(_one_of("at_once", draw))
    if any(_made_before(call, message, conversation) for call in calls):
        sentences.append(_one_of("once_more", draw))
    origins = [
        [origin_of(claim, call, conversation, told.asked_at) for claim in claims.get(call.id, ())] or as_they_are(call)
        for call in calls
    ]
    return " ".join([*sentences, *values_of(origins)])


def _made_before(call: ToolCall, message: AssistantMessage, conversation: Conversation) -> bool:
    """Whether the same call stands in an earlier message, where it failed."""
    for earlier in conversation.messages:
        if earlier is message:
            return False
        calls = earlier.tool_calls if isinstance(earlier, AssistantMessage) else ()
        if any((one.name, one.arguments) == (call.name, call.arguments) for one in calls):
            return True
    return False


def _why(name: str, calls: Sequence[ToolCall], toolbox: Toolbox) -> str:
    """Return what a tool is for: "To find a customer's orders, I use find_orders, in two calls."."""
    times = sum(call.name == name for call in calls)
    often = f", in {_counted(times)}" if times > 1 else ""
    spec = toolbox.get(name)
    purpose = ((spec.tool.description if spec else None) or "").split(". ")[0].split("\n")[0].strip().rstrip(".")
    if _IMPERATIVE.fullmatch(purpose) and purpose.split()[0] not in _NO_VERBS:
        return f"To {purpose[0].lower()}{purpose[1:]}, I use {name}{often}."
    return f"The tool for this is {name} ({purpose}){often}." if purpose else f"The tool for this is {name}{often}."


def _counted(number: int) -> str:
    return f"{_amount(number)} call" if number == 1 else f"{_amount(number)} calls"


def _amount(number: int) -> str:
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)
