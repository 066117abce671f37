"""The session: every request to a model goes through `await session.complete(messages)`.

cache → the same request in flight → a place in the window → budget → pace → transport, with retries → cache
"""

import asyncio
import os
import random
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import msgspec
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from generator.core.errors import GeneratorError, LlmError, OutputError, StoppedError
from generator.llm.asking import (
    Account,
    ModelAnswer,
    PromptMessage,
    Refused,
    Request,
    cache_key,
    check_budget,
    model_of,
    sampling_of,
    tokens_in,
)
from generator.llm.cache import Cache, KeptPrompt, new_messages_in
from generator.llm.providers import (
    LONGEST_ANSWER,
    LearntError,
    LitellmProvider,
    RefusedError,
    Reply,
    Secrets,
    TransientError,
    price_of,
)
from generator.llm.reading import without_reasoning
from generator.recipe.llm import Llm, Price


class Pace:
    """A rate limit in units per minute, evenly spread; None: no limit."""

    def __init__(self, per_minute: int | None, now: Callable[[], float] = monotonic) -> None:
        self._seconds_each = 60.0 / per_minute if per_minute else 0.0
        self._now = now
        self._free_at = 0.0

    def reserve(self, units: float = 1.0) -> float:
        """Take units; returns how many seconds to wait before they are used."""
        if not self._seconds_each:
            return 0.0
        now = self._now()
        starts_at = max(now, self._free_at)
        self._free_at = starts_at + units * self._seconds_each
        return starts_at - now

    async def wait(self, units: float = 1.0) -> None:
        """Take units, and wait until they may be used."""
        seconds = self.reserve(units)
        if seconds > 0:
            await asyncio.sleep(seconds)


T = TypeVar("T")

FIRST_WAIT = 0.5
LONGEST_WAIT = 20.0
LONGEST_ASKED = 300.0
"""Seconds; a server that wants to be left alone for longer is asked again by then."""
ATTEMPTS = 8
"""For a server that has answered before."""
FIRST_ATTEMPTS = 4
"""For one that never has: something is wrong with the address, then."""


async def with_retries(
    attempt: Callable[[], Awaitable[T]], attempts: Callable[[], int], first_wait: float, on_retry: Callable[[], None]
) -> T:
    """Return what `attempt` returns; made again after a TransientError, with pauses that grow, or that the server asks for.

    The number of attempts is asked after each failure; seconds double from the `first_wait` on.

    Raises:
        TransientError: of the last attempt.
    """

    def wait(state: RetryCallState) -> float:
        """Return the seconds before the next attempt: as many as the server asks for, or a random part of a growing pause."""
        fault = state.outcome.exception() if state.outcome else None
        asked_seconds = fault.retry_after if isinstance(fault, TransientError) else None
        if asked_seconds is not None:
            return min(asked_seconds, LONGEST_ASKED) * random.uniform(1.0, 1.1)
        longest_wait = min(first_wait * 2.0 ** (state.attempt_number - 1), LONGEST_WAIT)
        return longest_wait * random.uniform(0.5, 1.0)

    retrying = AsyncRetrying(
        stop=lambda state: state.attempt_number >= attempts(),
        wait=wait,
        retry=retry_if_exception_type(TransientError),
        before_sleep=lambda _: on_retry(),
        reraise=True,
    )
    return await retrying(attempt)


_NOTHING = ModelAnswer()
_REFUSALS = 3
"""How many different requests must be refused, with none answered, before asking stops."""
_AROUND_A_CALL = 50
_ROOM_FACTORS = (1, 2, 4)
"""Times its usual most tokens that an answer may have, before and after it was cut off."""
_CUT_OFF = frozenset({"length", "max_tokens"})
_FILTERED = frozenset({"content_filter", "refused"})


