"""Reads a text of a dialect strictly: whatever the dialect would not write is refused with position and reason."""

from typing import Any

from generator.formats.dialect.dialect import Dialect, ReadCall
from generator.formats.text_reader import RecordReading, Scanner


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
