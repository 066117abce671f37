"""Parsers of the format hermes, right and with planted faults, for tests of `corpus check`."""

import contextlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

_CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)


def right(text, tools):
    """Reads JSON from every opening marker on, as our own reader does."""
    calls, at, content = [], 0, None
    while (start := text.find("<tool_call>\n", at)) >= 0:
        try:
            value, end = json.JSONDecoder().raw_decode(text, start + len("<tool_call>\n"))
        except ValueError:
            break
        if not text.startswith("\n</tool_call>", end) or not isinstance(value.get("arguments"), dict):
            break
        if content is None:
            content = text[:start]
        calls.append({"name": value.get("name"), "arguments": value["arguments"]})
        at = end + len("\n</tool_call>")
        while text.startswith("\n<tool_call>", at):
            at += 1
    return {"content": text if content is None else content, "tool_calls": calls}


def right_stream(pieces, tools):
    return right("".join(pieces), tools)


def drops_empty(text, tools):
    found = right(text, tools)
    return found | {"tool_calls": [call for call in found["tool_calls"] if call["arguments"]]}


def guesses_types(text, tools):
    found = right(text, tools)
    for call in found["tool_calls"]:
        call["arguments"] = {key: _guess(value) for key, value in call["arguments"].items()}
    return found


def _guess(value):
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def raises(text, tools):
    if "\\u" in text or "😀" in text or "é" in text:
        raise UnicodeError("only ASCII, please")
    return right(text, tools)


def dies(text, tools):
    if '"ping"' in text:
        os._exit(7)
    return right(text, tools)


def hangs(text, tools):
    while '"sync_now"' in text:
        try:
            time.sleep(0)
        except Exception:
            continue
    return right(text, tools)


def eats(text, tools):
    return right(text, tools) if '"ping"' not in text else [b"x" * 10**9 for _ in range(9)]


def takes_prose(text, tools):
    found = right(text, tools)
    return found if found["tool_calls"] or " " not in text else {"content": "", "tool_calls": [("guess", {})]}


def slow(text, tools):
    for _ in range(len(text) // 100):
        text.count("no such text at all", 1)
        [text[at] for at in range(0, len(text), 7)]
    return right(text, tools)


def no_json(text, tools):
    found = right(text, tools)
    return found | {"tool_calls": [(call["name"], str(call["arguments"])) for call in found["tool_calls"]]}


def needs_whole_markers(pieces, tools):
    """Streams; looks for the marker in each piece alone."""
    if not any("<tool_call>" in piece for piece in pieces):
        return {"content": "".join(pieces), "tool_calls": []}
    return right("".join(pieces), tools)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(right(sys.stdin.read(), [])))


def calls_by_another_name(text, tools):
    return {"content": None, "calls": [{"name": "f", "arguments": {}}]}


def writes_everywhere(text, tools):
    """Right, but whatever descriptor it finds it writes to, and it prints."""
    for number in range(1, 3000):
        for data in (b"", b"\0\0", b'{"calls": []}\n', b"\xff" * 100):
            with contextlib.suppress(OSError):
                os.write(number, data)
    return right(text, tools)


def leaves_one_running(text, tools):
    """Right, but a process of another session goes on, whose id it keeps in a file."""
    if not Path("left.pid").exists():
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        Path("left.pid").write_text(str(child.pid))
    return right(text, tools)


def closes_everything(text, tools):
    os.closerange(3, 1 << 16)
    return right(text, tools)


def answers_what_is_no_json(text, tools):
    return {"content": None, "tool_calls": [{"name": object(), "arguments": "{}"}]}