class Session:
    """A model that can be asked, until `close`.

    The ways to servers stand by use, and the usual one under no name; none: answers come from the cache alone. No answer may contain the
    secrets.
    """

    def __init__(
        self,
        settings: Llm,
        ways: Mapping[str, LitellmProvider],
        cache: Cache,
        secrets: Secrets | None = None,
        *,
        first_wait: float = FIRST_WAIT,
    ) -> None:
        self.settings = settings
        self.account: Account = cache.account()
        self._ways = ways
        self._cache = cache
        self._secrets = secrets or Secrets(None)
        self._first_wait = first_wait
        self._places = asyncio.Semaphore(settings.concurrency)
        self._requests = Pace(settings.requests_per_minute)
        self._tokens = Pace(settings.tokens_per_minute)
        self._in_flight: dict[bytes, asyncio.Future[ModelAnswer]] = {}
        self._refused_answers: list[tuple[bytes, ModelAnswer]] = []
        self._prompts: list[tuple[bytes, KeptPrompt]] = []
        self._unusable_answers: list[Refused] = []
        self._to_store: list[tuple[bytes, ModelAnswer, asyncio.Future[ModelAnswer]]] = []
        self._answered = False
        self._priced = {one.model for one in settings.models}
        """Models of which it is known that a budget in dollars can be kept."""
        self._stopped: GeneratorError | None = None
        for way in ways.values():
            way.remember(self.account.learnt)

    async def complete(
        self, messages: Sequence[PromptMessage], *, schema: dict[str, Any] | None = None, nth: int = 0
    ) -> ModelAnswer:
        """Return the model's answer (the `nth` to the same request) to these (role, text) pairs; nobody promises that it follows the schema.

        Raises:
            LlmError: when nothing can be asked any more.
        """
        return await self.answer(Request(messages=tuple(messages), schema=schema, nth=nth))

    async def answer(self, request: Request) -> ModelAnswer:
        """Return the answer to a request: from the cache, from the same request in flight, or of the model. Raises like `complete`."""
        key = cache_key(request, self.settings)
        cached = self._cache.get(key)
        if cached is not None:
            self.account.cache_hits += 1
            return cached
        in_flight = self._in_flight.get(key)
        if in_flight is not None:
            return await asyncio.shield(in_flight)
        own_future: asyncio.Future[ModelAnswer] = asyncio.get_running_loop().create_future()
        self._in_flight[key] = own_future
        try:
            answer = await self._fetch(key, request)
        except BaseException as fault:
            own_future.set_exception(_error_for_waiting(fault))
            own_future.exception()  # nobody else may have waited for it
            raise
        else:
            own_future.set_result(answer)
            return answer
        finally:
            del self._in_flight[key]

    def refuse(self, refused: Sequence[Refused]) -> None:
        """Keep which answers could not be used; they are stored with the next answers."""
        self._unusable_answers += refused

    async def close(self) -> None:
        """Store what is left, and the account."""
        if self._to_store:
            self._store()
        if not isinstance(self._stopped, LlmError) or self._answered:
            self._keep_refusals()
        self._put(())

    async def _fetch(self, key: bytes, request: Request) -> ModelAnswer:
        """Ask the model and store its answer; where all answers come from the cache, asking stops."""
        if not self._ways:
            raise self._stop(
                StoppedError(
                    f"{self._cache.path}: an answer ({request.use or 'a request'}) is not in the cache, and --llm-cache-only asks nobody"
                )
            )
        model = model_of(request, self.settings.of(request.use))
        self._prompts.append((key, KeptPrompt(request.use, model, (*request.messages, *new_messages_in(request)))))
        seed = int.from_bytes(key[:4], "big") >> 1
        try:
            reply = await self._complete_reply(request, seed)
        except TransientError as fault:
            raise self._stop(self._error_of_failures(fault)) from None
        except RefusedError as fault:
            return self._refused(key, request, fault)
        except GeneratorError as fault:
            raise self._stop(fault) from None
        self._answered = True
        if self._refused_answers:
            self._keep_refusals()
        answer = self._answer_of_reply(reply, self.settings.of(request.use).reasoning == "keep")
        self.account.add(answer)
        return await self._stored(key, answer)

    async def _complete_reply(self, request: Request, seed: int) -> Reply:
        """Return the reply of a model, asked again with more room where it was cut off: thoughts may fill it."""
        room = sampling_of(request, self.settings.of(request.use)).get("max_tokens")
        for more in _ROOM_FACTORS:
            wider = msgspec.structs.replace(request.sampling, max_tokens=int(more * room)) if room else request.sampling
            asked = msgspec.structs.replace(request, sampling=wider)
            reply = await with_retries(
                partial(self._attempt, asked, seed), self._attempts, self._first_wait, self._count_retry
            )
            if reply.finish_reason not in _CUT_OFF or not room or more == _ROOM_FACTORS[-1]:
                break
            self.account.add(self._answer_of_reply(reply, False))
            self.account.answers -= 1
        return reply

    async def _stored(self, key: bytes = b"", answer: ModelAnswer = _NOTHING) -> ModelAnswer:
        """Store an answer, and the account as it is now: together with all else that happens before the event loop goes on.

        Returns the stored answer: the first for the key.
        """
        loop = asyncio.get_running_loop()
        stored: asyncio.Future[ModelAnswer] = loop.create_future()
        if not self._to_store:
            loop.call_soon(self._store)
        self._to_store.append((key, answer, stored))
        return await stored

    def _store(self) -> None:
        """Write the answers that wait to the cache, and hand each to those who wait for it."""
        if not self._to_store:  # done when the session was closed
            return
        waiting, self._to_store = self._to_store, []
        try:
            answers = iter(self._put([(key, answer) for key, answer, _ in waiting if key]))
        except OutputError as fault:
            for _, _, stored in waiting:
                if not stored.done():
                    stored.set_exception(fault)
            return
        for key, answer, stored in waiting:
            stored_answer = next(answers) if key else answer
            if not stored.done():  # cancelled
                stored.set_result(stored_answer)

    def _put(self, answers: Sequence[tuple[bytes, ModelAnswer]]) -> list[ModelAnswer]:
        """Write answers, prompts and refusals to the cache and return the answers as it has them."""
        prompts, self._prompts = self._prompts, []
        refused, self._unusable_answers = self._unusable_answers, []
        return self._cache.put(answers, self.account, prompts, refused)

    async def _attempt(self, request: Request, seed: int) -> Reply:
        """Ask once. The place in the window is given back while a retry waits."""
        async with nullcontext() if self.settings.of(request.use).batch else self._places:
            self._check_not_stopped()
            await self._requests.wait()
            await self._tokens.wait(tokens_in(request) if self.settings.tokens_per_minute else 0)
            self._check_not_stopped()
            self._check_price(request)
            self.account.requests += 1
            await self._stored()
            try:
                reply = await self._ways.get(request.use, self._ways[""]).send(request, seed)
            except LearntError as learnt:
                self.account.learnt += [str(learnt)] if str(learnt) not in self.account.learnt else []
                reply = None
            if reply is not None:
                self._tokens.reserve(reply.completion_tokens)
                return reply
        return await self._attempt(request, seed)

    def _check_not_stopped(self) -> None:
        """Raise if asking has been stopped."""
        if self._stopped is None:
            try:
                check_budget(self.account, self.settings.budget)
            except StoppedError as fault:
                self._stopped = fault
        if self._stopped is not None:
            raise self._stopped

    def _check_price(self, request: Request) -> None:
        """Raise when a prompt is for another model than the recipe's, and nobody knows what that one costs."""
        model = model_of(request, self.settings.of(request.use))
        if model not in self._priced:
            check_price(msgspec.structs.replace(self.settings.of(request.use), model=model, price=None))
            self._priced.add(model)

    def _stop(self, fault: GeneratorError) -> GeneratorError:
        """Stop asking; the first reason is the one that is reported."""
        self._stopped = self._stopped or fault
        return self._stopped

    def _attempts(self) -> int:
        """Return how often a request is tried: fewer times before the first answer, never after the run was stopped."""
        if self._stopped is not None:
            return 0
        return ATTEMPTS if self._answered else FIRST_ATTEMPTS

    def _count_retry(self) -> None:
        self.account.retries += 1

    def _error_of_failures(self, fault: TransientError) -> LlmError:
        """Return the error of a provider that only fails."""
        server_text = f"the server at {self.settings.api_base}" if self.settings.api_base else self.settings.model
        if self._answered:
            return StoppedError(f"{server_text} failed {ATTEMPTS} times in a row: {fault}")
        if fault.unreachable:
            return LlmError(f"llm.api_base: {server_text} cannot be reached: {fault}")
        return LlmError(f"llm: {server_text} only fails ({FIRST_ATTEMPTS} times in a row): {fault}")

    def _refused(self, key: bytes, request: Request, fault: RefusedError) -> ModelAnswer:
        """Treat a request that will never be answered as one with a useless answer, unless all requests fail so."""
        answer = ModelAnswer(fault="refused by the server", usd=0.0)
        self._refused_answers.append((key, answer))
        if self._answered:
            self._keep_refusals()
        elif len(self._refused_answers) >= _REFUSALS:
            hint = (
                " (llm.json_mode may be too much for it)" if self.settings.of(request.use).json_mode != "text" else ""
            )
            raise self._stop(LlmError(f"llm: the server refuses every request: {fault}{hint}"))
        return answer

    def _keep_refusals(self) -> None:
        """Store the requests that the server refused as answers with a fault."""
        self._put(self._refused_answers)
        self._refused_answers.clear()

    def _answer_of_reply(self, reply: Reply, keeps_reasoning: bool) -> ModelAnswer:
        """Return the reply, without its text where that cannot be used."""
        reasoning, text = without_reasoning(reply.text)
        reasoning = "\n".join(filter(None, (reply.reasoning, reasoning))) if keeps_reasoning else ""
        text_of_calls = "".join(call.name + call.arguments for call in reply.calls)
        fault = ""
        if reply.finish_reason in _CUT_OFF:
            fault = "cut off"
        elif reply.finish_reason in _FILTERED:
            fault = "refused by the server"
        elif _length(reply) > LONGEST_ANSWER:
            fault = "too long"
        elif not text.strip() and not reply.calls:
            fault = "empty"
        elif self._secrets.in_text(text + text_of_calls + reasoning):
            fault = "holds a secret"
        elif not _is_writable(text + text_of_calls + reasoning):
            fault = "broken text"
        return ModelAnswer(
            text="" if fault else text,
            calls=() if fault else reply.calls,
            reasoning="" if fault else reasoning,
            fault=fault,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            usd=reply.usd,
        )


