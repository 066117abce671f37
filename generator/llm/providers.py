"""Every provider that litellm knows. Its import takes two seconds of CPU, so it happens here, when a session opens."""

import asyncio
import importlib.util
import logging
import os
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from time import time
from typing import Any

import msgspec
import orjson

from generator.core.errors import LlmError, StoppedError
from generator.core.files import read_regular
from generator.llm.asking import Request, fields_of, model_of, price_for, sampling_of
from generator.llm.learning import fitted, learnt_from
from generator.llm.transport import (
    LearntError,
    RefusedError,
    Reply,
    Secrets,
    TransientError,
    calls_in,
    messages_of,
    response_format,
    text_in,
)
from generator.recipe.llm import Llm


def import_litellm() -> Any:
    """Return litellm, set to print nothing, fetch nothing and send no reports."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm

    warnings.filterwarnings("ignore", module=r"litellm|openai|pydantic")  # it imports more when it is first used
    warnings.filterwarnings("ignore", r"coroutine '.*acompletion' was never awaited")  # where asking is stopped
    litellm.suppress_debug_info = True
    litellm.telemetry = False
    litellm.drop_params = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return litellm


class LitellmProvider:
    """A model of a provider, through litellm.

    Raises:
        LlmError: when litellm does not know the model, or the provider's key is missing.
    """

    def __init__(self, settings: Llm, key: str | None) -> None:
        self._litellm = import_litellm()
        self._settings = settings
        self._key = key
        self._secrets = Secrets(key)
        self._learnt: list[str] = []
        """What the server does not take."""
        self._empty = 0
        """Answers in a row that held nothing although JSON was asked for."""
        self._check()

    async def send(self, request: Request, seed: int) -> Reply:
        """Return the reply; see `Transport`."""
        settings, known = self._settings, len(self._learnt)
        how = (
            {"extra_body": fields_of(settings) or None, "api_key": self._key or _NO_KEY}
            if _is_compatible(settings)
            else {
                "reasoning_effort": settings.reasoning_effort,
                "extra_body": settings.extra_body or None,
                "api_key": self._key,
            }
        )
        optional = {
            **how,
            "api_base": settings.api_base,
            "tools": list(request.tools) or None,
            "response_format": response_format(request, settings),
            "seed": seed,
        }
        said = {**sampling_of(request, settings), **{name: one for name, one in optional.items() if one is not None}}
        sent = fitted(said, self._learnt)
        try:
            async with asyncio.timeout(settings.timeout):  # litellm's own limit is for each piece of an answer
                response = await self._litellm.acompletion(
                    model=_named(model_of(request, settings), settings),
                    messages=messages_of(request),
                    timeout=settings.timeout,
                    max_retries=0,
                    num_retries=0,
                    **sent,
                )
        except TimeoutError:
            raise TransientError(f"no answer within {settings.timeout:g} seconds (llm.timeout)") from None
        except Exception as fault:  # litellm's errors have no common base, and providers' own come through
            await self._read_parts(str(fault))
            try:
                self._raise(request, fault)
            except RefusedError as refused:
                self._learn(learnt_from(refused.reason, sent), known, request)
                raise
            raise
        reply = self._reply(request, response)
        form = sent.get("response_format", {}).get("type", "")
        self._empty = self._empty + 1 if form and not (reply.text.strip() or reply.calls) else 0
        if self._empty >= _MOST_EMPTY and reply.finish_reason == "stop":
            self._learn(form, known, request)
        return reply

    def remember(self, learnt: Sequence[str]) -> None:
        """Ask without what earlier sessions have learnt; see `Transport`."""
        own = f"{self._settings.model} "
        self._learnt += [one.removeprefix(own) for one in learnt if one.startswith(own)]

    def _learn(self, what: str, known: int, request: Request) -> None:
        """Leave something out from now on, and have the request made again.

        Args:
            what: What the server does not take; empty where nobody knows.
            known: How much was learnt when the request was sent.
            request: What was asked.

        Raises:
            LearntError: when the request made again will be another one.
        """
        model = model_of(request, self._settings)
        if what and what not in self._learnt:
            self._learnt.append(what)
        if what and len(self._learnt) > known:
            raise LearntError(f"{model} {what}") from None

    async def _read_parts(self, fault: str) -> None:
        """After an answer that litellm cannot read, put those that follow into the usual form before it does."""
        if self._litellm.aclient_session is None and any(words in fault for words in _UNREAD):
            import httpx

            limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
            self._litellm.aclient_session = httpx.AsyncClient(event_hooks={"response": [_put_together]}, limits=limits)
            await self._litellm.close_litellm_async_clients()  # which it holds, and which would go on being used
            self._litellm.in_memory_llm_clients_cache.flush_cache()

    async def close(self) -> None:
        """Let go of litellm's connections."""
        own, self._litellm.aclient_session = self._litellm.aclient_session, None
        if own is not None:
            await own.aclose()
        await self._litellm.close_litellm_async_clients()

    def _check(self) -> None:
        settings, litellm = self._settings, self._litellm
        try:
            litellm.get_llm_provider(_named(settings.model, settings), api_base=settings.api_base)
        except Exception:  # BadRequestError with a page of text
            raise LlmError(
                f"llm.model: {settings.model!r} is no model that litellm knows; write provider/model, "
                "e.g. openai/gpt-4o-mini, or give the address of a server (llm.api_base)"
            ) from None
        if self._key is None:
            missing = litellm.validate_environment(settings.model).get("missing_keys") or []
            if missing and not settings.api_base:
                raise LlmError(
                    f"llm.api_key_env: {settings.model} needs a key: set the environment variable "
                    f"{' and '.join(missing)}, or name another one in the recipe"
                )

    def _reply(self, request: Request, response: Any) -> Reply:
        try:
            choice = response.choices[0]
            text = choice.message.content or ""
            reasoning = getattr(choice.message, "reasoning_content", None) or ""
            refused = (getattr(choice.message, "provider_specific_fields", None) or {}).get("refusal")
            functions = [one.function for one in getattr(choice.message, "tool_calls", None) or ()]
            calls = calls_in((one.name, one.arguments) for one in functions)
            usage = getattr(response, "usage", None)
            sent = int(getattr(usage, "prompt_tokens", 0) or 0)
            received = int(getattr(usage, "completion_tokens", 0) or 0)
        except (LookupError, AttributeError, TypeError, ValueError):
            raise TransientError("the provider's answer is not a chat completion") from None
        return Reply(
            text=str(text),
            calls=calls if request.tools else (),
            reasoning=str(reasoning),
            finish_reason="refused" if refused else str(choice.finish_reason or ""),
            prompt_tokens=sent,
            completion_tokens=received,
            usd=self._usd(request, response, sent, received),
        )

    def _usd(self, request: Request, response: Any, sent: int, received: int) -> float | None:
        price = price_for(request, self._settings)
        if price is not None:
            return (sent * price.input + received * price.output) / 1_000_000
        asked = msgspec.structs.replace(self._settings, model=model_of(request, self._settings), price=None)
        if price_of(asked) is None:
            return None
        try:
            return float(self._litellm.completion_cost(response))
        except Exception:  # a bare Exception for answers that it cannot price
            return None

    def _raise(self, request: Request, fault: Exception) -> None:
        """Raise what a failure of litellm means."""
        litellm, causes = self._litellm, list(_causes(fault))
        status = getattr(fault, "status_code", None)
        words = self._secrets.hide(_words(fault))
        if isinstance(fault, litellm.AuthenticationError | litellm.PermissionDeniedError) or status in {401, 403}:
            named = self._settings.api_key_env or "not set; the provider's usual variable was used"
            raise LlmError(f"llm.api_key_env ({named}): the provider refuses the key ({words})") from None
        if isinstance(fault, litellm.NotFoundError) or status == 404:
            raise LlmError(self._unknown(request, words)) from None
        if any("insufficient_quota" in f"{getattr(one, 'code', '')} {one}" for one in causes):
            raise StoppedError(f"llm.model: the account with the provider is used up ({words})") from None
        _raise_what_may_pass(litellm, fault, causes, words)
        if isinstance(fault, litellm.BadRequestError) or status in {400, 413, 422}:
            raise RefusedError(words) from None

    def _unknown(self, request: Request, words: str) -> str:
        """Return what a server means that does not know the model, or the address."""
        model, base = model_of(request, self._settings), self._settings.api_base
        where = f"the server at {base}" if base else "the provider"
        other = base.removesuffix("/chat/completions") if base else base
        if other == base:
            other = f"{base}/v1" if base and not re.search(r"/v\d", base) else None
        hint = f"; or is the server's address {other}?" if other else ""
        return f"llm.model: {where} does not know {model!r} ({words}){hint}"


