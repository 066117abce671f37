"""What `hermes`, `qwen`, `granite` and `qwen3_coder` have in common: turns with `<tool_call>` tags in them.

    <|im_start|>system
    (system message, words about tools, one tool a line)<|im_end|>
    <|im_start|>user
    What time is it in Oslo?<|im_end|>
    <|im_start|>assistant
    <tool_call>
    {"name": "get_time", "arguments": {"city": "Oslo"}}
    </tool_call><|im_end|>
    <|im_start|>user
    <tool_response>
    {"time":"15:30"}
    </tool_response><|im_end|>
    <|im_start|>assistant
    It is 15:30.<|im_end|>

The results of one turn stand in one turn of the role `user`, which is what the templates write.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from generator.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.formats.texts.text import Segment, spaced_json, tool_json
from generator.formats.texts.text_reader import Scanner, Transcript, read_call

Call = tuple[str, dict[str, Any]]
RESULT, RESULT_END = "<tool_response>", "</tool_response>"
CALL, CALL_END = "<tool_call>", "</tool_call>"
TAGS = (CALL, CALL_END, RESULT, RESULT_END, "<tools>", "</tools>")


def write_json_call(call: ToolCall) -> str:
    """A call as JSON between tags."""
    return f'{CALL}\n{{"name": "{call.name}", "arguments": {spaced_json(call.arguments)}}}\n{CALL_END}'


def read_json_call(scanner: Scanner, tools: dict[str, Any]) -> Call:
    """The call that begins here."""
    scanner.take(CALL + "\n")
    call = read_call(scanner)
    scanner.take("\n" + CALL_END)
    return call


def write_json_tools(tools: tuple[Tool, ...]) -> str:
    """One tool a line."""
    return "".join([f"\n{tool_json(tool)}" for tool in tools])


def read_json_tools(scanner: Scanner) -> list[Any]:
    """The tools that stand one a line."""
    tools = []
    while scanner.accept("\n{"):
        scanner.at -= 1
        tools.append(scanner.json())
    return tools


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """The words in which one family of models differs from another."""

    start: str
    header_end: str
    end: str
    """A turn is START ROLE HEADER_END text END and a line break."""
    before_tools: str
    """The words about tools up to and with the tag that opens the list."""
    after_tools: str
    """From behind the last tool to the end of the words."""
    default_system: str | None = None
    """What the system message says when the conversation has none."""
    default_with_tools: bool = False
    """Whether the default is said before the words about tools, too."""
    default_without_tools: bool = True
    """Whether it is said when there are no tools."""
    gap: str = "\n\n"
    """Between the system message and the words about tools."""
    before_first_call: str = "\n"
    """Between what is said and the first call."""
    write_tools: Callable[[tuple[Tool, ...]], str] = write_json_tools
    read_tools: Callable[[Scanner], list[Any]] = read_json_tools
    write_call: Callable[[ToolCall], str] = write_json_call
    read_call: Callable[[Scanner, dict[str, Any]], Call] = read_json_call
    """Read a call, given the schemas of the declared tools' parameters by name."""


# ------------------------------------------------------------------------------------------------------ writing


def write(conversation: Conversation, dialect: Dialect) -> Iterator[Segment]:
    """The text of a conversation whose calls and results are in order."""
    messages = conversation.messages
    system = messages[0].content if messages and isinstance(messages[0], SystemMessage) else None
    said = _system_text(system, conversation.tools, dialect)
    if said is not None:
        yield f"{dialect.start}system{dialect.header_end}{said}{dialect.end}\n", False
    for i, message in enumerate(messages):
        if isinstance(message, UserMessage):
            yield f"{dialect.start}user{dialect.header_end}{message.content}{dialect.end}\n", False
        elif isinstance(message, AssistantMessage):
            yield f"{dialect.start}assistant{dialect.header_end}", False
            yield _assistant_text(message, dialect), message.train
            yield "\n", False
        elif isinstance(message, ToolMessage):
            if not isinstance(messages[i - 1], ToolMessage):
                yield f"{dialect.start}user{dialect.header_end.removesuffix(chr(10))}", False
            yield f"\n{RESULT}\n{message.content}\n{RESULT_END}", False
            if i + 1 == len(messages) or not isinstance(messages[i + 1], ToolMessage):
                yield f"{dialect.end}\n", False


def _system_text(system: str | None, tools: tuple[Tool, ...], dialect: Dialect) -> str | None:
    if not tools:
        return dialect.default_system if system is None and dialect.default_without_tools else system
    if system is None and dialect.default_with_tools:
        system = dialect.default_system
    before = "" if system is None else system + dialect.gap
    return before + dialect.before_tools + dialect.write_tools(tools) + dialect.after_tools


