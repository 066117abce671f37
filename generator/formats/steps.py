"""Steps of a conversation: calls and their results in the order that a format needs.

A *step* is an assistant message that calls, and the tool messages that answer it. `turns` pairs them, `split_calls`
takes a step of several calls apart, `one_step` is for formats that hold a single request.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, Literal

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
    UserMessage,
)
from generator.core.errors import CannotCarryError
from generator.core.toolbox import once_per_tool
from generator.formats.format import Format, compact_json, tool_object

Part = Literal["speakers", "tool_names", "thoughts", "blocks", "train", "is_error", "strict", "empty_text", "no_schema"]
"""What many formats have no place for. `blocks`: the difference between blocks of thoughts, which become one text.
`empty_text`: the difference between empty and no text, which is made nothing beside calls and empty text without.
`no_schema`: the difference between no schema and one without properties."""
NO_PARAMETERS: dict[str, Any] = {"type": "object", "properties": {}}
"""The schema of a tool without parameters. It is shared and must not be changed."""
Turn = tuple[Message, list[ToolMessage]]
"""A message that is no tool message, and the answers to its calls in the order of the calls."""


def without_parts(conversation: Conversation, *parts: Part) -> Conversation:
    """Return the conversation without the parts that a format has no place for."""
    tools = conversation.tools
    if "strict" in parts:
        tools = tuple([tool if tool.strict is None else msgspec.structs.replace(tool, strict=None) for tool in tools])
    if "no_schema" in parts:
        tools = tuple([tool if tool.parameters is not None else _with_empty_schema(tool) for tool in tools])
    return Conversation(
        messages=tuple([_message_without_parts(message, parts) for message in conversation.messages]), tools=tools
    )


def with_descriptions(conversation: Conversation) -> Conversation:
    """Return the conversation with an empty description of each tool that has none, for formats in which there must be one."""
    if all(tool.description is not None for tool in conversation.tools):
        return conversation
    tools = [msgspec.structs.replace(tool, description=tool.description or "") for tool in conversation.tools]
    return msgspec.structs.replace(conversation, tools=tuple(tools))


def _with_empty_schema(tool: Tool) -> Tool:
    return msgspec.structs.replace(tool, parameters=NO_PARAMETERS)


def argument_schema(tool: Tool) -> dict[str, Any]:
    """Return the schema of a tool's arguments, for formats in which there must be one."""
    return NO_PARAMETERS if tool.parameters is None else tool.parameters


@once_per_tool
def described_tool(tool: Tool) -> dict[str, Any]:
    """Return a tool as records declare it, with a description and a schema of arguments even where they say nothing."""
    described = msgspec.structs.replace(tool, description=tool.description or "", parameters=argument_schema(tool))
    return tool_object(described)


@once_per_tool
def function_text(tool: Tool) -> str:
    """Return a tool's function with a schema of arguments as compact JSON."""
    return compact_json(tool_object(msgspec.structs.replace(tool, parameters=argument_schema(tool)))["function"])


def _message_without_parts(message: Message, parts: tuple[Part, ...]) -> Message:
    """Return a message without the parts that a format has no place for."""
    if isinstance(message, ToolMessage):
        name = None if "tool_names" in parts else message.name
        is_error = message.is_error and "is_error" not in parts
        if name == message.name and is_error == message.is_error:
            return message
        return ToolMessage(tool_call_id=message.tool_call_id, content=message.content, name=name, is_error=is_error)
    if "speakers" in parts and message.name is not None:
        message = msgspec.structs.replace(message, name=None)
    if isinstance(message, AssistantMessage):
        if message.thoughts is not None and ("thoughts" in parts or "blocks" in parts):
            text = thought_of(message) if "thoughts" not in parts else ""
            message = msgspec.structs.replace(message, thoughts=Thoughts(reason=text) if text else None)
        if "train" in parts and not message.train:
            message = msgspec.structs.replace(message, train=True)
        if "empty_text" in parts and message.content == ("" if message.tool_calls else None):
            message = msgspec.structs.replace(message, content=None if message.tool_calls else "")
    return message


def thoughts_of(message: AssistantMessage) -> list[tuple[str, str]]:
    """Return (block, text) of what the model thinks, in the order in which it is written."""
    thoughts = message.thoughts
    if thoughts is None:
        return []
    blocks = (("reflect", thoughts.reflect), ("introspect", thoughts.introspect), ("reason", thoughts.reason))
    return [(block, text) for block, text in blocks if text is not None]


def thought_of(message: Message) -> str:
    """Return what the model thinks before it says a message, as one text."""
    blocks = thoughts_of(message) if isinstance(message, AssistantMessage) else []
    return "\n".join([text for _, text in blocks if text])


