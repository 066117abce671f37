"""Parts that text formats share: the record, the order of calls and results, and refused strings.

A record of a text format is `{"text": "...", "spans": [[start, end], ...]}`. The text is what a model sees and says,
as its chat template writes it. A span is what it is to learn: from behind the header of an assistant turn up to and
with the token that ends the turn, in characters (Unicode code points), end not included. There is one span for each
assistant turn whose `train` is true, in order. A record without `spans` is read as one in which every turn is learnt.

Text formats have no ids, as a rule: results stand in the order of their calls, and reading numbers the calls
(`call00001`, ...). None escapes its control tokens, so a value that holds one is refused by place and token.
"""

import json
import re
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    Thoughts,
    Tool,
    ToolCall,
    ToolMessage,
)
from generator.core.errors import CannotCarryError
from generator.core.toolbox import once_per_tool
from generator.formats.format import compact_json, tool_object
from generator.formats.steps import Part, in_call_order, thoughts_of, without_parts

Segment = tuple[str, bool]
"""A piece of text, and whether it is to be learnt."""


def text_record(segments: Iterable[Segment]) -> dict[str, Any]:
    """Return the record whose text is these pieces; each learnt piece is a span."""
    pieces: list[str] = []
    spans: list[list[int]] = []
    position = 0
    for piece, learnt in segments:
        pieces.append(piece)
        end = position + len(piece)
        if learnt:
            spans.append([position, end])
        position = end
    return {"text": "".join(pieces), "spans": spans}


def spaced_json(value: Any) -> str:
    """Return JSON as the filter `tojson` of chat templates writes it: `, ` and `: `, non-ASCII letters kept."""
    return json.dumps(value, ensure_ascii=False)


@once_per_tool
def tool_json(tool: Tool) -> str:
    """Return a declared tool in one line."""
    return spaced_json(tool_object(tool))


# ---------------------------------------------------------------------------------------------- what is carried


def with_results_in_order(
    conversation: Conversation,
    *,
    speakers: bool = False,
    thoughts: bool = False,
    trims: bool = False,
    later_system: bool = False,
) -> Conversation:
    """Return the conversation with calls numbered, results in the order of their calls and named after the called tool, no error flags.

    Beside calls, empty content and no content are the same; without calls, no content is empty content.

    Args:
        conversation: What is to be written.
        speakers: Keep the names of those who speak.
        thoughts: Keep what the model thinks.
        trims: Take white space off both ends of what is said, as some templates do (results keep it).
        later_system: Keep system messages that are not the first message.

    Raises:
        CannotCarryError: when results and calls cannot be paired by order, or a system message has no place.
    """
    lost: list[Part] = ["is_error"]
    lost += [] if speakers else ["speakers"]
    lost += [] if thoughts else ["thoughts"]
    ordered = in_call_order(without_parts(conversation, *lost), numbered=True)
    messages: list[Message] = []
    for i, message in enumerate(ordered.messages):
        if isinstance(message, SystemMessage) and i and not later_system:
            raise CannotCarryError(f"$.messages[{i}]: a system message that is not the first message")
        if isinstance(message, ToolMessage):
            messages.append(message)
            continue
        content = message.content.strip() if trims and message.content else message.content
        if isinstance(message, AssistantMessage):
            content = (content or None) if message.tool_calls else (content or "")
            if message.thoughts == Thoughts():
                message = msgspec.structs.replace(message, thoughts=None)
        messages.append(msgspec.structs.replace(message, content=content))
    return msgspec.structs.replace(ordered, messages=tuple(messages))


def without_added_system(conversation: Conversation, said: str) -> Conversation:
    """Return the conversation without its system message if that is only this text, which the template adds."""
    messages = conversation.messages
    if messages and isinstance(messages[0], SystemMessage) and messages[0].content == said:
        return msgspec.structs.replace(conversation, messages=messages[1:])
    return conversation


def stated_day(conversation: Conversation) -> date | None:
    """Return the day that the system message states as `YYYY-MM-DD`, for templates that state it, too."""
    first = conversation.messages[0] if conversation.messages else None
    match = _DAY.search(first.content) if isinstance(first, SystemMessage) else None
    try:
        return date.fromisoformat(match.group()) if match else None
    except ValueError:
        return None


_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", re.ASCII)

# ---------------------------------------------------------------------------------------------- what is refused


def any_of(tokens: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that finds these tokens, longer ones first."""
    return re.compile("|".join(re.escape(token) for token in sorted(tokens, key=len, reverse=True)))


class Guard:
    """Raises CannotCarryError, with place and token, for a conversation that holds one of a format's tokens."""

    def __init__(
        self, tokens: re.Pattern[str], names: str | None = r"[\w.-]+", text_of: Callable[[Tool], str] = tool_json
    ) -> None:
        """What is refused.

        Args:
            tokens: What no value may hold.
            names: What the name of a tool must match as a whole, where it is written without quotes.
            text_of: How a tool is written.
        """
        self._tokens = tokens
        self._fits = re.compile(names).fullmatch if names else None

        @once_per_tool
        def fault_of_tool(tool: Tool) -> str | None:
            return self._held(text_of(tool)) or self._misnamed(tool.name)

        self._fault_of_tool = fault_of_tool

    def check(self, conversation: Conversation) -> None:
        """Look at every string."""
        for i, tool in enumerate(conversation.tools):
            _refuse(self._fault_of_tool(tool), f"$.tools[{i}]")
        for i, message in enumerate(conversation.messages):
            place = f"$.messages[{i}]"
            _refuse(self._held(message.content), f"{place}.content")
            _refuse(self._held(message.name), f"{place}.name")
            if isinstance(message, AssistantMessage):
                for block, thought in thoughts_of(message):
                    _refuse(self._held(thought), f"{place}.thoughts.{block}")
                for j, call in enumerate(message.tool_calls):
                    self._check_call(call, f"{place}.tool_calls[{j}].function")

    def _check_call(self, call: ToolCall, place: str) -> None:
        _refuse(self._held(compact_json(call.name)) or self._misnamed(call.name), f"{place}.name")
        _refuse(self._held(compact_json(call.arguments)), f"{place}.arguments")

    def _held(self, text: str | None) -> str | None:
        match = self._tokens.search(text) if text else None
        return f"holds the control token {match.group()}" if match else None

    def _misnamed(self, name: str) -> str | None:
        if self._fits is None or self._fits(name):
            return None
        return f"the tool's name {name[:80]!r} cannot be written without quotes"


def _refuse(fault: str | None, place: str) -> None:
    if fault is not None:
        raise CannotCarryError(f"{place}: {fault}")
