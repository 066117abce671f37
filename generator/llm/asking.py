"""How synchronous code that makes rows asks a model.

A row is made by plain functions. Where one of them needs answers, it calls `Asker.ask`, which returns when they are there.
Meanwhile other rows go on: whoever makes the rows gives the asker a function that waits, and knows how (see
generator/run/engine/row_makers.py). A row depends on the answers alone, not on the order in which they come.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec
import orjson

from generator.core.errors import LlmError, StoppedError
from generator.recipe.llm import Budget, Llm

Role = Literal["system", "user", "assistant", "tool"]
PromptMessage = tuple[Role, str]
"""(role, text) of one message."""


class Sampling(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a prompt says of how it is answered; what it leaves open is as the recipe says."""

    versions: tuple[str, ...] = ()
    """Models that it is made for; the recipe's, if it is among them, else the first."""
    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is asked."""

    messages: tuple[PromptMessage, ...] = ()
    turns: tuple[dict[str, Any], ...] = ()
    """Messages that follow, as the OpenAI API has them: with `tool_calls`, and of the role `tool`."""
    tools: tuple[dict[str, Any], ...] = ()
    """What the model may call, as the OpenAI API has it: `{"type": "function", "function": {...}}`."""
    schema: dict[str, Any] | None = None
    """JSON Schema of the answer; None: the answer is text."""
    sampling: Sampling = Sampling()
    nth: int = 0
    """The n-th answer to the same question."""
    use: str = ""
    """What it is for, in the recipe's words; does not change the answer."""
    again: bool = False
    """Whether an earlier answer was no good; does not change the answer."""


class AnsweredCall(msgspec.Struct, frozen=True):
    """A call that a model makes of a tool of the request."""

    name: str
    arguments: str
    """JSON, as the model wrote it: it may be broken."""


class ModelAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What came back."""

    text: str = ""
    calls: tuple[AnsweredCall, ...] = ()
    reasoning: str = ""
    """What the model thought before it, where the recipe keeps that."""
    fault: str = ""
    """Why the text is of no use (`cut off`, `too long`, `refused by the server`); empty when it may be."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None
    """What it cost; None: not known."""


def model_of(request: Request, settings: Llm) -> str:
    """Return the model that is asked, by litellm's name for it: the recipe's, or that which the prompt is made for.

    Raises:
        LlmError: when the prompt wants another model than the one that is run here.
    """
    versions, model = request.sampling.versions, settings.model
    if not versions or any(f"/{model}".endswith(f"/{version}") for version in versions):
        return model
    if model.startswith("local"):
        raise LlmError(f"llm.model: {model}: a prompt is made for {' or '.join(versions)} (its model_version)")
    provider, slash, _ = model.partition("/")
    return versions[0] if "/" in versions[0] or not slash else f"{provider}/{versions[0]}"


def sampling_of(request: Request, settings: Llm) -> dict[str, float]:
    """Return how an answer is made, by the OpenAI API's names: what the prompt says, else the recipe."""
    from_settings = {"temperature": settings.temperature, "top_p": settings.top_p, "max_tokens": settings.max_tokens}
    in_prompt = {name: value for name, value in msgspec.structs.asdict(request.sampling).items() if name != "versions"}
    from_prompt = {name: value for name, value in in_prompt.items() if value is not None}
    return {name: value for name, value in {**from_settings, **from_prompt}.items() if value is not None}


def fields_of(settings: Llm) -> dict[str, Any]:
    """Return what else a request says of how it is answered, by the OpenAI API's names."""
    effort = {"reasoning_effort": settings.reasoning_effort} if settings.reasoning_effort else {}
    return {**effort, **settings.extra_body}


