"""One callable in front of a server that misbehaves in every way there is."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from llm_server import fake_server
from msgspec.structs import replace
from scripted_llm import Fake, Serving, serving

from generator.core.errors import LlmError, StoppedError
from generator.llm import ModelAnswer, Request
from generator.llm.asking import AnsweredCall
from generator.llm.cache import Cache
from generator.llm.providers import LitellmProvider, Secrets, seconds_of
from generator.llm.session import Pace, Session, open_session
from generator.recipe.llm import Budget, Llm, Price

T = TypeVar("T")
KEY = "sk-test-1234567890abcdef"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def ask(
    tmp_path: Path,
    body: Callable[[Session, Serving], Awaitable[T]],
    settings: dict[str, Any] | None = None,
    **fake: Any,
) -> T:
    """Run `body` with a session whose server is on the next port; retries are quick."""

    async def run() -> T:
        async with serving(Fake(**fake)) as server:
            llm = Llm(**{"model": "m", "api_base": server.base, "timeout": 5.0, **(settings or {})})
            cache = Cache(tmp_path / "c.sqlite", "run")
            provider = LitellmProvider(llm, KEY)
            session = Session(llm, {"": provider}, cache, Secrets(KEY), first_wait=0.01)
            try:
                return await body(session, server)
            finally:
                await session.close()
                await provider.close()
                cache.close()

    return asyncio.run(run())


def failed(code: int, headers: dict[str, str] | None = None) -> tuple[int, str, dict[str, str]]:
    return code, '{"error": {"message": "no"}}', headers or {}


async def say(session: Session, text: str = "hello", **more: Any) -> ModelAnswer:
    return await session.complete([("user", text)], **more)


CALLING = {
    "content": None,
    "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "water", "arguments": '{"litres": 2}'}},
        {"id": "b", "type": "function", "function": {"name": "water", "arguments": '{"litres": 3}'}},
    ],
}
WITH_TOOLS = Request(
    turns=(
        {"role": "user", "content": "Water the fern, then twice more."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "water", "arguments": '{"litres":1}'}}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "done"},
    ),
    tools=({"type": "function", "function": {"name": "water", "parameters": {"type": "object", "maximum": 10**30}}},),
)


def check_tools(answer: ModelAnswer, asked: list[Any]) -> None:
    """The server got messages and tools as they are, once, and both calls came back."""
    assert answer.calls == (AnsweredCall("water", '{"litres": 2}'), AnsweredCall("water", '{"litres": 3}'))
    assert (answer.text, answer.fault) == ("", "")
    (body,) = asked
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "tool"]
    assert body["messages"][1]["tool_calls"] == list(WITH_TOOLS.turns[1]["tool_calls"])
    assert [tool["function"]["name"] for tool in body["tools"]] == ["water"]


class TestAnswers:
    def test_text_and_usage_come_back(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            answer = await say(session, "some words that are echoed")
            assert (answer.text, answer.fault) == ("some words that are echoed", "")
            assert answer.prompt_tokens > 0
            assert session.account.requests == 1
            sent = server.asked[0]
            assert (sent["model"], sent["messages"]) == ("m", [{"role": "user", "content": answer.text}])
            assert "response_format" not in sent
            assert server.headers[0]["Authorization"] == f"Bearer {KEY}"

        ask(tmp_path, body)

    @pytest.mark.parametrize(
        ("mode", "kind"), [("json_schema", "json_schema"), ("json_object", "json_object"), ("text", None)]
    )
    def test_json_is_asked_for_as_the_recipe_says(self, tmp_path: Path, mode: str, kind: str | None):
        async def body(session: Session, server: Serving) -> None:
            await say(session, schema=SCHEMA)
            assert server.asked[0].get("response_format", {}).get("type") == kind

        ask(tmp_path, body, {"json_mode": mode})

    def test_the_nth_answer_is_another_question(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            for nth in (0, 1, 2, 1, 0):
                await say(session, nth=nth)
            assert len(server.asked) == 3
            assert len({asked["seed"] for asked in server.asked}) == 3

        ask(tmp_path, body)

    @pytest.mark.parametrize(
        ("fake", "fault"),
        [
            ({"truncated": 1.0}, "cut off"),
            ({"reply": lambda asked: "x" * 1_000_000}, "too long"),
            ({"reply": lambda asked: "x" * 6_000_000}, "too long"),
            ({"reply": lambda asked: " \n "}, "empty"),
            ({"reply": lambda asked: f"your key is {KEY}"}, "holds a secret"),
        ],
    )
    def test_useless_ones_are_told_and_kept_without_their_text(self, tmp_path: Path, fake: dict[str, Any], fault: str):
        async def body(session: Session, server: Serving) -> None:
            assert (await say(session)).fault == fault
            asked = len(server.asked)
            again = await say(session)
            assert (again.fault, again.text, len(server.asked)) == (fault, "", asked)
            assert asked == (3 if fault == "cut off" else 1)  # asked again with more room

        ask(tmp_path, body, **fake)

    def test_equal_questions_in_flight_are_asked_once(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            answers = await asyncio.gather(*[say(session) for _ in range(10)])
            assert len(server.asked) == len({answer.text for answer in answers}) == 1

        ask(tmp_path, body, latency=(0.05, 0.05))

    def test_no_more_are_in_flight_than_the_recipe_says(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            await asyncio.gather(*[say(session, f"{number}") for number in range(30)])
            assert server.most_at_once == 4

        ask(tmp_path, body, {"concurrency": 4}, latency=(0.05, 0.06))


class TestTools:
    def ask(self, tmp_path: Path, message: dict[str, Any], *requests: Request) -> tuple[list[ModelAnswer], list[Any]]:
        async def all_of(base: str) -> list[ModelAnswer]:
            llm = Llm(model="openai/m", api_base=base)
            async with open_session(llm, tmp_path / "cache", "run") as session:
                return [await session.answer(request) for request in requests]

        with fake_server(reply=lambda asked: message) as server:
            return asyncio.run(all_of(server.base)), server.asked

    def test_they_are_offered_and_called(self, tmp_path: Path):
        (answer, again), asked = self.ask(tmp_path, CALLING, WITH_TOOLS, WITH_TOOLS)
        assert answer == again
        check_tools(answer, asked)

    def test_what_is_offered_and_what_was_done_make_another_question(self, tmp_path: Path):
        others = (
            replace(WITH_TOOLS, tools=(*WITH_TOOLS.tools, *WITH_TOOLS.tools)),
            replace(WITH_TOOLS, turns=WITH_TOOLS.turns[:1]),
        )
        assert len(self.ask(tmp_path, CALLING, WITH_TOOLS, *others)[1]) == 3

    @pytest.mark.parametrize(
        ("entry", "arguments"),
        [
            ({"arguments": {"litres": 2}}, '{"litres": 2}'),
            ({"arguments": None}, ""),
            ({}, ""),
            ({"arguments": "{"}, "{"),
        ],
    )
    def test_arguments_as_servers_give_them(self, tmp_path: Path, entry: dict[str, Any], arguments: str):
        (answer,), _ = self.ask(tmp_path, {"tool_calls": [{"function": {"name": "water", **entry}}]}, WITH_TOOLS)
        assert answer.calls == (AnsweredCall("water", arguments),)

    @pytest.mark.parametrize("entries", [7, "water", [None], [{}], [{"function": None}], [{"function": {"name": 7}}]])
    def test_calls_that_are_none(self, tmp_path: Path, entries: Any):
        async def body(session: Session, server: Serving) -> None:
            with pytest.raises(LlmError, match="not a chat completion"):
                await session.answer(WITH_TOOLS)

        ask(tmp_path, body, reply=lambda asked: {"content": None, "tool_calls": entries})

    def test_a_secret_in_arguments_is_not_kept(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("SOME_KEY", KEY)
        told = {"tool_calls": [{"function": {"name": "water", "arguments": f'{{"plant": "{KEY}"}}'}}]}
        (answer,), _ = self.ask(tmp_path, told, WITH_TOOLS)
        assert (answer.fault, answer.calls) == ("holds a secret", ())


class TestRetries:
    @pytest.mark.parametrize(
        "script",
        [
            (failed(429), failed(503)),
            (failed(500), failed(502)),
            (failed(408),),
            ((200, '{"choices": [{"mess', {}),),
            ((200, "not json", {}), (200, '{"choices": []}', {}), (200, '{"choices": [{"message": 5}]}', {})),
        ],
    )
    def test_what_may_pass_is_asked_again(self, tmp_path: Path, script: Any):
        async def body(session: Session, server: Serving) -> None:
            assert (await say(session)).text == "hello"
            assert session.account.retries == len(script)
            assert session.account.requests == len(script) + 1

        ask(tmp_path, body, script=script)

    def test_a_dropped_connection_too(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            answers = await asyncio.gather(*[say(session, f"{number}") for number in range(20)])
            assert [answer.text for answer in answers] == [f"{number}" for number in range(20)]
            assert session.account.retries > 0

        ask(tmp_path, body, dropped=0.3, slow_bodies=0.05, seed=1)

    def test_a_server_may_say_how_long_to_wait(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> float:
            started = time.monotonic()
            await say(session)
            return time.monotonic() - started

        assert ask(tmp_path, body, script=(failed(429, {"retry-after": "0.4"}),)) >= 0.4

    def test_waiting_for_one_does_not_hold_up_others(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            first = asyncio.create_task(say(session, "first"))
            await asyncio.sleep(0.05)
            await say(session, "second")
            assert not first.done()
            await first

        ask(tmp_path, body, {"concurrency": 1}, script=(failed(429, {"retry-after": "2"}),))

    @pytest.mark.parametrize(
        ("header", "seconds"),
        [
            ("1", 1.0),
            ("0.25", 0.25),
            ("-3", 0.0),
            ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0),
            ("soon", None),
            ("nan", None),
            (None, None),
        ],
    )
    def test_retry_after_is_seconds_or_a_date(self, header: str | None, seconds: float | None):
        assert seconds_of(header, lambda: 10.0) == seconds


class TestGivingUp:
    @pytest.mark.parametrize(
        ("fake", "words"),
        [
            ({"key": "another"}, ["llm.api_key_env", "refuses the key", "401"]),
            ({"models": ("gpt-x", "mm")}, ["llm.model", "does not know 'm'", "404"]),
            ({"failing": 1.0}, ["only fails", "500"]),
            ({"malformed": 1.0}, ["only fails", "not a chat completion"]),
            ({"rate_limited": 1.0, "retry_after": "0"}, ["only fails", "429"]),
            ({"dropped": 1.0}, ["only fails", "connection broke"]),
            (
                {"script": ((429, '{"error": {"code": "insufficient_quota", "message": "pay"}}', {}),)},
                ["used up", "pay"],
            ),
        ],
    )
    def test_one_message_names_the_setting_and_holds_no_key(
        self, tmp_path: Path, fake: dict[str, Any], words: list[str]
    ):
        async def body(session: Session, server: Serving) -> None:
            with pytest.raises(LlmError) as caught:
                await say(session)
            told = str(caught.value)
            assert all(word in told for word in words), told
            assert KEY not in told
            assert "\n" not in told
            with pytest.raises(LlmError, match=r"\S"):  # and nothing more is asked
                await say(session, "another")

        ask(tmp_path, body, **fake)
        assert KEY.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())

    def test_a_server_that_is_not_there(self, tmp_path: Path):
        async def run() -> None:
            llm = Llm(model="m", api_base="http://127.0.0.1:9/v1")
            cache = Cache(tmp_path / "c.sqlite", "run")
            provider = LitellmProvider(llm, None)
            session = Session(llm, {"": provider}, cache, first_wait=0.01)
            with pytest.raises(LlmError, match=r"llm\.api_base: .*127\.0\.0\.1:9.* cannot be reached"):
                await say(session)
            await session.close()
            await provider.close()
            cache.close()

        asyncio.run(run())

    def test_one_that_fails_in_the_middle_is_a_stop(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            await say(session, "good")
            server.fake.failing = 1.0
            with pytest.raises(StoppedError, match="failed 8 times in a row"):
                await say(session, "bad")
            assert (await say(session, "good")).text == "good"  # what is there stays there

        ask(tmp_path, body)

    def test_refused_requests_are_useless_answers(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            await say(session, "good")
            server.fake.script = tuple(failed(400) for _ in range(9))
            for text in "abcd":
                assert (await say(session, text)).fault == "refused by the server"
            assert len(server.asked) == 5
            await say(session, "a")
            assert len(server.asked) == 5

        ask(tmp_path, body)

    def test_unless_all_are_refused(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            await say(session, "a")
            await say(session, "b")
            with pytest.raises(LlmError, match=r"refuses every request: 400: no \(llm\.json_mode"):
                await say(session, "c")

        ask(tmp_path, body, script=tuple(failed(400) for _ in range(9)))
        ask(tmp_path, lambda session, server: say(session, "a"))  # was not kept
        with fake_server() as server:
            assert server.asked == []


def refusing(words: str, name: str, kind: str = "") -> Callable[[dict[str, Any]], Any]:
    """A server that refuses requests with a field, or with a form of it, in these words."""

    def reply(asked: dict[str, Any]) -> Any:
        field = asked.get(name)
        return words if field is not None and (not kind or field["type"] == kind) else None

    return reply


MAX = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
FORM = "response_format json_schema is not supported by this model"
OBJECT = "'response_format.type' must be 'json_schema' or 'text'"


class TestLearning:
    """What a server refuses is left out, remembered, and told once."""

    @pytest.mark.parametrize(
        ("refusals", "gone", "learnt"),
        [
            ([refusing(MAX, "max_tokens")], "max_tokens", ["max_completion_tokens"]),
            ([refusing("max_tokens is unknown", "max_tokens")], "max_tokens", ["max_tokens"]),
            ([refusing("Unsupported value: 'temperature' does not support 0.7", "temperature")], "temperature", ["temperature"]),
            ([refusing("Extra inputs are not permitted: seed", "seed")], "seed", ["seed"]),
            ([refusing("Invalid schema for response_format 'answer'", "response_format", "json_schema")], "", ["json_schema"]),
            ([refusing(FORM, "response_format", "json_schema"), refusing(OBJECT, "response_format", "json_object")], "response_format",
             ["json_schema", "json_object"]),
            ([refusing(MAX, "max_tokens"), refusing("no temperature", "temperature"), refusing(FORM, "response_format")],
             "response_format", ["max_completion_tokens", "temperature", "json_schema", "json_object"]),
        ],
    )  # fmt: skip
    def test_what_is_refused_is_left_out(self, tmp_path: Path, refusals: list[Any], gone: str, learnt: list[str]):
        def refuse(asked: dict[str, Any]) -> str:
            return next((words for one in refusals if (words := one(asked))), "")

        async def body(session: Session, server: Serving) -> None:
            answer = await say(session, "good", schema=SCHEMA)
            assert answer.fault == ""
            assert len(server.asked) == 1 + len(learnt) == session.account.requests
            assert gone not in server.asked[-1] or not gone
            await asyncio.gather(*[say(session, text, schema=SCHEMA) for text in "abc"])
            assert len(server.asked) == 4 + len(learnt)
            assert session.account.learnt == [f"m {one}" for one in learnt]

        settings = {"temperature": 0.7}
        ask(tmp_path, body, settings, refuse=refuse)

        async def later(session: Session, server: Serving) -> None:
            await say(session, "another day", schema=SCHEMA)
            assert len(server.asked) == 1  # it is remembered

        ask(tmp_path, later, settings, refuse=refuse)

    def test_requests_in_flight_learn_it_together(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            found = await asyncio.gather(*[say(session, text) for text in "abcdef"])
            assert [one.fault for one in found] == [""] * 6
            assert session.account.learnt == ["m max_tokens"]

        ask(tmp_path, body, refuse=refusing("max_tokens?", "max_tokens"), latency=(0.05, 0.05))

    def test_what_nobody_understands_is_refused(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            await say(session, "good")
            server.fake.refuse = lambda asked: "this proceeds from a bad seedling"
            assert (await say(session, "bad")).fault == "refused by the server"
            assert session.account.learnt == []

        ask(tmp_path, body)

    def test_more_room_for_what_is_cut_off(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            answer = await say(session, "x" * 40)
            assert (answer.text, answer.fault) == ("x" * 40, "")
            assert [one["max_tokens"] for one in server.asked] == [100, 200]
            assert (session.account.requests, session.account.answers) == (2, 1)
            assert session.account.completion_tokens > answer.completion_tokens

        ask(tmp_path, body, {"max_tokens": 100}, cuts=lambda asked: asked["max_tokens"] < 200)

    @pytest.mark.parametrize(
        ("content", "text"),
        [([{"type": "text", "text": "one "}, {"type": "text", "text": "answer"}], "one answer"), (["a", "b"], "ab")],
    )
    def test_texts_in_parts_are_joined(self, tmp_path: Path, content: Any, text: str):
        async def body(session: Session, server: Serving) -> None:
            assert (await say(session, "a")).text == text
            assert (await say(session, "b")).text == text
            assert len(server.asked) == 3

        ask(tmp_path, body, reply=lambda asked: {"content": content})

    @pytest.mark.parametrize(
        "body", ['{"error": {"message": "Upstream error", "code": 502}}', '{"error": "Upstream error"}']
    )
    def test_an_error_in_a_200_is_a_failure_with_its_words(self, tmp_path: Path, body: str):
        async def inside(session: Session, server: Serving) -> None:
            with pytest.raises(LlmError, match="Upstream error"):
                await say(session)
            assert len(server.asked) <= 6

        ask(tmp_path, inside, script=((200, body, {}),) * 20)

    def test_a_refusal_is_none_of_our_text(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            answer = await say(session)
            assert (answer.text, answer.fault) == ("", "refused by the server")

        ask(tmp_path, body, reply=lambda asked: {"content": None, "refusal": "I cannot help with that."})

    def test_empty_answers_to_requests_for_json_lead_to_a_looser_form(self, tmp_path: Path):
        async def body(session: Session, server: Serving) -> None:
            found = [await say(session, text, schema=SCHEMA) for text in "abcdef"]
            assert found[-1].text == '{"city": "Oslo"}'
            assert session.account.learnt == ["m json_schema", "m json_object"]

        reply = lambda asked: "" if "response_format" in asked else '{"city": "Oslo"}'  # noqa: E731
        ask(tmp_path, body, reply=reply)


class TestBudget:
    @pytest.mark.parametrize(
        ("budget", "price"),
        [(Budget(requests=5), None), (Budget(tokens=40), None), (Budget(usd=0.00004), Price(input=1.0, output=1.0))],
    )
    def test_asking_ends_where_it_is_reached_and_stays_there(self, tmp_path: Path, budget: Budget, price: Price | None):
        async def body(session: Session, server: Serving) -> int:
            many = asyncio.gather(*[say(session, f"{number:012}") for number in range(100)])
            with pytest.raises(StoppedError, match=r"llm\.budget\.\w+: the budget of .* is reached"):
                await many
            await asyncio.sleep(0.2)
            return len(server.asked)

        settings = {"budget": budget, "price": price, "concurrency": 2}
        asked = ask(tmp_path, body, settings)
        assert 0 < asked < 20
        assert ask(tmp_path, body, settings) == 0  # the budget is the data set's, and what was asked is still there

    def test_the_price_must_be_known(self, tmp_path: Path):
        async def run() -> None:
            llm = Llm(model="m", api_base="http://127.0.0.1:9/v1", budget=Budget(usd=1.0))
            with pytest.raises(LlmError, match=r"llm\.budget\.usd: nobody knows what m costs"):
                async with open_session(llm, tmp_path / "c.sqlite", "run"):
                    pass

        asyncio.run(run())

    def test_a_minute_holds_no_more_than_it_may(self):
        now = 100.0
        pace = Pace(60, lambda: now)
        assert [pace.reserve() for _ in range(3)] == [0.0, 1.0, 2.0]
        now = 110.0
        assert [pace.reserve(5), pace.reserve()] == [0.0, 5.0]
        assert Pace(None).reserve(1e9) == 0.0


class TestKeys:
    def test_must_be_there(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        async def run() -> None:
            llm = Llm(model="m", api_base="http://127.0.0.1:9/v1", api_key_env="MY_KEY")
            async with open_session(llm, tmp_path / "c.sqlite", "run"):
                pass

        monkeypatch.delenv("MY_KEY", raising=False)
        with pytest.raises(LlmError, match=r"llm\.api_key_env: the environment variable MY_KEY is not set"):
            asyncio.run(run())
        monkeypatch.setenv("MY_KEY", "two\nlines")
        with pytest.raises(LlmError, match="MY_KEY does not hold a key") as caught:
            asyncio.run(run())
        assert "lines" not in str(caught.value)

    def test_are_taken_out_of_what_servers_say(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("SOME_TOKEN", "tok-en-42424242")
        monkeypatch.setenv("KEYBOARD_LAYOUT", "a usual word of English")
        monkeypatch.setenv("SHORT_KEY", "green")
        secrets = Secrets(KEY)
        assert not secrets.in_text("a usual word of English is green")
        told = secrets.hide(f"bad key {KEY}, or tok-en-42424242, or sk-abcdefghij, Bearer xyz")
        assert told == "bad key ***, or ***, or ***, ***"
        assert secrets.in_text(f"…{KEY}…")
        assert not secrets.in_text("nothing")


class TestProviders:
    """litellm itself, against the same server."""

    def settings(self, base: str, **more: Any) -> Llm:
        return Llm(**{"model": "deepseek/some", "api_base": base, "timeout": 5.0, **more})

    def run(self, tmp_path: Path, body: Callable[[Session], Awaitable[T]], llm: Llm) -> T:
        async def inside() -> T:
            async with open_session(llm, tmp_path / "c.sqlite", "run") as session:
                session._first_wait = 0.01
                return await body(session)

        return asyncio.run(inside())

    def test_every_provider_is_asked_through_litellm(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("SOME_KEY", KEY)
        with fake_server(key=KEY, script=(failed(500),)) as server:
            llm = self.settings(server.base, api_key_env="SOME_KEY")
            answer = self.run(tmp_path, lambda session: say(session, "one way or another"), llm)
            assert answer.text == "one way or another"
            assert len(server.asked) == 2  # one failure, one retry: nobody else retries

    def test_tools_are_offered_and_called_through_litellm(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("SOME_KEY", KEY)
        with fake_server(reply=lambda asked: CALLING) as server:
            llm = self.settings(server.base, api_key_env="SOME_KEY")
            answer = self.run(tmp_path, lambda session: session.answer(WITH_TOOLS), llm)
        check_tools(answer, server.asked)

    def test_its_failures_are_ours(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ):
        monkeypatch.setenv("SOME_KEY", KEY)
        with fake_server(key="another") as server:
            llm = self.settings(server.base, api_key_env="SOME_KEY")
            with pytest.raises(
                LlmError, match=r"llm\.api_key_env \(SOME_KEY\): the provider refuses the key"
            ) as caught:
                self.run(tmp_path, say, llm)
        assert KEY not in str(caught.value)
        assert capfd.readouterr() == ("", "")

    def test_a_model_that_litellm_does_not_know(self, tmp_path: Path):
        with pytest.raises(LlmError, match=r"llm\.model: 'gtp-4' is no model that litellm knows"):
            self.run(tmp_path, say, Llm(model="gtp-4"))

    def test_a_provider_without_a_key(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
        with pytest.raises(LlmError, match=r"llm\.api_key_env: .* set the environment variable ANTHROPIC_API_KEY"):
            self.run(tmp_path, say, Llm(model="anthropic/claude-3-5-haiku-20241022"))
