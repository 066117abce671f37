"""Transports to a server: the request, the reply, and the three kinds of failure."""

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import msgspec
import orjson

from generator.llm.asking import AnsweredCall, Request
from generator.recipe.llm import Llm

LONGEST_ANSWER = 200_000
"""Characters; every answer that is asked for is much shorter."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A response of a server that did answer."""

    text: str = ""
    calls: tuple[AnsweredCall, ...] = ()
    reasoning: str = ""
    """What a server keeps apart of what the model thought."""
    finish_reason: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = None


class Transport(Protocol):
    """One way to send a request, once."""

    async def send(self, request: Request, seed: int) -> Reply:
        """Return the reply.

        Raises:
            TransientError: another try may go well.
            LearntError: the server does not take something that is left out from now on.
            RefusedError: this request will never be answered; others may.
            LlmError: no request will be answered: key, model or address are wrong.
        """

    def remember(self, learnt: Sequence[str]) -> None:
        """Ask without what earlier sessions have learnt that servers do not take."""

    async def close(self) -> None:
        """Let go of all connections."""


class TransientError(Exception):
    """A failure that may pass. `unreachable`: there was no server at all."""

    def __init__(self, reason: str, retry_after: float | None = None, *, unreachable: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry_after = retry_after
        self.unreachable = unreachable


class LearntError(Exception):
    """The server does not take the request as it was; asked again, it will be another one. `what`: the model, and what it does not take."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class RefusedError(Exception):
    """The server will not answer this request."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


_SECRET_NAME = re.compile(r"(?:.*[_.-])?(?:API)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|CREDENTIALS?)", re.IGNORECASE)
_LOOKS_LIKE_A_KEY = re.compile(r"\b(?:sk|pk|key|gsk|xai|hf|AIza)[-_][A-Za-z0-9*_-]{6,}|Bearer\s+\S+", re.IGNORECASE)
_SHORTEST_SECRET = 12
"""Characters of a value that is treated as a secret; shorter values could be words."""
_SHORTEST_KEY = 6
_LONGEST_REASON = 300


class Secrets:
    """Secrets that may never be shown or stored: the keys, and other variables of the environment that look like one."""

    def __init__(self, *keys: str | None) -> None:
        named = {value for name, value in os.environ.items() if _SECRET_NAME.fullmatch(name)}
        found = {value for value in named if len(value) >= _SHORTEST_SECRET and not re.search(r"\s", value)}
        own = {key for key in keys if key is not None and len(key) >= _SHORTEST_KEY}
        self._values = sorted(found | own, key=len, reverse=True)

    def hide(self, text: str) -> str:
        """Return a foreign message on one line, without secrets and not too long."""
        for value in self._values:
            text = text.replace(value, "***")
        text = " ".join(_LOOKS_LIKE_A_KEY.sub("***", text[:20_000]).split())
        text = "".join(letter if letter.isprintable() else " " for letter in text)
        return text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 1] + "…"

    def in_text(self, text: str) -> bool:
        """Whether a text holds one."""
        return any(value in text for value in self._values)


def messages_of(request: Request) -> list[dict[str, Any]]:
    """Return the messages as the OpenAI API has them."""
    return [*({"role": role, "content": text} for role, text in request.messages), *request.turns]


def calls_in(entries: Iterable[tuple[Any, Any]]) -> tuple[AnsweredCall, ...]:
    """Return the calls of an answer from names and arguments, which some servers give as an object.

    Raises:
        TypeError: when a name is no text, or arguments are neither.
    """
    calls = []
    for name, arguments in entries:
        text = (
            "" if arguments is None else arguments if isinstance(arguments, str) else orjson.dumps(arguments).decode()
        )
        if not isinstance(name, str):
            raise TypeError
        calls.append(AnsweredCall(name, text))
    return tuple(calls)


def text_in(content: Any) -> str:
    """Return the text of a message, which some servers give in parts."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "".join([text for text in texts if isinstance(text, str)])


def response_format(request: Request, settings: Llm) -> dict[str, object] | None:
    """Return OpenAI's `response_format` for the schema, if the server is to be constrained to JSON."""
    if request.schema is None or settings.json_mode == "text":
        return None
    if settings.json_mode == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": request.schema}}
