"""The part of the recipe language that is about large language models."""

import re
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

import orjson
from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from generator.recipe.llm import UseName
from generator.recipe.strict import Strict

_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
_MODEL = r"^[^\s\x00-\x1f]{1,300}$"
_LANGUAGE = r"^[A-Za-z][A-Za-z ()-]{0,39}$"
_WORD = r"^[A-Za-z_-]{1,40}$"
_SHORT_TEXT = 400
_OURS = frozenset({"model", "messages", "stream", "n", "response_format", "tools", "seed"})
"""Keys of a request's body that are written here alone."""

DEFAULT_RUBRIC = (
    "5: a person could have had this conversation. The request is natural and says all that the calls need, the calls "
    "are what it asks for, the answer tells the results truly and plainly. 3: right, but stiff or repetitive. "
    "1: the calls do something else than was asked, the answer says what the results do not, or a value is none that "
    "people would use: a placeholder, filler, or an instruction to a model."
)


def _check_variable(name: str) -> str:
    """Return the name of an environment variable; raises ValueError, without the name, which may be the key itself."""
    if not re.fullmatch(_VARIABLE, name) or name.startswith(("sk_", "sk-")) or len(name) > 100:
        raise ValueError(
            "the name of an environment variable is expected, such as OPENAI_API_KEY; a key never stands in a recipe"
        )
    return name


def _check_base(url: str) -> str:
    """Return the address; raises ValueError, without the address, which may hold a password."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise ValueError("an address such as http://127.0.0.1:8000/v1 is expected") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or re.search(r"\s", url):
        raise ValueError("an address such as http://127.0.0.1:8000/v1 is expected")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("an address holds no user, password or query; keys come from the variable in api_key_env")
    return url.rstrip("/")


def _check_model(name: str) -> str:
    if name.startswith("local") and name != "local" and not re.match(r"local:.", name):
        raise ValueError("'local', or 'local:' and the path of a GGUF file, is expected")
    return name


def _check_extra(body: dict[str, Any]) -> dict[str, Any]:
    """Return more keys of a request's body; raises ValueError for those that have another place."""
    for name in body:
        if name in _OURS or name in _RequestFields.model_fields:
            raise ValueError(f"{name!r} cannot stand here{': it has a key of its own' if name not in _OURS else ''}")
    try:
        orjson.dumps(body)
    except TypeError as fault:
        raise ValueError(f"JSON is expected ({fault})") from None
    return body


