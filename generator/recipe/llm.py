"""What a recipe says about a large language model: which one, how it is asked, and what for. Plain data."""

from pathlib import Path

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


class Llm(msgspec.Struct, frozen=True, kw_only=True):
    """A model and how it is asked."""

    model: str
    """A name of litellm's (`openai/gpt-4o-mini`), `local`, or `local:` and the path of a GGUF file."""
    api_base: str | None = None
    api_key_env: str | None = None
    """Name of the environment variable that holds the key. The key itself stands nowhere."""
    temperature: float | None = 0.8
    max_tokens: int = 1024
    json_mode: str = "json_schema"
    concurrency: int = 16
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout: float = 60.0
    budget: Budget = Budget()
    price: Price | None = None
    cache: Path | None = None
    """None: a file beside the rows."""
    prompts: Path | None = None
    """Folder of prompts to use instead of the shipped ones."""
    pool: int = 40
    """Argument objects that are asked for, for each tool."""


class LlmWording(msgspec.Struct, frozen=True, kw_only=True):
    """How user turns and answers are said anew by the model."""

    language: str = "English"
    styles: tuple[str, ...] = ()
    personas: tuple[str, ...] = ()
    """Each row takes one of each."""
    is_read_back: bool = False
    """Whether a model turns the new requests into calls, which must be those of the plan."""

    @property
    def is_english(self) -> bool:
        """Whether what is known of English words can be used."""
        return self.language.casefold().startswith("english")


class Judge(msgspec.Struct, frozen=True, kw_only=True):
    """A score from 1 to 5 that the model gives to each row."""

    threshold: int
    """Rows below it are made again, twice at most; then the best of them is kept."""
    rubric: str
