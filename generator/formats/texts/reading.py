"""A text in some dialect as a plain record; what is wrong is told with its place in the text."""

import json
import re
from typing import Any

from generator.core.conversation import Thoughts
from generator.formats.text import RecordReading, Scanner
from generator.formats.texts.calls import ReadCall
from generator.formats.texts.dialect import Dialect
from generator.formats.texts.notes import read_notes


def read(scanner: Scanner, dialect: Dialect) -> RecordReading:
    """Return the whole text; raises FormatError with position and reason."""
    transcript = RecordReading()
    scanner.take(dialect.begin)
    read_notes(dialect.after_begin, scanner)
    if dialect.tools.place == "own turn" and scanner.sees(dialect.tools.before):
        _read_tools(scanner, dialect, transcript)
    start = scanner.at
    if not dialect.system_in_user and (header := scanner.match(dialect.headers[0])):
        _read_system(scanner, dialect, transcript, header)
    after_results = False
    tools_before: tuple[int, int] | None = None
    """Where tools stand before a turn of the user, and how many such turns stand before them."""
    while _another_turn_follows(scanner, dialect, begun=scanner.at > start):
        if tools_before is None and dialect.tools.is_before_user and scanner.sees(dialect.tools_marker):
            tools_before = scanner.at, _number_of_user_turns(transcript)
            _read_tools(scanner, dialect, transcript)
            if not scanner.sees(dialect.user.before):
                raise scanner.fault(f"a user turn ({dialect.user.before}) is expected behind the tools")
        after_results = _read_turn(scanner, dialect, transcript, after_results=after_results)
    which = dialect.tools.place.removeprefix("before ").removesuffix(" user")
    if tools_before and tools_before[1] != (0 if which == "first" else _number_of_user_turns(transcript) - 1):
        raise scanner.fault(f"the tools should stand before the {which} user turn", tools_before[0])
    return transcript


def _number_of_user_turns(transcript: RecordReading) -> int:
    """Return how many turns of the user have been read."""
    return sum(message["role"] == "user" for message in transcript.messages)


def _another_turn_follows(scanner: Scanner, dialect: Dialect, *, begun: bool) -> bool:
    """Whether another turn follows; if so, go past what stands between turns."""
    if not dialect.between:
        return not scanner.done
    if not begun:
        return True
    if dialect.ending.match(scanner.text, scanner.at):
        return False
    if not scanner.accept(dialect.between):
        raise scanner.fault(f"a line break and another turn, or {dialect.finish} and nothing more, is expected here")
    return True


def _read_turn(scanner: Scanner, dialect: Dialect, transcript: RecordReading, *, after_results: bool) -> bool:
    """Read one turn; whether it held results."""
    if scanner.match(dialect.results_begin):
        _read_results(scanner, dialect, transcript)
        return True
    system, user, answer = dialect.headers
    if header := scanner.match(user):
        if dialect.tools.place == "user" and scanner.sees(dialect.tools.before):
            _read_tools(scanner, dialect, transcript)
        transcript.say("user", _words_up_to(scanner, dialect, dialect.user.after), _speaker(header))
    elif dialect.later_system != "no" and (header := scanner.match(system)):
        if dialect.read_system is not None:
            dialect.read_system(scanner, transcript, _speaker(header))
        else:
            transcript.say("system", _words_up_to(scanner, dialect, dialect.system.after), _speaker(header))
    elif (after_results and dialect.answer_after_results == "") or (header := scanner.match(answer)):
        _read_answer(scanner, dialect, transcript, _speaker(header))
    else:
        scanner.take(dialect.turn)
        begun = dialect.finish and scanner.at > len(dialect.begin)
        turns = dialect.turns or f"a turn ({dialect.user.before!r} or {dialect.answer!r}, or results)"
        raise scanner.fault(f"{turns}{f' or {dialect.finish}' if begun else ''} is expected here")
    return False


def _speaker(header: re.Match[str] | None) -> str | None:
    return header.groupdict().get("speaker") if header else None


def _words_up_to(scanner: Scanner, dialect: Dialect, ending: str) -> str:
    """Return what is said up to the marker `ending`, and go past that."""
    if dialect.before_words and not scanner.tokens.match(scanner.text, scanner.at):
        scanner.take(dialect.before_words)
    return scanner.until(ending).removesuffix(dialect.behind_words)


def _read_tools(scanner: Scanner, dialect: Dialect, transcript: RecordReading) -> None:
    """Read the list of tools with the words around it."""
    tools, begins = dialect.tools, dialect.tools.tool.begins
    scanner.take(tools.before)
    while scanner.sees(begins) and (begins or not scanner.sees(tools.after)):
        transcript.tools.append(tools.tool.read(scanner))
        scanner.accept(tools.between)
    scanner.take(tools.after)


def _read_system(scanner: Scanner, dialect: Dialect, transcript: RecordReading, header: re.Match[str]) -> None:
    """Read the rest of the first system turn behind its header: notes, tools, the message."""
    if dialect.read_system is not None:
        dialect.read_system(scanner, transcript, _speaker(header))
        return
    tools = dialect.tools
    read_notes(dialect.preamble, scanner)
    if tools.place == "before system" and scanner.sees(tools.before):
        _read_tools(scanner, dialect, transcript)
    start = scanner.at
    words = scanner.text.find(tools.before, start) if tools.place == "after system" else -1
    system: str | None
    if 0 <= words <= scanner.next_token():
        system = _system_words_before_tools(scanner, words, tools.gap)
        _read_tools(scanner, dialect, transcript)
        scanner.take(dialect.system.after)
    else:
        system = _words_up_to(scanner, dialect, dialect.system.after)
    if dialect.says_default(tools=bool(transcript.tools)) and system == dialect.default_system:
        scanner.accept(dialect.after_default)
    elif system is not None and (system or dialect.empty_system):
        if not system.startswith(dialect.before_system):
            raise scanner.fault(f"{dialect.before_system.strip()!r} and an empty line are expected here", start)
        transcript.say("system", system.removeprefix(dialect.before_system))


