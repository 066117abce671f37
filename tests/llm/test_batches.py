"""Requests in batches: one file for many, half the price, and a batch that was sent before is never sent again."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from command import command
from llm_server import fake_server, obliging, purpose
from scripted_llm import Fake, Serving, serving

from generator.core.errors import LlmError
from generator.llm import ModelAnswer, Request
from generator.llm import batches as module
from generator.llm.asking import Estimated, estimate_in_words
from generator.llm.session import Session, open_session
from generator.recipe.llm import Llm, Price

T = TypeVar("T")
PRICE = Price(input=1.0, output=2.0)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET", 0.05)
    monkeypatch.setattr(module, "FIRST_PAUSE", 0.02)


def ask(
    folder: Path, body: Callable[[Session, Serving], Awaitable[T]], server: Serving | None = None, **fake: Any
) -> T:
    """Run `body` with a session that asks in batches."""

    async def run() -> T:
        async with serving(Fake(**fake)) as serving_now:
            if server is not None:  # goes on with what another one held
                serving_now.files, serving_now.batches, serving_now.looks = server.files, server.batches, server.looks
            llm = Llm(model="openai/m", api_base=serving_now.base, batch=True, concurrency=1, price=PRICE, timeout=10)
            async with open_session(llm, folder / "c.sqlite", "run") as session:
                return await body(session, serving_now)

    return asyncio.run(run())


async def say(session: Session, *texts: str) -> list[ModelAnswer]:
    return await asyncio.gather(*[session.answer(Request(messages=(("user", text),))) for text in texts])


TEXTS = [f"text {number}" for number in range(40)]


def test_requests_go_together_and_answers_find_their_way_back_for_half_the_price(tmp_path: Path):
    async def body(session: Session, server: Serving) -> list[int]:
        answers = await say(session, *TEXTS)
        assert [answer.text for answer in answers] == TEXTS  # whatever the order of the lines
        sent, received = session.account.prompt_tokens, session.account.completion_tokens
        assert session.account.usd == pytest.approx((sent * 1.0 + received * 2.0) / 2 / 1e6)
        assert [answer.text for answer in await say(session, *TEXTS)] == TEXTS  # from the cache
        return [len(lines) for lines in server.batches.values()]

    assert ask(tmp_path, body) == [40]


def test_a_request_that_fails_in_a_batch_is_asked_again_in_another(tmp_path: Path):
    async def body(session: Session, server: Serving) -> None:
        assert [answer.text for answer in await say(session, *TEXTS)] == TEXTS
        sizes = [len(lines) for lines in server.batches.values()]
        assert sizes[0] == 40
        assert 0 < sizes[1] < 40
        assert session.account.retries == sum(sizes[1:])

    ask(tmp_path, body, rate_limited=0.1)


def test_what_the_model_does_not_take_is_left_out_of_the_next_batch(tmp_path: Path):
    async def body(session: Session, server: Serving) -> None:
        assert [answer.text for answer in await say(session, *TEXTS)] == TEXTS
        assert [len(lines) for lines in server.batches.values()] == [40, 40]
        assert "temperature" not in server.asked[-1]

    ask(tmp_path, body, refuse=lambda asked: "temperature is not supported" if "temperature" in asked else "")


async def interrupted(session: Session, server: Serving) -> Serving:
    asking = asyncio.ensure_future(say(session, *TEXTS))
    while not any(server.looks.values()):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    asking.cancel()
    return server


def test_the_same_command_takes_what_a_batch_answers_that_was_sent_before_it_was_interrupted(tmp_path: Path):
    first = ask(tmp_path, interrupted, looks=10**6)

    async def body(session: Session, server: Serving) -> int:
        assert [answer.text for answer in await say(session, *TEXTS[:-1], "another")] == [*TEXTS[:-1], "another"]
        return len(server.batches)

    assert ask(tmp_path, body, first) == 2  # that of before, and one for what is new


def test_a_batch_that_is_not_there_any_more_is_asked_anew(tmp_path: Path):
    ask(tmp_path, interrupted, looks=10**6)

    async def again(session: Session, server: Serving) -> None:
        assert [answer.text for answer in await say(session, *TEXTS)] == TEXTS
        assert len(server.batches) == 1

    ask(tmp_path, again)  # another server, which knows nothing of it


@pytest.mark.parametrize(
    ("fake", "settings", "fault"),
    [
        ({"fails_batch": "Enqueued token limit reached"}, {}, "Enqueued token limit reached"),
        ({}, {"model": "local", "api_base": None}, "takes no batches"),
        ({}, {"model": "anthropic/claude-x", "api_base": None}, "batches go to openai, azure, hosted_vllm"),
    ],
)
def test_who_takes_no_batches_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake: dict[str, Any], settings: dict[str, Any], fault: str
):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")

    async def run() -> None:
        async with serving(Fake(**fake)) as server:
            given = {"model": "openai/m", "api_base": server.base, **settings}
            async with open_session(Llm(batch=True, **given), tmp_path / "c.sqlite", "run") as session:
                await say(session, "hello")

    with pytest.raises(LlmError, match=fault):
        asyncio.run(run())


def test_an_estimate_has_half_the_price():
    asked = Estimated(requests=1, sent=1_000_000, received=500_000)
    assert "about $2.0000" in estimate_in_words(asked, Llm(model="x", price=PRICE))
    assert "about $1.0000" in estimate_in_words(asked, Llm(model="x", price=PRICE, batch=True))


RECIPE = """
name: asked
seed: 3
rows: 8
tools: [tools.json]
scenarios: [single]
formats: [openai]
arguments: {{source: llm}}
judge: {{threshold: 2}}
llm: {{model: openai/some, api_base: "{base}", pool: 16, price: {{input: 1, output: 1}}{more}}}
"""
TOOL = {
    "name": "count_up",
    "description": "Count up to a number.",
    "parameters": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
}


def test_pools_of_a_run_come_from_batches_and_rows_are_judged_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    cli = command(monkeypatch, capsys)
    tools = [{**TOOL, "name": f"count_{name}"} for name in ("sheep", "cars", "days")]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    costs = []
    with fake_server(reply=obliging) as server:
        for more in (", batch: true", ""):
            (tmp_path / "asked.yaml").write_text(RECIPE.format(base=server.base, more=more))
            plan = cli("run", tmp_path / "asked.yaml", "--out", tmp_path / "out", "--dry-run").out
            costs.append(re.findall(r"about \$([0-9.]+)", plan)[0])
            done = cli("run", tmp_path / "asked.yaml", "--out", tmp_path / "out")
            assert done.code == 0, done.err
        lines = [line for lines in server.batches.values() for line in lines]
        asked = len(server.asked)
    assert {purpose(line["body"]) for line in lines} == {"arguments"}
    assert asked - len(lines) == 8  # one judgement a row; the second run has nothing to ask
    assert float(costs[0]) < float(costs[1])
    assert len((tmp_path / "out" / "openai.jsonl").read_text().splitlines()) == 8
