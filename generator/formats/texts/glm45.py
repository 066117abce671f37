"""GLM 4.5 and 4.6: one `<arg_key>` and `<arg_value>` for each argument.

    <|assistant|>
    <think></think>
    <tool_call>get_weather
    <arg_key>city</arg_key>
    <arg_value>Oslo</arg_value>
    </tool_call><|observation|>
    <tool_response>
    {"temperature":12}
    </tool_response>

The text is what the template for training in trl writes, which is what the model's own template writes and
`<|user|>` at the end: it is the token by which the model ends a turn, as it is `<|observation|>` after calls. What is
learnt goes up to and with it, and begins behind `<|assistant|>`.

Strings stand as they are, other values as JSON. So a string and a number may look alike, and reading asks the tool's
declared `parameters`: an argument whose type is `string` is a string; of any other, text that is JSON is that value. A
string that would be read as something else is refused, and white space at an end of a name or value, which the parsers
of servers take off. White space around answers is left out.
An answer ends where the user begins, so an assistant message behind it is refused.
Several calls of one turn stand one after another. There are no ids. Names of speakers are not carried.
Source: the chat template of zai-org/GLM-4.5, and `glm4moe_training` in trl.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

from generator.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.errors import CannotCarryError
from generator.formats.base import Consumer, Format, Policy, Read
from generator.formats.texts.text import Guard, Segment, any_of, in_order, record_of, tool_json
from generator.formats.texts.text_reader import Scanner, Transcript, read_record
from generator.formats.texts.unquoted import is_string, text_of, value_of

_BEGIN = "[gMASK]<sop>"
_CALL, _CALL_END, _RESULT, _RESULT_END = "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>"
_KEY, _KEY_END, _VALUE, _VALUE_END = "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"
TOKENS = (
    "[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>", "<|endoftext|>", "<think>",
    "</think>", _CALL, _CALL_END, _RESULT, _RESULT_END, _KEY, _KEY_END, _VALUE, _VALUE_END, "<tools>", "</tools>",
)  # fmt: skip
_TOKEN = any_of(TOKENS)
_GUARD = Guard(_TOKEN)
_BEFORE_TOOLS = (
    "<|system|>\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n"
)
_AFTER_TOOLS = (
    "</tools>\n\nFor each function call, output the function name and arguments within the following XML format:\n"
    "<tool_call>{function-name}\n<arg_key>{arg-key-1}</arg_key>\n<arg_value>{arg-value-1}</arg_value>\n"
    "<arg_key>{arg-key-2}</arg_key>\n<arg_value>{arg-value-2}</arg_value>\n...\n</tool_call>"
)
_FAULTS = (("GL101", "A record is an object whose `text` is a conversation as the template of GLM 4.5 writes it."),)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    _GUARD.check(conversation)
    schemas = {tool.name: tool.parameters for tool in conversation.tools}
    for i, message in enumerate(conversation.messages):
        for j, call in enumerate(message.tool_calls if isinstance(message, AssistantMessage) else ()):
            _check_arguments(call, schemas.get(call.name), f"$.messages[{i}].tool_calls[{j}].function.arguments")
    return record_of(_write(carries(conversation)))


def _check_arguments(call: ToolCall, schema: Any, place: str) -> None:
    for name, value in call.arguments.items():
        text = text_of(value)
        if name != name.strip() or text != text.strip():
            raise CannotCarryError(f"{place}: white space at an end of a name or value, which servers take off")
        again = value_of(text, string=is_string(schema, name))
        if type(again) is not type(value) or again != value:
            raise CannotCarryError(f"{place}: a value that would be read as another one, because it stands without quotes")


def read(record: Any) -> Read:
    """The plain record of the text."""
    return read_record(record, "GL101", _read_text)


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in their order, speakers without names, no white space around answers."""
    ordered = in_order(conversation)
    for i, (before, message) in enumerate(pairwise(ordered.messages), 1):
        if isinstance(message, AssistantMessage) and isinstance(before, AssistantMessage):
            raise CannotCarryError(f"$.messages[{i}]: an answer behind an answer, which ends where the user begins")
    return msgspec.structs.replace(ordered, messages=tuple([_stripped(message) for message in ordered.messages]))


def _stripped(message: Any) -> Any:
    if not isinstance(message, AssistantMessage) or not message.content:
        return message
    said = message.content.strip()
    return msgspec.structs.replace(message, content=(said or None) if message.tool_calls else said)


def _write(conversation: Conversation) -> Iterator[Segment]:
    yield _BEGIN, False
    if conversation.tools:
        tools = "".join([f"{tool_json(tool)}\n" for tool in conversation.tools])
        yield f"{_BEFORE_TOOLS}{tools}{_AFTER_TOOLS}", False
    opened = False  # the token that ends an answer opens what follows it
    for i, message in enumerate(conversation.messages):
        if isinstance(message, AssistantMessage):
            yield "<|assistant|>", False
            ending = "<|observation|>" if message.tool_calls else "<|user|>"
            yield f"{_answer_text(message)}{ending}", message.train
            opened = True
            continue
        header = {UserMessage: "<|user|>", SystemMessage: "<|system|>", ToolMessage: "<|observation|>"}[type(message)]
        if opened or (isinstance(message, ToolMessage) and isinstance(conversation.messages[i - 1], ToolMessage)):
            header = ""
        opened = False
        if isinstance(message, ToolMessage):
            yield f"{header}\n{_RESULT}\n{message.content}\n{_RESULT_END}", False
        else:
            yield f"{header}\n{message.content}", False


