"""What a recipe says about a large language model: which one, how it is asked, and what for. Plain data."""

from pathlib import Path
from typing import Any, Literal

import msgspec


class Budget(msgspec.Struct, frozen=True, kw_only=True):
    """Where a data set stops asking; None: nowhere."""

    usd: float | None = None
    requests: int | None = None
    tokens: int | None = None


class Price(msgspec.Struct, frozen=True, kw_only=True):
    """US dollars for a million tokens."""

    input: float
    output: float


UseName = Literal["arguments", "results", "judge"]
"""What a model of its own can be named for in `llm.uses`, beside `wording`, which names its two models (`wording`, `reader`) itself."""


class Llm(msgspec.Struct, frozen=True, kw_only=True):
    """A model and how it is asked."""

    model: str
    """A name of litellm's (`openai/gpt-4o-mini`), `local`, or `local:` and the path of a GGUF file."""
    api_base: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key. The key itself stands nowhere."""
    temperature: float | None = 0.8
    top_p: float | None = None
    max_tokens: int = 1024
    reasoning_effort: str | None = None
    reasoning: str = "drop"
    """`drop` what a model thinks before it answers, or `keep` it beside the answer."""
    extra_body: dict[str, Any] = {}
    """What else stands in the body of a request, by the server's names."""
    json_mode: str = "json_schema"
    price: Price | None = None
    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 60.0
    budget: Budget = Budget()
    unusable_in_a_row: int | None = 30
    """After so many answers of one use that cannot be used, with none between that can, asking stops; None: never."""
    cache: Path | None = None
    """None: a file beside the rows."""
    prompts: Path | None = None
    """Folder of prompts to use instead of the shipped ones."""
    pool: int = 40
    """Argument objects that are asked for, for each tool."""
    uses: dict[str, "Llm"] = {}
    """Models and request fields by use: those of `UseName`, `wording` and `reader`; a use that is not there has the usual ones."""

    def of(self, use: str) -> "Llm":
        """Return the model of a use, and how it is asked."""
        return self.uses.get(use, self)

    @property
    def models(self) -> "tuple[Llm, ...]":
        """All models, each with the way in which it is asked: the usual one, and those of uses."""
        return (self, *self.uses.values())


def is_same_model(one: Llm, other: Llm) -> bool:
    """Whether two settings lead to the same model: of one name, at whatever provider, unless two addresses are given."""
    if one.model.startswith("local") or other.model.startswith("local"):
        return one.model == other.model
    same_name = one.model.rpartition("/")[2].casefold() == other.model.rpartition("/")[2].casefold()
    return same_name and (one.api_base == other.api_base or one.api_base is None or other.api_base is None)


class LlmWording(msgspec.Struct, frozen=True, kw_only=True):
    """How user turns and answers are said anew by the model."""

    language: str = "English"
    styles: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    """Each row takes one of each."""

    @property
    def is_english(self) -> bool:
        """Whether what is known of English words can be used."""
        return self.language.casefold().startswith("english")


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """A score from 1 to 5 that the model gives to each row."""

    threshold: int
    """Rows below it are made again, twice at most; then the best of them is kept."""
    rubric: str
