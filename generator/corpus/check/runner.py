"""Runners give a text, or its pieces, to a parser and return an answer, whatever the parser does."""

import json
import shlex
import tempfile
from pathlib import Path
from typing import Protocol

import msgspec

from generator.corpus.check.answer import ParserAnswer, PlainAnswer, answer_of
from generator.corpus.check.plain import plain_answer
from generator.errors import FormatError
from generator.foreign.program import run_program
from generator.foreign.room import PROGRAM_LIMITS, Room, said_by
from generator.foreign.wire import GarbledError, GoneError, SilentError

START_SECONDS = 120.0
"""Time for a parser to be imported."""
_PATIENCE = 4
"""How much longer than its time on the processor a run may last before its process is ended."""
_DRIVER = Path(__file__).with_name("child.py")


class Runner(Protocol):
    """Runs a parser."""

    def run(self, given: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer to a whole text, or to the pieces of one."""

    def close(self) -> None:
        """End the parser's process, if there is one."""


class _Loaded(msgspec.Struct, frozen=True):
    error: str | None = None


class ChildRunner:
    """Runs a parser written in Python in a process that is started again when it dies or hangs."""

    def __init__(self, whole: str | None, stream: str | None, memory: int, tools: Path) -> None:
        self._settings = {"whole": whole or "", "stream": stream or "", "memory": memory, "tools": str(tools)}
        self._names = " and ".join(filter(None, (whole, stream)))
        self._room = Room()

    def run(self, given: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer, or `hang` or `died: …` as its error."""
        if not self._room.is_running:
            self._start()
        task = {
            "run": "whole" if isinstance(given, str) else "stream",
            "given": given,
            "tools": tools,
            "seconds": seconds,
        }
        try:
            return answer_of(self._room.ask(task, PlainAnswer, seconds * _PATIENCE + 5))
        except SilentError:
            self._room.end()
            return ParserAnswer(error="hang", seconds=seconds)
        except GarbledError as fault:
            self._room.end()
            return ParserAnswer(error=f"died: it sent something else than an answer: {fault}")
        except GoneError:
            ended = self._room.end()
            return ParserAnswer(error=f"died: {ended.reason} {said_by(ended)}".strip())

    def close(self) -> None:
        """End the process."""
        self._room.close()

    def _start(self) -> None:
        self._room.start_code(_DRIVER, self._settings, PROGRAM_LIMITS)
        try:
            loaded = self._room.hear(_Loaded, START_SECONDS)
            fault = loaded.error
        except SilentError:
            fault = f"it does not come up within {START_SECONDS:g} seconds"
        except (GoneError, GarbledError):
            ended = self._room.end()
            fault = f"its process ended ({ended.reason}) {said_by(ended)}".strip()
        if fault is not None:
            self.close()
            raise FormatError(f"{self._names}: cannot be loaded: {fault}")


class CommandRunner:
    """A program of any language: the text on its stdin or in `{file}`, tools in `{tools}`, JSON on its stdout."""

    def __init__(self, command: str, memory: int, tools: Path) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as fault:
            raise FormatError(f"--command {command}: cannot be read as a command ({fault})") from None
        if not self._words:
            raise FormatError("--command: it names no program")
        self._limits = msgspec.structs.replace(PROGRAM_LIMITS, memory=memory * 2**20)
        self._tools = json.loads(tools.read_bytes())
        self._room = Room()

    def run(self, given: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer, or why there is none as its error."""
        assert isinstance(given, str)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "text"
            file.write_bytes(given.encode("utf-8", "surrogatepass"))
            offered = [tool for tool in self._tools if tool["function"]["name"] in tools]
            own_tools = Path(folder) / "tools.json"
            own_tools.write_text(json.dumps(offered), encoding="utf-8")
            words = [word.replace("{file}", str(file)).replace("{tools}", str(own_tools)) for word in self._words]
            return self._run(words, file, seconds)

    def _run(self, words: list[str], file: Path, seconds: float) -> ParserAnswer:
        with file.open("rb") as text:
            try:
                output, ended = run_program(self._room, words, text.fileno(), self._limits, seconds)
            except SilentError:
                return ParserAnswer(error="hang", seconds=seconds)
            except GarbledError as fault:
                return ParserAnswer(error=f"its output is not what is documented: {fault}")
        if ended.fault:
            raise FormatError(f"--command: {words[0]} cannot be run ({ended.fault})")
        if ended.ended:
            return ParserAnswer(error=f"died: {ended.reason} {said_by(ended)}".strip())
        try:
            return answer_of(msgspec.convert(plain_answer(json.loads(output)), PlainAnswer))
        except (ValueError, TypeError, AttributeError, RecursionError) as fault:
            return ParserAnswer(error=f"its output is not what is documented: {fault}")

    def close(self) -> None:
        """End the room."""
        self._room.close()