_THOUGHT = re.compile(r"\s*<think>\n?(.*?)\n?</think>\n{0,2}", re.DOTALL)


def divided_thought(text: str) -> tuple[str, str]:
    """Return what stands between `<think>` and `</think>` at the beginning of a text, and the rest."""
    match = _THOUGHT.match(text)
    return (match[1], text[match.end() :]) if match else ("", text)


def tagged_thought(message: AssistantMessage, path: str) -> str:
    """Return what the model thinks as it stands before a text; raises CannotCarryError where it could not be told from it."""
    thought = thought_of(message)
    if "</think>" in thought or _THOUGHT.match(message.content or ""):
        raise CannotCarryError(f"{path}: its text looks like thoughts, or its thoughts hold </think>")
    return f"<think>\n{thought}\n</think>\n\n" if thought else ""


def refuse_calls_behind_answers(conversation: Conversation) -> None:
    """Raise CannotCarryError where a message only calls behind another answer: where calls stand alone, the two would be one."""
    for i, (before, message) in enumerate(pairwise(conversation.messages), 1):
        if not isinstance(before, AssistantMessage) or not isinstance(message, AssistantMessage):
            continue
        if message.tool_calls and not message.content and not thought_of(message):
            raise CannotCarryError(f"$.messages[{i}]: calls alone behind another answer")


def turns(messages: tuple[Message, ...]) -> list[Turn]:
    """Return every message but the tools', with the answers to its calls in the order of the calls.

    Calls that end the conversation may be without answers.

    Raises:
        CannotCarryError: when a tool message answers no call of the message before, or a call is not answered although
            the conversation goes on.
    """
    paired: list[Turn] = []
    last = len(messages) - 1
    i = 0
    while i <= last:
        message = messages[i]
        if type(message) is ToolMessage:
            raise CannotCarryError(f"$.messages[{i}]: a tool message that answers no open call of the message before")
        i += 1
        if type(message) is not AssistantMessage or not message.tool_calls:
            paired.append((message, []))
            continue
        start = i
        while i <= last and type(messages[i]) is ToolMessage:
            i += 1
        if i == start and i > last:
            paired.append((message, []))
        else:
            paired.append((message, _answers_in_call_order(message.tool_calls, messages, start, i)))
    return paired


def _answers_in_call_order(
    calls: tuple[ToolCall, ...], messages: tuple[Message, ...], start: int, stop: int
) -> list[ToolMessage]:
    """Return the tool messages [start, stop) in the order of the calls that they answer."""
    answers: dict[str, ToolMessage] = {}
    call_ids = {call.id for call in calls}
    for i in range(start, stop):
        message = messages[i]
        assert isinstance(message, ToolMessage)
        if message.tool_call_id not in call_ids or message.tool_call_id in answers:
            raise CannotCarryError(f"$.messages[{i}]: a tool message that answers no open call of the message before")
        answers[message.tool_call_id] = message
    if len(answers) < len(calls) or len(call_ids) < len(calls):
        raise CannotCarryError(f"$.messages[{start - 1}]: a call without a result, although the conversation goes on")
    return [answers[call.id] for call in calls]


def in_call_order(conversation: Conversation, *, numbered: bool = False) -> Conversation:
    """Return the conversation with results in the order of the calls that they answer, each named after the called tool.

    Args:
        conversation: What to put in order.
        numbered: Whether calls get the ids of a format that has none: `call00001` and so on.

    Raises:
        CannotCarryError: when calls and results cannot be paired (see `turns`).
    """
    messages: list[Message] = []
    before = 0
    for message, answers in turns(conversation.messages):
        if not isinstance(message, AssistantMessage) or not message.tool_calls:
            messages.append(message)
            continue
        ids = [call.id for call in message.tool_calls]
        if numbered:
            ids = [placeholder_id(before + number) for number in range(1, len(ids) + 1)]
            message = with_ids(message, ids)
        before += len(ids)
        messages.append(message)
        messages += [
            msgspec.structs.replace(answer, tool_call_id=call_id, name=call.name)
            for answer, call_id, call in zip(answers, ids, message.tool_calls, strict=False)
        ]
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def with_ids(message: AssistantMessage, ids: list[str]) -> AssistantMessage:
    """Return the message with these ids on its calls, in order."""
    calls = [msgspec.structs.replace(call, id=new) for call, new in zip(message.tool_calls, ids, strict=True)]
    return msgspec.structs.replace(message, tool_calls=tuple(calls))