def cache_key(request: Request, settings: Llm) -> bytes:
    """Return the key of an answer: a digest of all that it depends on."""
    settings = settings.of(request.use)
    content = {
        "model": model_of(request, settings),
        "temperature": None,
        **sampling_of(request, settings),
        **fields_of(settings),
        **({"reasoning": settings.reasoning} if settings.reasoning != "drop" else {}),
        "json_mode": settings.json_mode if request.schema is not None else "",
        "messages": request.messages,
        "schema": request.schema,
        "nth": request.nth,
        **({"turns": request.turns} if request.turns else {}),
        **({"tools": request.tools} if request.tools else {}),
    }
    try:
        text = orjson.dumps(content)
    except TypeError:  # whole numbers beyond 64 bits in a schema
        text = repr(content).encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).digest()


Refused = tuple[bytes, str]
"""(key of an answer in the cache, why it cannot be used)."""
UseNote = tuple[str, str]
"""(use, what became of it): `accepted`, or `replaced: ` and why."""


_LONGEST_EXAMPLE = 300


Wait = Callable[[tuple[Request, ...]], tuple[ModelAnswer, ...]]
"""Returns the answers to requests, when they are there."""


# faults of answers that say nothing, of which five in a row are enough, and which keys matter then
_NO_TEXT = {
    "cut off": "More llm.max_tokens, or less llm.reasoning_effort, leaves a model that thinks room for its answer.\n",
    "empty": "llm.json_mode: text, or more llm.max_tokens, may bring it to speak.\n",
}


class Asker:
    """Asks for rows, and counts how their answers were used."""

    def __init__(self, settings: Llm, wait: Wait | None = None) -> None:
        self.settings = settings
        self.notes: list[UseNote] = []
        """The notes of the row that is being made."""
        self.pools: dict[tuple[str, ...], Any] = {}
        """Values made from answers once for all rows."""
        self.refused: list[Refused] = []
        """Answers that could not be used, until somebody takes them."""
        self._unusable: dict[str, int] = {}
        """How many answers in a row could not be used, by use."""
        self.wait = wait or _refuse_to_ask

    def ask(self, *requests: Request) -> tuple[ModelAnswer, ...]:
        """Return the answers to all requests."""
        return self.wait(requests) if requests else ()

    def foresee(self, requests: Callable[[], Iterable[Request]]) -> None:
        """Nothing. An estimate counts the requests that good answers would lead to."""

    def judge(self, request: Request, answer: ModelAnswer, fault: str) -> None:
        """Take note of whether an answer can be used (no fault).

        Raises:
            StoppedError: when too many of one use in a row cannot.
        """
        use = request.use
        if not fault:
            self._unusable.pop(use, None)
            return
        self.refused.append((cache_key(request, self.settings), fault))
        count = self._unusable[use] = self._unusable.get(use, 0) + 1
        if (limit := self.settings.unusable_in_a_row) and count >= (min(limit, 5) if fault in _NO_TEXT else limit):
            self._unusable[use] = 0
            text = " ".join(answer.text.split()) or "nothing"
            raise StoppedError(
                f"llm.unusable_in_a_row: none of the last {count} answers of {self.settings.of(use).model} for {use} can be used."
                f" The last one ({fault}) says: {text[:_LONGEST_EXAMPLE]}{'…' * (len(text) > _LONGEST_EXAMPLE)}\n{_NO_TEXT.get(fault, '')}"
                "Show them all: python -m generator llm show FOLDER --refused (of the run, or the cache of answers)."
            )

    def note(self, use: str, fault: str = "") -> None:
        """Note that an answer was used (no fault), or rejected: `("result", "replaced: not JSON")`."""
        self.notes.append((use, f"replaced: {fault}" if fault else "accepted"))

    def note_of(self, use: str, outcome: str) -> None:
        """Note the outcome of an earlier decision again."""
        self.notes.append((use, outcome))


def _refuse_to_ask(requests: tuple[Request, ...]) -> tuple[ModelAnswer, ...]:
    """Raise LlmError: the asker has no function that waits for answers."""
    raise LlmError("llm: a model must be asked for this, and nobody is asked here")


