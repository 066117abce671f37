"""What commands that ask a model themselves, without a recipe's `llm`, say of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from generator.recipe.llm import Llm

_Command = TypeVar("_Command", bound=Callable[..., Any])
_OPTIONS = (
    click.option("--api-base", metavar="URL", help="Address of an OpenAI-compatible server."),
    click.option("--api-key-env", metavar="NAME", help="Environment variable that holds the key."),
    click.option(
        "--price", nargs=2, type=click.FloatRange(min=0), metavar="IN OUT", help="US dollars for a million tokens."
    ),
    click.option(
        "--budget", type=click.FloatRange(min=0, min_open=True), metavar="USD", help="Stop asking at so many dollars."
    ),
    click.option("--requests", type=click.IntRange(min=1), metavar="N", help="Stop asking after so many requests."),
)


def model_options(command: _Command) -> _Command:
    """Give a command the options of how a model is asked, and what that may cost."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def llm_settings(
    model: str,
    api_base: str | None,
    api_key_env: str | None,
    budget: float | None,
    requests: int | None,
    price: tuple[float, float] | None = None,
) -> "Llm":
    """The model that a command line names, and how it is asked."""
    from msgspec.structs import replace

    from generator.core.declared import read
    from generator.core.documents import Document
    from generator.core.errors import RecipeError
    from generator.recipe.llm import Budget, Llm, Price

    given = {"model": model, "api_base": api_base, "api_key_env": api_key_env}
    written = {key: value for key, value in given.items() if value is not None}
    checked = read(Llm, Document("--model", "", written), written, (), RecipeError)
    return replace(
        checked,
        temperature=0.4,
        max_tokens=16_384,
        timeout=300.0,
        budget=Budget(usd=budget, requests=requests),
        price=Price(input=price[0], output=price[1]) if price else None,
    )
