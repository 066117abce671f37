"""What a recipe says about a large language model: which one, how it is asked, and what for."""

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from generator.forms import Form, Key, one_or_many

_VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
_MODEL = r"^[^\s\x00-\x1f]{1,300}$"
_LANGUAGE = r"^[A-Za-z][A-Za-z ()-]{0,39}$"

DEFAULT_RUBRIC = (
    "5: a person could have had this conversation. The request is natural and says all that the calls need, the calls "
    "are what it asks for, the answer tells the results truly and plainly. 3: right, but stiff or repetitive. "
    "1: the calls do something else than was asked, or the answer says what the results do not."
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


_Positive = Annotated[int, Meta(ge=1, le=10**9)]
_ShortText = Annotated[str, Meta(min_length=1, max_length=400)]


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


class Llm(Struct, frozen=True, kw_only=True):
    """A large language model and how it is asked."""

    model: Annotated[str, Form(made=_check_model), Meta(pattern=_MODEL)]
    """A model as litellm names it, e.g. openai/gpt-4o-mini; `local`; or `local:` and a GGUF file."""
    api_base: Annotated[str, Form(made=_check_base)] | None = None
    """Address of an OpenAI-compatible server, e.g. http://127.0.0.1:8000/v1."""
    api_key_env: Annotated[str, Form(made=_check_variable)] | None = None
    """Name of the environment variable that holds the key."""
    temperature: Annotated[float, Meta(ge=0, le=2)] | None = 0.8
    """Sampling temperature; null leaves it to the server."""
    max_tokens: Annotated[int, Meta(ge=16, le=1000000)] = 1024
    """Most tokens of one answer."""
    json_mode: Literal["json_schema", "json_object", "text"] = "json_schema"
    """How the server is held to JSON; for servers that do not know json_schema."""
    concurrency: Annotated[int, Meta(ge=1, le=2048)] = 16
    """Requests in flight at all times."""
    requests_per_minute: _Positive | None = None
    """Send no more than that."""
    tokens_per_minute: _Positive | None = None
    """Use no more than about that."""
    timeout: Annotated[float, Meta(gt=0, le=3600)] = 60.0
    """Seconds for one answer."""
    budget: Budget = Budget()
    """Where to stop."""
    price: Price | None = None
    """What the model costs, if litellm does not know."""
    cache: Path | None = None
    """File for the answers, relative to this recipe; otherwise it stands beside the rows."""
    prompts: Path | None = None
    """Folder with prompts to use instead of the shipped ones of the same name."""
    pool: Annotated[int, Meta(ge=1, le=10000)] = 40
    """Argument objects to ask for, for each tool."""


def check_address(llm: Llm | None) -> Llm | None:
    """Return a model as a recipe names it; raises ValueError for the address of one that starts its own server."""
    if llm is not None and llm.model.startswith("local") and (llm.api_base or llm.api_key_env):
        raise ValueError("model: local starts its own server and needs neither api_base nor api_key_env")
    return llm


class LlmWording(Struct, frozen=True, kw_only=True):
    """Who words the user's turns and the final answers."""

    source: Literal["template", "llm"]
    """`llm` says the texts of the templates in other words."""
    language: Annotated[str, Meta(pattern=_LANGUAGE)] = "English"
    """Language to say it in."""
    styles: Annotated[tuple[str, ...], Key("style"), one_or_many(_ShortText)] = ()
    """How it is said; a text, or a list from which each row takes one."""
    personas: Annotated[tuple[str, ...], Key("persona"), one_or_many(_ShortText)] = ()
    """Who is speaking; a text, or a list from which each row takes one."""
    check: Literal["words", "model"] = "words"
    """How new words are checked: word for word, or besides by a model that turns them back into calls."""

    def __post_init__(self) -> None:
        """Raise ValueError for settings of a model where templates word."""
        is_usual = (self.language, self.styles, self.personas, self.check) == ("English", (), (), "words")
        if self.source == "template" and not is_usual:
            raise ValueError("language, style, persona and check are for 'source: llm'")

    @property
    def is_read_back(self) -> bool:
        """Whether a model turns the new requests into calls, which must be those of the plan."""
        return self.check == "model"

    @property
    def is_english(self) -> bool:
        """Whether what is known of English words can be used."""
        return self.language.casefold().startswith("english")


class Judge(Struct, frozen=True, kw_only=True):
    """The model gives each row a score from 1 to 5."""

    threshold: Annotated[int, Meta(ge=1, le=5)] = 3
    """Rows with a lower score are made again, twice at most; then the one with the best score is kept."""
    rubric: Annotated[str, Meta(min_length=1, max_length=4000)] = DEFAULT_RUBRIC
    """What the scores mean."""