def _length(reply: Reply) -> int:
    """Return the characters of an answer, with what JSON needs around each call."""
    return len(reply.text) + sum(len(call.name) + len(call.arguments) + _AROUND_A_CALL for call in reply.calls)


def _error_for_waiting(fault: BaseException) -> BaseException:
    """Return what those who waited for the same answer are told."""
    if isinstance(fault, asyncio.CancelledError | KeyboardInterrupt | SystemExit):
        return StoppedError("asking was given up")
    return fault


def _is_writable(text: str) -> bool:
    """Whether a text can be written as UTF-8 (no half of a surrogate pair)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


@asynccontextmanager
async def open_session(
    settings: Llm, cache: Path, run: str, *, cache_only: bool = False
) -> AsyncGenerator[Session, None]:
    """Open a session, which is closed when the context ends; answers go to the file `cache` unless the recipe names one.

    Raises:
        LlmError: when the key is missing, the model is not known, or its price is not although the budget needs it.
        OutputError: when the cache cannot be used.
    """
    if any(model_settings.model.startswith("local") for model_settings in settings.models):
        settings = msgspec.structs.replace(settings, concurrency=1)  # it answers one after the other
    keys = [key for model_settings in settings.models if (key := _api_key(model_settings)) is not None]
    async with AsyncExitStack() as stack:
        answers = Cache(settings.cache or cache, run, must_exist=cache_only)
        stack.callback(answers.close)
        ways: dict[str, LitellmProvider] = {}
        for use, model_settings in {} if cache_only else {"": settings, **settings.uses}.items():
            ways[use] = _provider_for(model_settings, stack, answers)
            stack.push_async_callback(ways[use].close)
            check_price(model_settings)
        session = Session(settings, ways, answers, Secrets(*keys))
        stack.push_async_callback(session.close)
        yield session


def _provider_for(settings: Llm, stack: AsyncExitStack, cache: Cache) -> LitellmProvider:
    """Return the way to a model; a server that is started for it ends with the stack."""
    from generator.llm.batches import BatchProvider

    if not settings.model.startswith("local"):
        key = _api_key(settings)
        return BatchProvider(settings, key, cache) if settings.batch else LitellmProvider(settings, key)
    if settings.batch:
        raise LlmError("llm.batch: a model on this machine takes no batches; leave the key out")
    from generator.llm.local import start_local

    local = start_local(settings.model.removeprefix("local").removeprefix(":"))
    stack.callback(local.stop)
    free = Price(input=0.0, output=0.0)
    return LitellmProvider(msgspec.structs.replace(settings, model="local", api_base=local.base, price=free), local.key)


def _api_key(settings: Llm) -> str | None:
    """Return the API key of the environment variable that the recipe names; raises LlmError where it holds none."""
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
    """Check for all models of a recipe that the budget can be kept."""
    for model_settings in settings.models:
        check_price(model_settings)


def check_price(settings: Llm) -> None:
    """Check that the budget can be kept.

    Raises:
        LlmError: when it is in dollars, and the model's price is not known.
    """
    if settings.budget.usd is None:
        return
    if price_of(settings) is None:
        raise LlmError(
            f"llm.budget.usd: nobody knows what {settings.model} costs: give llm.price, or a budget of requests or tokens"
        )
