"""Every provider that litellm knows. Its import takes two seconds of CPU, so it happens here, when a session opens."""

import asyncio
import logging
import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from email.utils import parsedate_to_datetime
from functools import cache
from time import time
from typing import Any

import msgspec
import orjson

from generator.core.errors import LlmError, StoppedError
from generator.llm.asking import AnsweredCall, Request, fields_of, model_of, sampling_of
from generator.recipe.llm import Llm

LONGEST_ANSWER = 200_000
"""Characters; every answer that is asked for is much shorter."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A response of a server that did answer."""

    text: str = ""
    calls: tuple[AnsweredCall, ...] = ()
    reasoning: str = ""
    """What a server keeps apart of what the model thought."""
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None


class TransientError(Exception):
    """A failure that may pass. `unreachable`: there was no server at all."""

    def __init__(self, reason: str, retry_after: float | None = None, *, unreachable: bool = False) -> None:
        super().__init__(reason)
        self.retry_after = retry_after
        self.unreachable = unreachable


class LearntError(Exception):
    """The server does not take the request as it was; asked again, it will be another one. The text: the model, and what it does not take."""


class RefusedError(Exception):
    """The server will not answer this request."""


_SECRET_NAME = re.compile(r"(?:.*[_.-])?(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?)", re.IGNORECASE)
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|key|gsk|xai|hf|AIza)[-_][A-Za-z0-9*_-]{6,}|Bearer\s+\S+", re.IGNORECASE)
_SHORTEST_SECRET = 12
"""Characters of a value that is treated as a secret; shorter values could be words."""
_SHORTEST_KEY = 6
_LONGEST_REASON = 300


class Secrets:
    """Secrets that may never be shown or stored: the keys, and other variables of the environment that look like one."""

    def __init__(self, *keys: str | None) -> None:
        named = {value for name, value in os.environ.items() if _SECRET_NAME.fullmatch(name)}
        values = {value for value in named if len(value) >= _SHORTEST_SECRET and not re.search(r"\s", value)}
        own = {key for key in keys if key is not None and len(key) >= _SHORTEST_KEY}
        self._values = sorted(values | own, key=len, reverse=True)

    def hide(self, text: str) -> str:
        """Return a foreign message on one line, without secrets and not too long."""
        for value in self._values:
            text = text.replace(value, "***")
        text = " ".join(_LOOKS_LIKE_A_KEY.sub("***", text[:20_000]).split())
        text = "".join(letter if letter.isprintable() else " " for letter in text)
        return text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 1] + "…"

    def in_text(self, text: str) -> bool:
        """Whether a text holds one."""
        return any(value in text for value in self._values)


def messages_of(request: Request) -> list[dict[str, Any]]:
    """Return the messages as the OpenAI API has them."""
    return [*({"role": role, "content": text} for role, text in request.messages), *request.turns]


def calls_in(entries: Iterable[tuple[Any, Any]]) -> tuple[AnsweredCall, ...]:
    """Return the calls of an answer from names and arguments, which some servers give as an object.

    Raises:
        TypeError: when a name is no text, or arguments are neither.
    """
    calls = []
    for name, arguments in entries:
        text = (
            "" if arguments is None else arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
        )
        if not isinstance(name, str):
            raise TypeError
        calls.append(AnsweredCall(name, text))
    return tuple(calls)


