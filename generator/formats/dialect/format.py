"""The format of a dialect."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, ToolMessage, UserMessage
from generator.core.errors import CannotCarryError
from generator.formats.dialect.dialect import Dialect, ReadCall
from generator.formats.format import Format, Policy, Read
from generator.formats.steps import split_calls, with_new_ids
from generator.formats.text import Guard, Segment, any_of, text_record, with_results_in_order, without_added_system
from generator.formats.text_reader import RecordReading, Scanner, read_text_record


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
    ordered = with_results_in_order(
        conversation, trims=dialect.trims == "everything said", later_system=dialect.later_system
    )
    if dialect.parallel == "split":
        ordered = split_calls(ordered)
    if dialect.id:
        ordered = with_new_ids(ordered, lambda number, call: dialect.id_of(call.name, number))
    if dialect.end_opens:
        _refuse_answers_in_a_row(ordered)
    remade = dialect.tools.carried
    carried = Conversation(
        messages=_trimmed(ordered.messages, dialect),
        tools=ordered.tools if remade is None else tuple([remade(tool) or tool for tool in ordered.tools]),
    )
    if dialect.default_system is not None and dialect.says_default(tools=bool(carried.tools)):
        carried = without_added_system(carried, dialect.default_system)
    return carried if dialect.empty_system else without_added_system(carried, "")


def _trimmed(messages: tuple[Message, ...], dialect: Dialect) -> tuple[Message, ...]:
    """Return the messages without the white space that the template strips from answers."""
    if dialect.trims not in ("answers", "text beside calls"):
        return messages
    answers = dialect.trims == "answers"
    return tuple([_trimmed_answer(message, answers=answers) for message in messages])


def _trimmed_answer(message: Message, *, answers: bool) -> Message:
    if not isinstance(message, AssistantMessage) or not message.content or not (answers or message.tool_calls):
        return message
    said = message.content.strip()
    return msgspec.structs.replace(message, content=(said or None) if message.tool_calls else said)


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
    if dialect.tools.before in said:
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
    system = messages[0].content if messages and isinstance(messages[0], SystemMessage) else None
    rest = messages if system is None else messages[1:]
    listed = _tools_text(conversation, dialect)
    yield dialect.begin, False
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
            yield _answer_text(message, dialect, made), message.train
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


def _answer_text(message: AssistantMessage, dialect: Dialect, made: int) -> str:
    said = f"{dialect.before_text}{message.content}" if message.content else ""
    calls = ""
    if message.tool_calls:
        gap = dialect.calls.gap if said else dialect.before_calls_alone
        calls = gap + dialect.calls.write(message.tool_calls, made)
    return f"{dialect.opening}{said}{calls}{dialect.end_of(calls=bool(calls))}"


def _result_text(message: ToolMessage, dialect: Dialect, *, first: bool, last: bool) -> str:
    opening = dialect.results.before if first else ""
    closing = dialect.results.after if last else ""
    head = dialect.result.before.replace("$name", message.name or "").replace("$id", message.tool_call_id)
    return f"{opening}{head}{dialect.encode_result(message.content)}{dialect.result.after}{closing}"


def read(scanner: Scanner, dialect: Dialect) -> RecordReading:
    """Return the whole text; raises FormatError with position and reason."""
    transcript = RecordReading()
    scanner.take(dialect.begin)
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
    if found := dialect.results_begin.match(scanner.text, scanner.at):
        scanner.at = found.end()
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
        turns = " or ".join(repr(header) for header in (dialect.user.before, dialect.answer))
        raise scanner.fault(f"a turn ({turns}, or results) is expected here")
    return False


def _read_tools(scanner: Scanner, dialect: Dialect, transcript: RecordReading) -> None:
    scanner.take(dialect.tools.before)
    while scanner.sees(dialect.tools.begins):
        transcript.tools.append(dialect.tools.read(scanner))
        scanner.accept(dialect.tools.between)
    scanner.take(dialect.tools.after)


def _read_system(scanner: Scanner, dialect: Dialect, transcript: RecordReading) -> None:
    tools = dialect.tools
    if dialect.preamble:
        preamble = dialect.preamble.pattern.match(scanner.text, scanner.at)
        if preamble is None:
            raise scanner.fault(f"{dialect.preamble.expected} is expected here")
        scanner.at = preamble.end()
    if tools.place == "before system" and scanner.sees(tools.before):
        _read_tools(scanner, dialect, transcript)
    words = scanner.text.find(tools.before, scanner.at) if tools.place == "after system" else -1
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
        transcript.say("system", system)


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
    begins, at = dialect.calls.begins, scanner.at
    said = "" if dialect.text_beside_calls == "reject" and scanner.sees(begins) else scanner.plain()
    calls: list[ReadCall] = []
    if scanner.sees(begins):
        gap = dialect.before_calls_alone if said == dialect.before_calls_alone else dialect.calls.gap
        if not said.endswith(gap):
            raise scanner.fault(f"{gap!r} is expected before {begins!r}")
        said = said.removesuffix(gap)
        calls = dialect.calls.read(scanner, schemas_of(transcript.tools))
    if said and not said.startswith(dialect.before_text):
        raise scanner.fault(f"{dialect.before_text!r} is expected here", at)
    end = dialect.end_of(calls=bool(calls))
    scanner.take(end)
    ids = [dialect.id_of(name, number) for name, _, number in calls] if dialect.id else []
    called = [(name, arguments) for name, arguments, _ in calls]
    transcript.answer(said.removeprefix(dialect.before_text), called, (start, scanner.at), ids=ids)
    if dialect.end_opens and not scanner.done:
        scanner.at -= len(end)
    scanner.take(dialect.after_answer)


def _read_results(scanner: Scanner, dialect: Dialect, transcript: RecordReading) -> None:
    while begins := dialect.result_begins.match(scanner.text, scanner.at):
        start, scanner.at = scanner.at, begins.end()
        try:
            content = dialect.decode_result(scanner.until(dialect.result.after))
        except ValueError as fault:
            raise scanner.fault(f"not a result: {fault}", start) from None
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
