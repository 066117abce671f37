"""Open a session: choose the transport and the key, and check that the budget can be kept."""

import os
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec

from generator.core.errors import LlmError
from generator.llm.asking import Request
from generator.llm.cache import Cache
from generator.llm.session import Session
from generator.llm.transport import Reply, Secrets, Transport
from generator.recipe.llm import Llm, Price


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
                ways[use] = _way_to(one, stack, answers)
                unused.push_async_callback(ways[use].close)
                check_price(one)
            unused.pop_all()
        usual = ways.pop("", None)
        session = Session(settings, ByUse(usual, ways) if usual and ways else usual, answers, Secrets(*keys))
        stack.push_async_callback(session.close)
        yield session


def _way_to(settings: Llm, stack: AsyncExitStack, cache: Cache) -> Transport:
    """Return the way to a model; a server that is started for it ends with the stack."""
    from generator.llm.batches import BatchProvider
    from generator.llm.providers import LitellmProvider

    if not settings.model.startswith("local"):
        key = _key(settings)
        return BatchProvider(settings, key, cache) if settings.batch else LitellmProvider(settings, key)
    if settings.batch:
        raise LlmError("llm.batch: a model on this machine takes no batches; leave the key out")
    from generator.llm.local import start_local

    local = start_local(settings.model.removeprefix("local").removeprefix(":"))
    stack.callback(local.stop)
    free = Price(input=0.0, output=0.0)
    return LitellmProvider(msgspec.structs.replace(settings, model="local", api_base=local.base, price=free), local.key)


class ByUse:
    """Sends each request to the model of its use."""

    def __init__(self, usual: Transport, ways: dict[str, Transport]) -> None:
        self._usual = usual
        self._ways = ways

    async def send(self, request: Request, seed: int) -> Reply:
        """Return the reply; see `Transport`."""
        return await self._ways.get(request.use, self._usual).send(request, seed)

    def remember(self, learnt: Sequence[str]) -> None:
        """Tell all ways."""
        for way in (self._usual, *self._ways.values()):
            way.remember(learnt)

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
