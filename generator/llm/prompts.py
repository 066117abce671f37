"""Prompts: portable JSON files in `tool_specs/prompts/` or a folder that a recipe names.

The format has one text; a line `[system]`, `[user]` or `[assistant]` begins a message of a chat in it. The text is cut
into messages before values are filled in, so no value can begin one.
"""

import hashlib
import re
from pathlib import Path
from typing import Any, Literal

import msgspec

from generator.core.documents import nearest
from generator.core.errors import PromptError, RecipeError
from generator.core.files import shipped
from generator.core.portable import MODEL_SUFFIX, PortablePrompt, fill, placeholders, read_prompt
from generator.core.schema_walk import rewrite
from generator.llm.asking import ModelAnswer, PromptMessage, Request, Sampling

_ROLES: dict[str, Literal["system", "user", "assistant"]] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
}
_ROLE = re.compile(r"^\[(system|user|assistant)\]$", re.MULTILINE)

NAMES = {
    "arguments": (
        *("tool", "description", "parameters", "count", "examples", "today"),
        *("known", "person", "topic", "siblings"),
    ),
    "result": ("tool", "description", "arguments", "returns", "example", "open", "today"),
    "judge": ("conversation", "tools", "rubric"),
    "again": ("faults",),
}
"""Each prompt of a run, and the variables that it may have."""

_LONGEST_SHOWN = 4000
"""Characters of an answer that could not be used which the model is shown again."""


_NOT_SENT = frozenset(
    {
        *("not", "if", "then", "else", "uniqueItems", "prefixItems", "contains", "minContains", "maxContains"),
        *("dependentRequired", "dependentSchemas", "patternProperties", "propertyNames"),
        *("minProperties", "maxProperties", "unevaluatedProperties", "unevaluatedItems"),
        *("$schema", "$id", "$anchor", "$comment"),
        *("examples", "title", "default", "deprecated", "readOnly", "writeOnly"),
    }
)
"""Keywords that made a widespread server (llama.cpp) refuse the request, run on without end, or ignore the rest of the schema."""


def looser_schema(schema: Any) -> Any:
    """Return a schema for constrained decoding, which allows at least the same values: answers are checked against the whole one."""
    return rewrite(
        schema,
        lambda part, _: {
            key: value
            for key, value in part.items()
            if not (key in _NOT_SENT or key.startswith("x-") or (key == "items" and "prefixItems" in part))
        },
    )


class Prompt(msgspec.Struct, frozen=True, omit_defaults=True):
    """The messages of one prompt, and what its file says of the model that answers it."""

    messages: tuple[PromptMessage, ...]
    sampling: Sampling = Sampling()

    def fill(self, **values: str) -> tuple[PromptMessage, ...]:
        """Return the messages with the values in their places. What is in a value is never looked at again."""
        return tuple([(role, fill(text, values)) for role, text in self.messages])

    def ask(self, schema: dict[str, Any] | None, use: str, **values: str) -> Request:
        """Return the request for an answer (text without a schema) to the messages, filled with the values of the variables; `use` says what it is for."""
        return Request(messages=self.fill(**values), sampling=self.sampling, schema=schema, use=use)


class Prompts(msgspec.Struct, frozen=True):
    """All prompts."""

    arguments: Prompt
    result: Prompt
    judge: Prompt
    again: Prompt
    """Added after an answer that was no good."""

    def once_more(self, request: Request, answer: ModelAnswer, fault: str) -> Request:
        """Return the same request after an answer that could not be used, with what was wrong."""
        said: tuple[PromptMessage, ...] = (("assistant", answer.text[:_LONGEST_SHOWN]),) if answer.text else ()
        messages = (*request.messages, *said, *self.again.fill(faults=fault))
        return msgspec.structs.replace(request, messages=messages, again=True)

    @property
    def digest(self) -> str:
        """A digest of all prompts."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()


def load_prompts(folder: Path | None) -> Prompts:
    """Return the shipped prompts, or those of the same name in a folder.

    Raises:
        RecipeError: when a file is broken, or a folder holds none of them.
    """
    if folder is not None and not prompt_files(folder):
        file_names = ", ".join(f"{name}{MODEL_SUFFIX}" for name in NAMES)
        raise RecipeError(f"llm.prompts: {folder}: holds no prompt (known: {file_names})")
    return Prompts(**{name: _load_prompt(_find(name, folder), variables) for name, variables in NAMES.items()})


def prompt_files(folder: Path | None) -> list[Path]:
    """Return the files of a folder that are used instead of the shipped prompts of a run."""
    return [_path_of(folder, name) for name in NAMES if _path_of(folder, name).is_file()] if folder is not None else []


def _path_of(folder: Path, name: str) -> Path:
    """Return the path of the prompt of a name in a folder: `judge.portable.json`."""
    return folder / f"{name}{MODEL_SUFFIX}"


def _find(name: str, folder: Path | None) -> Path:
    """Return the file of a prompt: in the folder, or else the shipped one."""
    own = _path_of(folder, name) if folder else None
    return own if own is not None and own.is_file() else _path_of(shipped("tool_specs") / "prompts", name)


def _load_prompt(path: Path, variables: tuple[str, ...]) -> Prompt:
    """Read a portable prompt; raises RecipeError for placeholders that nothing fills."""
    prompt = read_prompt(path, RecipeError)
    for name in placeholders(prompt.model_prompt):
        if name not in variables:
            raise RecipeError(f"{path}: model_prompt: there is no value for {{{{{name}}}}}{nearest(name, variables)}")
    try:
        return Prompt(messages_in(prompt.model_prompt), sampling_in(prompt))
    except PromptError as fault:
        raise RecipeError(f"{path}: {fault}") from None


def messages_in(text: str) -> tuple[PromptMessage, ...]:
    """Return the messages into which lines such as [user] cut the text of a prompt; without any it is one of the user's.

    Raises:
        PromptError: for text before the first such line, and for a message without text.
    """
    first_text, *parts = _ROLE.split(text)
    if not parts:
        return (("user", first_text.strip()),)
    if first_text.strip():
        raise PromptError("model_prompt: text stands before the first message, which a line such as [user] begins")
    messages = [(_ROLES[role], part.strip()) for role, part in zip(parts[::2], parts[1::2], strict=True)]
    if not all(part for _, part in messages):
        raise PromptError("model_prompt: a message is empty")
    return tuple(messages)


def sampling_in(prompt: PortablePrompt) -> Sampling:
    """Return what a prompt says of the model that answers it: its model_version and parameters."""
    versions, parameters = prompt.metadata.model_version, prompt.metadata.parameters
    return Sampling(
        versions=(versions,) if isinstance(versions, str) else tuple(versions or ()),
        **(msgspec.structs.asdict(parameters) if parameters else {}),
    )