def _system_words_before_tools(scanner: Scanner, words: int, gap: str) -> str | None:
    """Return the system message before the words about tools; None when nothing stands there."""
    start, scanner.at = scanner.at, words
    if start == words:
        return None
    if not scanner.text.endswith(gap, start, words):
        raise scanner.fault("an empty line is expected between the system message and the words about tools")
    return scanner.text[start : words - len(gap)]


def _read_answer(scanner: Scanner, dialect: Dialect, transcript: RecordReading, speaker: str | None) -> None:
    """Read the rest of an assistant turn behind its header: thoughts, words, calls."""
    start = scanner.at
    scanner.take(dialect.opening)
    thoughts = _read_thoughts(scanner, dialect)
    text, calls = (_read_words_or_calls if dialect.alone else _read_words_and_calls)(
        scanner, dialect, schemas_of(transcript.tools)
    )
    end = dialect.end_of(calls=bool(calls))
    if calls or not dialect.end_last or not scanner.accept(dialect.end_last):
        scanner.take(end)
    text = text if calls else text.removesuffix(dialect.behind_words)
    ids = [dialect.id_of(name, number) for name, _, number in calls] if dialect.id else []
    functions = [{"name": name, "arguments": arguments} for name, arguments, _ in calls]
    transcript.answer(text, functions, (start, scanner.at), speaker, thoughts, ids)
    if dialect.end_opens and not scanner.done:
        scanner.at -= len(end)
    scanner.take(dialect.after_answer)


def _read_thoughts(scanner: Scanner, dialect: Dialect) -> dict[str, str]:
    """Return the blocks of thoughts that stand here, by name; the line break behind each may be missing."""
    thoughts: dict[str, str] = {}
    for block in Thoughts.__struct_fields__ if dialect.thoughts is not None else ():
        before, after = dialect.around_thought(block)
        if scanner.accept(before):
            thoughts[block] = scanner.until(after.strip())
            scanner.accept("\n")
    return thoughts


def _read_words_or_calls(scanner: Scanner, dialect: Dialect, schemas: dict[str, Any]) -> tuple[str, list[ReadCall]]:
    """Return (text, calls) of an answer where words and calls stand in messages of their own."""
    if scanner.accept(dialect.alone):
        return scanner.plain(), []
    text = ""
    if scanner.accept(dialect.beside.before):
        text = scanner.plain()
        scanner.take(dialect.beside.after)
    return text, dialect.call_syntax.read(scanner, schemas)


def _read_words_and_calls(scanner: Scanner, dialect: Dialect, schemas: dict[str, Any]) -> tuple[str, list[ReadCall]]:
    """Return (text, calls) of an answer where calls stand behind the words."""
    begins, at = dialect.call_syntax.begins, scanner.at
    text = "" if dialect.text_beside_calls == "reject" and scanner.sees(begins) else scanner.plain()
    calls: list[ReadCall] = []
    if scanner.sees(begins):
        gap = dialect.before_calls_alone if text == dialect.before_calls_alone else dialect.call_syntax.gap
        if not text.endswith(gap):
            raise scanner.fault(f"{gap!r} is expected before {begins!r}")
        text = text.removesuffix(gap)
        calls = dialect.call_syntax.read(scanner, schemas)
    if text and not text.startswith(dialect.before_text):
        raise scanner.fault(f"{dialect.before_text!r} is expected here", at)
    return text.removeprefix(dialect.before_text), calls


def _read_results(scanner: Scanner, dialect: Dialect, transcript: RecordReading) -> None:
    """Read the results of one step behind what stands before them."""
    read = 0
    while begins := scanner.match(dialect.result_begins):
        read, slots = read + 1, begins.groupdict()
        if dialect.around_own_id.after:
            slots["id"] = scanner.until(dialect.around_own_id.after)
        result = read_result(scanner, dialect)
        name = None if dialect.id else slots.get("name")
        if name and (not transcript.pending or transcript.pending[0]["function"]["name"] != name):
            reason = f"there is no call of {name} that this could be the result of"
            raise scanner.fault(reason, begins.start() + len(dialect.turn))
        if dialect.id and "id" in slots:
            result["call_id"] = slots["id"]
        if not transcript.result(**result):
            raise scanner.fault("there is no call left that this could be the result of", begins.start())
    if not read:
        raise scanner.fault(f"{dialect.result.before.strip()!r} is expected here")
    scanner.take(dialect.results.after)


def read_result(scanner: Scanner, dialect: Dialect) -> dict[str, Any]:
    """Return the content of the result that begins here, and the name or id that stands beside it, and go past it."""
    start = scanner.at
    try:
        return dialect.result_content.read(_words_up_to(scanner, dialect, dialect.result.after))
    except json.JSONDecodeError as fault:
        raise scanner.fault(f"not a result: {fault.msg}", start + fault.pos) from None
    except ValueError as fault:
        raise scanner.fault(f"not a result: {fault}", start) from None


def schemas_of(tools: list[Any]) -> dict[str, Any]:
    """Return the schema of the parameters of each declared tool object, by the tool's name."""
    functions = [tool.get("function") for tool in tools if isinstance(tool, dict)]
    return {
        function["name"]: function.get("parameters")
        for function in functions
        if isinstance(function, dict) and isinstance(function.get("name"), str)
    }