def with_new_ids(conversation: Conversation, new_id: Callable[[int, ToolCall], str]) -> Conversation:
    """Return the conversation with other ids on its calls and results, each made from the number of the call (from 0) and the call."""
    new: dict[str, str] = {}
    messages: list[Message] = []
    for message in conversation.messages:
        if isinstance(message, AssistantMessage) and message.tool_calls:
            ids = [new_id(number, call) for number, call in enumerate(message.tool_calls, len(new))]
            new |= zip([call.id for call in message.tool_calls], ids, strict=True)
            message = with_ids(message, ids)
        elif isinstance(message, ToolMessage):
            message = msgspec.structs.replace(message, tool_call_id=new.get(message.tool_call_id, message.tool_call_id))
        messages.append(message)
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def placeholder_id(number: int) -> str:
    """Return the id of a conversation's n-th call (from 1), where the format has none: `call00001`."""
    return f"call{number:05d}"


def split_calls(conversation: Conversation) -> Conversation:
    """Return the conversation with each step of n calls as n steps of one call, one after another.

    What was said and thought beside the calls stays with the first. The other messages are those of the conversation.

    Raises:
        CannotCarryError: when calls and results cannot be paired, or several calls end the conversation.
    """
    messages: list[Message] = []
    for message, answers in turns(conversation.messages):
        if not isinstance(message, AssistantMessage) or len(message.tool_calls) < 2:
            messages += [message, *answers]
            continue
        if not answers:
            last_index = len(conversation.messages) - 1
            raise CannotCarryError(
                f"$.messages[{last_index}]: several calls at once, without results to put between them"
            )
        for number, (call, answer) in enumerate(zip(message.tool_calls, answers, strict=True)):
            message_of_call = message if number == 0 else msgspec.structs.replace(message, content=None, thoughts=None)
            messages += [msgspec.structs.replace(message_of_call, tool_calls=(call,)), answer]
    return msgspec.structs.replace(conversation, messages=tuple(messages))


class OneStep(msgspec.Struct, frozen=True):
    """A conversation of one request, for formats that hold only one."""

    system: str | None
    request: str
    content: str | None
    """What the assistant says, where it calls nothing."""
    calls: tuple[ToolCall, ...]
    tools: tuple[Tool, ...]

    def conversation(self, tools: Iterable[Tool]) -> Conversation:
        """Return the conversation of this step alone, its calls numbered, with tools as a format has them."""
        calls = [msgspec.structs.replace(call, id=placeholder_id(n)) for n, call in enumerate(self.calls, 1)]
        answer = AssistantMessage(content=self.content, tool_calls=tuple(calls))
        system = () if self.system is None else (SystemMessage(content=self.system),)
        return Conversation(messages=(*system, UserMessage(content=self.request), answer), tools=tuple(tools))


def one_step(conversation: Conversation) -> OneStep:
    """Return the request and what the assistant does first; results of calls and the words about them are left out.

    Raises:
        CannotCarryError: when the assistant acts several times, or there are several requests.
    """
    system, request, assistant_messages = _request_and_answers(conversation)
    first = assistant_messages[0]
    answers = [message for message in assistant_messages if not message.tool_calls]
    if first.tool_calls and first.content:
        raise CannotCarryError(f"{message_path(conversation.messages, first)}.content: text beside calls")
    for message in assistant_messages[1:]:
        if message.tool_calls:
            raise CannotCarryError(f"{message_path(conversation.messages, message)}: calls in more than one message")
    if len(answers) > 1:
        raise CannotCarryError(f"{message_path(conversation.messages, answers[1])}: several answers of the assistant")
    return OneStep(
        system, request, None if first.tool_calls else first.content or "", first.tool_calls, conversation.tools
    )


def _request_and_answers(conversation: Conversation) -> tuple[str | None, str, list[AssistantMessage]]:
    """Return the system message, the request and the assistant messages of a conversation with one request."""
    messages = conversation.messages
    system = messages[0].content if messages and isinstance(messages[0], SystemMessage) else None
    rest = messages if system is None else messages[1:]
    acts = [message for message in rest if isinstance(message, AssistantMessage)]
    if not acts or not isinstance(rest[0], UserMessage):
        raise CannotCarryError("$.messages: not a request of the user and what the assistant does")
    for message in rest[1:]:
        if isinstance(message, UserMessage):
            raise CannotCarryError(f"{message_path(conversation.messages, message)}: several messages of the user")
        if isinstance(message, SystemMessage):
            raise CannotCarryError(
                f"{message_path(conversation.messages, message)}: a system message that is not the first message"
            )
    return system, rest[0].content, acts


def message_path(messages: tuple[Message, ...], message: Message) -> str:
    """Return the JSON path of a message: `$.messages[3]`."""
    return f"$.messages[{next(i for i, other in enumerate(messages) if other is message)}]"


