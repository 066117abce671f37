"""A scripted OpenAI server without a model, for tests and benchmarks: it is slow, fails and misbehaves as it is told.

    python tests/scripted_llm.py --latency 0.1 --rate-limited 0.1 --retry-after 1

prints `listening on http://127.0.0.1:PORT/v1` and serves until it is interrupted or terminated. In a test:

    async with serving(Fake(latency=(0.1, 0.7), reply=lambda asked: "…")) as server: ... server.base, server.asked
"""

import argparse
import asyncio
import hashlib
import os
import random
import signal
import sys
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import orjson
from aiohttp import web

Asked = dict[str, Any]
"""The body of a request."""


class Fake(msgspec.Struct, kw_only=True):
    """How the server behaves. Shares are probabilities, drawn in the order of the requests from a seeded stream."""

    latency: tuple[float, float] = (0.0, 0.0)
    """Seconds before it answers: lowest and highest."""
    rate_limited: float = 0.0
    """Share of 429 responses."""
    retry_after: str | None = "1"
    """Header of those."""
    failing: float = 0.0
    """Share of 500 responses."""
    dropped: float = 0.0
    """Share of connections that are closed without a response."""
    malformed: float = 0.0
    """Share of responses whose body is no JSON."""
    truncated: float = 0.0
    """Share of answers that end in the middle, with finish_reason `length`."""
    invalid: float = 0.0
    """Share of answers that do not follow the schema."""
    slow_bodies: float = 0.0
    """Share of bodies that come in pieces, over one second."""
    script: tuple[tuple[int, str, dict[str, str]], ...] = ()
    """(status, body, headers) of the first responses, before anything else holds."""
    refuse: Callable[[Asked], str] | None = None
    """Returns why a request is refused with 400; empty where it is not."""
    cuts: Callable[[Asked], bool] | None = None
    """Whether the answer to a request is cut off."""
    looks: int = 1
    """How often a batch is looked at before it has ended."""
    fails_batch: str = ""
    """Why all batches are refused."""
    key: str | None = None
    """The key that is asked for."""
    models: tuple[str, ...] = ()
    """The models it knows; empty: any."""
    reply: Callable[[Asked], str | dict[str, Any]] | None = None
    """Makes the answer: its text, or the whole message, with `tool_calls`; None: a value of the schema, or the last message once more."""
    seed: int = 0