def text_in(content: Any) -> str:
    """Return the text of a message, which some servers give in parts."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join([text for text in texts if isinstance(text, str)])


def response_format(request: Request, settings: Llm) -> dict[str, object] | None:
    """Return OpenAI's `response_format` for the schema, if the server is to be constrained to JSON."""
    if request.schema is None or settings.json_mode == "text":
        return None
    if settings.json_mode == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": request.schema}}


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
        """Send a request once, and return the reply.

        Raises:
            TransientError: another try may go well.
            LearntError: the server does not take something that is left out from now on.
            RefusedError: this request will never be answered; others may.
            LlmError: no request will be answered: key, model or address are wrong.
        """
        settings, learnt_before, fields = self._settings, len(self._learnt), self._fields(request, seed)
        try:
            async with asyncio.timeout(settings.timeout):  # litellm's own limit is for each piece of an answer
                response = await self._litellm.acompletion(
                    model=self._name(model_of(request, settings)),
                    messages=messages_of(request),
                    timeout=settings.timeout,
                    max_retries=0,
                    num_retries=0,
                    **fields,
                )
        except TimeoutError:
            raise TransientError(f"no answer within {settings.timeout:g} seconds (llm.timeout)") from None
        except Exception as fault:  # litellm's errors have no common base, and providers' own come through
            await self._read_parts(str(fault))
            try:
                self._raise_meaning(request, fault)
            except RefusedError as refused:
                self._learn(learnt_from(str(refused), fields), learnt_before, request)
                raise
            raise
        reply = self._reply(request, response)
        json_form = fields.get("response_format", {}).get("type", "")
        self._empty = self._empty + 1 if json_form and not (reply.text.strip() or reply.calls) else 0
        if self._empty >= _MOST_EMPTY and reply.finish_reason == "stop":
            self._learn(json_form, learnt_before, request)
        return reply

    def _fields(self, request: Request, seed: int) -> dict[str, Any]:
        """Return what is sent beside the model and the messages, by litellm's names; what the server does not take is left out."""
        settings = self._settings
        reasoning_fields = (
            {"extra_body": fields_of(settings) or None}
            if _is_compatible(settings)
            else {"reasoning_effort": settings.reasoning_effort, "extra_body": settings.extra_body or None}
        )
        optional = {
            **reasoning_fields,
            "tools": list(request.tools) or None,
            "response_format": response_format(request, settings),
            "seed": seed,
        }
        fields = {name: value for name, value in optional.items() if value is not None}
        return fitted({**sampling_of(request, settings), **fields, **self._access()}, self._learnt)

    def _access(self) -> dict[str, str]:
        """Return where the model is, and the key to it."""
        key = self._key or (_NO_KEY if _is_compatible(self._settings) else None)
        access = {"api_base": self._settings.api_base, "api_key": key}
        return {name: value for name, value in access.items() if value is not None}

    def remember(self, learnt: Sequence[str]) -> None:
        """Ask without what earlier sessions have learnt."""
        own_model = f"{self._settings.model} "
        self._learnt += [entry.removeprefix(own_model) for entry in learnt if entry.startswith(own_model)]

    def _learn(self, field: str, learnt_before: int, request: Request) -> None:
        """Leave out from now on what the server does not take (empty where nobody knows), and have the request made again.

        `learnt_before` is how many things were learnt when it was sent.

        Raises:
            LearntError: when the request made again will be another one.
        """
        model = model_of(request, self._settings)
        if field and field not in self._learnt:
            self._learnt.append(field)
        if field and len(self._learnt) > learnt_before:
            raise LearntError(f"{model} {field}") from None

    async def _read_parts(self, fault: str) -> None:
        """After an answer that litellm cannot read, put those that follow into the usual form before it does."""
        if self._litellm.aclient_session is None and any(words in fault for words in _UNREAD):
            import httpx

            limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
            self._litellm.aclient_session = httpx.AsyncClient(
                event_hooks={"response": [_normalise_response]}, limits=limits
            )
            await self._litellm.close_litellm_async_clients()  # which it holds, and which would go on being used
            self._litellm.in_memory_llm_clients_cache.flush_cache()

    async def close(self) -> None:
        """Let go of litellm's connections."""
        session, self._litellm.aclient_session = self._litellm.aclient_session, None
        if session is not None:
            await session.aclose()
        await self._litellm.close_litellm_async_clients()

    def _name(self, model: str) -> str:
        """Return a model by litellm's name; what a compatible server calls its own (`NAME`, `ORGANISATION/NAME`) gets a provider."""
        is_named = model.partition("/")[0] in _COMPATIBLE and "/" in model
        return model if is_named or not _is_compatible(self._settings) else f"openai/{model}"

    def _check(self) -> None:
        """Raise LlmError for a model that litellm does not know, or a key that is missing."""
        settings, litellm = self._settings, self._litellm
        try:
            litellm.get_llm_provider(self._name(settings.model), api_base=settings.api_base)
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
        """Return text, calls and token counts of litellm's response; raises TransientError for what is no chat completion."""
        try:
            choice = response.choices[0]
            text = choice.message.content or ""
            reasoning = getattr(choice.message, "reasoning_content", None) or ""
            refused = (getattr(choice.message, "provider_specific_fields", None) or {}).get("refusal")
            functions = [call.function for call in getattr(choice.message, "tool_calls", None) or ()]
            calls = calls_in((call.name, call.arguments) for call in functions)
            usage = getattr(response, "usage", None)
            prompt_tokens = int(getattr(usage, "prompt_tokens", 0) or 0)
            completion_tokens = int(getattr(usage, "completion_tokens", 0) or 0)
        except (LookupError, AttributeError, TypeError, ValueError):
            raise TransientError("the provider's answer is not a chat completion") from None
        return Reply(
            text=str(text),
            calls=calls if request.tools else (),
            reasoning=str(reasoning),
            finish_reason="refused" if refused else str(choice.finish_reason or ""),
            prompt_tokens=prompt_tokens,
            completion_tokens=completion_tokens,
            usd=self._cost_in_dollars(request, response, prompt_tokens, completion_tokens),
        )

    def _cost_in_dollars(self, request: Request, response: Any, sent: int, received: int) -> float | None:
        """Return what a response cost in dollars: by the recipe's price, by litellm's table, or None where neither knows."""
        model = model_of(request, self._settings)
        own_price = (
            self._settings.price if model == self._settings.model else None
        )  # the price is that of the recipe's own model
        price = price_of(msgspec.structs.replace(self._settings, model=model, price=own_price))
        if price is None or own_price is not None or self._settings.batch:
            return None if price is None else (sent * price[0] + received * price[1]) / 1_000_000
        try:
            return float(self._litellm.completion_cost(response))
        except Exception:  # a bare Exception for answers that it cannot price
            return None

    def _raise_meaning(self, request: Request, fault: Exception) -> None:
        """Raise what a failure of litellm means."""
        litellm, causes = self._litellm, list(_causes(fault))
        status = getattr(fault, "status_code", None)
        message = self._secrets.hide(_message_without_classes(fault))
        if isinstance(fault, litellm.AuthenticationError | litellm.PermissionDeniedError) or status in {401, 403}:
            key_name = self._settings.api_key_env or "not set; the provider's usual variable was used"
            raise LlmError(f"llm.api_key_env ({key_name}): the provider refuses the key ({message})") from None
        if isinstance(fault, litellm.NotFoundError) or status == 404:
            raise LlmError(self._unknown_model_message(request, message)) from None
        if any("insufficient_quota" in f"{getattr(cause, 'code', '')} {cause}" for cause in causes):
            raise StoppedError(f"llm.model: the account with the provider is used up ({message})") from None
        _raise_if_transient(litellm, fault, causes, message)
        if isinstance(fault, litellm.BadRequestError) or status in {400, 413, 422}:
            raise RefusedError(message) from None

    def _unknown_model_message(self, request: Request, message: str) -> str:
        """Return what a server means that does not know the model, or the address."""
        model, base = model_of(request, self._settings), self._settings.api_base
        server_text = f"the server at {base}" if base else "the provider"
        other_address = base.removesuffix("/chat/completions") if base else base
        if other_address == base:
            other_address = f"{base}/v1" if base and not re.search(r"/v\d", base) else None
        hint = f"; or is the server's address {other_address}?" if other_address else ""
        return f"llm.model: {server_text} does not know {model!r} ({message}){hint}"


