"""Loads one Python module and calls its handler, in a sandbox (generator/core/sandbox).

It is loaded by its path and imports nothing of this package.

The module is imported once, which shows whether it can be and loads all that it imports. For every conversation the
process then makes a copy of itself (fork), in which the module's own code is run anew, so that nothing is left of an
earlier conversation; the copy serves the calls and ends. Its end is reported in a message of its own, whatever the
cause.
"""

import builtins
import datetime
import importlib
import json
import os
import random
import re
import runpy
import sys
import time
import traceback
import types
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from keyword import kwlist
from pathlib import Path
from typing import Any

Message = dict[str, Any]


def main(wire: Any, settings: Message) -> None:
    """Serve requests until there are no more."""
    sys.path.insert(0, settings["folder"])
    server_pid, module = os.getpid(), None
    while True:
        request = wire.receive()
        if request["do"] == "load":
            module, report = load(settings["module"])
            end_if_forked(server_pid)
            wire.send(report)
        elif request["do"] == "functions":
            wire.send(functions_file()["describe_functions"](module))
        elif request["do"] == "open":
            serve_copy(wire, settings["module"], request)


def load(name: str) -> "tuple[types.ModuleType | None, Message]":
    """Return the module and a report: what it holds, or why it cannot be imported."""
    try:
        module = import_module(name)
    except BaseException as fault:  # SystemExit and the like are the module's too
        return None, {"fault": fault_text(fault) + suggestion(fault), "line": line_of(fault, name)}
    try:
        tools = offered_tools(module)
    except BaseException as fault:
        return None, {"fault": f"get_tools(): {fault_text(fault)}"}
    report = {"has_tools": hasattr(module, "TOOLS"), "type": type(tools).__name__, "handler": handler_kind(module)}
    if not report[
        "handler"
    ]:  # copies of this process have what reading functions imports: their calls have little time
        functions_file()["describe_functions"](module)
    try:
        report["tools"] = json.loads(json.dumps(tools, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as fault:
        report["not_json"] = fault_text(fault)
    return module, report


@cache
def functions_file() -> Message:
    """Return the names of the file that reads and calls a module's functions."""
    return runpy.run_path(str(Path(__file__).with_name("functions.py")))


def offered_tools(module: types.ModuleType) -> Any:
    """Return `TOOLS`, or those of them that the `get_tools` of a `PromptGenerator` gives to a model."""
    tools = getattr(module, "TOOLS", None)
    generator = getattr(module, "PromptGenerator", None)
    if not callable(getattr(generator, "get_tools", None)):
        return tools
    offered = module.PromptGenerator().get_tools()
    for index, tool in enumerate(offered if isinstance(offered, list) else ()):
        if not isinstance(tools, list) or tool not in tools:
            raise ValueError(f"its tool {index} is not in TOOLS")
    return offered


def import_module(name: str) -> types.ModuleType:
    """Return a module by path of its file, or by name."""
    if not name.endswith(".py"):
        return importlib.import_module(name)
    path = Path(name)
    module = types.ModuleType(path.stem)
    module.__file__ = name
    sys.modules[path.stem] = module
    exec(compile(path.read_bytes(), name, "exec"), module.__dict__)
    return module


def handler_kind(module: types.ModuleType) -> str:
    """Return where `handle_tool_call` stands: `class`, `module`, or nowhere."""
    generator = getattr(module, "PromptGenerator", None)
    if callable(getattr(generator, "handle_tool_call", None)):
        return "class"
    return "module" if callable(getattr(module, "handle_tool_call", None)) else ""


def serve_copy(wire: Any, name: str, request: Message) -> None:
    """Serve one conversation in a copy of this process, and tell how the copy ended."""
    pid = os.fork()
    if pid == 0:
        with suppress(BaseException):
            answer_calls(wire, name, request)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    wire.send({"ended": os.waitstatus_to_exitcode(status)})


def answer_calls(wire: Any, name: str, request: Message) -> None:
    """Answer calls until told to close."""
    server_pid = os.getpid()
    set_clock(request["now"])
    set_chance(request["seed"])
    try:
        module = import_module(name)
        kind = handler_kind(module)
        if kind == "class":
            handle = module.PromptGenerator().handle_tool_call
        else:
            handle = module.handle_tool_call if kind else functions_file()["callable_functions"](module)
    except BaseException as fault:
        end_if_forked(server_pid)
        wire.send({"pid": server_pid, "fault": fault_text(fault)})
        return
    end_if_forked(server_pid)
    wire.send({"pid": server_pid})
    while (request_of_call := wire.receive())["do"] == "call":
        answer = call(handle, request_of_call, request)
        end_if_forked(server_pid)
        wire.send(answer)


def end_if_forked(server_pid: int) -> None:
    """End this process where foreign code has forked and it is not the one that serves: one of them answers."""
    if os.getpid() != server_pid:
        os._exit(0)


def call(handle: Callable[[str, Message], object], request: Message, limits: Message) -> Message:
    """Return the handler's answer to one call: `{"result": text}`, or that it raised, was late, or gave no text or too long a one."""
    began, waited = REAL_TIME(), time_waited()
    try:
        result = handle(request["name"], request["input"])
    except BaseException as fault:
        return {"raised": fault_text(fault)}
    if REAL_TIME() - began - (time_waited() - waited) > limits["seconds"]:
        return {"late": True}
    if not isinstance(result, str):
        return {"type": type(result).__name__}
    return {"length": len(result)} if len(result) > limits["longest"] else {"result": str(result)}


def fault_text(fault: BaseException) -> str:
    """Return an exception as text, whatever its `__str__` does."""
    try:
        text = str(fault)
        text = fault.args[0] if isinstance(fault, KeyError) and fault.args and not text.strip("'\"") else text
        text = f"missing key {text}" if isinstance(fault, KeyError) else text
    except BaseException:
        text = ""
    return " ".join(text[:500].split()) or type(fault).__name__


def suggestion(fault: BaseException) -> str:
    """Return ` (did you mean "length"?)` for a fault about a name that is not known; empty where no name is like it."""
    try:
        wrong, known = unknown_names(fault)
        close = [name for word in wrong if word not in known for name in get_close_matches(word, known, 1, 0.65)]
    except BaseException:  # objects of the module are asked for their names
        return ""
    return f' (did you mean "{close[0]}"?)' if close else ""


def unknown_names(fault: BaseException) -> tuple[list[str], list[str]]:
    """Return (words of a fault that may be misspelt, names that exist): `(["lenght"], ["length", …])` for a NameError."""
    if isinstance(fault, SyntaxError):
        return re.findall(r"[A-Za-z]+", (fault.text or "")[:500]), [*kwlist]
    if isinstance(fault, ImportError):
        return re.findall(r"^cannot import name '(\w+)'", str(fault)), dir(sys.modules.get(fault.name or ""))
    if isinstance(fault, AttributeError):
        return [str(fault.name)], dir(fault.obj)
    if isinstance(fault, NameError):
        frames = [frame for frame, _ in traceback.walk_tb(fault.__traceback__)]
        return [str(fault.name)], [*frames[-1].f_locals, *frames[-1].f_globals, *dir(builtins)]
    return [], []


def line_of(fault: BaseException, file: str) -> int:
    """Return the last line of a file that led to a fault; 0 when none did."""
    if isinstance(fault, SyntaxError) and fault.filename == file:
        return fault.lineno or 0
    lines = [line for frame, line in traceback.walk_tb(fault.__traceback__) if frame.f_code.co_filename == file]
    return lines[-1] if lines else 0


def set_chance(seed: int) -> None:
    """Seed all of Python's randomness: `random`, `os.urandom`, and with it `uuid4` and `secrets`."""
    random.seed(seed)
    stream = random.Random(seed ^ 0x5EED)
    os.urandom = lambda size: stream.randbytes(size)
    setattr(random, "_urandom", os.urandom)  # noqa: B010


REAL_TIME = time.monotonic


def set_clock(now: float) -> None:
    """Stop the clock at `now` (seconds since 1970, UTC)."""
    time.time = lambda: now
    time.time_ns = lambda: int(now * 1_000_000_000)
    real_gmtime, real_strftime = time.gmtime, time.strftime
    time.gmtime = lambda seconds=None: real_gmtime(now if seconds is None else seconds)
    time.localtime = time.gmtime
    time.strftime = lambda form, at=None: real_strftime(form, time.gmtime() if at is None else at)
    FixedDate._now = FixedDateTime._now = now
    setattr(datetime, "date", FixedDate)  # noqa: B010
    setattr(datetime, "datetime", FixedDateTime)  # noqa: B010


class _Like(type):
    """Makes instances of the real class count as instances of its replacement."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.__mro__[1])


class FixedDate(datetime.date, metaclass=_Like):
    """A date whose today is the conversation's."""

    _now = 0.0

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Let pydantic see the real class in type hints."""
        return handler(cls.__mro__[1])

    @classmethod
    def today(cls) -> Any:
        """Return the conversation's day."""
        return FixedDateTime.now().date()


class FixedDateTime(datetime.datetime, metaclass=_Like):
    """A date and time whose now is the conversation's."""

    _now = 0.0

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Let pydantic see the real class in type hints."""
        return handler(cls.__mro__[1])

    @classmethod
    def now(cls, tz: "datetime.tzinfo | None" = None) -> Any:
        """Return the conversation's time, in UTC if no zone is asked for."""
        at = cls.fromtimestamp(cls._now, datetime.UTC)
        return at.replace(tzinfo=None) if tz is None else at.astimezone(tz)

    @classmethod
    def today(cls) -> Any:
        """Return the same as `now`."""
        return cls.now()

    @classmethod
    def utcnow(cls) -> Any:
        """Return the same as `now`."""
        return cls.now()


def time_waited() -> float:
    """Return seconds this process was ready to run but had no processor: a busy machine is not the handler's fault."""
    try:
        return int(Path("/proc/self/schedstat").read_bytes().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
