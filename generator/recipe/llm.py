"""What a recipe says about a large language model: which one, how it is asked, and what for."""

import re
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import asdict, replace

from generator.core.forms import UNWRITTEN, Form, Key

_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
_MODEL = r"^[^\s\x00-\x1f]{1,300}$"

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
    """Return the name of a model; raises ValueError for a wrong way to name a local one."""
    if name.startswith("local") and name != "local" and not re.match(r"local:.", name):
        raise ValueError("'local', or 'local:' and the path of a GGUF file, is expected")
    return name


def _check_extra(body: dict[str, Any]) -> dict[str, Any]:
    """Return more keys of a request's body; raises ValueError for those that have another place."""
    for name in body:
        if name in _OURS or name in LlmUse.__struct_fields__:
            raise ValueError(f"{name!r} cannot stand here{': it has a key of its own' if name not in _OURS else ''}")
    return body


_IN_BATCHES = 512
_OURS = frozenset({"model", "messages", "stream", "n", "response_format", "tools", "seed"})
"""Keys of a request's body that are written here alone."""
_Positive = Annotated[int, Meta(ge=1, le=10**9)]


class Budget(Struct, frozen=True, kw_only=True):
    """Where a data set stops asking: what is done is kept, and a larger budget goes on from there."""

    usd: Annotated[float, Meta(gt=0)] | None = None
    """US dollars."""
    requests: _Positive | None = None
    """Requests, repeated ones included."""
    tokens: Annotated[int, Meta(ge=1, le=10**12)] | None = None
    """Tokens, in and out."""


class Price(Struct, frozen=True, kw_only=True):
    """What the model costs, where litellm does not know it: US dollars for a million tokens."""

    input: Annotated[float, Meta(ge=0)]
    """For a million tokens that are sent."""
    output: Annotated[float, Meta(ge=0)]
    """For a million tokens that come back."""


UseName = Literal["arguments", "results", "judge"]
"""What `llm.uses` can name a model for; `solve` names its own two."""

_ModelName = Annotated[str, Form(made=_check_model), Meta(pattern=_MODEL)]
_Address = Annotated[str, Form(made=_check_base)]
_KeyVariable = Annotated[str, Form(made=_check_variable)]
_Temperature = Annotated[float, Meta(ge=0, le=2)]
_TopP = Annotated[float, Meta(gt=0, le=1)]
_Tokens = Annotated[int, Meta(ge=16, le=1000000)]
_Effort = Annotated[str, Meta(pattern=r"^[A-Za-z_-]{1,40}$")]
_Body = Annotated[dict[str, Any], Form(made=_check_extra)]
_JsonMode = Literal["json_schema", "json_object", "text"]


class LlmUse(Struct, frozen=True, kw_only=True):
    """The model of one use, and what is special about how it is asked; what is left out is as `llm` says."""

    model: _ModelName | UnsetType = UNSET
    """A model as litellm names it; else that of `llm`."""
    api_base: _Address | UnsetType = UNSET
    """Address of an OpenAI-compatible server; left out for another provider, its usual one."""
    api_key_env: _KeyVariable | UnsetType = UNSET
    """Name of the environment variable that holds the key; left out for another provider, its usual one."""
    temperature: _Temperature | UnsetType | None = UNSET
    """Sampling temperature; null leaves it to the server."""
    top_p: _TopP | UnsetType = UNSET
    """Nucleus sampling."""
    max_tokens: _Tokens | UnsetType = UNSET
    """Most tokens of one answer."""
    reasoning_effort: _Effort | UnsetType = UNSET
    """For models that reason: `low`, `medium`, `high`, or what else the server knows."""
    reasoning: Literal["drop", "keep"] | UnsetType = UNSET
    """What becomes of a model's reasoning, which is never part of its answer."""
    extra_body: _Body | UnsetType = UNSET
    """More keys of the request's body, as the server names them."""
    json_mode: _JsonMode | UnsetType = UNSET
    """How the server is held to JSON."""
    price: Price | UnsetType = UNSET
    """What the model costs, if litellm does not know."""

    def __post_init__(self) -> None:
        """Raise ValueError for the address of a model that starts its own server."""
        _check_local(self)


Use = Annotated[
    LlmUse, Form(type=LlmUse, given=lambda value: {"model": value} if isinstance(value, str) else value, short=str)
]
"""A model's name, or an object with what is special about it."""


