"""Requests that go in batches: a file of them, answered within a day and for half the price, by the OpenAI API's files and batches.

Requests wait until no more come; then they are one batch. Its id is kept with the answers, so that the same command, given again,
takes what it answers instead of asking anew.
"""

import asyncio
import json
from collections.abc import Coroutine
from typing import Any, TypeVar

from generator.core.errors import LlmError, StoppedError
from generator.core.exact_json import is_json, loads
from generator.llm.asking import Request, cache_key, model_of
from generator.llm.cache import Cache
from generator.llm.providers import LitellmProvider, RefusedError, Reply, TransientError, learnt_from, messages_of
from generator.llm.session import ATTEMPTS, FIRST_WAIT, with_retries
from generator.recipe.llm import Llm

T = TypeVar("T")
QUIET = 5.0
"""Seconds without another request after which a batch is sent."""
FIRST_PAUSE, LONGEST_PAUSE = 2.0, 60.0
"""Seconds between two looks at a batch."""
MOST_LINES = 20_000
_PROVIDERS = ("openai", "azure", "hosted_vllm")
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
_SENT_BESIDE = frozenset({"api_base", "api_key", "extra_body"})


class BatchProvider(LitellmProvider):
    """A model of a provider that takes batches.

    Raises:
        LlmError: as of any provider, and when it takes no batches.
    """

    def __init__(self, settings: Llm, key: str | None, cache: Cache) -> None:
        super().__init__(settings, key)
        self._options: dict[str, Any] = {
            "custom_llm_provider": self._provider_model(settings.model)[1],
            "max_retries": 0,
        }
        self._options["extra_headers"] = {"Connection": "close"}
        if self._options["custom_llm_provider"] not in _PROVIDERS:
            raise LlmError(f"llm.batch: {settings.model}: batches go to {', '.join(_PROVIDERS)}; leave the key out")
        self._cache = cache
        self._batches = cache.batches()
        """The batches of requests, by the requests' names, until their answers are taken."""
        self._lines: dict[str, bytes] = {}
        """Requests that are not sent yet, by name."""
        self._sending: asyncio.Task[None] | None = None
        self._tasks: list[asyncio.Task[Any]] = []
        self._reading: dict[str, asyncio.Task[dict[str, Any]]] = {}

    async def send(self, request: Request, seed: int) -> Reply:
        """Return the reply when the batch has ended."""
        sent, known, name = self._fields(request, seed), len(self._learnt), cache_key(request, self._settings).hex()
        if name not in self._batches:
            fields = {key: value for key, value in sent.items() if key not in _SENT_BESIDE} | sent.get("extra_body", {})
            body = {
                "model": self._provider_model(model_of(request, self._settings))[0],
                "messages": messages_of(request),
            }
            line = {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body | fields}
            self._lines[name] = json.dumps(line).encode()
            self._sending = self._sending or self._started(self._send_when_quiet())
            await asyncio.shield(self._sending)
        batch = self._batches[name]
        if batch not in self._reading:
            self._reading[batch] = self._started(self._read(batch))
        try:
            answers = await asyncio.shield(self._reading[batch])
        except Exception:
            self._reading.pop(batch, None)  # who tries again, looks again
            raise
        self._batches.pop(name)  # what is asked again, is asked in another one
        answer = answers.pop(name, None)
        if answer is None:
            raise TransientError(f"the batch {batch} has ended without this answer")
        response = answer.get("response") or {}
        status, reply_body = response.get("status_code"), response.get("body") or {}
        if status == 200:
            return self._reply(request, self._litellm.ModelResponse(**reply_body))
        words = self._secrets.hide(f"{status}: {(reply_body.get('error') or answer.get('error') or {}).get('message')}")
        if status not in {400, 413, 422}:
            raise TransientError(words)
        self._learn(learnt_from(words, sent), known, request)
        raise RefusedError(words)

    async def close(self) -> None:
        """Let go of all connections; batches go on, and are asked for the next time."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await super().close()

    def _started(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Start a task that several requests wait for; it goes on when one of them is given up."""
        task = asyncio.ensure_future(work)
        self._tasks.append(task)
        return task

    async def _send_when_quiet(self) -> None:
        """Send the requests that wait as a batch, when no more have come for a while."""
        try:
            count = 0
            while count < len(self._lines) < MOST_LINES:
                count = len(self._lines)
                await asyncio.sleep(QUIET)
        finally:
            self._sending, lines, self._lines = None, self._lines, {}
        file = ("requests.jsonl", b"\n".join(lines.values()))
        file_made = await self._call("create_file", file=file, purpose="batch")
        batch = file_made and await self._call(
            "create_batch", completion_window="24h", endpoint="/v1/chat/completions", input_file_id=file_made.id
        )
        if batch is None:
            raise LlmError(f"llm.batch: {self._settings.api_base or self._settings.model} takes no batches")
        self._cache.keep_batch(batch.id, [*lines])
        self._batches |= dict.fromkeys(lines, batch.id)

    async def _read(self, batch: str) -> dict[str, Any]:
        """Return the answers of a batch, when it has ended, by the names of requests.

        Raises:
            StoppedError: when the provider refuses all of it.
        """
        pause = FIRST_PAUSE
        while (state := await self._call("retrieve_batch", batch_id=batch)) and state.status not in _ENDED:
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)
        if state is None or state.status == "failed":
            self._cache.keep_batch(batch, [])
        if state is not None and state.status == "failed":
            message = "; ".join([str(entry.message) for entry in getattr(state.errors, "data", None) or ()])
            raise StoppedError(f"llm.batch: the provider refuses the batch {batch}: {self._secrets.hide(message)}")
        files = [] if state is None else [state.output_file_id, state.error_file_id]
        texts = [(await self._call("file_content", file_id=file)).content for file in files if file]
        entries = [loads(line) for text in texts for line in text.splitlines() if is_json(line)]
        return {entry["custom_id"]: entry for entry in entries}

    async def _call(self, name: str, **fields: Any) -> Any:
        """Return what a call of litellm returns; None for what is not there.

        Raises:
            TransientError: when it fails again and again.
            LlmError: when it never will succeed.
        """

        async def once() -> Any:
            arguments = {**self._access(), **self._options, **fields, "timeout": self._settings.timeout}
            try:
                # litellm makes a client for each call, and closes none: without an event loop, and with connections that end, it ends by itself
                return await asyncio.to_thread(getattr(self._litellm, name), **arguments)
            except Exception as fault:  # litellm's errors have no common base
                if getattr(fault, "status_code", None) == 404:
                    return None
                self._raise_meaning(Request(), fault)
                raise

        return await with_retries(once, lambda: ATTEMPTS, FIRST_WAIT, lambda: None)

    def _provider_model(self, model: str) -> tuple[str, str]:
        """Return (what the provider calls a model, the provider): `("gpt-4o-mini", "openai")`."""
        name_and_provider = self._litellm.get_llm_provider(self._name(model), api_base=self._settings.api_base)
        return name_and_provider[0], name_and_provider[1]
