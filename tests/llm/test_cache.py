"""Answers on disk: kept when a process is killed, shared by several, named by all that they depend on."""

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.errors import LlmError, OutputError
from generator.llm import Asker, ModelAnswer, Request
from generator.llm.asking import Account, cache_key
from generator.llm.cache import Cache
from generator.recipe.llm import Llm

LLM = Llm(model="m")


def write_many(path: Path, who: int, count: int) -> None:
    cache = Cache(path, f"run {who}")
    for number in range(count):
        cache.put([(number.to_bytes(4, "big"), ModelAnswer(text=f"{who}: {number}"))], Account(requests=number + 1))
    cache.close()


def test_the_first_answer_stays(tmp_path: Path):
    cache = Cache(tmp_path / "deep" / "c.sqlite", "run")
    assert cache.get(b"key") is None
    first, second = ModelAnswer(text="first ☃", prompt_tokens=3, usd=0.5), ModelAnswer(text="second")
    assert cache.put([(b"key", first), (b"other", second)], Account()) == [first, second]
    assert cache.put([(b"key", second)], Account()) == [first]
    assert cache.get(b"key") == first


def test_several_processes_share_a_file(tmp_path: Path):
    path = tmp_path / "c.sqlite"
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_many, args=(path, who, 150)) for who in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    texts = {Cache(path, "").get(number.to_bytes(4, "big")).text.partition(": ")[2] for number in range(150)}  # type: ignore[union-attr]
    assert texts == {str(number) for number in range(150)}
    assert [Cache(path, f"run {who}").account().requests for who in range(3)] == [150] * 3


WRITER = """
import itertools, sys
from pathlib import Path
from generator.llm import ModelAnswer
from generator.llm.asking import Account
from generator.llm.cache import Cache
cache = Cache(Path(sys.argv[1]), "run")
for number in itertools.count():
    cache.put([(number.to_bytes(4, "big"), ModelAnswer(text="x" * 500))], Account(requests=number + 1))
    print(number, flush=True)
"""


def test_a_killed_process_loses_no_answer(tmp_path: Path):
    path = tmp_path / "c.sqlite"
    most = 0
    for delay in (0.3, 0.1, 0.2):
        process = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)
        told = process.stdout.read().splitlines()
        process.wait()
        process.stdout.close()
        cache = Cache(path, "run")
        last = max([int(line) for line in told[:-1]], default=0)
        assert all(cache.get(number.to_bytes(4, "big")) is not None for number in range(last + 1))
        stored = cache.account().requests
        assert (
            cache.get((stored - 1).to_bytes(4, "big")) is not None
        )  # the account is that of the answers, to the last one
        if stored > most:
            assert cache.get(stored.to_bytes(4, "big")) is None
            most = stored
        cache.close()


def test_what_is_no_cache_is_told(tmp_path: Path):
    path = tmp_path / "c.sqlite"
    with pytest.raises(OutputError, match=r"c\.sqlite: there is no such file, and --llm-cache-only"):
        Cache(path, "run", must_exist=True)
    path.write_text("something else, and long enough to be looked at " * 50)
    with pytest.raises(OutputError, match=r"c\.sqlite: cannot be used as a cache of answers"):
        Cache(path, "run")
    path.unlink()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 77")
    with pytest.raises(OutputError, match="version 77, not 1"):
        Cache(path, "run")


@pytest.mark.parametrize(
    "damaged", [b"", b"{", b'{"text": 1, "requests": "many"}', b"\xff", b'{"text":"\xff","requests":"\xff"}', 7, "[]"]
)
def test_a_damaged_entry_is_told_with_its_file(tmp_path: Path, damaged: object):
    path = tmp_path / "c.sqlite"
    cache = Cache(path, "run")
    cache.put([(b"key", ModelAnswer(text="a"))], Account(requests=1))
    with sqlite3.connect(path) as db:
        db.execute("UPDATE answers SET answer = ?", (damaged,))
        db.execute("UPDATE accounts SET account = ?", (damaged,))
    with pytest.raises(OutputError, match=r"c\.sqlite: the cache of answers holds a damaged answer"):
        cache.get(b"key")
    with pytest.raises(OutputError, match=r"c\.sqlite: the cache of answers holds a damaged account"):
        cache.account()
    cache.close()


requests = st.builds(
    Request,
    messages=st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), st.text(max_size=5)), max_size=3).map(
        tuple
    ),
    schema=st.none() | st.dictionaries(st.text(max_size=3), st.integers() | st.text(max_size=3), max_size=2),
    nth=st.integers(0, 3),
)
settings = st.builds(
    Llm,
    model=st.sampled_from(["a", "b"]),
    temperature=st.none() | st.sampled_from([0.0, 1.0]),
    max_tokens=st.sampled_from([10, 20]),
)


@given(requests, settings, requests, settings)
def test_names_tell_apart_all_that_matters(left: Request, own: Llm, right: Request, other: Llm):
    same = (left.messages, left.schema, left.nth, own) == (right.messages, right.schema, right.nth, other)
    assert (cache_key(left, own) == cache_key(right, other)) == same


@given(requests, settings)
def test_and_nothing_else(request: Request, own: Llm):
    others = msgspec.structs.replace(own, api_base="http://x/v1", concurrency=3, timeout=1.0, api_key_env="K", pool=1)
    assert cache_key(msgspec.structs.replace(request, use="judge", again=True), others) == cache_key(request, own)


def test_an_asker_waits_for_all_answers_at_once():
    asked = [Request(messages=(("user", text),)) for text in "abc"]
    waited: list[tuple[Request, ...]] = []

    def wait(requests: tuple[Request, ...]) -> tuple[ModelAnswer, ...]:
        waited.append(requests)
        return tuple([ModelAnswer(text=request.messages[0][1].upper()) for request in requests])

    asker = Asker(LLM, wait)
    assert [answer.text for answer in asker.ask(*asked)] == ["A", "B", "C"]
    assert asker.ask() == ()
    assert waited == [tuple(asked)]
    with pytest.raises(LlmError, match="nobody is asked here"):
        Asker(LLM).ask(*asked)