class Serving:
    """A server that runs: where it is, and what it was asked."""

    def __init__(self, fake: Fake) -> None:
        self.fake = fake
        self.base = ""
        self.asked: list[Asked] = []
        """Bodies of all requests."""
        self.headers: list[dict[str, str]] = []
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, list[dict[str, Any]]] = {}
        """The lines of each batch."""
        self.looks: dict[str, int] = {}
        self.most_at_once = 0
        self._at_once = 0
        self._draw = random.Random(fake.seed)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer with a chat completion, or with the failure that the script asks for."""
        self.asked.append(asked := orjson.loads(await request.read()))
        self.headers.append(dict(request.headers))
        number = len(self.asked) - 1
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        luck = [self._draw.random() for _ in range(8)]
        low, high = self.fake.latency
        try:
            if high:
                await asyncio.sleep(low + (high - low) * luck[0])
            return await self._respond(request, asked, number, luck)
        finally:
            self._at_once -= 1

    async def upload(self, request: web.Request) -> web.Response:
        """`POST /v1/files`."""
        form = await request.post()
        assert form["purpose"] == "batch"
        name = f"file-{len(self.files)}"
        self.files[name] = form["file"].file.read()  # type: ignore[union-attr]
        return _json(
            200, {"id": name, "object": "file", "bytes": 0, "created_at": 0, "filename": "f", "purpose": "batch"}
        )

    async def content(self, request: web.Request) -> web.Response:
        """`GET /v1/files/ID/content`."""
        return web.Response(body=self.files[request.match_info["id"]])

    async def batch(self, request: web.Request) -> web.Response:
        """`POST /v1/batches`: nothing is answered before `looks` looks at it."""
        asked = orjson.loads(await request.read())
        name = f"batch-{self.base.rpartition(':')[2].partition('/')[0]}-{len(self.batches)}"
        lines = [orjson.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        self.batches[name] = lines
        self.looks[name] = 0
        return _json(200, self._state(name, "validating"))

    async def look(self, request: web.Request) -> web.Response:
        """`GET /v1/batches/ID`."""
        name = request.match_info["id"]
        if name not in self.batches:
            return _error(404, "not_found", f"No batch found with id '{name}'.")
        self.looks[name] += 1
        if self.fake.fails_batch:
            errors = {"object": "list", "data": [{"code": "x", "message": self.fake.fails_batch}]}
            return _json(200, self._state(name, "failed", errors=errors))
        if self.looks[name] <= self.fake.looks:
            return _json(200, self._state(name, "in_progress"))
        if f"{name}-out" not in self.files:
            await self._work(name, request)
        return _json(200, self._state(name, "completed", output_file_id=f"{name}-out", error_file_id=f"{name}-err"))

    async def _work(self, name: str, request: web.Request) -> None:
        """Answer the requests of a batch in another order than they came; those that fail stand in a file of their own."""
        out, err = [], []
        for number, line in enumerate(reversed(self.batches[name])):
            self.asked.append(line["body"])
            answer = await self._respond(request, line["body"], 10**9, [self._draw.random() for _ in range(8)])
            assert isinstance(answer, web.Response)
            assert isinstance(answer.body, bytes)
            response = {"status_code": answer.status, "request_id": "r", "body": orjson.loads(answer.body)}
            told = {"id": f"r-{number}", "custom_id": line["custom_id"], "response": response, "error": None}
            (out if answer.status == 200 else err).append(orjson.dumps(told))
        self.files[f"{name}-out"], self.files[f"{name}-err"] = b"\n".join(out), b"\n".join(err)

    def _state(self, name: str, status: str, **more: Any) -> dict[str, Any]:
        common = {"id": name, "object": "batch", "endpoint": "/v1/chat/completions", "completion_window": "24h"}
        return {**common, "input_file_id": "f", "created_at": 0, "status": status, **more}

    async def models(self, request: web.Request) -> web.Response:
        """`GET /v1/models`."""
        return _json(200, {"object": "list", "data": [{"id": name} for name in self.fake.models]})

    async def _respond(self, request: web.Request, asked: Asked, number: int, luck: list[float]) -> web.StreamResponse:
        fake = self.fake
        if number < len(fake.script):
            status, body, headers = fake.script[number]
            return web.Response(status=status, text=body, headers=headers, content_type="application/json")
        if fake.key is not None and request.headers.get("Authorization") != f"Bearer {fake.key}":
            sent = request.headers.get("Authorization", "").removeprefix("Bearer ")
            return _error(401, "invalid_api_key", f"Incorrect API key provided: {sent}.")
        if fake.models and asked.get("model") not in fake.models:
            return _error(404, "model_not_found", f"The model {asked.get('model')!r} does not exist.")
        if luck[1] < fake.rate_limited:
            headers = {"retry-after": fake.retry_after} if fake.retry_after else {}
            return _error(429, "rate_limit_exceeded", "Slow down.", headers)
        if luck[2] < fake.failing:
            return _error(500, "server_error", "Something went wrong.")
        if luck[3] < fake.dropped and request.transport is not None:
            request.transport.abort()
        if luck[4] < fake.malformed:
            return web.Response(text='{"choices": [{"message": {"content": "half', content_type="application/json")
        words = fake.refuse(asked) if fake.refuse is not None else ""
        return _error(400, "invalid_request_error", words) if words else await self._answer(request, asked, luck)

    async def _answer(self, request: web.Request, asked: Asked, luck: list[float]) -> web.StreamResponse:
        fake = self.fake
        made = fake.reply(asked) if fake.reply is not None else plain_reply(asked)
        whole = made if isinstance(made, dict) else {}
        text = made if isinstance(made, str) else orjson.dumps(made).decode()
        reason = "stop"
        if luck[5] < fake.truncated or (fake.cuts is not None and fake.cuts(asked)):
            text, reason = text[: len(text) // 2], "length"
        elif luck[6] < fake.invalid:
            text = '{"unexpected": [1, 2, 3]}'
        sent = sum(len(message.get("content") or "") for message in asked["messages"]) // 4
        message = {"role": "assistant", "content": text, **whole}
        body = {
            "id": f"fake-{len(self.asked)}",
            "object": "chat.completion",
            "created": 0,
            "model": asked.get("model", ""),
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": {
                "prompt_tokens": sent,
                "completion_tokens": len(text) // 4,
                "total_tokens": sent + len(text) // 4,
            },
        }
        if luck[7] < fake.slow_bodies:
            return await _slowly(request, orjson.dumps(body))
        return _json(200, body)


@asynccontextmanager
async def serving(fake: Fake, port: int = 0) -> AsyncGenerator[Serving, None]:
    """A server on 127.0.0.1."""
    server = Serving(fake)
    application = web.Application(client_max_size=64 << 20)
    application.router.add_post("/v1/chat/completions", server.complete)
    application.router.add_get("/v1/models", server.models)
    application.router.add_post("/v1/files", server.upload)
    application.router.add_get("/v1/files/{id}/content", server.content)
    application.router.add_post("/v1/batches", server.batch)
    application.router.add_get("/v1/batches/{id}", server.look)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port, backlog=4096)
        await site.start()
        port = runner.addresses[0][1]
        server.base = f"http://127.0.0.1:{port}/v1"
        yield server
    finally:
        await runner.cleanup()


def plain_reply(asked: Asked) -> str:
    """Return a value of the requested schema (for a judge, a score from the messages), else the last message."""
    shape = asked.get("response_format") or {}
    schema = shape.get("json_schema", {}).get("schema")
    if schema is not None and schema.get("properties", {}).keys() == {"reason", "score"}:
        return orjson.dumps(_judgement(asked)).decode()
    if schema is not None:
        return orjson.dumps(instance_of(schema)).decode()
    return str(asked["messages"][-1]["content"])


def _judgement(asked: Asked) -> dict[str, Any]:
    """Return a score from a hash of the messages: mostly 3 to 5, sometimes 2."""
    digest = hashlib.sha256(orjson.dumps(asked["messages"])).digest()
    return {"reason": "text", "score": _SCORES[digest[0] % len(_SCORES)]}


_SCORES = (2, 3, 3, 4, 4, 4, 5, 5)


def instance_of(schema: Any, root: Any = None) -> Any:
    """Return a small value of a simple JSON Schema."""
    root = schema if root is None else root
    if not isinstance(schema, dict):
        return None
    if "$ref" in schema:
        return instance_of(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return instance_of(schema[key][0], root)
    named = schema.get("type", "object")
    make = _INSTANCES.get(named if isinstance(named, str) else named[0])
    return make(schema, root) if make else None


def _object(schema: Any, root: Any) -> Any:
    return {name: instance_of(part, root) for name, part in schema.get("properties", {}).items()}


def _array(schema: Any, root: Any) -> Any:
    return [instance_of(schema.get("items", {}), root) for _ in range(max(1, schema.get("minItems", 1)))]


_INSTANCES: dict[str, Callable[[Any, Any], Any]] = {
    "object": _object,
    "array": _array,
    "string": lambda schema, root: "text".ljust(schema.get("minLength", 0), "t"),
    "integer": lambda schema, root: schema.get("minimum", 1),
    "number": lambda schema, root: schema.get("minimum", 1),
    "boolean": lambda schema, root: True,
}


def _json(status: int, value: Any, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(
        status=status, body=orjson.dumps(value), headers={"Content-Type": "application/json", **(headers or {})}
    )


def _error(status: int, code: str, message: str, headers: dict[str, str] | None = None) -> web.Response:
    return _json(status, {"error": {"message": message, "type": code, "code": code}}, headers)


async def _slowly(request: web.Request, body: bytes) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    step = max(1, len(body) // 10)
    for start in range(0, len(body), step):
        await response.write(body[start : start + step])
        await asyncio.sleep(0.1)
    await response.write_eof()
    return response


async def _serve(fake: Fake, port: int, until_eof: bool) -> None:
    """Serve until SIGINT or SIGTERM, or until standard input ends where that is wanted."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, ended.set)  # also where a shell started it with `&`, which ignores SIGINT
    async with serving(fake, port) as server:
        sys.stdout.write(f"listening on {server.base}\n")
        sys.stdout.flush()
        if until_eof:
            threading.Thread(target=_read_to_end, args=(loop, ended), daemon=True).start()
        await ended.wait()


def _read_to_end(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    """Read standard input to its end in a daemon thread, so that a signal need not wait for it."""
    while os.read(0, 4096):
        pass
    loop.call_soon_threadsafe(ended.set)


def main() -> None:
    """Serve as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument(
        "--latency", type=float, nargs="+", default=[0.0], metavar="SECONDS", help="one, or lowest and highest"
    )
    parser.add_argument("--retry-after", default="1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--until-eof", action="store_true", help="end when standard input ends, too")
    shares = ("rate-limited", "failing", "dropped", "malformed", "truncated", "invalid", "slow-bodies")
    for share in shares:
        parser.add_argument(f"--{share}", type=float, default=0.0, metavar="SHARE")
    options = parser.parse_args()
    latency = (options.latency[0], options.latency[-1])
    told = {share.replace("-", "_"): getattr(options, share.replace("-", "_")) for share in shares}
    fake = Fake(latency=latency, retry_after=options.retry_after, seed=options.seed, **told)
    asyncio.run(_serve(fake, options.port, options.until_eof))


if __name__ == "__main__":
    main()