class Estimate(Asker):
    """Sends nothing: counts what would be asked. Every row is made as if all answers were rejected."""

    def __init__(self, settings: Llm) -> None:
        super().__init__(settings)
        self.requests: list[Request] = []
        self.seconds: list[Request] = []
        """Requests that are made only after an answer that cannot be used."""
        self._counted: set[bytes] = set()

    def foresee(self, requests: Callable[[], Iterable[Request]]) -> None:
        """Count them: here no answer is good."""
        for request in requests():
            self._count(request)

    def judge(self, request: Request, answer: ModelAnswer, fault: str) -> None:
        """Nothing: no answer has come."""

    def ask(self, *requests: Request) -> tuple[ModelAnswer, ...]:
        """No answers."""
        for request in requests:
            self._count(request)
        return tuple([ModelAnswer(fault="not asked") for _ in requests])

    def _count(self, request: Request) -> None:
        """Count a request once, as it is answered once: a row asks again for its results when they are checked."""
        key = cache_key(request, self.settings)
        if key not in self._counted:
            self._counted.add(key)
            (self.seconds if request.again else self.requests).append(request)


def tokens_in(request: Request) -> int:
    """Estimate the tokens of a request: four characters each, as is usual for English."""
    characters = sum(len(text) for _, text in request.messages)
    characters += sum(len(repr(part)) for part in (request.schema, *request.turns, *request.tools) if part is not None)
    return characters // 4 + 4 * (len(request.messages) + len(request.turns)) + 3


class Account(msgspec.Struct, kw_only=True):
    """Counts for one data set, over all commands that worked on it."""

    requests: int = 0
    """Requests that reached the server, including retries."""
    retries: int = 0
    """Requests that were made again after a failure."""
    answers: int = 0
    """Answers that came back and are stored."""
    cache_hits: int = 0
    """Answers found in the cache, of this command only."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    """Answers whose price is not known, so that `usd` is too low."""
    learnt: list[str] = []
    """What servers do not take, as `MODEL WHAT`."""

    @property
    def tokens(self) -> int:
        """Tokens of prompts and completions."""
        return self.prompt_tokens + self.completion_tokens

    def add(self, answer: ModelAnswer) -> None:
        """Count a new answer."""
        self.answers += 1
        self.prompt_tokens += answer.prompt_tokens
        self.completion_tokens += answer.completion_tokens
        if answer.usd is None:
            self.unpriced += 1
        else:
            self.usd += answer.usd

    def join(self, other: "Account") -> None:
        """Add the counts of another account to these."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Estimated(msgspec.Struct, frozen=True, kw_only=True):
    """Estimated requests and tokens of a command that asks a model."""

    requests: int
    sent: int
    received: int


def check_budget(account: Account, budget: Budget) -> None:
    """Raise StoppedError when another request may not be made.

    Requests in flight may go beyond a budget of tokens or dollars: what they cost is known afterwards.
    """
    spent = (
        ("usd", account.usd, budget.usd, f"${account.usd:,.4f}"),
        ("requests", account.requests, budget.requests, f"{account.requests:,} requests"),
        ("tokens", account.tokens, budget.tokens, f"{account.tokens:,} tokens"),
    )
    for name, used, most, used_in_words in spent:
        if most is not None and used >= most:
            raise StoppedError(f"llm.budget.{name}: the budget of {most:,} is reached ({used_in_words} so far)")


def cost_in_words(account: Account) -> str:
    """Return the cost as `$0.0123`, or `price unknown`."""
    if not account.unpriced:
        return f"${account.usd:,.4f}"
    return f"${account.usd:,.4f} and more, price unknown" if account.usd else "price unknown"


def estimate_in_words(estimated: Estimated, settings: Llm) -> str:
    """Return what is going to be asked, and what that costs."""
    from generator.llm.providers import price_of

    price = price_of(settings)
    usd = None if price is None else (estimated.sent * price[0] + estimated.received * price[1]) / 1e6
    cost = "its cost is not known (a price tells it)" if usd is None else f"about ${usd:,.4f}"
    return f"about {estimated.requests:,} requests, {estimated.sent:,} tokens in and {estimated.received:,} out, {cost}"
