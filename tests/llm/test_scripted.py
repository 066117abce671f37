"""The scripted server as a program: how long it serves, and what its judge says."""

import json
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import urlopen

import pytest
import scripted_llm
from scripted_llm import plain_reply


@contextmanager
def program(*flags: str, **more: Any) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server and its address."""
    command = [sys.executable, str(scripted_llm.__file__), *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **more) as server:
        try:
            assert server.stdout is not None
            yield server, server.stdout.readline().split()[-1]
        finally:
            server.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_without_standard_input_it_serves_until_a_signal(number: signal.Signals):
    with program(stdin=subprocess.DEVNULL) as (server, base):
        for _ in range(2):
            with urlopen(f"{base}/models", timeout=10) as answer:
                assert json.load(answer) == {"object": "list", "data": []}
        with pytest.raises(subprocess.TimeoutExpired):
            server.wait(0.3)
        server.send_signal(number)
        assert server.wait(20) == 0


def test_it_ends_with_its_standard_input_when_told():
    with program("--until-eof", stdin=subprocess.PIPE) as (server, _):
        assert server.stdin is not None
        server.stdin.close()
        assert server.wait(20) == 0


def test_its_judge_gives_different_scores_and_the_same_for_the_same_row():
    schema = {
        "type": "object",
        "properties": {"reason": {"type": "string"}, "score": {"type": "integer", "minimum": 1}},
    }
    asked = [
        {"messages": [{"role": "user", "content": f"row {n}"}], "response_format": {"json_schema": {"schema": schema}}}
        for n in range(200)
    ]
    scores = Counter(json.loads(plain_reply(one))["score"] for one in asked)
    assert set(scores) == {2, 3, 4, 5}
    assert scores[2] < 50
    assert [plain_reply(one) for one in asked] == [plain_reply(one) for one in asked]
