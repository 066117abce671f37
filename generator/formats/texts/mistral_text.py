r"""Mistral's instruction text, as its tokenizers write it, in the versions `v3`, `v7`, `v11` and `v13` (the default).

    v3   <s>[AVAILABLE_TOOLS] [...][/AVAILABLE_TOOLS][INST] What time is it in Oslo?[/INST]
         [TOOL_CALLS] [{"name": "get_time", "arguments": {"city": "Oslo"}, "id": "a1B2c3D4e"}]</s>
         [TOOL_RESULTS] {"content": {"time": "15:30"}, "call_id": "a1B2c3D4e"}[/TOOL_RESULTS] It is 15:30.</s>
    v7   ... [TOOL_RESULTS] a1B2c3D4e[TOOL_CONTENT] {"time":"15:30"}[/TOOL_RESULTS] ...
    v11  ... [TOOL_CALLS]get_time[CALL_ID]a1B2c3D4e[ARGS]{"city": "Oslo"}</s> ...
    v13  ... [TOOL_CALLS]get_time[ARGS]{"city": "Oslo"}</s>[TOOL_RESULTS]{"time":"15:30"}[/TOOL_RESULTS] ...

(in one line, without the breaks above.) Versions `v3` and `v7` are those with SentencePiece, where a space stands
behind a control token; `v3-tekken` and `v7-tekken` are the same without it. Tools stand before the last user turn,
from `v13` on before the first.

`v3` has no system message: it becomes the beginning of the last user message, and stays there when read. Nor has it
text beside calls: such rows are refused. Its results are JSON where they can be read as JSON, written anew; so a result
that is a JSON string which again holds JSON, or that is JSON only to Python (`NaN`), is refused.
Ids are nine letters or digits and stand in the text up to `v11`; in `v13` order takes their place.
An answer loses spaces at its end, and an empty answer is refused, because the tokenizers refuse it. A tool without a
description has an empty one, one without parameters `{}`, and `strict` is not carried, nor are names of speakers.

Version `v11` is what its tokenizers write; the tool-call parsers of servers that the tests know read `v13`, and none of them
the `[CALL_ID]` of `v11`.

Source and consumer: mistral-common 1.13.1, `tokens/tokenizers/instruct.py`.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError
from generator.core.exact_json import loads
from generator.core.toolbox import once_per_tool
from generator.formats.format import Consumer, Format, Policy, compact_json
from generator.formats.steps import with_new_ids
from generator.formats.text import (
    Guard,
    RecordReading,
    Scanner,
    Segment,
    any_of,
    read_text_record,
    spaced_json,
    text_record,
    tool_json,
    with_results_in_order,
)
from generator.formats.wire.format import wire_format

_WIRE = wire_format("mistral_text-v11")
CALL, CALL_ID, ARGUMENTS = _WIRE.special
(END,) = _WIRE.end
TOKENS = (
    "<s>", END, "<unk>", "<pad>", "[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]", CALL, "[TOOL_CONTENT]", ARGUMENTS, CALL_ID, "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]",
    "[IMG]", "[IMG_BREAK]", "[IMG_END]", "[PREFIX]", "[MIDDLE]", "[SUFFIX]", "[AUDIO]", "[BEGIN_AUDIO]", "[TRANSCRIBE]",
    "[THINK]", "[/THINK]", "[MODEL_SETTINGS]", "[/MODEL_SETTINGS]",
)  # fmt: skip
TOKEN = any_of(TOKENS)
_NAME = re.compile(r"[\w.-]+")


class Version(msgspec.Struct, frozen=True):
    """What one version of the text differs in."""

    number: int
    space: str
    """What stands behind a control token that text follows."""

    @property
    def with_ids(self) -> bool:
        """Whether ids stand in the text."""
        return self.number < 13


VERSIONS = {
    "v3": Version(3, " "),
    "v3-tekken": Version(3, ""),
    "v7": Version(7, " "),
    "v7-tekken": Version(7, ""),
    "v11": Version(11, ""),
    "v13": Version(13, ""),
}
USUAL = "v13"


def read_text(text: str, version: Version) -> RecordReading:
    """Return the contents of a conversation in one of the versions; raises FormatError."""
    scanner, transcript = Scanner(text, TOKEN), RecordReading()
    scanner.take("<s>")
    if version.number > 3 and scanner.accept("[SYSTEM_PROMPT]"):
        transcript.say("system", _text(scanner, version))
        scanner.take("[/SYSTEM_PROMPT]")
    shown: int | None = None  # number of the user turn that the tools stand before
    users = 0
    while not scanner.done:
        if shown is None and scanner.accept("[AVAILABLE_TOOLS]"):
            shown = users
            transcript.tools = _read_tools(scanner, version)
            if not scanner.sees("[INST]"):
                raise scanner.fault("a user turn ([INST]) is expected behind the tools")
        if scanner.accept("[INST]"):
            users += 1
            transcript.say("user", _text(scanner, version))
            scanner.take("[/INST]")
        elif scanner.accept("[TOOL_RESULTS]"):
            _read_result(scanner, transcript, version)
        else:
            _read_answer(scanner, transcript, version)
    if shown is not None and shown != (0 if version.number >= 13 else users - 1):
        which = "first" if version.number >= 13 else "last"
        raise scanner.fault(f"the tools should stand before the {which} user turn", text.index("[AVAILABLE_TOOLS]"))
    return transcript


def _text(scanner: Scanner, version: Version) -> str:
    if version.space and not scanner.tokens.match(scanner.text, scanner.at):
        scanner.take(version.space)
    return scanner.plain()


def _read_tools(scanner: Scanner, version: Version) -> list[Any]:
    scanner.take(version.space)
    start = scanner.at
    tools = scanner.json()
    if not isinstance(tools, list):
        raise scanner.fault("a list of tools is expected here", start)
    scanner.take("[/AVAILABLE_TOOLS]")
    return tools


def _read_answer(scanner: Scanner, transcript: RecordReading, version: Version) -> None:
    start = scanner.at
    said = _text(scanner, version)
    calls: list[tuple[str, Any, str | None]] = []
    if version.number < 11:
        calls = _read_listed_calls(scanner, version) if scanner.accept(CALL) else []
    else:
        while scanner.accept(CALL):
            calls.append(_read_call(scanner, version))
    scanner.take(END)
    called = [{"name": name, "arguments": arguments} for name, arguments, _ in calls]
    transcript.answer(said, called, (start, scanner.at), ids=[call_id for _, _, call_id in calls])


def _read_listed_calls(scanner: Scanner, version: Version) -> list[tuple[str, Any, str | None]]:
    scanner.take(version.space)
    start = scanner.at
    listed = scanner.json()
    keys = {"name", "arguments", "id"}
    if not isinstance(listed, list) or not listed or not all(isinstance(c, dict) and c.keys() == keys for c in listed):
        raise scanner.fault("a list of objects with `name`, `arguments` and `id` is expected here", start)
    return [(call["name"], call["arguments"], call["id"]) for call in listed]


def _read_call(scanner: Scanner, version: Version) -> tuple[str, Any, str | None]:
    start = scanner.at
    name = scanner.plain()
    if not _NAME.fullmatch(name):
        raise scanner.fault("the name of a tool is expected here", start)
    call_id = None
    if version.with_ids:
        scanner.take(CALL_ID)
        call_id = scanner.plain()
    scanner.take(ARGUMENTS)
    return name, scanner.json(), call_id


def _read_result(scanner: Scanner, transcript: RecordReading, version: Version) -> None:
    start = scanner.at
    call_id: Any = None
    if version.number == 3:
        scanner.take(version.space)
        value = scanner.json()
        if not isinstance(value, dict) or value.keys() != {"content", "call_id"}:
            raise scanner.fault("an object with `content` and `call_id` is expected here", start)
        call_id, content = value["call_id"], value["content"]
        content = content if isinstance(content, str) else compact_json(content)
    else:
        if version.with_ids:
            call_id = _text(scanner, version)
            scanner.take("[TOOL_CONTENT]")
        content = _text(scanner, version)
    scanner.take("[/TOOL_RESULTS]")
    if not transcript.result(content, call_id=call_id):
        raise scanner.fault("there is no call left that this could be the result of", start)


_GUARD = Guard(TOKEN)
_FAULTS = (("MT101", "A record is an object whose `text` is a conversation as Mistral's tokenizers write it."),)
_ID = re.compile(r"[a-zA-Z0-9]{9}")


# ----------------------------------------------------------------------------------------------------- carrying


def _carries(conversation: Conversation, version: Version) -> Conversation:
    ordered = with_results_in_order(conversation)
    if version.with_ids:
        own = [call.id for m in conversation.messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
        ordered = with_new_ids(ordered, lambda number, _: own[number])
    messages = [_carried(message, version) for message in ordered.messages]
    if version.number == 3 and messages and isinstance(messages[0], SystemMessage):
        messages = _system_in_last_user(messages)
    return Conversation(messages=tuple(messages), tools=tuple([_carried_tool(tool) for tool in ordered.tools]))


def _carried(message: Message, version: Version) -> Message:
    if isinstance(message, AssistantMessage) and message.content is not None:
        said = message.content.rstrip(" ")
        return msgspec.structs.replace(message, content=(said or None) if message.tool_calls else said)
    if isinstance(message, ToolMessage) and version.number == 3:
        value = _value_of(message.content)
        return msgspec.structs.replace(message, content=value if isinstance(value, str) else compact_json(value))
    return message


@once_per_tool
def _carried_tool(tool: Tool) -> Tool:
    return Tool(name=tool.name, description=tool.description or "", parameters=tool.parameters or {})


def _system_in_last_user(messages: list[Message]) -> list[Message]:
    system, *rest = messages
    last = max((i for i, message in enumerate(rest) if isinstance(message, UserMessage)), default=None)
    if last is None:
        raise CannotCarryError("$.messages[0]: a system message without a user message to stand in")
    if system.content:
        rest[last] = msgspec.structs.replace(rest[last], content=f"{system.content}\n\n{rest[last].content}")
    return rest


def _value_of(content: str) -> Any:
    """What a result is to a tokenizer of version 3: JSON, or text that is none."""
    try:
        return loads(content, nan=True)
    except ValueError:
        return content


def _check(conversation: Conversation, version: Version) -> None:
    _GUARD.check(conversation)
    users = [i for i, message in enumerate(conversation.messages) if isinstance(message, UserMessage)]
    if conversation.tools and not users:
        raise CannotCarryError("$.messages: tools stand before a user message, and there is none")
    for i, message in enumerate(conversation.messages):
        place = f"$.messages[{i}]"
        if isinstance(message, AssistantMessage):
            _check_answer(message, place, version)
        elif isinstance(message, ToolMessage) and version.number == 3:
            _check_result(message.content, place)


def _check_answer(message: AssistantMessage, place: str, version: Version) -> None:
    said = (message.content or "").rstrip(" ")
    if message.tool_calls and said and version.number == 3:
        raise CannotCarryError(f"{place}.content: text beside calls")
    if not message.tool_calls and not said:
        raise CannotCarryError(f"{place}.content: an empty answer")
    for j, call in enumerate(message.tool_calls):
        if version.with_ids and not _ID.fullmatch(call.id):
            raise CannotCarryError(f"{place}.tool_calls[{j}].id: an id that is not nine letters or digits")


def _check_result(content: str, place: str) -> None:
    value = _value_of(content)
    if isinstance(value, str):
        if value != content and _value_of(value) != value:
            raise CannotCarryError(f"{place}.content: a JSON string that again holds JSON")
        return
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        raise CannotCarryError(f"{place}.content: NaN or Infinity, which is not JSON") from None


# ------------------------------------------------------------------------------------------------------ writing


def _write(conversation: Conversation, version: Version) -> Iterator[Segment]:
    messages = conversation.messages
    users = [i for i, message in enumerate(messages) if isinstance(message, UserMessage)]
    with_tools = (users[0] if version.number >= 13 else users[-1]) if users and conversation.tools else None
    yield "<s>", False
    for i, message in enumerate(messages):
        if i == with_tools:
            tools = f"[{', '.join([tool_json(tool) for tool in conversation.tools])}]"
            yield f"[AVAILABLE_TOOLS]{version.space}{tools}[/AVAILABLE_TOOLS]", False
        if isinstance(message, SystemMessage):
            yield f"[SYSTEM_PROMPT]{_behind(message.content, version)}[/SYSTEM_PROMPT]", False
        elif isinstance(message, UserMessage):
            yield f"[INST]{_behind(message.content, version)}[/INST]", False
        elif isinstance(message, ToolMessage):
            yield _result_text(message, version), False
        else:
            calls = _calls_text(message.tool_calls, version) if message.tool_calls else ""
            yield f"{_behind(message.content or '', version)}{calls}{END}", message.train


def _behind(text: str, version: Version) -> str:
    return f"{version.space}{text}" if text else ""


def _calls_text(calls: tuple[ToolCall, ...], version: Version) -> str:
    if version.number < 11:
        listed = [{"name": call.name, "arguments": call.arguments, "id": call.id} for call in calls]
        return f"{CALL}{version.space}{spaced_json(listed)}"
    ids = [f"{CALL_ID}{call.id}" if version.with_ids else "" for call in calls]
    return "".join(
        [
            f"{CALL}{call.name}{call_id}{ARGUMENTS}{spaced_json(call.arguments)}"
            for call, call_id in zip(calls, ids, strict=True)
        ]
    )


def _result_text(message: ToolMessage, version: Version) -> str:
    if version.number == 3:
        result = {"content": _value_of(message.content), "call_id": message.tool_call_id}
        return f"[TOOL_RESULTS]{version.space}{spaced_json(result)}[/TOOL_RESULTS]"
    head = f"{_behind(message.tool_call_id, version)}[TOOL_CONTENT]" if version.with_ids else ""
    return f"[TOOL_RESULTS]{head}{_behind(message.content, version)}[/TOOL_RESULTS]"


# ------------------------------------------------------------------------------------------------------- format


def _render(conversation: Conversation, version: Version) -> dict[str, Any]:
    _check(conversation, version)
    return text_record(_write(_carries(conversation, version), version))


def make(version: str = USUAL) -> Format:
    """The format in one of its versions."""
    known = VERSIONS[version]

    return Format(
        name="mistral_text" if version == USUAL else f"mistral_text-{version}",
        about=f"Mistral's instruction text with its control tokens, version {version}",
        page=__doc__,
        render=lambda conversation: _render(conversation, known),
        read=lambda record: read_text_record(record, "MT101", lambda text: read_text(text, known)),
        carries=lambda conversation: _carries(conversation, known),
        policy=Policy(
            text_beside_calls="reject" if known.number == 3 else "ok",
            no_content="absent",
            system="user" if known.number == 3 else "message",
            ids="nine letters or digits" if known.with_ids else "none: calls are numbered",
            train="spans",
            refuses=TOKENS,
        ),
        faults=_FAULTS,
        consumers=(
            Consumer("mistral-common", "1.13.1", "the tokenizer of the version"),
            *(_SERVERS if version == USUAL else ()),
        ),
        options=(("version", version),),
    )


_SERVERS = (
    Consumer("mlx-lm", "0.32.0", "tool parser mistral"),
    Consumer("llm-router-utils", "0.8.1", "SGLang's detector mistral"),
)
FORMAT = make()
OTHER_FORMATS = tuple([make(version) for version in VERSIONS if version != USUAL])
