"""OpenAI-compatible servers over plain aiohttp: a fifth of litellm's CPU time for each request."""

import json
import re
import zlib
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from time import time
from typing import Any

import aiohttp
import orjson

from generator.documents import nearest
from generator.errors import LlmError, StoppedError
from generator.llm.asking import Request, fields_of, model_of, price_for, sampling_of
from generator.llm.known_models import KnownModel, known_model
from generator.llm.transport import (
    LARGEST_BODY,
    RefusedError,
    Reply,
    Secrets,
    TransientError,
    calls_in,
    messages_of,
    response_format,
)
from generator.recipe.llm import Llm

_TRANSIENT = frozenset({408, 409, 425, 429})
_MOST_NAMES = 2000
_VERSION = re.compile(r"/v\d")
"""What the addresses of nearly all servers have in them."""


class Direct:
    """The chat completions of one server.

    Args:
        settings: The recipe's.
        base: Its address, up to `/v1`.
        model: The model's name as the server knows it.
        key: Sent as a bearer token, when there is one.
        free: Whether nobody pays for it.
        known: What is known of the model, where the server is OpenAI's own.
    """

    def __init__(
        self,
        settings: Llm,
        base: str,
        model: str,
        key: str | None,
        *,
        free: bool = False,
        known: KnownModel | None = None,
    ) -> None:
        self._settings = settings
        self._base = base
        self._model = model
        self._secrets = Secrets(key)
        self._free = free
        self._known = known
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        self._http = aiohttp.ClientSession(
            headers=headers,
            connector=aiohttp.TCPConnector(limit=settings.concurrency + 4),
            timeout=aiohttp.ClientTimeout(total=settings.timeout),
            auto_decompress=False,  # it has no limit: a small body could fill the memory
        )

    async def send(self, request: Request, seed: int) -> Reply:
        """Return the reply; see `Transport`."""
        body = _encoded(self._body(request, seed))
        try:
            async with self._http.post(f"{self._base}/chat/completions", data=body, allow_redirects=False) as response:
                data = await _read(response)
                if response.status != 200:
                    headers = response.headers
                    await self._refuse(request, response.status, data, headers.get("retry-after"))
        except TimeoutError:
            raise TransientError(f"no answer within {self._settings.timeout:g} seconds (llm.timeout)") from None
        except aiohttp.ClientConnectorError as fault:
            raise TransientError(self._secrets.hide(str(fault.os_error)), unreachable=True) from None
        except (aiohttp.ClientError, OSError) as fault:
            raise TransientError(f"the connection broke ({type(fault).__name__})") from None
        return self._reply(request, data)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.close()

    def _body(self, request: Request, seed: int) -> dict[str, Any]:
        model, known = self._asked(request)
        sampling = sampling_of(request, self._settings)
        if known is not None:
            sampling["max_completion_tokens"] = sampling.pop("max_tokens")
            if known.supports_reasoning:
                sampling.pop("temperature", None)
                sampling.pop("top_p", None)
        fields = fields_of(self._settings)
        body = {"model": model, "messages": messages_of(request), **sampling, **fields, "seed": seed}
        if request.tools:
            body["tools"] = request.tools
        shape = response_format(request, self._settings)
        if shape is not None:
            body["response_format"] = shape
        return body

    def _asked(self, request: Request) -> tuple[str, KnownModel | None]:
        """Return the model by the server's name for it, and what is known of it."""
        usual, asked = self._settings.model, model_of(request, self._settings)
        if asked == usual:
            return self._model, self._known
        known = self._known and (known_model(asked) or KnownModel(mode="chat"))
        return asked.removeprefix(usual.removesuffix(self._model)), known

    def _reply(self, request: Request, data: bytes) -> Reply:
        if len(data) > LARGEST_BODY:
            return Reply(finish_reason="too long")
        try:
            plain = orjson.loads(data)
            choice = plain["choices"][0]
            message = choice["message"]
            text = message.get("content") or ""
            reasoning = message.get("reasoning_content") or message.get("reasoning") or ""
            if not isinstance(text, str):
                raise TypeError
            functions = [entry["function"] for entry in message.get("tool_calls") or ()]
            calls = calls_in((one.get("name"), one.get("arguments")) for one in functions)
        except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError):
            raise TransientError("the server's answer is not a chat completion") from None
        usage = plain.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        reason = choice.get("finish_reason")
        return Reply(
            text=text,
            calls=calls if request.tools else (),
            reasoning=reasoning if isinstance(reasoning, str) else "",
            finish_reason="refused" if message.get("refusal") else reason if isinstance(reason, str) else "",
            **self._cost(request, usage),
        )

    def _cost(self, request: Request, usage: dict[str, Any]) -> dict[str, Any]:
        sent, received = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
        price, known = price_for(request, self._settings), self._asked(request)[1]
        usd = 0.0 if self._free else None
        if price is not None:
            usd = (sent * price.input + received * price.output) / 1_000_000
        elif known is not None and known.input_cost_per_token is not None and known.output_cost_per_token is not None:
            details = usage.get("prompt_tokens_details")
            cached = min(sent, _count(details.get("cached_tokens"))) if isinstance(details, dict) else 0
            less = (
                known.input_cost_per_token
                if known.cache_read_input_token_cost is None
                else known.cache_read_input_token_cost
            )
            usd = (sent - cached) * known.input_cost_per_token + cached * less + received * known.output_cost_per_token
        return {"prompt_tokens": sent, "completion_tokens": received, "usd": usd}

    async def _refuse(self, request: Request, status: int, data: bytes, retry_after: str | None) -> None:
        """Raise what an error response means."""
        code, told = _told(data)
        words = self._secrets.hide(f"{status}: {told}" if told else str(status))
        if status in {401, 403}:
            raise LlmError(f"{_key_setting(self._settings)}: the server at {self._base} refuses the key ({words})")
        if code == "insufficient_quota":
            raise StoppedError(f"llm.model: the account at {self._base} is used up ({words})")
        if status in _TRANSIENT or status >= 500:
            raise TransientError(f"the server failed ({words})", seconds_of(retry_after))
        if status == 404 or code == "model_not_found":
            raise await self._unknown(self._asked(request)[0], words)
        if status < 400:
            raise LlmError(f"llm.api_base: {self._base} answers with {words}, which is no chat completion")
        raise RefusedError(words)

    async def _unknown(self, model: str, words: str) -> LlmError:
        """Return what a server means that knows the model, or the address, not."""
        models = await self._models(self._base)
        for other in (f"{self._base}/v1", self._base.removesuffix("/chat/completions")) if not models else ():
            if other != self._base and await self._models(other):
                return LlmError(f"llm.api_base: {self._base} answers with {words}; the server's address is {other}")
        if not models and not _VERSION.search(self._base):
            return LlmError(
                f"llm.api_base: {self._base} answers with {words}; is the server's address {self._base}/v1?"
            )
        hint = nearest(model, models)
        return LlmError(f"llm.model: the server at {self._base} does not know {model!r}{hint} ({words})")

    async def _models(self, base: str) -> list[str]:
        """Return the models that a server at that address says it has."""
        try:
            async with self._http.get(f"{base}/models", allow_redirects=False) as response:
                plain = orjson.loads(await _read(response))
            return [self._secrets.hide(str(entry["id"])) for entry in plain["data"][:_MOST_NAMES]]
        except (TimeoutError, aiohttp.ClientError, OSError, ValueError, LookupError, TypeError):
            return []


