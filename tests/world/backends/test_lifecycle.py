"""Calls of a handler: every row of the data model's table "Runtime (Tool Execution)", and handlers that mean harm."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from nightly import some_of

from generator.core.errors import SpecError
from generator.core.sandbox.confinement import landlock_version
from generator.world.backends.lifecycle import Handlers
from generator.world.backends.process import Limits

TODAY = date(2026, 3, 14)
SCHEMA = {
    "type": "object",
    "properties": {
        "event": {"type": "string", "minLength": 1, "pattern": "^[^!]*$"},
        "importance": {"type": "string", "enum": ["low", "medium", "high"], "default": "medium"},
        "count": {"type": "integer", "minimum": 1},
        "tags": {"type": "array", "items": {"type": "string"}},
        "place": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
        "maybe": {"type": ["string", "null"]},
    },
    "required": ["event"],
    "additionalProperties": False,
}


@contextmanager
def handlers(folder: Path, body: str, *, before: str = "", plain: bool = False, **limits: Any) -> Iterator[Handlers]:
    tool = {"type": "function", "function": {"name": "log", "description": "Log.", "parameters": SCHEMA}}
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    text = f"{before}\nTOOLS = {[tool]!r}\ndef handle_tool_call(tool_name, tool_input):\n{lines}\n"
    path = folder / "character.py"
    path.write_text(text)
    found = Handlers(str(path), Limits(**limits), plain=plain)
    found.open(7, TODAY)
    try:
        yield found
    finally:
        found.stop()


def answer(folder: Path, body: str, arguments: Any = None, **settings: Any) -> str:
    with handlers(folder, body, **settings) as found:
        return found.call("log", {"event": "x"} if arguments is None else arguments)


class TestTable:
    def test_success(self, tmp_path: Path):
        assert answer(tmp_path, "return f\"Logged: {tool_input['event']}\"") == "Logged: x"

    def test_arguments_as_json_text(self, tmp_path: Path):
        assert (
            answer(tmp_path, "return tool_input['event']", '{"event": "Plot twist", "importance": "high"}')
            == "Plot twist"
        )

    def test_defaults_are_filled_in_and_nothing_else(self, tmp_path: Path):
        told = answer(tmp_path, "import json; return json.dumps(tool_input)")
        assert json.loads(told) == {"event": "x", "importance": "medium"}

    def test_an_unknown_tool(self, tmp_path: Path):
        with handlers(tmp_path, "return ''") as found:
            assert found.call("lgo", {}) == "Error: Unknown tool: lgo"

    @some_of(2, "text", ["{", "", "{'event': 1}", '{"event": "x"} trailing'])
    def test_arguments_that_are_no_json(self, tmp_path: Path, text: str):
        assert answer(tmp_path, "return ''", text).startswith("Error: Invalid JSON arguments - ")

    @some_of(
        2,
        ("arguments", "words"),
        [
            ({}, "event: Field required"),
            ({"event": 3}, "event: Input should be a valid string"),
            ({"event": "x", "count": "3"}, "count: Input should be a valid integer"),
            ({"event": "x", "count": 0}, "count: Input should be greater than or equal to 1"),
            ({"event": "x", "importance": "urgent"}, "importance: Input should be 'low', 'medium' or 'high'"),
            ({"event": "x", "tags": ["a", 1]}, "tags.1: Input should be a valid string"),
            ({"event": "x", "place": {}}, "place.x: Field required"),
            ({"event": "x", "maybe": 3}, "maybe: Input should be a valid string"),
            ({"event": "x", "evnt": "y"}, "evnt: Extra inputs are not permitted"),
            ({"event": ""}, "event: String should have at least 1 character"),
            ({"event": "no!"}, 'event: "no!" does not match "^[^!]*$"'),
            ("[1]", "Input should be an object"),
        ],
    )
    def test_parameters_that_are_not_valid(self, tmp_path: Path, arguments: Any, words: str):
        assert answer(tmp_path, "return ''", arguments) == f"Error: Invalid parameters - {words}"

    def test_a_handler_that_takes_too_long(self, tmp_path: Path):
        began = time.monotonic()
        assert answer(tmp_path, "import time; time.sleep(60)") == "Error: Tool execution timed out"
        assert time.monotonic() - began < 30

    @some_of(2, "value", ["None", "3", "b'bytes'", "{'a': 1}", "object()", "['x']"])
    def test_a_result_that_is_no_text(self, tmp_path: Path, value: str):
        assert answer(tmp_path, f"return {value}") == "Error: Tool must return string"

    @some_of(
        2,
        ("fault", "words"),
        [
            ("ValueError('Unknown tool: log')", "Unknown tool: log"),
            ("KeyError('order')", "missing key 'order'"),
            ("RuntimeError", "RuntimeError"),
            ("Exception('Error: no such order')", "no such order"),
        ],
    )
    def test_a_handler_that_raises(self, tmp_path: Path, fault: str, words: str):
        assert answer(tmp_path, f"raise {fault}") == f"Error: {words}"


class TestLimits:
    def test_arguments_of_more_than_2_kilobytes(self, tmp_path: Path):
        told = answer(tmp_path, "return 'x'", {"event": "x" * 2100})
        assert told.startswith("Error: Invalid parameters - 2")
        assert answer(tmp_path, "return 'x'", {"event": "x" * 2000}) == "x"

    def test_results_of_1000_characters(self, tmp_path: Path):
        assert answer(tmp_path, "return 'x' * 999") == "x" * 999
        assert answer(tmp_path, "return 'x' * 1000").startswith("Error: Tool result is too long")

    def test_an_error_is_short_too(self, tmp_path: Path):
        told = answer(tmp_path, "return 'x'", {"event": "!" * 2000})
        assert told.startswith("Error: Invalid parameters - event: ")
        assert len(told) < 1000

    @some_of(2, "result", ['{"logged": 1}', "[1]", " ", "error: no", "a\x00b", "Error: "])
    def test_plain_text_where_it_is_asked_for(self, tmp_path: Path, result: str):
        told = answer(tmp_path, f"return {result!r}", plain=True)
        assert told.startswith("Error: ")
        assert (result.startswith("Error: ")) or "must return plain text" in told
        assert answer(tmp_path, f"return {result!r}") == result

    def test_the_time_limit_can_be_set(self, tmp_path: Path):
        assert answer(tmp_path, "import time; time.sleep(0.3); return 'late'", seconds=20.0) == "late"


HOSTILE = {
    "sleeps": ("import time\ntime.sleep(60)", "timed out"),
    "spins": ("while True: pass", "timed out"),
    "ends": ("import os\nos._exit(3)", "Tool process ended (exit code 3)"),
    "exits": ("raise SystemExit(3)", "3"),
    "is killed": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "Tool process ended (signal 9)"),
    "raises": ("class Odd(BaseException): pass\nraise Odd('odd')", "odd"),
    "raises something without words": ("class Odd(Exception):\n    def __str__(self): raise Odd\nraise Odd", "Odd"),
    "recurses": ("return handle_tool_call(tool_name, tool_input)", "recursion"),
    "fills the memory": ("return 'x' * (1 << 34)", "MemoryError"),
    "returns much": ("return 'x' * 10_000_000", "too long (10,000,000 characters; 65,536 are the most)"),
    "returns half a letter": ("return chr(0xD800)", "must return string"),
    "returns a text that lies": ("class Text(str):\n    def __len__(self): return 1\nreturn Text('x' * 100)", ""),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_handler_that_means_harm_is_an_error_and_the_next_call_is_served(tmp_path: Path, name: str):
    body, words = HOSTILE[name]
    once = f"if tool_input['event'] == 'good': return 'fine'\n{body}"
    with handlers(tmp_path, once) as found:
        assert found.call("log", {"event": "good"}) == "fine"
        told = found.call("log", {"event": "bad"})
        assert told.startswith("Error: ") or name == "returns a text that lies"
        assert words in told
        assert found.call("log", {"event": "good"}) == "fine"


def test_what_a_handler_prints_goes_nowhere(tmp_path: Path, capfd):
    body = "import os, sys\nprint('noise', flush=True)\nos.write(1, b'more')\nos.write(2, b'more')\nsys.stderr.write('x')\nreturn 'quiet'"
    assert answer(tmp_path, body) == "quiet"
    assert capfd.readouterr() == ("", "")


def test_a_handler_sees_none_of_our_environment_and_files(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    told = answer(tmp_path, "import os, json; return json.dumps(dict(os.environ))")
    assert set(json.loads(told)) <= {"PATH", "LANG", "TZ", "PYTHONHASHSEED", "LC_CTYPE", "TMPDIR"}
    secret = tmp_path / "secret.txt"
    with secret.open("w") as ours:
        os.set_inheritable(ours.fileno(), True)
        told = answer(
            tmp_path,
            "import os; return ' '.join(os.path.realpath(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd'))",
        )
    assert "secret" not in told


@some_of(2, "leaves", ["pass", "os.setsid()"])
def test_a_handler_that_forks_answers_once_and_leaves_nothing_running(tmp_path: Path, leaves: str):
    body = f"import os, time\npid = os.fork()\nif pid == 0:\n    {leaves}\n    time.sleep(600)\ntime.sleep(0.05)\nreturn str(pid)"
    with handlers(tmp_path, body, seconds=10.0) as found:
        pid = int(found.call("log", {"event": "x"}))
        found.close()
        assert _ends(pid)


def test_a_handler_that_forks_and_goes_on_in_both_answers_once(tmp_path: Path):
    with handlers(tmp_path, "import os\nos.fork()\nreturn str(len(tool_input))", seconds=10.0) as found:
        assert [found.call("log", {"event": "x"}) for _ in range(3)] == ["2", "2", "2"]


def test_when_our_process_is_killed_its_handlers_end_too(tmp_path: Path):
    with handlers(tmp_path, "import os\nreturn str(os.getpid())"):
        pass
    program = (
        "import sys; from datetime import date; from generator.world.backends.lifecycle import Handlers;"
        "h = Handlers(sys.argv[1]); h.open(1, date(2026, 1, 1)); print(h.call('log', {'event': 'x'}), flush=True);"
        "import time; time.sleep(600)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "character.py")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as ours:
        pid = int(ours.stdout.readline())
        ours.kill()
        ours.wait()
    assert _ends(pid)


def _ends(pid: int) -> bool:
    """Whether a process comes to its end within a few seconds."""
    for _ in range(200):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.05)
    return False


class TestHarm:
    """What is done to the wire, the import and the system, not only to one call."""

    ONCE = "if tool_input['event'] == 'good': return 'fine'\n"
    EVERYWHERE = "import os\nfor n in range(3, 3000):\n    for data in (b'', b'\\0\\0', b'\\xff' * 9):\n        try: os.write(n, data)\n        except OSError: break\n"

    @pytest.mark.parametrize(
        ("body", "told"),
        [
            (EVERYWHERE + "return 'heard'", "heard"),
            (EVERYWHERE + "import time; time.sleep(60)", "Error: Tool execution timed out"),
            ("import os; os.closerange(3, 1 << 16)\nreturn 'x'", "Error: "),
            ("import gc\nwire = [w for w in gc.get_objects() if type(w).__name__ == 'Wire'][-1]\nwire.send({'result': 5})\nimport time; time.sleep(60)", "Error: Tool process ended (it sent something else"),
            ("import gc\nwire = [w for w in gc.get_objects() if type(w).__name__ == 'Wire'][-1]\nwire.end.shutdown(2)\nimport time; time.sleep(60)", "Error: Tool process ended"),
        ],
    )  # fmt: skip
    def test_the_wire_is_out_of_reach_and_the_next_call_is_served(self, tmp_path: Path, body: str, told: str):
        with handlers(tmp_path, self.ONCE + body, seconds=1.0) as found:
            assert found.call("log", {"event": "bad"}).startswith(told)
            assert found.call("log", {"event": "good"}) == "fine"

    @pytest.mark.parametrize(
        ("before", "told"),
        [
            ("import os; os.fork()", ""),
            ("import os\nfor n in range(3, 3000):\n    try: os.write(n, b'\\0\\0')\n    except OSError: pass", ""),
            ("import os, sys\nprint('needs a licence', file=sys.stderr)\nos._exit(3)", "its process ended (exit code 3); it said: needs a licence"),
            ("import time; time.sleep(60)", "cannot be imported: no answer within 2 seconds"),
            ("import os\nfor _ in range(30):\n    if os.fork() == 0: __import__('time').sleep(60)", "it starts more than 16 processes"),
        ],
    )  # fmt: skip
    def test_an_import_that_means_harm_costs_one_limit_and_is_told(self, tmp_path: Path, before: str, told: str):
        def begin() -> str:
            with handlers(
                tmp_path,
                "return 'fine'",
                before=before,
                start_seconds=2.0 if before[-9:] == "sleep(60)" else 30.0,
                seconds=5.0,
            ) as found:
                return found.call("log", {"event": "x"})

        if told:
            with pytest.raises(SpecError, match=re.escape(told)):
                begin()
        else:
            assert begin() == "fine"

    def test_many_processes_stop_it_all(self, tmp_path: Path):
        body = "import os, time\nfor _ in range(40):\n    if os.fork() == 0: time.sleep(600)\nreturn 'x'"

        def talk(found: Handlers) -> None:
            for _ in range(3):
                found.call("log", {"event": "x"})
                found.open(8, TODAY)

        with handlers(tmp_path, body, seconds=30.0) as found, pytest.raises(SpecError, match="more than 16 processes"):
            talk(found)

    @pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock")
    def test_it_reads_no_environment_of_ours_and_no_files_elsewhere(self, tmp_path: Path, monkeypatch):
        home = tmp_path / "home"
        home.mkdir()
        (home / "secret").write_text("s3cret")
        place = tmp_path / "modules"
        place.mkdir()
        body = "try: return open(tool_input['event']).read() or 'empty'\nexcept OSError as fault: return type(fault).__name__"
        with handlers(place, body, seconds=10.0) as found:
            for path in (f"/proc/{os.getpid()}/environ", f"/proc/{os.getppid()}/environ", str(home / "secret")):
                assert found.call("log", {"event": path}) == "PermissionError"
            assert "TOOLS" in found.call("log", {"event": str(place / "character.py")})


class TestState:
    COUNT = "global n\nn += 1\nreturn f'{n} {tool_input[\"event\"]}'"

    def test_lasts_for_one_conversation_and_is_fresh_for_the_next(self, tmp_path: Path):
        with handlers(tmp_path, self.COUNT, before="n = 0") as found:
            assert [found.call("log", {"event": "a"}) for _ in range(3)] == ["1 a", "2 a", "3 a"]
            found.open(8, TODAY)
            assert found.call("log", {"event": "b"}) == "1 b"

    def test_of_a_class_is_fresh_too(self, tmp_path: Path):
        before = "class PromptGenerator:\n    seen = []\n    def handle_tool_call(self, name, given):\n        self.seen.append(1); return str(len(self.seen))"
        with handlers(tmp_path, "return ''", before=before) as found:
            for _ in range(2):
                found.open(1, TODAY)
                assert [found.call("log", {"event": "a"}) for _ in range(2)] == ["1", "2"]

    def test_outlives_a_crash(self, tmp_path: Path):
        body = f"import os\nif tool_input['event'] == 'die': os._exit(1)\n{self.COUNT}"
        with handlers(tmp_path, body, before="n = 0") as found:
            events = ["a", "b", "die", "c"]
            told = [found.call("log", {"event": event}) for event in events]
            assert [told[0], told[1], told[3]] == ["1 a", "2 b", "3 c"]


class TestSameEachTime:
    BODY = (
        "import datetime, os, random, secrets, time, uuid\nfrom datetime import date\n"
        "return ' '.join(map(str, [random.random(), uuid.uuid4(), secrets.token_hex(4), os.urandom(2).hex(), time.time(),"
        " date.today(), datetime.datetime.now(), time.strftime('%H:%M'), list({'a', 'b', 'c', 'd'}),"
        " isinstance(datetime.date(2020, 1, 1), date), datetime.datetime(2020, 1, 1) + datetime.timedelta(1)]))"
    )

    def test_chance_and_clock_come_from_the_conversation(self, tmp_path: Path):
        told = []
        for _ in range(2):
            with handlers(tmp_path, self.BODY, seconds=10.0) as found:
                told.append(found.call("log", {"event": "x"}))
                found.open(8, TODAY)
                told.append(found.call("log", {"event": "x"}))
        assert told[0] == told[2]
        assert told[1] == told[3]
        assert told[0] != told[1]
        assert "2026-03-14" in told[0]
        assert "12:00" in told[0]


def test_a_module_that_failed_to_load_is_told(tmp_path: Path):
    path = tmp_path / "character.py"
    path.write_text("TOOLS = 3")
    with pytest.raises(SpecError, match=r"FAILED_VALIDATION: TypeError: TOOLS: a list or None is expected, not int"):
        Handlers(str(path))
