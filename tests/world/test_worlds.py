"""Backends that answer from elsewhere than a schema: all have one protocol, and the same steps give the same outcomes."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from generator.core.conversation import ToolCall
from generator.core.errors import SpecError
from generator.core.planning import Outcome
from generator.core.text_grammars import Grammar
from generator.world.backends.external import Http, HttpLimits, Mixed, PythonTools, Recorded
from generator.world.backends.process import Limits

TODAY = date(2026, 3, 14)
MODULE = """
import json, random
TOOLS = [{"type": "function", "function": {"name": "roll", "description": "Roll.",
          "parameters": {"type": "object", "properties": {"sides": {"type": "integer"}}, "required": ["sides"]}}}]
rolled = []
def handle_tool_call(tool_name, tool_input):
    rolled.append(random.randint(1, tool_input["sides"]))
    return json.dumps({"rolled": rolled})
"""


def call(name: str = "roll", **arguments: object) -> ToolCall:
    return ToolCall("id", name, arguments)


@pytest.fixture
def dice(tmp_path: Path) -> Iterator[PythonTools]:
    (tmp_path / "dice.py").write_text(MODULE)
    backend = PythonTools(str(tmp_path / "dice.py"), Limits(seconds=10.0))
    yield backend
    backend.stop()


class TestPython:
    def test_the_same_steps_give_the_same_outcomes_and_others_give_others(self, dice: PythonTools):
        steps = [[call(sides=1000)], [call(sides=1000), call(sides="x"), call("rol")]]
        told = []
        for salt in (1, 1, 2):
            with dice.open(TODAY, salt) as world:
                told.append([world.step(step) for step in steps])
        assert told[0] == told[1] != told[2]
        ((first,), (second, invalid, unknown)) = told[0]
        assert first.ok
        assert second.value["rolled"][0] == first.value["rolled"][0]
        assert invalid == Outcome(False, "Error: Invalid parameters - sides: Input should be a valid integer")
        assert unknown == Outcome(False, "Error: Unknown tool: rol")

    def test_a_copy_of_our_process_has_a_child_of_its_own(self, dice: PythonTools):
        with dice.open(TODAY, 5) as world:
            expected = world.step([call(sides=10**9)])
            reads, writes = os.pipe()
            pid = os.fork()
            if pid == 0:
                with dice.open(TODAY, 5) as other:
                    os.write(writes, b"same" if other.step([call(sides=10**9)]) == expected else b"other")
                dice.stop()
                os._exit(0)
            os.waitpid(pid, 0)
            assert os.read(reads, 10) == b"same"
            assert len(world.step([call(sides=6)])[0].value["rolled"]) == 2


class TestRecorded:
    def test_answers_in_turn_and_again_in_each_conversation(self, tmp_path: Path):
        lines = [
            {"tool": "get", "arguments": {"a": 1, "b": 2}, "result": {"n": 1}},
            {"tool": "get", "arguments": {"b": 2, "a": 1}, "result": "second"},
            {"tool": "get", "arguments": {}, "error": "no such thing"},
        ]
        path = tmp_path / "calls.jsonl"
        path.write_text("\n".join(map(json.dumps, lines)))
        backend = Recorded(path)
        for _ in range(2):
            with backend.open(TODAY, 0) as world:
                told = [world.step([call("get", a=1, b=2)])[0] for _ in range(3)]
                assert [outcome.content for outcome in told] == ['{"n": 1}', "second", "second"]
                assert told[0].value == {"n": 1}
                assert world.step([call("get"), call("put")]) == (
                    Outcome(False, "Error: no such thing"),
                    Outcome(False, "Error: No answer is recorded for put with these arguments"),
                )

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "calls.jsonl:1: no call is recorded"),
            ('{"tool": "a", "arguments": {}}', "either 'result' or 'error'"),
            ('\n{"tool": "a", "arguments": [], "result": 1}', "calls.jsonl:2: arguments: a mapping is expected"),
            ('{"tool": "a", "args": {}, "result": 1}', 'unknown key (did you mean "arguments"?)'),
        ],
    )
    def test_a_file_that_is_wrong_is_told(self, tmp_path: Path, text: str, words: str):
        path = tmp_path / "calls.jsonl"
        path.write_text(text)
        with pytest.raises(SpecError) as caught:
            Recorded(path)
        assert words in str(caught.value)


@contextmanager
def server(answers: list[tuple[int, bytes]]) -> Iterator[tuple[str, list[dict]]]:
    """A server that gives these answers in turn, the last one from then on; what it is asked is kept."""
    asked: list[dict] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            status, body = answers[min(len(asked), len(answers)) - 1]
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_): ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as found:
        threading.Thread(target=found.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{found.server_port}/", asked
        finally:
            found.shutdown()


class TestHttp:
    def ask(self, *answers: tuple[int, bytes]) -> tuple[Outcome, list[dict]]:
        with server(list(answers)) as (url, asked), Http(url, HttpLimits(longest_wait=0.01)).open(TODAY, 3) as world:
            return world.step([call(sides=6)])[0], asked

    def test_name_and_arguments_are_posted_and_the_body_is_the_result(self):
        outcome, asked = self.ask((200, b'{"rolled": 4}'))
        assert outcome == Outcome(True, '{"rolled": 4}', {"rolled": 4})
        assert asked == [{"name": "roll", "arguments": {"sides": 6}, "conversation": "3", "today": "2026-03-14"}]

    def test_a_failure_that_may_pass_is_tried_again(self):
        outcome, asked = self.ask((503, b""), (429, b""), (200, b"ok"))
        assert (outcome, len(asked)) == (Outcome(True, "ok", "ok"), 3)

    @pytest.mark.parametrize(
        ("status", "body", "content", "attempts"),
        [
            (200, b"Error: no such order", "Error: no such order", 1),
            (404, b"<html>", "Error: Tool server answered 404", 1),
            (422, b"Error: sides is too small", "Error: sides is too small", 1),
            (302, b"", "Error: Tool server answered 302", 1),
            (500, b"", "Error: Tool server answered 500", 4),
            (200, b"\xff\xfe", "Error: Tool must return string", 1),
            (200, b"x" * (2 << 20), "Error: Tool result is too long (more than 1,048,576 bytes)", 1),
        ],
    )
    def test_failures_are_outcomes(self, status: int, body: bytes, content: str, attempts: int):
        outcome, asked = self.ask((status, body))
        assert (outcome, len(asked)) == (Outcome(False, content), attempts)

    def test_a_server_that_is_not_there(self):
        with server([(200, b"")]) as (url, _):
            pass
        with Http(url, HttpLimits(attempts=2, longest_wait=0.01)).open(TODAY, 3) as world:
            (outcome,) = world.step([call()])
        assert (outcome.ok, outcome.content.startswith("Error: Tool server cannot be reached")) == (False, True)


def test_each_tool_is_answered_by_its_own_backend(tmp_path: Path, dice: PythonTools):
    path = tmp_path / "calls.jsonl"
    path.write_text('{"tool": "get", "arguments": {}, "result": "recorded"}')
    with Mixed(Recorded(path), {"roll": dice}).open(TODAY, 1) as world:
        first, second, third = world.step([call(sides=6), call("get"), call(sides=6)])
    assert second.content == "recorded"
    assert len(first.value["rolled"]) == 1
    assert len(third.value["rolled"]) == 2


def test_texts_by_number_differ_and_places_share_none():
    """Numbers that follow each other give different texts, and no text belongs to two places."""
    grammar = Grammar(["{a|b|c} {d|e|f|g}", "{Old|New} {Mill|Inn|Court} {North|South}"])
    assert grammar.count == 24
    assert len({grammar.text(number) for number in range(1000, 1000 + grammar.count)}) == grammar.count
    shares = [{grammar.text(number, place, 5) for number in range(40)} for place in range(5)]
    assert [len(share) for share in shares] == [4] * 5
    assert len(set().union(*shares)) == 20
    with pytest.raises(ValueError, match="brace"):
        Grammar(["{a|b"])
