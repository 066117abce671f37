"""A server that packs its answers: what is read of one is bounded, in bytes and in time, however it is packed."""

import asyncio
import gzip
import json
import time
import tracemalloc
import zlib
from typing import Any

import pytest
from aiohttp import web

from generator.llm.asking import Request
from generator.llm.direct import Direct
from generator.llm.transport import Reply, TransientError
from generator.recipe.llm import Llm

GOOD = json.dumps({"choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}]}).encode()


def reply_to(body: bytes, encoding: str | None, pause: float = 0.0, timeout: float = 20.0) -> Reply:
    """The reply that is read of a response with that body."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Encoding": encoding} if encoding else {})
        await response.prepare(request)
        for start in range(0, len(body), 1 << 16):
            await response.write(body[start : start + (1 << 16)])
            await asyncio.sleep(pause)
        return response

    async def ask() -> Reply:
        application = web.Application()
        application.router.add_post("/v1/chat/completions", answer)
        runner = web.AppRunner(application, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        settings = Llm(model="openai/m", timeout=timeout)
        direct = Direct(settings, f"http://127.0.0.1:{runner.addresses[0][1]}/v1", "m", None)
        try:
            return await direct.send(Request(use="judge", messages=(("user", "hello"),)), 1)
        finally:
            await direct.close()
            await runner.cleanup()

    return asyncio.run(ask())


def bomb(megabytes: int) -> bytes:
    packer = zlib.compressobj(9, wbits=31)
    return b"".join([packer.compress(bytes(1 << 20)) for _ in range(megabytes)]) + packer.flush()


@pytest.mark.parametrize(
    ("body", "encoding"),
    [(GOOD, None), (GOOD, "identity"), (gzip.compress(GOOD, mtime=0), "gzip"), (zlib.compress(GOOD), "deflate")],
)
def test_a_good_answer_is_read_however_it_is_packed(body: bytes, encoding: str | None):
    assert reply_to(body, encoding).text == "fine"


def test_a_small_body_that_stands_for_very_much_is_too_long_and_fills_no_memory():
    packed = bomb(300)
    tracemalloc.start()
    try:
        assert reply_to(packed, "gzip").finish_reason == "too long"
        assert tracemalloc.get_traced_memory()[1] < 40 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("body", "encoding"),
    [(GOOD, "br"), (GOOD, "gzip"), (gzip.compress(GOOD, mtime=0)[:30], "gzip"), (GOOD, "gzip, gzip")],
)
def test_an_answer_that_cannot_be_unpacked_is_a_failure_that_may_pass(body: bytes, encoding: str):
    with pytest.raises(TransientError):
        reply_to(body, encoding)


def test_the_timeout_is_for_the_whole_body():
    begun: Any = time.monotonic()
    with pytest.raises(TransientError, match=r"no answer within 0\.3 seconds"):
        reply_to(bytes(1 << 21), None, pause=0.2, timeout=0.3)
    assert time.monotonic() - begun < 5