_UNREAD = ("Invalid response object", "Error in response object")
"""What litellm says of answers that it cannot read."""
_MOST_EMPTY = 3
"""Empty answers in a row to requests for JSON, after which a looser form is asked for."""


async def _normalise_response(response: Any) -> None:
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


def _raise_if_transient(litellm: Any, fault: Exception, causes: list[BaseException], message: str) -> None:
    """Raise TransientError for a failure after which another try may go well."""
    status, kinds = getattr(fault, "status_code", None), {type(cause).__name__ for cause in causes}
    if "JSONDecodeError" in kinds or any(phrase in message for phrase in _UNREAD):
        raise TransientError("the provider's answer is not a chat completion") from None
    if "ConnectError" in kinds:
        raise TransientError(message, unreachable=True) from None
    if isinstance(fault, litellm.APIConnectionError) or "APIConnectionError" in kinds:
        raise TransientError(f"the connection broke ({message})") from None
    if isinstance(fault, litellm.Timeout) or status in {408, 409, 425, 429} or (status or 0) >= 500:
        raise TransientError(message, seconds_of(_retry_after(fault))) from None


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    """Yield a failure, and what it was made of: litellm words those of providers anew."""
    while fault is not None:
        yield fault
        fault = fault.__cause__ or fault.__context__


