"""Hostile code: MCP servers, modules with tools, strategies and command strings, which all run in a room."""

import json
from collections.abc import Iterator
from typing import Any

import msgspec
from hostile import corpus_folders
from hostile.cases import RECIPE, TOOL, Case, as_json, changed, of_recipe, places
from hostile.recipes import VALUES

SERVER = b"""
import json, sys
answers = json.load(open("answers.json"))
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answers[asked["method"]]}), flush=True)
"""
ANSWERS: dict[str, Any] = {
    "initialize": {
        "result": {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "s", "version": "1"}}
    },
    "tools/list": {
        "result": {
            "tools": [
                {
                    "name": "find",
                    "description": "Find a book.",
                    "inputSchema": TOOL["function"]["parameters"],
                    "outputSchema": TOOL["returns"],
                    "annotations": {"title": "Finder", "readOnlyHint": True},
                }
            ]
        }
    },
}
MODULE = """
import json, os, subprocess, sys, threading, time
{code}
TOOLS = json.loads({tools!r})
def handle_tool_call(tool_name, tool_input):
    return "{{}}"
"""
OF_MODULE = [{"type": "function", "function": TOOL["function"]}]
STRATEGY = """
import os, sys
import hypothesis.strategies as st
{code}
titles = {strategy}
"""
CODE = {
    "nothing": "",
    "exit": "sys.exit(0)",
    "end": "import os; os._exit(0)",
    "signal": "os.kill(os.getpid(), 9)",
    "all descriptors": "for number in range(3, 1024):\n    try: os.write(number, b'\\0\\0')\n    except OSError: pass",
    "closed descriptors": "os.closerange(0, 1024)",
    "noise": "sys.stdout.write('x' * 3_000_000 + '\\n')\nos.write(2, b'y' * 3_000_000)",
    "escapes": "sys.stderr.write('\\x1b]0;x\\x07' * 999); sys.stderr.flush(); os._exit(4)",
    "a fork": "if not os.fork(): pass",
    "processes": "import time\nfor _ in range(60):\n    if not os.fork():\n        os.setsid(); time.sleep(30); os._exit(0)",
    "files": "open(os.path.join(os.path.dirname(os.path.abspath(sys.argv[0] or '.')), 'left'), 'w').write('x')",
    "depth": "import json; json.loads('[' * 100_000)",
    "memory": "x = b'x' * (3 << 30)",
    "no text": "raise ValueError('\\ud800' * 3)",
    "long": "raise ValueError('x' * 100_000)",
}
STRATEGIES = (
    "st.just('Dune')",
    "None",
    "st.nothing()",
    "st.just(b'x')",
    "st.just('x' * 3_000_000)",
    "st.builds(os._exit, st.just(3))",
)
COMMANDS = (
    *("'", "", " ", '"', "\\", "no-such-program", "/", ".", "true", "false", "cat {file}", "cat {tools}", "echo {}", "echo {file", "{}"),
    *("sh -c 'kill -9 $$'", "sh -c 'setsid sleep 30 & echo null'", "head -c 100000000 /dev/zero", "echo NaN", "echo [[[[", "\u202e"),
)  # fmt: skip


def of_code(name: str, files: dict[str, bytes], *arguments: str) -> Case:
    return Case(name, files, arguments, runs_code=True)


def of_server(name: str, answers: Any, server: bytes = SERVER) -> Case:
    """`tools read` of a server that gives these answers."""
    files = {"s.py": server, "answers.json": as_json(answers)}
    return of_code(name, files, "tools", "read", "python s.py", "--from", "mcp-live")


def of_module(name: str, text: str) -> Case:
    return of_code(name, {"m.py": text.encode("utf-8", "surrogatepass")}, "tools", "read", "m.py")


def of_strategy(name: str, text: str) -> Case:
    """A run in which a strategy makes an argument."""
    recipe = {**RECIPE, "arguments": {"strategies": {"find#/title": "s.py:titles"}}}
    case = of_recipe(name, recipe, **{"s.py": text.encode()})
    return msgspec.structs.replace(case, runs_code=True)


def commands() -> Iterator[tuple[Case, Case]]:
    """Every command as a parser, and as a server."""
    plain = corpus_folders.of_corpus("plain")
    for command in COMMANDS:
        arguments = ("corpus", "check", "c", "--command", command, "--seconds", "2")
        yield (
            msgspec.structs.replace(plain, name=f"command {command}", arguments=arguments),
            of_code(f"server {command}", {}, "tools", "read", command, "--from", "mcp-live"),
        )


def code() -> Iterator[tuple[Case, ...]]:
    """Every piece of code at the import of a module, of a strategy and of a server."""
    for what, code in CODE.items():
        yield (
            of_module(f"module: {what}", MODULE.format(code=code, tools=json.dumps(OF_MODULE))),
            of_strategy(f"strategy: {what}", STRATEGY.format(code=code, strategy=STRATEGIES[0])),
            *[  # a server may write as its user may
                of_server(f"server: {what}", ANSWERS, f"import os, sys\n{code}\n".encode() + SERVER)
                for _ in range(what != "files")
            ],
        )


def always() -> Iterator[Case]:
    """Every command and every piece of code in one of its places in turn, and every strategy."""
    for number, places_of_one in enumerate([*commands(), *code()]):
        yield places_of_one[number % len(places_of_one)]
    for strategy in STRATEGIES:
        yield of_strategy(f"strategy {strategy}", STRATEGY.format(code="", strategy=strategy))
    yield of_server("server: a key of half a letter", changed(ANSWERS, "/tools~1list/result/tools/0", {"\ud800": 1}))


def at_night() -> Iterator[Case]:
    """Every command and every piece of code in its other places."""
    for number, places_of_one in enumerate([*commands(), *code()]):
        yield from (case for at, case in enumerate(places_of_one) if at != number % len(places_of_one))


def some() -> Iterator[Case]:
    """Every one of `VALUES` in every place of a server's answers and of a module's tools."""
    for number, value in enumerate(VALUES):
        for place in places(ANSWERS):
            yield of_server(f"server{place} value {number}", changed(ANSWERS, place, value))
        for place in places(OF_MODULE):
            tools = json.dumps(changed(OF_MODULE, place, value))
            yield of_module(f"module{place} value {number}", MODULE.format(code="", tools=tools))