class Llm(Struct, frozen=True, kw_only=True):
    """A large language model and how it is asked."""

    model: _ModelName
    """A model as litellm names it, e.g. openai/gpt-4o-mini; `local`; or `local:` and a GGUF file."""
    api_base: _Address | None = None
    """Address of an OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1."""
    api_key_env: _KeyVariable | None = None
    """Name of the environment variable that holds the key."""
    temperature: _Temperature | None = 0.8
    """Sampling temperature; null leaves it to the server."""
    top_p: _TopP | None = None
    """Nucleus sampling."""
    max_tokens: _Tokens = 1024
    """Most tokens of one answer."""
    reasoning_effort: _Effort | None = None
    """For models that reason: `low`, `medium`, `high`, or what else the server knows."""
    reasoning: Literal["drop", "keep"] = "drop"
    """What becomes of a model's reasoning (`<think>`, `reasoning_content`), which is never part of its answer."""
    extra_body: _Body = {}
    """More keys of the request's body, as the server names them."""
    json_mode: _JsonMode = "json_schema"
    """How the server is held to JSON; for servers that do not know json_schema."""
    price: Price | None = None
    """What the model costs, if litellm does not know."""
    named: Annotated[dict[UseName, Use], Key("uses")] = {}
    """Models and request fields of single uses; what they leave out is as it stands here."""
    uses: Annotated[dict[str, "Llm"], UNWRITTEN] = {}
    """The same as they are asked, and those of `solve`; a use that is not there has the usual model."""
    concurrency: Annotated[int, Meta(ge=1, le=2048)] = 16
    """Requests in flight at all times."""
    batch: bool = False
    """Send requests for scripts and for pools of arguments in batches (OpenAI, Azure, vLLM): half the price, within a day."""
    requests_per_minute: _Positive | None = None
    """Send no more than that."""
    tokens_per_minute: _Positive | None = None
    """Use no more than about that."""
    timeout: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    """Seconds for one answer."""
    budget: Budget = Budget()
    """Where to stop."""
    unusable_in_a_row: Annotated[int, Meta(ge=1, le=10**6)] | None = 30
    """Stop after so many answers of one use in a row that cannot be used; null: never."""
    cache: Path | None = None
    """File for the answers, relative to this recipe; otherwise it stands beside the rows."""
    prompts: Path | None = None
    """Folder with prompts to use instead of the shipped ones of the same name."""
    pool: Annotated[int, Meta(ge=1, le=10000)] = 40
    """Argument objects to ask for, for each tool."""

    def of(self, use: str) -> "Llm":
        """Return the model of a use, and how it is asked."""
        return self.uses.get(use, self)

    @property
    def window(self) -> int:
        """How many requests may wait for their answers at once: many, where they go in batches."""
        return max(self.concurrency, _IN_BATCHES) if any(one.batch for one in self.models) else self.concurrency

    @property
    def models(self) -> "tuple[Llm, ...]":
        """All models, each with the way in which it is asked: the usual one, and those of uses."""
        return (self, *self.uses.values())


def check_address(llm: Llm | None) -> Llm | None:
    """Return a model as a recipe names it; raises ValueError for the address of one that starts its own server."""
    if llm is not None:
        _check_local(llm)
    return llm


def _check_local(llm: "Llm | LlmUse") -> None:
    if (llm.model or "").startswith("local") and (llm.api_base or llm.api_key_env):
        raise ValueError("model: local starts its own server and needs neither api_base nor api_key_env")


def of_writer(one: LlmUse, usual: Llm | None) -> Llm:
    """Return a model that writes scripts as it is asked; `usual` is that of the recipe, if it names one.

    Raises:
        ValueError: when neither has a name.
    """
    if usual is None and one.model is UNSET:
        raise ValueError("'model' names who writes: add it, or a key 'llm'")
    return _of_use("scripts", one, usual or Llm(model=str(one.model)))


def with_uses(llm: Llm, solve: "Solve | None", writers: dict[str, Llm]) -> Llm:
    """Return the same with the models of all uses, and those that write scripts, as they are asked."""
    named: dict[str, LlmUse] = {"arguments": LlmUse()} if llm.batch else {}
    named |= {str(use): one for use, one in llm.named.items()}
    named |= {} if solve is None else {"solve": solve.model} | ({"read": solve.reader} if solve.reader else {})
    uses = {use: replace(_of_use(use, one, llm), batch=llm.batch and use == "arguments") for use, one in named.items()}
    return replace(llm, batch=False, uses=uses | writers)


def _of_use(use: str, one: LlmUse, usual: Llm) -> Llm:
    """Return the model of a use: what it leaves out is as usual, but for what belongs to another model or provider."""
    given = {name: value for name, value in asdict(one).items() if value is not UNSET}
    model = given.get("model", usual.model)
    foreign: dict[str, Any] = dict(_OF_USES.get(use, {}))
    if model != usual.model:
        foreign |= {"price": None, "reasoning_effort": None}
    if model.partition("/")[0] != usual.model.partition("/")[0]:
        foreign |= {"api_base": None, "api_key_env": None, "extra_body": {}}
    return replace(usual, **{**foreign, **given})


_OF_USES: dict[str, dict[str, Any]] = {
    "solve": {"reasoning": "keep", "max_tokens": 4096},
    "read": {"temperature": 0.0, "max_tokens": 8192, "timeout": 300.0},
    "scripts": {"temperature": 0.4, "max_tokens": 16_384, "timeout": 300.0},
}
"""How single uses ask where nothing else is said of them."""


class Solve(Struct, frozen=True, kw_only=True):
    """A model plays the assistant of each row; what it does right becomes the row, in its own words."""

    model: Use = LlmUse()
    """The model that plays: a name, or what it is asked with if that is not as in `llm`. Its reasoning is kept."""
    tries: Annotated[int, Meta(ge=1, le=64)] = 4
    """How often it plays each row. Of the tries that are right the one with the fewest calls becomes the row; others can be
    what preference formats reject."""
    reader: Use | None = None
    """Another model, which lists what a right try says as claims; a try with a claim that is not so is wrong. Without one nothing that the
    rows say is proven, and they say so."""
    keep: Literal["right", "all"] = "right"
    """Which rows are written: `right` leaves out those that no try gets right, `all` writes them in the templates' words."""


class Judge(Struct, frozen=True, kw_only=True):
    """The model gives each row a score from 1 to 5."""

    threshold: Annotated[int, Meta(ge=1, le=5)] = 3
    """Rows with a lower score are made again, twice at most; then the one with the best score is kept."""
    rubric: Annotated[str, Meta(min_length=1, max_length=4000)] = DEFAULT_RUBRIC
    """What the scores mean."""