def _assistant_text(message: AssistantMessage, dialect: Dialect) -> str:
    said = message.content or ""
    if not message.tool_calls:
        return said + dialect.end
    calls = "\n".join([dialect.write_call(call) for call in message.tool_calls])
    return f"{said}{dialect.before_first_call if said else ''}{calls}{dialect.end}"


# ------------------------------------------------------------------------------------------------------ reading


def read(scanner: Scanner, dialect: Dialect) -> Transcript:
    """The whole text; raises FormatError with position and reason."""
    transcript = Transcript()
    schemas: dict[str, Any] = {}
    if scanner.accept(f"{dialect.start}system{dialect.header_end}"):
        _read_system(scanner, dialect, transcript)
        schemas = _schemas(transcript.tools)
    while not scanner.done:
        if scanner.accept(f"{dialect.start}assistant{dialect.header_end}"):
            _read_assistant(scanner, dialect, transcript, schemas)
        elif scanner.accept(f"{dialect.start}user{dialect.header_end.removesuffix(chr(10))}"):
            _read_user(scanner, dialect, transcript)
        elif scanner.accept(f"{dialect.start}tool{dialect.header_end.removesuffix(chr(10))}"):
            _read_results(scanner, dialect, transcript)
        else:
            raise scanner.fault(f"a turn ({dialect.start} and user, assistant or tool) is expected here")
    return transcript


def _schemas(tools: list[Any]) -> dict[str, Any]:
    functions = [tool.get("function") for tool in tools if isinstance(tool, dict)]
    return {
        function["name"]: function.get("parameters")
        for function in functions
        if isinstance(function, dict) and isinstance(function.get("name"), str)
    }


def _read_system(scanner: Scanner, dialect: Dialect, transcript: Transcript) -> None:
    said = scanner.plain()
    opening, _, _ = dialect.before_tools.partition("<tools>")
    if scanner.sees("<tools>"):
        if not said.endswith(opening):
            raise scanner.fault("the words that introduce tools should stand before this")
        scanner.at -= len(opening)
        scanner.take(dialect.before_tools)
        transcript.tools = dialect.read_tools(scanner)
        scanner.take(dialect.after_tools)
        with_default = dialect.default_with_tools
        said = said.removesuffix(opening)
        if said.endswith(dialect.gap) and dialect.gap:
            said = said.removesuffix(dialect.gap)
            system = None if with_default and said == dialect.default_system else said
        elif said:
            raise scanner.fault("an empty line should stand between the system message and the words about tools")
        else:
            system = None
    else:
        system = None if said == dialect.default_system and dialect.default_without_tools else said
    if system is not None:
        transcript.say("system", system)
    scanner.take(f"{dialect.end}\n")


def _read_assistant(scanner: Scanner, dialect: Dialect, transcript: Transcript, schemas: dict[str, Any]) -> None:
    start = scanner.at
    said = scanner.plain()
    calls: list[Call] = []
    while scanner.sees(CALL):
        calls.append(dialect.read_call(scanner, schemas))
        if scanner.sees("\n" + CALL):
            scanner.take("\n")
    if calls and said:
        if not said.endswith(dialect.before_first_call):
            raise scanner.fault(f"{CALL} stands at the beginning of a line", start + len(said))
        said = said.removesuffix(dialect.before_first_call)
    scanner.take(dialect.end)
    transcript.answer(said, calls, (start, scanner.at))
    scanner.take("\n")


def _read_user(scanner: Scanner, dialect: Dialect, transcript: Transcript) -> None:
    if scanner.sees("\n" + RESULT):
        _read_results(scanner, dialect, transcript)
        return
    if dialect.header_end.endswith("\n"):
        scanner.take("\n")
    transcript.say("user", scanner.plain())
    scanner.take(f"{dialect.end}\n")


def _read_results(scanner: Scanner, dialect: Dialect, transcript: Transcript) -> None:
    while scanner.accept("\n" + RESULT):
        start = scanner.at
        scanner.take("\n")
        content = scanner.plain()
        if not content.endswith("\n"):
            raise scanner.fault(f"{RESULT_END} stands at the beginning of a line")
        scanner.take(RESULT_END)
        if not transcript.result(content.removesuffix("\n")):
            raise scanner.fault("there is no call left that this could be the result of", start)
    scanner.take(f"{dialect.end}\n")