def _encoded(body: dict[str, Any]) -> bytes:
    """Return a body as JSON, also where a schema holds whole numbers beyond 64 bits."""
    try:
        return orjson.dumps(body)
    except TypeError:
        return json.dumps(body).encode()


def _key_setting(settings: Llm) -> str:
    return f"llm.api_key_env: {settings.api_key_env}" if settings.api_key_env else "llm.api_key_env (not set)"


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """Return the body, or a little more than is read at most."""
    unpack = _unpacker(response.headers.get("Content-Encoding", ""))
    data = bytearray()
    try:
        async for chunk in response.content.iter_any():
            data += unpack(chunk, LARGEST_BODY + 1 - len(data))
            if len(data) > LARGEST_BODY:
                response.close()
                break
    except zlib.error:
        raise TransientError("the server's answer is not packed as it says") from None
    return bytes(data)


def _unpacker(encoding: str) -> Callable[[bytes, int], bytes]:
    """Return a decompressor with an output limit for a body; servers are asked not to compress."""
    if encoding.strip().lower() in ("", "identity"):
        return lambda data, most: data[:most]
    if encoding.strip().lower() in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 32).decompress
    raise TransientError("the server's answer is packed in a way that was not asked for")


def _told(data: bytes) -> tuple[str, str]:
    """Return the code and the message of an error body."""
    try:
        plain = orjson.loads(data[:LARGEST_BODY])
        error = plain.get("error", plain)
        if isinstance(error, str):
            return "", error
        return str(error.get("code") or ""), str(error.get("message") or error.get("detail") or "")
    except (orjson.JSONDecodeError, AttributeError):
        return "", data[:200].decode("utf-8", "replace")


def _count(value: Any) -> int:
    return value if type(value) is int and 0 <= value < 1 << 40 else 0


def seconds_of(retry_after: str | None, now: Callable[[], float] = time) -> float | None:
    """Return seconds of a `retry-after` header (RFC 9110, section 10.2.3): a number, or a date."""
    if not retry_after:
        return None
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(retry_after).timestamp() - now()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(0.0, seconds) if seconds == seconds else None
