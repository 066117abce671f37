"""A conversation looked up once, so that each claim about it is checked with few look-ups."""

import re
from datetime import date
from functools import lru_cache
from typing import Any

import msgspec
import orjson

from generator.conversation import (
    AssistantMessage,
    Claim,
    Conversation,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.toolbox import Toolbox, ToolSpec
from generator.validation.proof.spans import Places, places_of


class Made(msgspec.Struct, eq=False):
    """All that claims about a call need."""

    arguments: dict[str, Any]
    at: int
    """Index of the assistant message that makes the call."""
    told_at: int
    """Index of the tool message that answers it; _NEVER when none does."""
    result: Any
    """Its result, parsed."""
    spec: ToolSpec
    places: Places
    keys: set[str]
    """Arguments of the call that have a claim."""
    covered: list[str]
    """Pointers of claims about parts of arguments."""
    said: dict[tuple[int, int], str]
    """By message and beginning of a span: the argument that it says."""


_NEVER = 1 << 60


class Facts(msgspec.Struct, eq=False):
    """A conversation, looked up once."""

    conversation: Conversation
    calls: dict[str, Made]
    contents: list[str]
    """What each message says."""
    spoken: set[int]
    """Messages of the user."""
    results: dict[int, Any]
    """Parsed result by message index."""
    told_at: dict[str, int]
    """Index of the tool message that answers the call."""
    today: date | None
    """The day that the conversation states."""
    taken: set[tuple[int, str, str | None]]
    """Places in results from which values have been taken so far, and why there."""
    from_results: list[Claim]
    """Claims about values from results."""
    steps: list[tuple[int, tuple[ToolCall, ...]]]
    """Messages that make calls, and the calls."""
    answers: list[int]
    """Assistant messages that say something."""


def look_up(conversation: Conversation, toolbox: Toolbox) -> tuple[Facts, list[Violation]]:
    """The facts, and calls of tools that are not there."""
    facts = Facts(conversation, {}, [], set(), {}, {}, _stated_day(conversation), set(), [], [], [])
    for index, message in enumerate(conversation.messages):
        content = message.content or ""
        facts.contents.append(content)
        if type(message) is ToolMessage:
            facts.told_at[message.tool_call_id] = index
            facts.results[index] = parsed(content)
        elif type(message) is UserMessage:
            facts.spoken.add(index)
        elif type(message) is AssistantMessage:
            if content:
                facts.answers.append(index)
            if message.tool_calls:
                facts.steps.append((index, message.tool_calls))
    return facts, _look_up_calls(facts, toolbox)


def _look_up_calls(facts: Facts, toolbox: Toolbox) -> list[Violation]:
    found: dict[str, Violation] = {}
    for index, calls in facts.steps:
        for call in calls:
            spec = toolbox.get(call.name)
            if spec is None:
                fault = f"there is no tool {call.name!r}"
                found[call.id] = Violation("PF101", f"$.arguments[{call.id}]", fault)
                continue
            told_at = facts.told_at.get(call.id, _NEVER)
            result = facts.results.get(told_at)
            made = Made(call.arguments, index, told_at, result, spec, places_of(spec), set(), [], {})
            facts.calls[call.id] = made
    return list(found.values())


_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


_NAMED = re.compile(r"\b(?:today|date|day)\b[^.!?]{0,40}\Z", re.IGNORECASE)
"""What stands before a day that is today's, when a system message holds several days."""


def _stated_day(conversation: Conversation) -> date | None:
    first = conversation.messages[0] if conversation.messages else None
    return day_in(first.content) if type(first) is SystemMessage else None


@lru_cache(maxsize=1024)
def day_in(content: str) -> date | None:
    """The day that a system message says it is."""
    days = list(_DAY.finditer(content))
    named = [day for day in days if _NAMED.search(content[: day.start()])]
    try:
        return date.fromisoformat((named or days)[0].group()) if days else None
    except ValueError:
        return None


def parsed(content: str) -> Any:
    """A result as its JSON says; a text that is not JSON as it is."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return content
