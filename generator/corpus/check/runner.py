"""Runners give a text, or its pieces, to a parser and return an answer, whatever the parser does."""

import json
import os
import queue
import shlex
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from generator.corpus.check.answer import ParserAnswer, answer_of, plain_answer
from generator.errors import FormatError

START_SECONDS = 120.0
"""Time for a parser to be imported."""
_PATIENCE = 4
"""How much longer than its time on the processor a run may last before its process is ended."""


class Runner(Protocol):
    """Runs a parser."""

    def run(self, given: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer to a whole text, or to the pieces of one."""

    def close(self) -> None:
        """End the parser's process, if there is one."""


class ChildRunner:
    """Runs a parser written in Python in a process that is started again when it dies or hangs."""

    def __init__(self, whole: str | None, stream: str | None, memory: int, tools: Path) -> None:
        self._arguments = [whole or "", stream or "", str(memory), str(tools)]
        self._child: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()

    def run(self, given: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer, or `hang` or `died: …` as its error."""
        child = self._started()
        task = {
            "run": "whole" if isinstance(given, str) else "stream",
            "given": given,
            "tools": tools,
            "seconds": seconds,
        }
        with suppress(BrokenPipeError):
            assert child.stdin is not None
            child.stdin.write(json.dumps(task) + "\n")
            child.stdin.flush()
        line = self._line(seconds * _PATIENCE + 5)
        if line == "":
            self.close()
            return ParserAnswer(error="hang", seconds=seconds)
        if line is None:
            code = child.wait()
            self.close()
            return ParserAnswer(error=f"died: {_told(code)}")
        return answer_of(json.loads(line))

    def close(self) -> None:
        """End the process."""
        if self._child is not None:
            self._child.kill()
            self._child.wait()
            for pipe in (self._child.stdin, self._child.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
        self._child = None

    def _started(self) -> "subprocess.Popen[str]":
        if self._child is not None:
            return self._child
        command = [sys.executable, "-m", "generator.corpus.check.child", *self._arguments]
        self._lines = queue.Queue()
        self._child = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        threading.Thread(target=_read, args=(self._child.stdout, self._lines), daemon=True).start()
        line = self._line(START_SECONDS)
        told = json.loads(line) if line else {"error": "it does not come up" if line == "" else "its process died"}
        if "error" in told:
            self.close()
            names = " and ".join(filter(None, self._arguments[:2]))
            raise FormatError(f"{names}: cannot be loaded: {told['error']}")
        return self._child

    def _line(self, seconds: float) -> str | None:
        """Return the next line, None at the end, and an empty one when none comes in time."""
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            return ""


def _read(pipe: Any, lines: "queue.Queue[str | None]") -> None:
    with suppress(ValueError, OSError):
        for line in pipe:
            lines.put(line)
    lines.put(None)


def _told(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


class CommandRunner:
    """A program of any language: the text on its stdin or in `{file}`, tools in `{tools}`, JSON on its stdout."""

    def __init__(self, command: str, memory: int, tools: Path) -> None:
        self._words = shlex.split(command)
        self._memory = memory
        self._tools = tools

    def run(self, given: str | list[str], tools: tuple[str, ...], seconds: float) -> ParserAnswer:
        """Return the answer, or why there is none as its error."""
        assert isinstance(given, str)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "text"
            file.write_bytes(given.encode("utf-8", "surrogatepass"))
            offered = [tool for tool in json.loads(self._tools.read_bytes()) if tool["function"]["name"] in tools]
            own_tools = Path(folder) / "tools.json"
            own_tools.write_text(json.dumps(offered), encoding="utf-8")
            words = [word.replace("{file}", str(file)).replace("{tools}", str(own_tools)) for word in self._words]
            return self._run(words, file, seconds)

    def _run(self, words: list[str], file: Path, seconds: float) -> ParserAnswer:
        try:
            with file.open("rb") as text:
                done = subprocess.run(
                    words, stdin=text, capture_output=True, timeout=seconds, check=False, preexec_fn=self._limit()
                )
        except subprocess.TimeoutExpired:
            return ParserAnswer(error="hang", seconds=seconds)
        except OSError as fault:
            raise FormatError(f"--command: {words[0]} cannot be run ({fault.strerror})") from None
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            return ParserAnswer(error=f"died: {_told(done.returncode)} {said[-1] if said else ''}".strip())
        try:
            return answer_of(plain_answer(json.loads(done.stdout)))
        except (ValueError, TypeError, AttributeError) as fault:
            return ParserAnswer(error=f"its output is not what is documented: {fault}")

    def _limit(self) -> Any:
        if os.name == "nt":
            return None
        import resource

        most = self._memory * 2**20
        return lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most))

    def close(self) -> None:
        """Do nothing: no process is left running."""
