"""Every provider that litellm knows. Its import takes two seconds of CPU, so it happens here, when a session opens."""

import asyncio
import logging
import os
import warnings
from functools import cache
from typing import Any

import msgspec

from generator.errors import LlmError, StoppedError
from generator.llm.asking import Request, model_of, price_for, sampling_of
from generator.llm.direct import seconds_of
from generator.llm.known_models import known_model
from generator.llm.transport import (
    RefusedError,
    Reply,
    Secrets,
    TransientError,
    calls_in,
    messages_of,
    response_format,
)
from generator.recipe.llm import Llm


def import_litellm() -> Any:
    """Return litellm, set to print nothing, fetch nothing and send no reports."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import litellm

    warnings.filterwarnings("ignore", module=r"litellm|openai|pydantic")  # it imports more when it is first used
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
        self._check()

    async def send(self, request: Request, seed: int) -> Reply:
        """Return the reply; see `Transport`."""
        settings = self._settings
        optional = {
            "api_base": settings.api_base,
            "api_key": self._key,
            "tools": list(request.tools) or None,
            "response_format": response_format(request, settings),
            "reasoning_effort": settings.reasoning_effort,
            "extra_body": settings.extra_body or None,
        }
        try:
            async with asyncio.timeout(settings.timeout):  # litellm's own limit is for each piece of an answer
                response = await self._litellm.acompletion(
                    model=model_of(request, settings),
                    messages=messages_of(request),
                    **sampling_of(request, settings),
                    seed=seed,
                    timeout=settings.timeout,
                    max_retries=0,
                    num_retries=0,
                    **{name: value for name, value in optional.items() if value is not None},
                )
        except TimeoutError:
            raise TransientError(f"no answer within {settings.timeout:g} seconds (llm.timeout)") from None
        except Exception as fault:  # litellm's errors have no common base, and providers' own come through
            self._raise(request, fault)
            raise
        return self._reply(request, response)

    async def close(self) -> None:
        """Let go of litellm's connections."""
        await self._litellm.close_litellm_async_clients()

    def _check(self) -> None:
        settings, litellm = self._settings, self._litellm
        try:
            litellm.get_llm_provider(settings.model, api_base=settings.api_base)
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
            finish_reason=str(choice.finish_reason or ""),
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
        litellm = self._litellm
        status = getattr(fault, "status_code", None)
        words = self._secrets.hide(getattr(fault, "message", None) or str(fault))
        if isinstance(fault, litellm.AuthenticationError | litellm.PermissionDeniedError) or status in {401, 403}:
            named = self._settings.api_key_env or "not set; the provider's usual variable was used"
            raise LlmError(f"llm.api_key_env ({named}): the provider refuses the key ({words})") from None
        if isinstance(fault, litellm.NotFoundError) or status == 404:
            raise LlmError(
                f"llm.model: the provider does not know {model_of(request, self._settings)!r} ({words})"
            ) from None
        if isinstance(fault, litellm.RateLimitError) and "insufficient_quota" in str(fault):
            raise StoppedError(f"llm.model: the account with the provider is used up ({words})") from None
        if isinstance(fault, litellm.APIConnectionError):
            raise TransientError(words, unreachable="onnect" in words) from None
        if isinstance(fault, litellm.Timeout) or status in {408, 409, 425, 429} or (status or 0) >= 500:
            raise TransientError(words, seconds_of(_retry_after(fault))) from None
        if isinstance(fault, litellm.BadRequestError) or status in {400, 413, 422}:
            raise RefusedError(words) from None


def _retry_after(fault: Exception) -> str | None:
    headers = getattr(getattr(fault, "response", None), "headers", None)
    value = headers.get("retry-after") if headers is not None else None
    return str(value) if value is not None else None


def price_of(settings: Llm) -> tuple[float, float] | None:
    """Return US dollars for a million tokens, in and out, as the recipe or litellm's bundled list has them; None: nobody knows."""
    if settings.price is not None:
        return settings.price.input, settings.price.output
    if settings.model.startswith("local"):
        return 0.0, 0.0
    return None if settings.api_base else _listed_price(settings.model)


@cache
def _listed_price(name: str) -> tuple[float, float] | None:
    known = known_model(name)
    if known is None:
        try:
            known = known_model(import_litellm().get_model_info(name)["key"])  # it makes up entries, whose price is 0
        except Exception:  # a bare Exception for models it does not know
            return None
    if known is None or known.input_cost_per_token is None or known.output_cost_per_token is None:
        return None
    return known.input_cost_per_token * 1e6, known.output_cost_per_token * 1e6