_UNREAD = ("Invalid response object", "Error in response object")
"""What litellm says of answers that it cannot read."""
_MOST_EMPTY = 3
"""Empty answers in a row to requests for JSON, after which a looser form is asked for."""


async def _put_together(response: Any) -> None:
    """Join texts that an answer gives in parts, and give an error that is a text the usual form, before litellm reads it."""
    await response.aread()
    try:
        body = orjson.loads(response.content)
        for choice in body.get("choices", ()):
            choice["message"]["content"] = text_in(choice["message"].get("content"))
        if isinstance(body.get("error"), str):
            body["error"] = {"message": body["error"], "code": 502}
    except (ValueError, LookupError, TypeError, AttributeError):
        return
    response._content = orjson.dumps(body)


def _raise_what_may_pass(litellm: Any, fault: Exception, causes: list[BaseException], words: str) -> None:
    """Raise TransientError for a failure after which another try may go well."""
    status, kinds = getattr(fault, "status_code", None), {type(one).__name__ for one in causes}
    if "JSONDecodeError" in kinds or any(said in words for said in _UNREAD):
        raise TransientError("the provider's answer is not a chat completion") from None
    if "ConnectError" in kinds:
        raise TransientError(words, unreachable=True) from None
    if isinstance(fault, litellm.APIConnectionError) or "APIConnectionError" in kinds:
        raise TransientError(f"the connection broke ({words})") from None
    if isinstance(fault, litellm.Timeout) or status in {408, 409, 425, 429} or (status or 0) >= 500:
        raise TransientError(words, seconds_of(_retry_after(fault))) from None


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    """Yield a failure, and what it was made of: litellm words those of providers anew."""
    while fault is not None:
        yield fault
        fault = fault.__cause__ or fault.__context__


