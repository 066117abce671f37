"""`prompt`: portable JSON prompts, filled in and checked."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import FILE
from generator.cli.screen.terminal import printable
from generator.core.errors import OutputError, PromptError

if TYPE_CHECKING:
    from generator.core.portable import PortablePrompt


@click.group(short_help="Fill in and check portable JSON prompts.")
def prompt() -> None:
    """Fill in and check prompts that are shared as portable JSON files."""


@prompt.command(short_help="Print the text of a prompt with values in it.")
@click.argument("file", type=FILE, metavar="FILE")
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Value of a variable; once for each of a multi-select.",
)
@click.option("--request", "as_request", is_flag=True, help="Print a chat completion request for it, as JSON.")
@click.option("--model", metavar="NAME", help="The model of the request, instead of the first of model_version.")
def render(file: Path, settings: tuple[str, ...], as_request: bool, model: str | None) -> None:
    """Print the text of the prompt in FILE with the values, or the defaults, of its variables.

    With --request, what a server with the OpenAI API is sent: the messages, the model of `model_version` and what
    `parameters` says. Lines [system], [user] and [assistant] in the text begin the messages.

    Exits 2 when the file is wrong, a value is not allowed, or one is missing.
    """
    from generator.core.portable import fill, read_prompt, texts_of

    found = read_prompt(file)
    try:
        texts = texts_of(found, _values(found, settings))
        request = _request(found, texts, model) if as_request else None
        text = json.dumps(request, indent=2, ensure_ascii=False) if request else fill(found.model_prompt, texts)
    except PromptError as fault:
        raise PromptError(f"{file}: {fault}") from None
    click.echo(text, nl=not text.endswith("\n"))


@prompt.command(short_help="Hold prompts against the format.")
@click.argument("files", type=FILE, nargs=-1, required=True, metavar="FILE...")
def check(files: tuple[Path, ...]) -> int:
    """Check prompts: one line for each FILE, with what is wrong in it or worth knowing below.

    Exits 0 when all are good, 1 when one is wrong, 2 when a FILE cannot be read.
    """
    from generator.core.documents import read_text
    from generator.core.portable import notes_on, parse_prompt

    code = 0
    for file in files:
        try:
            found = parse_prompt(read_text(file, OutputError, exact=True), str(file))
            lines = [f"{file}: {_in_one_line(found)}", *[f"  {note}" for note in notes_on(found)]]
        except (PromptError, OutputError) as fault:
            lines = [str(fault)]
            code = max(code, 1 if isinstance(fault, PromptError) else 2)
        click.echo(printable("\n".join(lines)))
    return code


def _values(prompt: "PortablePrompt", settings: tuple[str, ...]) -> dict[str, str | list[str]]:
    """Return the values of `--set NAME=VALUE` by name, several for a multi-select."""
    several = {variable.name for variable in prompt.metadata.variables if variable.type == "multi-select"}
    values: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals:
            raise PromptError(f"--set {setting}: NAME=VALUE is expected")
        if name in several:
            values[name] = [*values.get(name, ()), *([value] if value else [])]
        elif name in values:
            raise PromptError(f"--set {setting}: {name!r} has a value already, and only a multi-select has several")
        else:
            values[name] = value
    return values


def _request(prompt: "PortablePrompt", texts: dict[str, str], model: str | None) -> dict[str, Any]:
    """Return the chat completion request of a prompt."""
    from msgspec import to_builtins

    from generator.core.portable import fill
    from generator.llm.prompts import messages_in, sampling_in

    sampling = sampling_in(prompt)
    parameters = prompt.metadata.parameters
    name = model or next(iter(sampling.versions), None)
    return {
        **({"model": name} if name else {}),
        "messages": [{"role": role, "content": fill(text, texts)} for role, text in messages_in(prompt.model_prompt)],
        **(to_builtins(parameters) if parameters else {}),
    }


def _in_one_line(prompt: "PortablePrompt") -> str:
    """Return what a prompt says of itself: `Trip planner, version 2, 3 variables`."""
    about, versions = prompt.metadata, prompt.metadata.model_version
    parts = [
        about.prompt_name or "a prompt without a name",
        f"version {prompt.version}" if prompt.version is not None else "",
        f"{len(about.variables)} variables" if len(about.variables) != 1 else "1 variable",
        f"for {versions if isinstance(versions, str) else ' or '.join(versions)}" if versions else "",
        f"by {about.creator.name}" if about.creator and about.creator.name else "",
        f"of {about.timestamp}" if about.timestamp else "",
    ]
    return ", ".join(part for part in parts if part)
