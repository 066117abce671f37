"""Reading phrases back: a second model says which tool a phrase asks for, and which argument stands in each of its gaps.

Where it reads a phrase otherwise than its author meant, the phrase is at fault.
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import msgspec

from generator.describing.checks import ToolFault
from generator.errors import StoppedError
from generator.llm.account import Account
from generator.llm.open import open_session
from generator.llm.prompts import Prompt, load_read_back
from generator.llm.reading import json_of_answer
from generator.llm.session import Session
from generator.overlays import Pieces
from generator.recipe.llm import Llm
from generator.run.described import DescribedTool
from generator.templates import Slot, parse_template
from generator.toolbox import ToolSpec

USE = "read_back"
_HEADS = ("request", "question", "want")
_MOST = 24
"""The most phrases of one tool that are read."""
_LONGEST_LINE = 220
_ANSWER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "readings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "request": {"type": "integer"},
                    "tool": {"type": "string"},
                    "gaps": {"type": "object", "additionalProperties": {"type": "string"}},
                },
                "required": ["request", "tool", "gaps"],
            },
        }
    },
    "required": ["readings"],
}
"""JSON Schema of an answer."""


class Gapped(msgspec.Struct, frozen=True):
    """A phrase with letters in place of its values."""

    piece: str
    """Where it stands: `phrases.request`."""
    text: str
    slots: tuple[str, ...]
    """The argument of each letter."""


class ReadBack(msgspec.Struct, frozen=True, kw_only=True):
    """The faults that reading back has found, and the cost of it."""

    faults: tuple[ToolFault, ...]
    account: Account
    stopped: str = ""
    """Why asking stopped before all tools were read."""


def gapped(spec: ToolSpec) -> list[Gapped]:
    """Return the phrases of a tool that somebody wrote: its requests, and its frames behind the shortest of them."""
    heads = [(f"phrases.{key}", text) for key in _HEADS for text in getattr(spec.phrases, key)]
    found = [_gapped(piece, text) for piece, text in heads if spec.origins.get(piece) != "derived"]
    first = min(spec.phrases.request, key=len, default="")
    for slot, frames in spec.phrases.slots.items():
        piece = f"phrases.slots.{slot}"
        if spec.origins.get(piece) != "derived" and first and "{" + slot not in first:
            found += [_gapped(piece, f"{first} {frame}") for frame in frames.frames[:1] if not frame[:1].isupper()]
    return found[:_MOST]


def _gapped(piece: str, text: str) -> Gapped:
    slots: list[str] = []
    shown = ""
    for part in parse_template(text).segments:
        if isinstance(part, str):
            shown += part
        elif isinstance(part, Slot):
            if part.slot not in slots:
                slots.append(part.slot)
            shown += f"[{ascii_uppercase[slots.index(part.slot) % len(ascii_uppercase)]}]"
        else:
            shown += part.many
    return Gapped(piece, shown, tuple(slots))


async def read_back_phrases(
    spec: ToolSpec, siblings: Sequence[ToolSpec], session: Session, prompt: Prompt
) -> list[ToolFault]:
    """Ask a model about the phrases of one tool; return those that it reads otherwise.

    Args:
        spec: The tool.
        siblings: The other tools that a request might ask for.
        session: Of the model that reads.
        prompt: What it is asked.
    """
    phrases = gapped(spec)
    if not phrases:
        return []
    requests = "\n".join(f"{number}. {phrase.text}" for number, phrase in enumerate(phrases, start=1))
    tools = sorted([spec, *siblings], key=lambda one: one.name)
    answer = await session.answer(prompt.ask(_ANSWER, USE, tools="\n".join(map(_line, tools)), requests=requests))
    value, fault = json_of_answer(answer, _ANSWER)
    if fault:  # an answer that cannot be used says nothing about the phrases
        return []
    readings = {reading["request"]: reading for reading in value["readings"]}
    return [
        ToolFault(tool=spec.name, check=USE, piece=phrase.piece, message=f"{phrase.text!r}: {why}")
        for number, phrase in enumerate(phrases, start=1)
        if number in readings and (why := _otherwise(spec, phrase, readings[number]))
    ]


def _line(spec: ToolSpec) -> str:
    arguments = ", ".join(spec.properties)
    about = (spec.tool.description or "").strip().splitlines()
    return f"{spec.name}({arguments}): {about[0] if about else ''}"[:_LONGEST_LINE]


def _otherwise(spec: ToolSpec, phrase: Gapped, reading: dict[str, Any]) -> str:
    """Return how the reading differs from what is meant; an empty text when it does not."""
    if reading["tool"] != spec.name:
        return f"it is read as a request for {reading['tool']}"
    for letter, slot in zip(ascii_uppercase, phrase.slots, strict=False):
        told = str(reading["gaps"].get(letter, slot)).strip("/")
        if told != slot and told.rpartition("/")[2] != slot.rpartition("/")[2]:
            return f"[{letter}] is read as {told}, not as {slot}"
    return ""


def read_back_tools(tools: Sequence[DescribedTool], settings: Llm, cache: Path) -> ReadBack:
    """Have a model read the phrases of tools back.

    Args:
        tools: All of one source.
        settings: The model and its budget.
        cache: Where answers are kept.

    Raises:
        LlmError: when nothing can be asked at all.
    """
    return asyncio.run(_read_back_tools([tool.spec for tool in tools], settings, cache))


async def _read_back_tools(specs: Sequence[ToolSpec], settings: Llm, cache: Path) -> ReadBack:
    prompt = load_read_back(settings.prompts)
    async with open_session(settings, cache, USE) as session:
        jobs = [
            read_back_phrases(spec, [other for other in specs if other is not spec], session, prompt) for spec in specs
        ]
        done = await asyncio.gather(*jobs, return_exceptions=True)
        account = session.account
    for fault in done:
        if isinstance(fault, BaseException) and not isinstance(fault, StoppedError):
            raise fault
    stopped = next((str(fault) for fault in done if isinstance(fault, StoppedError)), "")
    return ReadBack(
        faults=tuple(fault for found in done if isinstance(found, list) for fault in found),
        account=account,
        stopped=stopped,
    )


class Reader(msgspec.Struct, frozen=True):
    """A second model that reads what the first one wrote, within the budget of the first."""

    session: Session
    prompt: Prompt

    async def faults(self, spec: ToolSpec, siblings: Sequence[ToolSpec], pieces: Pieces) -> list[tuple[str, str]]:
        """Return (piece, message) pairs for the phrases among these pieces that are read otherwise."""
        names = {".".join(piece) for piece in pieces}
        found = await read_back_phrases(spec, siblings, self.session, self.prompt)
        return [(fault.piece, fault.message) for fault in found if fault.piece in names]
