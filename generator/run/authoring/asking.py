"""Who is asked for worlds and scripts, and in which words: a session with a model, or whoever answers files in a folder.

A folder takes the place of a model: every request is written into it as a text, and the answer is taken from the file of the
same name beside it. Whoever answers sees nothing but the text.
"""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from generator.core.documents import parse_yaml
from generator.core.errors import LlmError, OutputError, StoppedError
from generator.core.files import read_regular
from generator.core.portable import fill
from generator.core.yaml_values import own_data
from generator.formats.sinks import write_whole
from generator.llm.asking import Account, ModelAnswer, PromptMessage, Request
from generator.llm.prompts import messages_in
from generator.llm.reading import answer_fault
from generator.llm.session import Session

T = TypeVar("T")
_DIGITS = 8
_PROMPT, _ANSWER = ".prompt.md", ".answer.yaml"
_BLOCK = re.compile(r"^[ \t]*```(?:ya?ml)?[ \t]*\n(.*?)(?:^[ \t]*```|\Z)", re.DOTALL | re.MULTILINE)


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request with a name for people."""

    name: str
    """`2-scripts-03`: what it is about; the same for the same request in every run."""
    messages: tuple[PromptMessage, ...]
    is_later: bool = False
    """Whether it goes by an earlier answer, so that the answer is of no use after another one."""

    def then(self, name: str, answer: str, key: str, **values: str) -> "Asked":
        """Return the request that follows this one and its answer, with the prompt of that key and values."""
        answer_message: PromptMessage = ("assistant", answer or "(nothing)")
        return Asked(name=name, messages=(*self.messages, answer_message, *prompt(key, **values)), is_later=True)


@cache
def words() -> dict[str, Any]:
    """Return prompts.yaml."""
    data: dict[str, Any] = own_data(__file__, "prompts.yaml")
    return data


def prompt(key: str, **values: str) -> tuple[PromptMessage, ...]:
    """Return the messages of a prompt, with the values in their places. What is in a value is never looked at again."""
    return tuple([(role, fill(text, values)) for role, text in messages_in(words()[key])])


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
    """Answers are not in the folder yet."""

    def __init__(self, *files: str) -> None:
        super().__init__("\n".join(files))
        self.files = files


class ByModel(msgspec.Struct, frozen=True):
    """A session with a model."""

    session: Session

    @property
    def account(self) -> Account:
        """What the session has cost so far."""
        return self.session.account

    async def answer(self, asked: Asked) -> ModelAnswer:
        """Ask the model, or its cache."""
        return await self.session.answer(Request(messages=asked.messages, use="author"))


class ByFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of prompts, and of answers that somebody writes."""

    folder: Path
    account: Account = msgspec.field(default_factory=Account)

    async def answer(self, asked: Asked) -> ModelAnswer:
        """Return what stands in the answer's file; without one the prompt is written, and WaitingError raised.

        Raises:
            OutputError: when the folder cannot be written, or the answer not be read.
        """
        text = "\n\n".join([f"[{role}]\n{text}" for role, text in asked.messages]) + "\n"
        digest = f"-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}" if asked.is_later else ""
        answer_file = self.folder / f"{asked.name}{digest}{_ANSWER}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if answer_file.is_file():
                self.account.answers += 1
                return ModelAnswer(text=read_regular(answer_file).decode(), usd=0.0)
            write_whole(self.folder / f"{asked.name}{digest}{_PROMPT}", [text.encode()])
        except (OSError, UnicodeDecodeError) as fault:
            raise OutputError(f"{answer_file}: {fault}") from None
        raise WaitingError(str(answer_file))


async def all_of(jobs: Sequence[Awaitable[T]]) -> list[T]:
    """Return what all jobs give; raises what one raises, after all others have come as far as they could."""
    results = await asyncio.gather(*jobs, return_exceptions=True)
    waiting = [file for result in results if isinstance(result, WaitingError) for file in result.files]
    if waiting:
        raise WaitingError(*waiting)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


def text_of(answer: ModelAnswer) -> str:
    """Return the YAML of an answer: all of it, or the blocks that it stands in."""
    return "\n".join(_BLOCK.findall(answer.text)) or answer.text


def yaml_of(text: str, fault: str) -> tuple[Any, str]:
    """Return the value of a text of an answer, or None and why it is of no use: `fault` if the whole answer is of none."""
    try:
        value = parse_yaml(text, "answer", LlmError)
    except LlmError as wrong:
        return None, fault or str(wrong)
    return value, fault or answer_fault(text)


Tell = Callable[[str, int, int], None]
"""Told of each step: its name, how many of its requests are answered, and how many there are."""
