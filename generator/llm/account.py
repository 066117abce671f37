"""The cost of asking so far, and the budget."""

import msgspec

from generator.core.errors import StoppedError
from generator.llm.asking import ModelAnswer
from generator.recipe.llm import Budget, Llm


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
        """Add what another one has."""
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
    for name, used, most, words in spent:
        if most is not None and used >= most:
            raise StoppedError(f"llm.budget.{name}: the budget of {most:,} is reached ({words} so far)")


def cost_in_words(account: Account) -> str:
    """Return the cost as `$0.0123`, or `price unknown`."""
    if not account.unpriced:
        return f"${account.usd:,.4f}"
    return f"${account.usd:,.4f} and more, price unknown" if account.usd else "price unknown"


def estimate_in_words(asked: Estimated, settings: Llm) -> str:
    """Return what is going to be asked, and what that costs."""
    from generator.llm.providers import price_of

    price = price_of(settings)
    usd = None if price is None else (asked.sent * price[0] + asked.received * price[1]) / 1e6
    cost = "its cost is not known (a price tells it)" if usd is None else f"about ${usd:,.4f}"
    return f"about {asked.requests:,} requests, {asked.sent:,} tokens in and {asked.received:,} out, {cost}"
