"""How the writer, the readers and the judge are asked: through a session with a model, or through files in a folder.

A folder takes the place of a model: every request is written into it as a text, and the answer is taken from the file of the
same name beside it. Whoever answers sees nothing but the text.
"""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec
import orjson

from generator.core.errors import OutputError, StoppedError
from generator.core.files.regular import read_regular
from generator.formats.sinks.disk import write_whole
from generator.llm.account import Account
from generator.llm.asking import ModelAnswer, Request
from generator.llm.session import Session

_DIGITS = 8
_PROMPT, _ANSWER = ".prompt.md", ".answer.json"
_DEEPEST = 40


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request with a name for people."""

    name: str
    """`tools-03`: what it is about; the same for the same request in every run."""
    request: Request
    is_numbered: bool = False
    """Whether the answer goes by numbers of this very text, so that it is of no use for another one."""


class Answering(Protocol):
    """Whoever answers requests."""

    @property
    def account(self) -> Account:
        """What it has cost so far."""
        ...

    async def answer(self, asked: Asked) -> ModelAnswer:
        """Return the answer to one request."""
        ...


class WaitingError(StoppedError):
    """An answer is not in the folder yet."""


class ByModel(msgspec.Struct, frozen=True):
    """A session with a model."""

    session: Session

    @property
    def account(self) -> Account:
        """What the session has cost so far."""
        return self.session.account

    async def answer(self, asked: Asked) -> ModelAnswer:
        """Ask the model, or its cache."""
        return await self.session.answer(asked.request)


class ByFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of prompts, and of answers that somebody writes.

    Raises:
        OutputError: when the folder cannot be written.
    """

    folder: Path
    account: Account = msgspec.field(default_factory=Account)

    async def answer(self, asked: Asked) -> ModelAnswer:
        """Return what stands in the answer's file; without one the prompt is written, and WaitingError raised."""
        text = prompt_text(asked.request)
        digest = f"-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}" if asked.is_numbered else ""
        name = f"{asked.name}{digest}"
        found = self.folder / f"{name}{_ANSWER}"
        prompt = self.folder / f"{name}{_PROMPT}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if found.is_file():
                self.account.answers += 1
                return ModelAnswer(text=read_regular(found).decode(), usd=0.0)
            write_whole(prompt, [text.encode()])
        except (OSError, UnicodeDecodeError) as fault:
            raise OutputError(f"{found}: {fault}") from None
        raise WaitingError(str(found))


def prompt_text(request: Request) -> str:
    """Return a request as a text to be read by whoever answers it."""
    parts = [f"[{role}]\n{text}" for role, text in request.messages]
    return "\n\n".join(parts) + "\n"


def object_of(answer: ModelAnswer) -> tuple[dict[str, Any], str]:
    """Return the JSON object of an answer, or nothing and why.

    What stands in it is checked piece by piece later, so that one bad piece does not cost the others.
    """
    if answer.fault:
        return {}, answer.fault
    text = answer.text.strip()
    fenced = re.fullmatch(r"```(?:json)?\s*\n(.*)\n```", text, re.DOTALL)
    try:
        value = orjson.loads(fenced[1] if fenced else text)
        deepest = _depth(value)
    except (orjson.JSONDecodeError, RecursionError) as fault:
        return {}, f"not JSON ({str(fault)[:80]})"
    if deepest > _DEEPEST:
        return {}, "too deep"
    return (value, "") if isinstance(value, dict) else ({}, "not an object")


def _depth(value: Any) -> int:
    parts: Sequence[Any] = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, parts), default=0)


def part_of(value: Any, key: str) -> dict[str, Any]:
    """Return a mapping under a key of an answer; nothing where something else stands there."""
    part = value.get(key) if isinstance(value, dict) else None
    return {str(name): one for name, one in part.items()} if isinstance(part, dict) else {}