def _answer_text(message: AssistantMessage) -> str:
    said = f"\n{message.content}" if message.content else ""
    return f"\n<think></think>{said}{''.join([_call_text(call) for call in message.tool_calls])}"


def _call_text(call: ToolCall) -> str:
    arguments = [
        f"{_KEY}{name}{_KEY_END}\n{_VALUE}{text_of(value)}{_VALUE_END}\n" for name, value in call.arguments.items()
    ]
    return f"\n{_CALL}{call.name}\n{''.join(arguments)}{_CALL_END}"


def _read_text(text: str) -> Transcript:
    scanner, transcript = Scanner(text, _TOKEN), Transcript()
    scanner.take(_BEGIN)
    if scanner.accept(_BEFORE_TOOLS):
        while not scanner.sees("<"):
            transcript.tools.append(scanner.json())
            scanner.take("\n")
        scanner.take(_AFTER_TOOLS)
    schemas = {
        tool["function"]["name"]: tool["function"].get("parameters")
        for tool in transcript.tools
        if isinstance(tool, dict) and isinstance(tool.get("function"), dict) and "name" in tool["function"]
    }
    if scanner.accept("<|system|>\n"):
        transcript.say("system", scanner.plain())
    ended = ""  # the token that ended the answer before and opens what comes now
    while not (scanner.done and ended in ("", "<|user|>")):
        ended = _read_turn(scanner, transcript, schemas, ended)
    return transcript


def _read_turn(scanner: Scanner, transcript: Transcript, schemas: dict[str, Any], opened: str) -> str:
    if opened == "<|observation|>":
        if scanner.done:
            return ""
        _read_results(scanner, transcript)
    elif opened == "<|user|>" or scanner.accept("<|user|>"):
        scanner.take("\n")
        transcript.say("user", scanner.plain())
    elif scanner.accept("<|assistant|>"):
        return _read_answer(scanner, transcript, schemas)
    else:
        raise scanner.fault("a turn (<|user|> or <|assistant|>) is expected here")
    return ""


def _read_results(scanner: Scanner, transcript: Transcript) -> None:
    while scanner.accept(f"\n{_RESULT}"):
        start = scanner.at
        scanner.take("\n")
        content = scanner.plain()
        if not content.endswith("\n"):
            raise scanner.fault(f"{_RESULT_END} stands at the beginning of a line")
        scanner.take(_RESULT_END)
        if not transcript.result(content.removesuffix("\n")):
            raise scanner.fault("there is no call left that this could be the result of", start)


def _read_answer(scanner: Scanner, transcript: Transcript, schemas: dict[str, Any]) -> str:
    start = scanner.at
    scanner.take("\n<think></think>")
    said = scanner.plain()
    calls = []
    while scanner.sees(_CALL):
        if not said.endswith("\n"):
            raise scanner.fault(f"{_CALL} stands at the beginning of a line")
        calls.append(_read_call(scanner, schemas))
        if scanner.sees(f"\n{_CALL}"):
            scanner.take("\n")
    if calls:
        said = said.removesuffix("\n")
    if said and not said.startswith("\n"):
        raise scanner.fault("a line break is expected here", start + len("\n<think></think>"))
    ending = "<|observation|>" if calls else "<|user|>"
    scanner.take(ending)
    transcript.answer(said.removeprefix("\n"), calls, (start, scanner.at))
    return ending


def _read_call(scanner: Scanner, schemas: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    scanner.take(_CALL)
    name, ended, rest = scanner.plain().partition("\n")
    if not ended or rest:
        raise scanner.fault("a name and a line break are expected before this")
    arguments: dict[str, Any] = {}
    while scanner.accept(_KEY):
        start = scanner.at
        argument = scanner.plain()
        if argument in arguments:
            raise scanner.fault(f"{argument!r} has a value already", start)
        scanner.take(f"{_KEY_END}\n{_VALUE}")
        arguments[argument] = value_of(scanner.plain(), string=is_string(schemas.get(name), argument))
        scanner.take(f"{_VALUE_END}\n")
    scanner.take(_CALL_END)
    return name, arguments


FORMAT = Format(
    name="glm45",
    about="GLM 4.5 and 4.6: text with a key and a value for each argument",
    render=render,
    read=read,
    carries=carries,
    policy=Policy(no_content="empty", ids="none: calls are numbered", id_pattern=None, train="spans", refuses=TOKENS),
    faults=_FAULTS,
    consumers=(
        Consumer("trl", "1.16.0", "template glm4moe_training, with spans"),
        Consumer("mlx-lm", "0.32.0", "tool parser glm47"),
        Consumer("llm-router-utils", "0.8.1", "SGLang's detector glm45"),
    ),
)