def _words(fault: Exception) -> str:
    """Return the message of a failure without litellm's names of classes, after its status where it has one."""
    said = str(getattr(fault, "message", None) or fault)
    status = getattr(fault, "status_code", None)
    told = re.sub(r"^(?:[\w.]+(?:Error|Exception)(?:: | - ))+", "", said)
    return f"{status}: {told}" if status and not told.startswith(str(status)) else told


_NO_KEY = "none"
"""What is sent to a server of one's own that asks for no key: without any, litellm sends it that of OpenAI from the environment."""


def _is_compatible(settings: Llm) -> bool:
    """Whether the recipe gives the address of a server that speaks the OpenAI API."""
    provider, slash, _ = settings.model.partition("/")
    return settings.api_base is not None and (not slash or provider in _COMPATIBLE)


_COMPATIBLE = ("openai", "aiohttp_openai", "custom_openai", "hosted_vllm", "lm_studio", "llamafile")


def _named(model: str, settings: Llm) -> str:
    """Return a model by litellm's name; what a compatible server calls its own (`NAME`, `ORGANISATION/NAME`) gets a provider."""
    is_named = model.partition("/")[0] in _COMPATIBLE and "/" in model
    return model if is_named or not _is_compatible(settings) else f"openai/{model}"


def _retry_after(fault: Exception) -> str | None:
    headers = getattr(fault, "litellm_response_headers", None) or getattr(fault, "response", None)
    headers = getattr(headers, "headers", headers)
    value = headers.get("retry-after") if headers is not None else None
    return str(value) if value is not None else None


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


def price_of(settings: Llm) -> tuple[float, float] | None:
    """Return US dollars for a million tokens, in and out, as the recipe or litellm's bundled list has them; None: nobody knows."""
    if settings.price is not None:
        return settings.price.input, settings.price.output
    if settings.model.startswith("local"):
        return 0.0, 0.0
    return None if settings.api_base else _listed_price(settings.model)


@cache
def _listed_price(name: str) -> tuple[float, float] | None:
    known = _known_model(name)
    if known is None:
        try:
            known = _known_model(import_litellm().get_model_info(name)["key"])  # it makes up entries, whose price is 0
        except Exception:  # a bare Exception for models it does not know
            return None
    if known is None or known.input_cost_per_token is None or known.output_cost_per_token is None:
        return None
    return known.input_cost_per_token * 1e6, known.output_cost_per_token * 1e6


_LIST_OF_MODELS = "model_prices_and_context_window_backup.json"


class _KnownModel(msgspec.Struct, frozen=True):
    """One model; US dollars for a token."""

    litellm_provider: str = ""
    input_cost_per_token: float | None = None
    output_cost_per_token: float | None = None


def _known_model(name: str) -> _KnownModel | None:
    """Return a model by litellm's name for it, with or without its provider; None for one that is not on the list."""
    models = _known_models()
    provider, _, bare = name.partition("/")
    found = models.get(name)
    if found is None and bare in models and _decoded(models[bare]).litellm_provider == provider:
        found = models[bare]
    return None if found is None else _decoded(found)


def _decoded(entry: msgspec.Raw) -> _KnownModel:
    try:
        return msgspec.json.decode(entry, type=_KnownModel)
    except msgspec.ValidationError:
        return _KnownModel()


@cache
def _known_models() -> dict[str, msgspec.Raw]:
    found = importlib.util.find_spec("litellm")
    places = list(found.submodule_search_locations or ()) if found is not None else []
    try:
        return msgspec.json.decode(read_regular(Path(places[0], _LIST_OF_MODELS)), type=dict[str, msgspec.Raw])
    except (LookupError, OSError, msgspec.MsgspecError):  # the file is litellm's own affair
        return {}