def _message_without_classes(fault: Exception) -> str:
    """Return the message of a failure without litellm's names of classes, after its status where it has one."""
    message = str(getattr(fault, "message", None) or fault)
    status = getattr(fault, "status_code", None)
    without_classes = re.sub(r"^(?:[\w.]+(?:Error|Exception)(?:: | - ))+", "", message)
    return f"{status}: {without_classes}" if status and not without_classes.startswith(str(status)) else without_classes


_NO_KEY = "none"
"""What is sent to a server of one's own that asks for no key: without any, litellm sends it that of OpenAI from the environment."""


def _is_compatible(settings: Llm) -> bool:
    """Whether the recipe gives the address of a server that speaks the OpenAI API."""
    provider, slash, _ = settings.model.partition("/")
    return settings.api_base is not None and (not slash or provider in _COMPATIBLE)


_COMPATIBLE = ("openai", "aiohttp_openai", "custom_openai", "hosted_vllm", "lm_studio", "llamafile")


def _retry_after(fault: Exception) -> str | None:
    """Return the `retry-after` header of a provider's error, or None."""
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
    """Return US dollars for a million tokens, in and out, as the recipe or litellm's bundled list has them; None: nobody knows. Batches cost half."""
    if settings.model.startswith("local") and settings.price is None:
        return 0.0, 0.0
    listed = None if settings.price is not None or settings.api_base else _listed_price(settings.model)
    price = listed if settings.price is None else (settings.price.input, settings.price.output)
    return (price[0] / 2, price[1] / 2) if price is not None and settings.batch else price


@cache
def _listed_price(name: str) -> tuple[float, float] | None:
    """Return the price of a model by litellm's name for it, with or without its provider; None for one that is not on the list."""
    litellm = import_litellm()
    price_list, (provider, _, bare_name) = litellm.model_cost, name.partition("/")
    entry = price_list.get(name) or price_list.get(bare_name, {})
    if name not in price_list and entry.get("litellm_provider") != provider:
        try:
            entry = price_list.get(litellm.get_model_info(name)["key"], {})  # it makes up entries, whose price is 0
        except Exception:  # a bare Exception for models it does not know
            return None
    sent, received = entry.get("input_cost_per_token"), entry.get("output_cost_per_token")
    return None if sent is None or received is None else (sent * 1e6, received * 1e6)


_PARAMETERS = (
    "max_completion_tokens",
    "max_tokens",
    "seed",
    "temperature",
    "top_p",
    "frequency_penalty",
    "presence_penalty",
)
_RENAMED = "max_completion_tokens"
_FORMS = ("json_schema", "json_object")
_MENTIONS_JSON_FORM = re.compile(
    r"response_format|json_schema|json_object|json mode|structured output|\bschema\b", re.IGNORECASE
)


def learnt_from(message: str, sent: dict[str, Any]) -> str:
    """Return the field of a request that a server does not take, by its own message: `temperature`, `json_schema`; empty where it does not tell."""
    parameters = [name for name in _PARAMETERS if re.search(rf"\b{name}\b", message, re.IGNORECASE)]
    if _RENAMED in parameters and "max_tokens" in sent:
        return _RENAMED
    if rejected := next((name for name in parameters if name in sent), ""):
        return "max_tokens" if rejected == _RENAMED else rejected
    json_form = sent.get("response_format", {}).get("type", "")
    return json_form if json_form and _MENTIONS_JSON_FORM.search(message) else ""


def fitted(sent: dict[str, Any], learnt: Collection[str]) -> dict[str, Any]:
    """Return the fields of a request without what a server does not take: a looser form of JSON instead of a strict one."""
    fields = {name: value for name, value in sent.items() if name not in learnt}
    if _RENAMED in learnt and "max_tokens" in fields:
        fields[_RENAMED] = fields.pop("max_tokens")
    form = fields.get("response_format", {}).get("type", "")
    looser = [one for one in _FORMS[_FORMS.index(form) :] if one not in learnt] if form in learnt else [form]
    if form and not looser:
        del fields["response_format"]
    elif form and looser != [form]:
        fields["response_format"] = {"type": looser[0]}
    return fields


def in_words(learnt: str) -> str:
    """Return what was learnt, as `MODEL WHAT`, for people."""
    model, _, field = learnt.rpartition(" ")
    if field in _FORMS:
        return f"{model} does not take {field}: it is asked in a looser form (llm.json_mode)"
    if field == _RENAMED:
        return f"{model} takes max_tokens as {_RENAMED}"
    return f"{model} does not take {field}: it is left out"