def unrolled(conversation: Conversation, fmt: Format) -> Iterator[Conversation]:
    """Yield the conversation up to and with each assistant message whose `train` is true, in order.

    Only the last message of each is marked as learnt. Where the format writes calls made at once one after another, each
    of them is a message of its own. A format that holds one request gets the first of these conversations.

    Raises:
        CannotCarryError: when nothing is to be learnt, or calls cannot be written one after another.
    """
    if fmt.policy.parallel == "split":
        conversation = split_calls(conversation)
    before: list[Message] = []
    is_any_learnt = False
    for message in conversation.messages:
        if isinstance(message, AssistantMessage) and message.train:
            if message.tool_calls or fmt.policy.learns != "calls":
                is_any_learnt = True
                yield msgspec.structs.replace(conversation, messages=(*before, message))
            if is_any_learnt and fmt.policy.requests == "one":
                return
            message = msgspec.structs.replace(message, train=False)
        before.append(message)
    if not is_any_learnt:
        raise CannotCarryError("$.messages: nothing is to be learnt")


def cut_turns(messages: tuple[Message, ...]) -> Iterator[tuple[int, ...]]:
    """Yield the places of what stays when no early turn is cut, then one, two, ...; the first system messages always stay.

    A turn goes from one message of the user to the next; no call is parted from its result.
    """
    first = next((at for at, message in enumerate(messages) if not isinstance(message, SystemMessage)), 0)
    called: set[str] = set()
    for at, message in enumerate(messages):
        if at == first or (isinstance(message, UserMessage) and not called):
            yield (*range(first), *range(at, len(messages)))
        called |= {call.id for call in message.tool_calls} if isinstance(message, AssistantMessage) else set()
        called -= {message.tool_call_id} if isinstance(message, ToolMessage) else set()


def with_required_first(fmt: Format) -> Format:
    """Return the format, writing the arguments of every call in that order, and other right values only where it has a place."""

    def ready(conversation: Conversation) -> Conversation:
        return required_first(conversation if fmt.policy.accepts else _without_accepts(conversation))

    return fmt.of_changed(ready)


def _without_accepts(conversation: Conversation) -> Conversation:
    """Return the conversation without other values that are as right."""
    messages: list[Message] | None = None
    for at, message in enumerate(conversation.messages):
        if type(message) is AssistantMessage and [call for call in message.tool_calls if call.accepts]:
            messages = messages or list(conversation.messages)
            plain = tuple([msgspec.structs.replace(call, accepts=None) for call in message.tool_calls])
            messages[at] = msgspec.structs.replace(message, tool_calls=plain)
    return msgspec.structs.replace(conversation, messages=tuple(messages)) if messages else conversation


def required_first(conversation: Conversation) -> Conversation:
    """Return the conversation with the arguments of its calls, rejected ones too, in order; arguments that no tool declares stand last."""
    tools = {tool.name: tool for tool in conversation.tools}
    if conversation.rejected is not None:
        rejected_message = _with_arguments_in_order(conversation.rejected.message, tools)
        rejected = msgspec.structs.replace(conversation.rejected, message=rejected_message)
        conversation = msgspec.structs.replace(conversation, rejected=rejected)
    for message in conversation.messages:
        if type(message) is AssistantMessage:
            for call in message.tool_calls:
                if (
                    len(call.arguments) > 1
                    and call.name in tools
                    and not _has_arguments_in_order(call, tools[call.name])
                ):
                    messages = [
                        _with_arguments_in_order(message, tools) if isinstance(message, AssistantMessage) else message
                        for message in conversation.messages
                    ]
                    return msgspec.structs.replace(conversation, messages=tuple(messages))
    return conversation


def _has_arguments_in_order(call: ToolCall, tool: Tool) -> bool:
    known = [name for name in _argument_order(tool) if name in call.arguments]
    return list(call.arguments)[: len(known)] == known


def _with_arguments_in_order(message: AssistantMessage, tools: dict[str, Tool]) -> AssistantMessage:
    """Return a message whose calls have required arguments first."""
    calls = []
    for call in message.tool_calls:
        order = _argument_order(tools[call.name]) if call.name in tools else ()
        arguments: dict[str, Any] = {name: call.arguments[name] for name in order if name in call.arguments}
        calls.append(msgspec.structs.replace(call, arguments=arguments | call.arguments))
    return msgspec.structs.replace(message, tool_calls=tuple(calls))


@once_per_tool
def _argument_order(tool: Tool) -> tuple[str, ...]:
    """Return the names of the tool's arguments, required ones first."""
    schema = tool.parameters or {}
    properties, required = schema.get("properties"), schema.get("required")
    names = list(properties) if isinstance(properties, dict) else []
    needed = [name for name in names if isinstance(required, list) and name in required]
    return (*needed, *[name for name in names if name not in needed])
