"""Open a session: choose the transport and the key, and check that the budget can be kept."""

import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec

from generator.errors import LlmError
from generator.llm.asking import Request
from generator.llm.cache import Cache
from generator.llm.known_models import KnownModel, known_model
from generator.llm.session import Session
from generator.llm.transport import Reply, Secrets, Transport
from generator.recipe.llm import Llm

COMPATIBLE = ("openai/", "aiohttp_openai/", "custom_openai/", "hosted_vllm/", "lm_studio/", "llamafile/")
"""Providers whose servers speak the OpenAI API, when the recipe gives an address."""


@asynccontextmanager
async def open_session(
    settings: Llm, cache: Path, run: str, *, cache_only: bool = False
) -> AsyncGenerator[Session, None]:
    """Open a session, which is closed when the context ends.

    Args:
        settings: The recipe's.
        cache: The file for answers, unless the recipe names one.
        run: Digest of the data set, for its account.
        cache_only: Use cached answers only.

    Raises:
        LlmError: when the key is missing, the model is not known, or its price is not although the budget needs it.
        OutputError: when the cache cannot be used.
    """
    if any(one.model.startswith("local") for one in settings.models):
        settings = msgspec.structs.replace(settings, concurrency=1)  # it answers one after the other
    keys = [key for one in settings.models if (key := _key(one)) is not None]
    async with AsyncExitStack() as stack:
        answers = Cache(settings.cache or cache, run, must_exist=cache_only)
        async with AsyncExitStack() as unused:
            unused.callback(answers.close)
            ways: dict[str, Transport] = {}
            for use, one in {} if cache_only else {"": settings, **settings.uses}.items():
                ways[use] = _way_to(one, stack)
                unused.push_async_callback(ways[use].close)
                check_price(one)
            unused.pop_all()
        usual = ways.pop("", None)
        session = Session(settings, ByUse(usual, ways) if usual and ways else usual, answers, Secrets(*keys))
        stack.push_async_callback(session.close)
        yield session


def _way_to(settings: Llm, stack: AsyncExitStack) -> Transport:
    """Return the way to a model; a server that is started for it ends with the stack."""
    if not settings.model.startswith("local"):
        return _way(settings, _key(settings))
    from generator.llm.direct import Direct
    from generator.llm.local import start_local

    local = start_local(settings.model.removeprefix("local").removeprefix(":"))
    stack.callback(local.stop)
    return Direct(settings, local.base, "local", local.key, free=True)


class ByUse:
    """Sends each request to the model of its use."""

    def __init__(self, usual: Transport, ways: dict[str, Transport]) -> None:
        self._usual = usual
        self._ways = ways

    async def send(self, request: Request, seed: int) -> Reply:
        """Return the reply; see `Transport`."""
        return await self._ways.get(request.use, self._usual).send(request, seed)

    async def close(self) -> None:
        """Close all ways."""
        for way in (self._usual, *self._ways.values()):
            await way.close()


def _key(settings: Llm) -> str | None:
    if settings.api_key_env is None:
        return None
    key = os.environ.get(settings.api_key_env, "").strip()
    if not key:
        raise LlmError(f"llm.api_key_env: the environment variable {settings.api_key_env} is not set")
    if not key.isascii() or not key.isprintable() or " " in key:
        raise LlmError(
            f"llm.api_key_env: {settings.api_key_env} does not hold a key (it has spaces, breaks or odd letters)"
        )
    return key


def _way(settings: Llm, key: str | None) -> Transport:
    from generator.llm.direct import Direct

    prefix = next((prefix for prefix in COMPATIBLE if settings.model.startswith(prefix)), "")
    if settings.api_base and (prefix or "/" not in settings.model):
        return Direct(settings, settings.api_base, settings.model.removeprefix(prefix), key)
    if not settings.api_base and settings.model.startswith(_OPENAI):
        known = known_model(settings.model) or KnownModel(mode="chat")
        if known.mode == "chat":
            return Direct(
                settings,
                _openai_base(),
                settings.model.removeprefix(_OPENAI),
                key or _openai_key(settings),
                known=known,
            )
    from generator.llm.providers import LitellmProvider

    return LitellmProvider(settings, key)


_OPENAI = "openai/"


def _openai_base() -> str:
    """Return where OpenAI's own models are, or what its variables say instead."""
    usual = "https://api.openai.com/v1"
    return (os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE") or usual).rstrip("/")


def _openai_key(settings: Llm) -> str | None:
    key = (
        _key(msgspec.structs.replace(settings, api_key_env="OPENAI_API_KEY"))
        if "OPENAI_API_KEY" in os.environ
        else None
    )
    if key is None:
        raise LlmError(
            f"llm.api_key_env: {settings.model} needs a key: set the environment variable OPENAI_API_KEY, "
            "or name another one in the recipe"
        )
    return key


def check_prices(settings: Llm) -> None:
    """Check the same for all models of a recipe."""
    for model in settings.models:
        check_price(model)


def check_price(settings: Llm) -> None:
    """Check that the budget can be kept.

    Raises:
        LlmError: when it is in dollars, and the model's price is not known.
    """
    if settings.budget.usd is None:
        return
    from generator.llm.providers import price_of

    if price_of(settings) is None:
        raise LlmError(
            f"llm.budget.usd: nobody knows what {settings.model} costs: give llm.price, or a budget of requests or tokens"
        )