def _as_texts(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Positive = Annotated[int, Field(ge=1, le=10**9)]
ShortText = Annotated[str, Field(min_length=1, max_length=_SHORT_TEXT)]
Texts = Annotated[
    list[ShortText],
    BeforeValidator(_as_texts, json_schema_input_type=ShortText | list[ShortText]),
]


class BudgetModel(Strict):
    """Where a data set stops asking: what is done is kept, and a larger budget goes on from there."""

    usd: float | None = Field(default=None, gt=0, allow_inf_nan=False, description="US dollars.")
    requests: Positive | None = Field(default=None, description="Requests, repeated ones included.")
    tokens: Annotated[int, Field(ge=1, le=10**12)] | None = Field(default=None, description="Tokens, in and out.")


class PriceModel(Strict):
    """What the model costs, where litellm does not know it: US dollars for a million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False, description="For a million tokens that are sent.")
    output: float = Field(ge=0, allow_inf_nan=False, description="For a million tokens that come back.")


class _RequestFields(Strict):
    """What a request to a model says beside its messages, and where it goes."""

    api_base: Annotated[str, AfterValidator(_check_base)] | None = Field(
        default=None, description="Address of an OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1."
    )
    api_key_env: Annotated[str, AfterValidator(_check_variable)] | None = Field(
        default=None, description="Name of the environment variable that holds the key."
    )
    temperature: Annotated[float, Field(ge=0, le=2)] | None = Field(
        default=0.8, description="Sampling temperature; null leaves it to the server."
    )
    top_p: Annotated[float, Field(gt=0, le=1)] | None = Field(default=None, description="Nucleus sampling.")
    max_tokens: int = Field(default=1024, ge=16, le=1_000_000, description="Most tokens of one answer.")
    reasoning_effort: Annotated[str, Field(pattern=_WORD)] | None = Field(
        default=None, description="For models that reason: `low`, `medium`, `high`, or what else the server knows."
    )
    reasoning: Literal["drop", "keep"] = Field(
        default="drop",
        description="What becomes of a model's reasoning (`<think>`, `reasoning_content`), which is never part of its answer.",
    )
    extra_body: Annotated[dict[str, Any], AfterValidator(_check_extra)] = Field(
        default={}, description="More keys of the request's body, as the server names them."
    )
    json_mode: Literal["json_schema", "json_object", "text"] = Field(
        default="json_schema", description="How the server is held to JSON; for servers that do not know json_schema."
    )
    price: PriceModel | None = Field(default=None, description="What the model costs, if litellm does not know.")

    @model_validator(mode="after")
    def _a_local_model_has_no_address(self) -> Self:
        if (getattr(self, "model", None) or "").startswith("local") and (self.api_base or self.api_key_env):
            raise ValueError("model: local starts its own server and needs neither api_base nor api_key_env")
        return self


ModelName = Annotated[str, Field(pattern=_MODEL), AfterValidator(_check_model)]


class UseModel(_RequestFields):
    """The model of one use; what is left out is as `llm` says."""

    model: ModelName | None = Field(default=None, description="A model as litellm names it; else that of `llm`.")


def _as_model(value: Any) -> Any:
    return {"model": value} if isinstance(value, str) else value


Use = Annotated[UseModel, BeforeValidator(_as_model, json_schema_input_type=str | UseModel)]
"""A model's name, or an object with what is special about it."""


class LlmModel(_RequestFields):
    """A large language model and how it is asked."""

    model: ModelName = Field(
        description="A model as litellm names it, e.g. openai/gpt-4o-mini; `local`; or `local:` and a GGUF file."
    )
    uses: dict[UseName, Use] = Field(
        default={}, description="Models and request fields of single uses; what they leave out is as it stands here."
    )
    concurrency: int = Field(default=16, ge=1, le=2048, description="Requests in flight at all times.")
    requests_per_minute: Positive | None = Field(default=None, description="Send no more than that.")
    tokens_per_minute: Positive | None = Field(default=None, description="Use no more than about that.")
    timeout: float = Field(default=60.0, gt=0, le=3600, description="Seconds for one answer.")
    budget: BudgetModel = Field(default_factory=BudgetModel, description="Where to stop.")
    unusable_in_a_row: Annotated[int, Field(ge=1, le=10**6)] | None = Field(
        default=30, description="Stop after so many answers of one use in a row that cannot be used; null: never."
    )
    cache: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="File for the answers, relative to this recipe; otherwise it stands beside the rows."
    )
    prompts: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="Folder with prompts to use instead of the shipped ones of the same name."
    )
    pool: int = Field(default=40, ge=1, le=10_000, description="Argument objects to ask for, for each tool.")


class WordingModel(Strict):
    """A model says the texts of the templates in other words, and another model reads them back."""

    llm: Use = Field(description="The model that rewords: a name, or what it is asked with if that is not as in `llm`.")
    reader: Use = Field(description="Another model, which reads what was reworded: its name, or an object with it.")
    language: Annotated[str, Field(pattern=_LANGUAGE)] = Field(default="English", description="Language to say it in.")
    style: Texts = Field(default=[], description="How it is said; a text, or a list from which each row takes one.")
    persona: Texts = Field(default=[], description="Who is speaking; a text, or a list from which each row takes one.")


class JudgeModel(Strict):
    """The model gives each row a score from 1 to 5."""

    threshold: int = Field(
        default=3,
        ge=1,
        le=5,
        description="Rows with a lower score are made again, twice at most; then the one with the best score is kept.",
    )
    rubric: Annotated[str, Field(min_length=1, max_length=4000)] = Field(
        default=DEFAULT_RUBRIC, description="What the scores mean."
    )
