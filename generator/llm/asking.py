"""How synchronous code that makes rows asks a model: without waiting.

A row is made by plain functions. Where one of them needs answers, it calls `Asker.ask`; answers that are not there yet
raise `Wanted`, which ends the making of the row. The executor gets the answers and starts the row again: making a row
is a pure function, so it comes to the same place and now finds them. So rows do not depend on the order in which
answers come, and nothing but the run has to know of many rows at once.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec
import orjson

from generator.recipe.llm import Llm

Role = Literal["system", "user", "assistant"]
Message = tuple[Role, str]
"""(role, text) of one message."""


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked."""

    messages: tuple[Message, ...]
    schema: dict[str, Any] | None = None
    """JSON Schema of the answer; None: the answer is text."""
    nth: int = 0
    """The n-th answer to the same question."""
    use: str = ""
    """What it is for, in the recipe's words; does not change the answer."""
    again: bool = False
    """Whether an earlier answer was no good; does not change the answer."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came back."""

    text: str = ""
    fault: str = ""
    """Why the text is of no use (`cut off`, `too long`, `refused by the server`); empty when it may be."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None
    """What it cost; None: not known."""


class Wanted(Exception):  # noqa: N818 (a signal to the executor, not an error)
    """Raised for answers that are needed to go on; not an error."""

    def __init__(self, requests: tuple[Request, ...]) -> None:
        super().__init__(f"{len(requests)} answers are needed")
        self.requests = requests


def key_of(request: Request, settings: Llm) -> bytes:
    """Return the key of an answer: a digest of all that it depends on."""
    content = {
        "model": settings.model,
        "temperature": settings.temperature,
        "max_tokens": settings.max_tokens,
        "json_mode": settings.json_mode if request.schema is not None else "",
        "messages": request.messages,
        "schema": request.schema,
        "nth": request.nth,
    }
    try:
        text = orjson.dumps(content)
    except TypeError:  # whole numbers beyond 64 bits in a schema
        text = repr(content).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).digest()


Note = tuple[str, str]
"""(use, what became of it): `accepted`, or `replaced: ` and why."""


class Asker:
    """Holds the known answers while one row is made, and counts how they were used."""

    def __init__(self, settings: Llm) -> None:
        self.settings = settings
        self.notes: list[Note] = []
        self.pools: dict[tuple[str, ...], Any] = {}
        """What was made of answers once and for all rows."""
        self._known: dict[bytes, Answer] = {}

    def begin(self, known: dict[bytes, Answer]) -> None:
        """Begin a row, or the same one again, with these known answers."""
        self._known = known
        self.notes.clear()

    def ask(self, *requests: Request) -> tuple[Answer, ...]:
        """Answers to all requests; raises Wanted with those that are not there yet."""
        found = [self._known.get(key_of(request, self.settings)) for request in requests]
        missing = tuple([request for request, answer in zip(requests, found, strict=True) if answer is None])
        if missing:
            raise Wanted(missing)
        return tuple([answer for answer in found if answer is not None])

    def foresee(self, requests: Callable[[], Iterable[Request]]) -> None:
        """Nothing. An estimate counts the requests that good answers would lead to."""

    def note(self, use: str, fault: str = "") -> None:
        """Count an answer that was used (no fault), or rejected."""
        self.notes.append((use, f"replaced: {fault}" if fault else "accepted"))

    def note_of(self, use: str, outcome: str) -> None:
        """Count the outcome of an earlier decision again."""
        self.notes.append((use, outcome))


class Estimate(Asker):
    """Sends nothing: counts what would be asked. Every row is made as if all answers were rejected."""

    def __init__(self, settings: Llm) -> None:
        super().__init__(settings)
        self.requests: list[Request] = []

    def foresee(self, requests: Callable[[], Iterable[Request]]) -> None:
        """Count them: here no answer is good."""
        self.requests += requests()

    def ask(self, *requests: Request) -> tuple[Answer, ...]:
        """No answers."""
        self.requests += [request for request in requests if not request.again]
        return tuple([Answer(fault="not asked") for _ in requests])


def tokens_in(request: Request) -> int:
    """Estimate the tokens of a request: four characters each, as is usual for English."""
    letters = sum(len(text) for _, text in request.messages)
    if request.schema is not None:
        letters += len(repr(request.schema))
    return letters // 4 + 4 * len(request.messages) + 3
