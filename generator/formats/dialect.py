"""The differences between text formats of model families, as plain data.

A text is `begin`, the system turn, then one turn for each message; the results of one step of calls stand together:

    BEGIN
    SYSTEM (system message, tools) /SYSTEM
    USER (request) /USER
    ANSWER (text, calls) END
    RESULTS  RESULT (result) /RESULT  RESULT (result) /RESULT  /RESULTS
    ANSWER_AFTER_RESULTS (text) END

What a model learns is an assistant turn from behind `answer` up to and with `end`.
"""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

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
from generator.core.pointers import parts_of_object
from generator.formats.format import Consumer, Format, Policy, Read
from generator.formats.steps import split_calls, with_new_ids
from generator.formats.text import (
    Guard,
    RecordReading,
    Scanner,
    Segment,
    Trims,
    any_of,
    read_call,
    read_text_record,
    text_record,
    tool_json,
    with_results_in_order,
    without_added_system,
)
from generator.formats.wire.arguments import read_arguments
from generator.formats.wire.completions import write_call
from generator.formats.wire.encodings import element_value, is_keyword_name
from generator.formats.wire.format import ExpectedCall, NotReadError, Style, WireFormat, wire_format

ReadCall = tuple[str, dict[str, Any], str]
"""Name, arguments, and number where that stands in the text."""
_SLOTS = {r"\$name": r"(?P<name>[\w.-]+)", r"\$id": r"(?P<id>[^\n]*)"}
"""What stands for the called tool's name and the call's id in the text before a result -> what is read there."""


UNQUOTED = r"[\w.-]+"
"""Regular expression of the names of tools that can be written without quotes."""


class Around(msgspec.Struct, frozen=True):
    """The text before and after something."""

    before: str
    after: str = ""


class CallSyntax(msgspec.Struct, frozen=True, kw_only=True):
    """How the calls of one assistant message are written."""

    begins: str
    """How the first call begins: where this stands, calls are read."""
    gap: str = ""
    """Between the text and the calls."""
    write: Callable[[tuple[ToolCall, ...], int], str]
    """Write all calls, given how many were made before."""
    read: Callable[[Scanner, dict[str, Any]], list[ReadCall]]
    """Read all calls, given the schemas of the declared tools' parameters by tool name; raises FormatError."""
    check: Callable[[ToolCall, Any], str | None] = lambda call, schema: None
    """Why a call cannot be written, as `.name: REASON` or `.arguments: REASON`."""
    tool_names: str | None = UNQUOTED
    """Regular expression of the tool names that can be written without quotes; None when `check` looks at them."""


def _read_json_line(scanner: Scanner) -> Any:
    scanner.take("\n")
    return scanner.json()


class ToolList(msgspec.Struct, frozen=True, kw_only=True):
    """Where and how the offered tools are shown."""

    place: Literal["after system", "before system", "own turn", "user"]
    """Behind or before the system message in its turn, in a turn of their own, or before the first user message."""
    before: str
    """The words that introduce them."""
    words: str | None = None
    """What no system message may hold; without, no message of the system or of the user may hold `before`."""
    after: str = ""
    gap: str = ""
    """Between the system message and the words, where the tools are behind it."""
    between: str = ""
    begins: str = "\n{"
    """How every tool begins; empty where tools go on until `after` stands there."""
    write: Callable[[Tool], str] = lambda tool: f"\n{tool_json(tool)}"
    read: Callable[[Scanner], Any] = _read_json_line
    """Read the tool object that begins here."""
    carried: Callable[[Tool], Tool | None] | None = None
    """The tool as it is read again, where that is not all of it; None for a tool that cannot be read again."""


class Preamble(msgspec.Struct, frozen=True):
    """A text that follows the conversation and of which reading keeps nothing."""

    write: Callable[[Conversation], str]
    read: Callable[[Scanner], None]
    """Go past it; raises FormatError where it does not stand."""


