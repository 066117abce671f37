"""Runners give a text, or its pieces, to a parser and return an answer, whatever the parser does."""

import json
import os
import select
import shlex
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import msgspec

from generator.core.errors import FormatError
from generator.core.sandbox.sandbox import PROGRAM_LIMITS, Ended, Sandbox, output_tail, run_program
from generator.core.sandbox.wire import DisconnectedError, MalformedAnswerError, NoAnswerError
from generator.corpus.check.failures import ParserAnswer, PlainAnswer, answer_of
from generator.corpus.check.plain import plain_answer, plain_deltas

_PATIENCE = 4
"""How much longer than its time on the processor a run may last before its process is ended."""
_DRIVER = Path(__file__).with_name("child.py")


class Runner(Protocol):
    """Runs a parser."""

    def run(self, text_or_pieces: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer to a whole text, or to the pieces of one."""

    def close(self) -> None:
        """End the parser's process, if there is one."""


class _Loaded(msgspec.Struct, frozen=True):
    error: str | None = None


class ChildRunner:
    """Runs a parser written in Python in a process that is started again when it dies or hangs."""

    def __init__(
        self, whole: str | None, stream: str | None, memory: int, tools: Path, start_seconds: float = 120.0
    ) -> None:
        self._start_seconds = start_seconds
        self._settings = {"whole": whole or "", "stream": stream or "", "memory": memory, "tools": str(tools)}
        self._names = " and ".join(filter(None, (whole, stream)))
        self._sandbox = Sandbox()

    def run(self, text_or_pieces: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer, or `hang` or `died: …` as its error."""
        if not self._sandbox.is_running:
            self._start()
        run = "whole" if isinstance(text_or_pieces, str) else "stream"
        task = {"run": run, "given": text_or_pieces, "tools": tools, "seconds": seconds}
        try:
            return answer_of(self._sandbox.ask(task, PlainAnswer, seconds * _PATIENCE + 5))
        except NoAnswerError:
            self._sandbox.end()
            return ParserAnswer(error="hang", seconds=seconds)
        except MalformedAnswerError as fault:
            self._sandbox.end()
            return ParserAnswer(error=f"died: it sent something else than an answer: {fault}")
        except DisconnectedError:
            ended = self._sandbox.end()
            return ParserAnswer(error=f"died: {ended.reason} {output_tail(ended)}".strip())

    def close(self) -> None:
        """End the process."""
        self._sandbox.close()

    def _start(self) -> None:
        """Start the sandbox's process and load the parser in it; raises FormatError when it cannot be loaded."""
        self._sandbox.start_code(_DRIVER, self._settings, PROGRAM_LIMITS)
        try:
            loaded = self._sandbox.receive(_Loaded, self._start_seconds)
            fault = loaded.error
        except NoAnswerError:
            output = output_tail(self._sandbox.end())
            fault = f"it does not come up within {self._start_seconds:g} seconds (--start-seconds) {output}".strip()
        except (DisconnectedError, MalformedAnswerError):
            ended = self._sandbox.end()
            fault = f"its process ended ({ended.reason}) {output_tail(ended)}".strip()
        if fault is not None:
            self.close()
            raise FormatError(f"{self._names}: cannot be loaded: {fault}")


def words_of(flag: str, command: str) -> list[str]:
    """Return a command as program and arguments; raises FormatError when it is none."""
    try:
        words = shlex.split(command)
    except ValueError as fault:
        raise FormatError(f"{flag} {command}: cannot be read as a command ({fault})") from None
    if not words:
        raise FormatError(f"{flag}: it names no program")
    return words


class _ProgramRunner:
    """Runs a program of any language."""

    def __init__(self, flag: str, command: str, memory: int, tools: Path) -> None:
        self._flag = flag
        self._words = words_of(flag, command)
        self._limits = msgspec.structs.replace(PROGRAM_LIMITS, memory=memory * 2**20)
        self._tools = json.loads(tools.read_bytes())
        self._sandbox = Sandbox()

    def _offered(self, names: tuple[str, ...]) -> list[Any]:
        return [tool for tool in self._tools if not names or tool["function"]["name"] in names]

    def _died(self, ended: Ended) -> ParserAnswer:
        """Return the answer of a program that has ended; raises FormatError when it cannot be run at all."""
        if ended.fault:
            raise FormatError(f"{self._flag}: {self._words[0]} cannot be run ({ended.fault})")
        return ParserAnswer(error=f"died: {ended.reason} {output_tail(ended)}".strip())

    def close(self) -> None:
        """End the sandbox."""
        self._sandbox.close()


def _read_answer(output: bytes, plain: Callable[[Any], Any]) -> ParserAnswer:
    """Return the answer in the JSON that a program printed."""
    try:
        return answer_of(msgspec.convert(plain(json.loads(output)), PlainAnswer))
    except (ValueError, TypeError, AttributeError, RecursionError) as fault:
        return ParserAnswer(error=f"its output is not what is documented: {fault}")


class CommandRunner(_ProgramRunner):
    """A program that is started for each text: it is on its stdin or in `{file}`, tools in `{tools}`, JSON on its stdout."""

    def __init__(self, command: str, memory: int, tools: Path) -> None:
        super().__init__("--command", command, memory, tools)

    def run(self, text_or_pieces: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer, or why there is none as its error."""
        assert isinstance(text_or_pieces, str)
        with tempfile.TemporaryDirectory() as folder:
            file, own_tools = Path(folder) / "text", Path(folder) / "tools.json"
            file.write_bytes(text_or_pieces.encode("utf-8", "surrogatepass"))
            own_tools.write_text(json.dumps(self._offered(tools)), encoding="utf-8")
            words = [word.replace("{file}", str(file)).replace("{tools}", str(own_tools)) for word in self._words]
            with file.open("rb") as text:
                try:
                    output, ended = run_program(self._sandbox, words, text.fileno(), self._limits, seconds)
                except NoAnswerError:
                    return ParserAnswer(error="hang", seconds=seconds)
                except MalformedAnswerError as fault:
                    return ParserAnswer(error=f"its output is not what is documented: {fault}")
        return self._died(ended) if ended.fault or ended.ended else _read_answer(output, plain_answer)


class ServerRunner(_ProgramRunner):
    """A program that runs on: a JSON text a line on its stdin, and one on its stdout for each.

    It is asked `{"text": …, "tools": […]}` and answers as a parser does (`plain_answer`), or `{"pieces": […], "tools": […]}`
    and answers `{"deltas": [{"after": 1, "content": …, "tool_calls": […]}]}`, where `after` counts the pieces it had taken.
    """

    def __init__(self, command: str, memory: int, tools: Path, start_seconds: float = 120.0) -> None:
        super().__init__("--server", command, memory, tools)
        self._start_seconds = start_seconds
        self._pipes: tuple[int, int] | None = None

    def run(self, text_or_pieces: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer, or why there is none as its error."""
        question = {
            "text" if isinstance(text_or_pieces, str) else "pieces": text_or_pieces,
            "tools": self._offered(tools),
        }
        try:
            start_seconds = 0.0
            if self._pipes is None:
                self._start()
                start_seconds = self._start_seconds
            line = self._exchange(json.dumps(question).encode() + b"\n", seconds * _PATIENCE + 5 + start_seconds)
        except NoAnswerError:
            self.close()
            return ParserAnswer(error="hang", seconds=seconds)
        except (BrokenPipeError, DisconnectedError):
            ended = self._sandbox.end()
            self.close()
            return self._died(ended)
        return _read_answer(line, _plain)

    def _start(self) -> None:
        """Start the program, which reads a question a line and writes an answer a line."""
        asks, questions = os.pipe()
        answers, tells = os.pipe()
        try:
            self._sandbox.start_program(self._words, asks, tells, self._limits)
        finally:
            os.close(asks)
            os.close(tells)
        self._pipes = questions, answers

    def _exchange(self, line: bytes, seconds: float) -> bytes:
        """Send a line and return the next one."""
        assert self._pipes is not None
        questions, answers = self._pipes
        deadline = time.monotonic() + seconds
        os.set_blocking(questions, False)
        answer, unsent = bytearray(), memoryview(line)
        while not answer.endswith(b"\n"):
            readable, writable, _ = select.select(
                [answers], ([questions] if unsent else []), [], max(0.0, deadline - time.monotonic())
            )
            if not readable and not writable:
                raise NoAnswerError
            if writable:
                unsent = unsent[os.write(questions, unsent[: 1 << 16]) :]
            if readable:
                received = os.read(answers, 1 << 16)
                if not received:
                    raise DisconnectedError
                answer += received
        return bytes(answer)

    def close(self) -> None:
        """End the program and the sandbox."""
        for pipe in self._pipes or ():
            os.close(pipe)
        self._pipes = None
        self._sandbox.close()
        self._sandbox = Sandbox()


def _plain(sent: Any) -> Any:
    """Return an answer in the shape in which a parser's process sends it.

    Its `deltas`, where it has some, come one by one.
    """
    if not isinstance(sent, dict) or "deltas" not in sent:
        return plain_answer(sent)
    return {"deltas": [{"after": delta["after"], **plain} for delta in sent["deltas"] for plain in plain_deltas(delta)]}