class Dialect(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """How the models of one family write a conversation."""

    name: str
    about: str
    page: str
    """The format's section in docs/formats.md."""
    fault: tuple[str, str]
    """(code, statement) of the rule that a text of another shape breaks."""
    tokens: tuple[str, ...]
    """Control tokens, which no value may hold."""
    consumers: tuple[Consumer, ...] = ()

    begin: str = ""
    after_begin: Preamble | None = None
    system: Around
    before_system: str = ""
    """What stands before the system message, if there is any, in its turn."""
    later_system: bool = True
    """Whether system messages may stand behind the first message, too, in a turn of the same shape."""
    preamble: Preamble | None = None
    """What stands before everything else in the system turn."""
    default_system: str | None = None
    """What the template says when the conversation has no system message; such a message is read as none."""
    default_beside_tools: bool = True
    """Whether it says so when there are tools."""
    default_without_tools: bool = True
    """Whether it says so when there are none."""
    after_default: str = ""
    """What follows the turn in which it says so."""
    empty_system: bool = True
    """Whether an empty system message is written; else it is none."""
    tools: ToolList

    user: Around
    answer: str
    """What stands before an assistant turn."""
    answer_after_results: str | None = None
    """The same behind results, where that differs."""
    opening: str = ""
    """What every assistant turn begins with."""
    before_text: str = ""
    """Between `opening` and the text, if there is any."""
    alone: str = ""
    """What stands before the text of an answer without calls, where that is told from text beside calls."""
    beside: Around = Around("")
    """The same around text beside calls."""
    before_calls_alone: str = ""
    """Between `opening` and the calls, where there is no text."""
    calls: CallSyntax
    end: str
    """The token that ends an assistant turn."""
    end_after_calls: str | None = None
    """The same behind calls, where that differs."""
    end_last: str | None = None
    """The same behind an answer without calls that ends the conversation; read behind any."""
    end_opens: bool = False
    """Whether that token is also the first of the turn that follows."""
    after_answer: str = ""
    """What follows the token and is not learnt."""
    results: Around
    """Around the results of one step."""
    results_too: tuple[str, ...] = ()
    """What is read in place of `results.before`, too."""
    result: Around
    """Around each result; `$name` and `$id` before it are those of the call that it answers."""
    id: str = ""
    """The id of a call, with `$name` and `$number` (from 0, in the conversation), where it stands in the text."""
    encode_result: Callable[[str], str] = lambda content: content
    decode_result: Callable[[str], str] = lambda text: text

    trims: Trims = "nothing"
    """Whose outer white space the template takes off."""
    parallel: Literal["ok", "split"] = "ok"
    text_beside_calls: Literal["ok", "reject"] = "ok"
    no_content: Literal["empty", "absent"] = "empty"
    turn: str = ""
    """What every turn begins with, where `turns` are words."""
    turns: str = ""
    """The turns that may stand, in words; without, what `user` and `answer` begin with."""

    @cached_property
    def result_begins(self) -> re.Pattern[str]:
        """What stands before each result."""
        pattern = re.escape(self.result.before)
        for slot, found in _SLOTS.items():
            pattern = pattern.replace(slot, found)
        return re.compile(pattern)

    @cached_property
    def results_begin(self) -> re.Pattern[str]:
        """What stands before the results of one step."""
        openings = "|".join(map(re.escape, (self.results.before, *self.results_too)))
        return re.compile(f"(?:{openings})(?={self.result_begins.pattern})")

    @property
    def id_pattern(self) -> str | None:
        """Regular expression that every id matches, where ids stand in the text."""
        return re.escape(self.id).replace(r"\$name", r"[\w.-]+").replace(r"\$number", "[0-9]+") if self.id else None

    def id_of(self, name: str, number: int | str) -> str:
        """Return the id of a call, given its number in the conversation."""
        return self.id.replace("$name", name).replace("$number", str(number))

    def end_of(self, *, calls: bool) -> str:
        """Return the token that ends an assistant turn with calls, or without."""
        return self.end_after_calls if calls and self.end_after_calls is not None else self.end

    def says_default(self, *, tools: bool) -> bool:
        """Whether the template adds a default system message when the conversation has none."""
        return self.default_system is not None and (self.default_beside_tools if tools else self.default_without_tools)


# ----------------------------------------------------------------------- calls, as the table of wire formats has them


def calls_of(name: str, *, keys: re.Pattern[str] | None = None, null_in_any_case: bool = False) -> CallSyntax:
    """Return the syntax of calls of a row of the table.

    Args:
        name: The wire format.
        keys: The names of arguments that can be written, where each is an element.
        null_in_any_case: Whether servers read an element `null`, in any case of letters, as null whatever the schema says.
    """
    fmt = wire_format(name)
    kind, first = fmt.call_pieces[0]
    if kind == "slot":
        first = f'{{"{next(iter(fmt.object))}": "' if first == "object" else ""

    def read(scanner: Scanner, schemas: dict[str, Any]) -> list[ReadCall]:
        scanner.take(fmt.open)
        calls = [_read_call(fmt, scanner, schemas, keys)]
        while scanner.sees(fmt.between + first):
            scanner.take(fmt.between)
            calls.append(_read_call(fmt, scanner, schemas, keys))
        scanner.take(fmt.close)
        return calls

    def check(call: ToolCall, schema: Any) -> str | None:
        if fmt.arguments == "python":
            return _unnamed(call)
        return _unclear(fmt, call, schema, keys, null_in_any_case) if keys else None

    return CallSyntax(
        begins=fmt.opening or first or fmt.open,
        gap=fmt.gap,
        write=lambda calls, before: write_calls(fmt, calls, before),
        read=read,
        check=check,
        tool_names=None if fmt.arguments == "python" else UNQUOTED,
    )


def write_calls(fmt: WireFormat, calls: tuple[ToolCall, ...], before: int = 0) -> str:
    """Return the text of all calls of an answer, given how many were made before."""
    style = Style(json=fmt.json)
    texts = [
        write_call(fmt, ExpectedCall(call.name, call.arguments), at, style) for at, call in enumerate(calls, before)
    ]
    return f"{fmt.open}{fmt.between.join(texts)}{fmt.close}"


def _unnamed(call: ToolCall) -> str | None:
    if not is_keyword_name(call.name):
        return f".name: the tool's name {call.name[:80]!r} is not a Python identifier"
    if not all(is_keyword_name(name) for name in call.arguments):
        return ".arguments: an argument's name that is not a Python identifier"
    return None


def _read_call(fmt: WireFormat, scanner: Scanner, schemas: dict[str, Any], keys: re.Pattern[str] | None) -> ReadCall:
    slots = {"name": "", "index": ""}
    arguments: dict[str, Any] = {}
    pieces = iter(fmt.call_pieces)
    for kind, piece in pieces:
        if kind == "text":
            scanner.take(piece)
        elif piece == "object":
            key = next(key for key, slot in fmt.object.items() if slot == "$arguments")
            slots["name"], arguments = read_call(scanner, key)
        elif piece == "arguments":
            arguments = _read_arguments(fmt, scanner, schemas.get(slots["name"]), keys)
        else:
            slots[piece] = scanner.until(next(pieces)[1])
    return slots["name"], arguments, slots["index"]


def _read_arguments(fmt: WireFormat, scanner: Scanner, schema: Any, keys: re.Pattern[str] | None) -> dict[str, Any]:
    start = scanner.at
    try:
        found, scanner.at = read_arguments(fmt, scanner.text, start, schema, lenient=False)
    except NotReadError as fault:
        raise scanner.fault(f"no arguments: {fault}", start) from None
    texts = [value for value in found.values() if isinstance(value, str)] if keys else []
    if any(map(scanner.tokens.search, texts)) or not all(keys is None or keys.fullmatch(name) for name in found):
        raise scanner.fault("a control token in a value, or a name that no argument can have", start)
    return found


# ------------------------------------------------------------------------------- values that stand without quotes


def _unclear(fmt: WireFormat, call: ToolCall, schema: Any, keys: re.Pattern[str], null_in_any_case: bool) -> str | None:
    """Return why the arguments of a call are ambiguous in a text without quotes; None when they are not."""
    for name, value in call.arguments.items():
        if not keys.fullmatch(name):
            return f".arguments: an argument's name that cannot be written: {name[:80]!r}"
        reason = _ambiguity(fmt, value, parts_of_object(schema)[0].get(name))
        if null_in_any_case and isinstance(value, str) and value.lower() == "null":
            reason = "a string that servers read as null"
        if reason is not None:
            return f".arguments.{name[:80]}: {reason}"
    return None


def _ambiguity(fmt: WireFormat, value: Any, declared: Any) -> str | None:
    """Return why the text of a value may be read as another value; None when it may not."""
    if isinstance(value, str):
        again = element_value(fmt, value, declared)
        return None if again == value and isinstance(again, str) else "a string that reads as another JSON value"
    types = _types(declared)
    if types is None:
        refers = isinstance(declared, dict) and "$ref" in declared
        why = "declared by a reference, which servers do not follow (inline_refs: true)" if refers else "without a type"
        return f"a value {why}, so that its text may be read as a string"
    return "a value whose schema takes strings, too, so that its text may be read as one" if "string" in types else None


def _types(declared: Any) -> frozenset[str] | None:
    """Return the types that a schema allows, found as servers do; None when it names none."""
    if not isinstance(declared, dict):
        return None
    kind = declared.get("type")
    if isinstance(kind, str):
        return frozenset([kind])
    if isinstance(kind, list):
        return frozenset(str(name) for name in kind)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(declared.get(keyword), list):
            found = [_types(branch) for branch in declared[keyword]]
            return None if None in found else frozenset().union(*[types for types in found if types is not None])
    return None


# -------------------------------------------------------------------------------------------- the format of a dialect


def format_of(dialect: Dialect) -> Format:
    """Return the format whose texts are written in this dialect."""
    token = any_of(dialect.tokens)
    guard = Guard(token, names=dialect.calls.tool_names)

    def render(conversation: Conversation) -> dict[str, Any]:
        guard.check(conversation)
        _check_messages(conversation, dialect)
        carried = _carried(conversation, dialect)
        _check_calls(conversation, carried, dialect)
        return text_record(write(carried, dialect))

    def read_text(record: Any) -> Read:
        return read_text_record(record, dialect.fault[0], lambda text: read(Scanner(text, token), dialect))

    return Format(
        name=dialect.name,
        about=dialect.about,
        page=dialect.page,
        render=render,
        read=read_text,
        carries=lambda conversation: _carried(conversation, dialect),
        policy=Policy(
            parallel=dialect.parallel,
            text_beside_calls=dialect.text_beside_calls,
            later_system=dialect.later_system,
            no_content=dialect.no_content,
            ids=dialect.id_of("NAME", "NUMBER") or "none: calls are numbered",
            id_pattern=dialect.id_pattern,
            train="spans",
            refuses=dialect.tokens,
        ),
        waives=(("DF301",) if dialect.id else ()) + (("DF501",) if dialect.later_system else ()),
        faults=(dialect.fault,),
        consumers=dialect.consumers,
    )


# ---------------------------------------------------------------------------------------------- what is carried


def _carried(conversation: Conversation, dialect: Dialect) -> Conversation:
    """Return what the dialect carries: calls numbered, results in call order, without what it does not write."""
    ordered = with_results_in_order(conversation, trims=dialect.trims, later_system=dialect.later_system)
    if dialect.parallel == "split":
        ordered = split_calls(ordered)
    if dialect.id:
        ordered = with_new_ids(ordered, lambda number, call: dialect.id_of(call.name, number))
    if dialect.end_opens:
        _refuse_answers_in_a_row(ordered)
    remade = dialect.tools.carried
    carried = Conversation(
        messages=ordered.messages,
        tools=ordered.tools if remade is None else tuple([remade(tool) or tool for tool in ordered.tools]),
    )
    if dialect.default_system is not None and dialect.says_default(tools=bool(carried.tools)):
        carried = without_added_system(carried, dialect.default_system)
    return carried if dialect.empty_system else without_added_system(carried, "")


def _refuse_answers_in_a_row(conversation: Conversation) -> None:
    for i, (before, message) in enumerate(pairwise(conversation.messages), 1):
        if isinstance(message, AssistantMessage) and isinstance(before, AssistantMessage):
            raise CannotCarryError(f"$.messages[{i}]: an answer behind an answer, which ends where the user begins")


# ---------------------------------------------------------------------------------------------- what is refused


def _check_messages(conversation: Conversation, dialect: Dialect) -> None:
    """Raise CannotCarryError for texts that would be lost, or read as something else."""
    _check_first_user(conversation, dialect)
    for i, message in enumerate(conversation.messages):
        place, said = f"$.messages[{i}].content", message.content or ""
        if isinstance(message, AssistantMessage):
            if dialect.text_beside_calls == "reject" and message.tool_calls and said:
                raise CannotCarryError(f"{place}: text beside calls, which the template drops")
            if dialect.text_beside_calls == "reject" and said.lstrip().startswith(dialect.calls.begins):
                raise CannotCarryError(f"{place}: begins like a call")
        elif not isinstance(message, ToolMessage) and (looks := _looks_like(message, said, dialect)):
            raise CannotCarryError(f"{place}: {looks}")


def _looks_like(message: Message, said: str, dialect: Dialect) -> str | None:
    """Return as what else the words of the system or of the user would be read."""
    if isinstance(message, SystemMessage) and dialect.result_begins.match(dialect.system.before + said):
        return "begins like a result"
    words = dialect.tools.words
    if (isinstance(message, SystemMessage) and words in said) if words else dialect.tools.before in said:
        return "holds the words that introduce tools"
    begins = dialect.tools.place in ("before system", "user") and said.lstrip().startswith(dialect.tools.begins)
    return "begins like a tool" if begins else None


def _check_first_user(conversation: Conversation, dialect: Dialect) -> None:
    if dialect.tools.place != "user" or not conversation.tools:
        return
    for i, message in enumerate(conversation.messages[:2]):
        if isinstance(message, UserMessage):
            return
        if not isinstance(message, SystemMessage):
            raise CannotCarryError(f"$.messages[{i}]: tools stand in the first user message, and there is none here")


def _check_calls(conversation: Conversation, carried: Conversation, dialect: Dialect) -> None:
    for i, tool in enumerate(conversation.tools):
        if dialect.tools.carried is not None and dialect.tools.carried(tool) is None:
            raise CannotCarryError(f"$.tools[{i}]: a tool that cannot be read back from its text")
    schemas = {tool.name: tool.parameters for tool in carried.tools}
    for i, message in enumerate(conversation.messages):
        for j, call in enumerate(message.tool_calls if isinstance(message, AssistantMessage) else ()):
            fault = dialect.calls.check(call, schemas.get(call.name))
            if fault is not None:
                raise CannotCarryError(f"$.messages[{i}].tool_calls[{j}].function{fault}")


def write(conversation: Conversation, dialect: Dialect) -> Iterator[Segment]:
    """Yield the text of a conversation whose calls and results are in order."""
    messages = conversation.messages
    first = messages[0] if messages else None
    system = dialect.before_system + first.content if isinstance(first, SystemMessage) else None
    rest = messages if system is None else messages[1:]
    listed = _tools_text(conversation, dialect)
    yield dialect.begin, False
    if dialect.after_begin:
        yield dialect.after_begin.write(conversation), False
    if listed and dialect.tools.place == "own turn":
        yield listed, False
    said = _system_text(system, listed, dialect)
    if said is not None:
        preamble = dialect.preamble.write(conversation) if dialect.preamble else ""
        behind = dialect.after_default if system is None else ""
        yield f"{dialect.system.before}{preamble}{said}{dialect.system.after}{behind}", False
    made = 0
    for i, message in enumerate(rest):
        before, after = rest[i - 1] if i else None, rest[i + 1] if i + 1 < len(rest) else None
        if isinstance(message, AssistantMessage):
            yield _header(before, dialect), False
            yield _answer_text(message, dialect, made, last=after is None), message.train
            made += len(message.tool_calls)
            if dialect.after_answer:
                yield dialect.after_answer, False
            continue
        text = _turn_text(message, dialect, listed if i == 0 else "", before, after)
        if dialect.end_opens and isinstance(before, AssistantMessage):
            text = text.removeprefix(dialect.end_of(calls=bool(before.tool_calls)))
        yield text, False


def _turn_text(message: Message, dialect: Dialect, listed: str, before: Message | None, after: Message | None) -> str:
    """Return the text of one message to the assistant; `listed` is the list of tools, if it goes here."""
    if isinstance(message, ToolMessage):
        first, last = not isinstance(before, ToolMessage), not isinstance(after, ToolMessage)
        return _result_text(message, dialect, first=first, last=last)
    if isinstance(message, SystemMessage):
        return f"{dialect.system.before}{message.content}{dialect.system.after}"
    tools = listed if dialect.tools.place == "user" else ""
    return f"{dialect.user.before}{tools}{message.content}{dialect.user.after}"


def _tools_text(conversation: Conversation, dialect: Dialect) -> str:
    if not conversation.tools:
        return ""
    tools = dialect.tools
    return f"{tools.before}{tools.between.join([tools.write(tool) for tool in conversation.tools])}{tools.after}"


def _system_text(system: str | None, listed: str, dialect: Dialect) -> str | None:
    """Return the content of the system turn; None when there is none."""
    place = dialect.tools.place
    if system is None and dialect.says_default(tools=bool(listed)):
        system = dialect.default_system
    if listed and place == "after system":
        return listed if system is None else system + dialect.tools.gap + listed
    return listed + (system or "") if listed and place == "before system" else system


def _header(before: Message | None, dialect: Dialect) -> str:
    after_results = isinstance(before, ToolMessage) and dialect.answer_after_results is not None
    return (dialect.answer_after_results or "") if after_results else dialect.answer


def _answer_text(message: AssistantMessage, dialect: Dialect, made: int, *, last: bool) -> str:
    said = (
        f"{dialect.before_text}{dialect.beside.before}{message.content}{dialect.beside.after}"
        if message.content
        else ""
    )
    if dialect.alone and not message.tool_calls:
        said = f"{dialect.alone}{message.content}"
    calls = ""
    if message.tool_calls:
        gap = dialect.calls.gap if said else dialect.before_calls_alone
        calls = gap + dialect.calls.write(message.tool_calls, made)
    end = dialect.end_last if last and not calls and dialect.end_last else dialect.end_of(calls=bool(calls))
    return f"{dialect.opening}{said}{calls}{end}"


def _result_text(message: ToolMessage, dialect: Dialect, *, first: bool, last: bool) -> str:
    opening = dialect.results.before if first else ""
    closing = dialect.results.after if last else ""
    head = dialect.result.before.replace("$name", message.name or "").replace("$id", message.tool_call_id)
    return f"{opening}{head}{dialect.encode_result(message.content)}{dialect.result.after}{closing}"


def read(scanner: Scanner, dialect: Dialect) -> RecordReading:
    """Return the whole text; raises FormatError with position and reason."""
    transcript = RecordReading()
    scanner.take(dialect.begin)
    if dialect.after_begin:
        dialect.after_begin.read(scanner)
    if dialect.tools.place == "own turn" and scanner.sees(dialect.tools.before):
        _read_tools(scanner, dialect, transcript)
    if scanner.accept(dialect.system.before):
        _read_system(scanner, dialect, transcript)
    after_results = False
    while not scanner.done:
        after_results = _read_turn(scanner, dialect, transcript, after_results=after_results)
    return transcript


def _read_turn(scanner: Scanner, dialect: Dialect, transcript: RecordReading, *, after_results: bool) -> bool:
    """Read one turn; whether it held results."""
    if scanner.match(dialect.results_begin):
        _read_results(scanner, dialect, transcript)
        return True
    if scanner.accept(dialect.user.before):
        if dialect.tools.place == "user" and scanner.sees(dialect.tools.before):
            _read_tools(scanner, dialect, transcript)
        transcript.say("user", scanner.until(dialect.user.after))
    elif dialect.later_system and scanner.accept(dialect.system.before):
        transcript.say("system", scanner.until(dialect.system.after))
    elif (after_results and dialect.answer_after_results == "") or scanner.accept(dialect.answer):
        _read_answer(scanner, dialect, transcript)
    else:
        scanner.take(dialect.turn)
        turns = dialect.turns or f"a turn ({dialect.user.before!r} or {dialect.answer!r}, or results)"
        raise scanner.fault(f"{turns} is expected here")
    return False


def _read_tools(scanner: Scanner, dialect: Dialect, transcript: RecordReading) -> None:
    scanner.take(dialect.tools.before)
    while scanner.sees(dialect.tools.begins) and (dialect.tools.begins or not scanner.sees(dialect.tools.after)):
        transcript.tools.append(dialect.tools.read(scanner))
        scanner.accept(dialect.tools.between)
    scanner.take(dialect.tools.after)


def _read_system(scanner: Scanner, dialect: Dialect, transcript: RecordReading) -> None:
    tools = dialect.tools
    if dialect.preamble:
        dialect.preamble.read(scanner)
    if tools.place == "before system" and scanner.sees(tools.before):
        _read_tools(scanner, dialect, transcript)
    start = scanner.at
    words = scanner.text.find(tools.before, start) if tools.place == "after system" else -1
    system: str | None
    if 0 <= words <= scanner.next_token():
        system = _before_tools(scanner, words, tools.gap)
        _read_tools(scanner, dialect, transcript)
        scanner.take(dialect.system.after)
    else:
        system = scanner.until(dialect.system.after)
    own = dialect.says_default(tools=bool(transcript.tools)) and system == dialect.default_system
    if own:
        scanner.accept(dialect.after_default)
    elif system is not None and (system or dialect.empty_system):
        if not system.startswith(dialect.before_system):
            raise scanner.fault(f"{dialect.before_system.strip()!r} and an empty line are expected here", start)
        transcript.say("system", system.removeprefix(dialect.before_system))


def _before_tools(scanner: Scanner, words: int, gap: str) -> str | None:
    """Return the system message before the words about tools; None when nothing stands there."""
    start, scanner.at = scanner.at, words
    if start == words:
        return None
    if not scanner.text.endswith(gap, start, words):
        raise scanner.fault("an empty line is expected between the system message and the words about tools")
    return scanner.text[start : words - len(gap)]


def _read_answer(scanner: Scanner, dialect: Dialect, transcript: RecordReading) -> None:
    start = scanner.at
    scanner.take(dialect.opening)
    said, calls = (_read_apart if dialect.alone else _read_together)(scanner, dialect, schemas_of(transcript.tools))
    end = dialect.end_of(calls=bool(calls))
    if calls or not dialect.end_last or not scanner.accept(dialect.end_last):
        scanner.take(end)
    ids = [dialect.id_of(name, number) for name, _, number in calls] if dialect.id else []
    called = [{"name": name, "arguments": arguments} for name, arguments, _ in calls]
    transcript.answer(said, called, (start, scanner.at), ids=ids)
    if dialect.end_opens and not scanner.done:
        scanner.at -= len(end)
    scanner.take(dialect.after_answer)


def _read_apart(scanner: Scanner, dialect: Dialect, schemas: dict[str, Any]) -> tuple[str, list[ReadCall]]:
    """Return what is said and called where words and calls stand in messages of their own."""
    if scanner.accept(dialect.alone):
        return scanner.plain(), []
    said = ""
    if scanner.accept(dialect.beside.before):
        said = scanner.plain()
        scanner.take(dialect.beside.after)
    return said, dialect.calls.read(scanner, schemas)


def _read_together(scanner: Scanner, dialect: Dialect, schemas: dict[str, Any]) -> tuple[str, list[ReadCall]]:
    """Return what is said and called where calls stand behind the words."""
    begins, at = dialect.calls.begins, scanner.at
    said = "" if dialect.text_beside_calls == "reject" and scanner.sees(begins) else scanner.plain()
    calls: list[ReadCall] = []
    if scanner.sees(begins):
        gap = dialect.before_calls_alone if said == dialect.before_calls_alone else dialect.calls.gap
        if not said.endswith(gap):
            raise scanner.fault(f"{gap!r} is expected before {begins!r}")
        said = said.removesuffix(gap)
        calls = dialect.calls.read(scanner, schemas)
    if said and not said.startswith(dialect.before_text):
        raise scanner.fault(f"{dialect.before_text!r} is expected here", at)
    return said.removeprefix(dialect.before_text), calls


def _read_results(scanner: Scanner, dialect: Dialect, transcript: RecordReading) -> None:
    while begins := scanner.match(dialect.result_begins):
        start = begins.start()
        try:
            content = dialect.decode_result(scanner.until(dialect.result.after))
        except ValueError as fault:
            raise scanner.fault(f"not a result: {fault}", start) from None
        name = None if dialect.id else begins.groupdict().get("name")
        if name and (not transcript.pending or transcript.pending[0]["function"]["name"] != name):
            reason = f"there is no call of {name} that this could be the result of"
            raise scanner.fault(reason, start + len(dialect.turn))
        if not transcript.result(content, call_id=begins["id"] if dialect.id else None):
            raise scanner.fault("there is no call left that this could be the result of", start)
    scanner.take(dialect.results.after)


def schemas_of(tools: list[Any]) -> dict[str, Any]:
    """Return the schema of the parameters of each declared tool object, by the tool's name."""
    functions = [tool.get("function") for tool in tools if isinstance(tool, dict)]
    return {
        function["name"]: function.get("parameters")
        for function in functions
        if isinstance(function, dict) and isinstance(function.get("name"), str)
    }
