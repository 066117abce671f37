"""Reading back the phrases that tools have: what `tools check --reader` does."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import msgspec

from generator.core.errors import StoppedError
from generator.core.overlays import split_pieces
from generator.core.toolbox import ToolSpec
from generator.llm.account import Account
from generator.llm.open import open_session
from generator.recipe.llm import Llm
from generator.run.authoring.asking import ByModel
from generator.run.authoring.elements import all_elements
from generator.run.authoring.readers.items import Item, items_of
from generator.run.authoring.readers.reading import ITEMS, read_by, reading_request
from generator.run.authoring.writer.writing import load_author_prompts
from generator.run.described import DescribedTool
from generator.tools.describing.checks import ToolFault

USE = "read_back"


class ReadBack(msgspec.Struct, frozen=True, kw_only=True):
    """The faults that reading back has found, and the cost of it."""

    faults: tuple[ToolFault, ...]
    account: Account
    stopped: str = ""
    """Why asking stopped before all tools were read."""


def read_back_tools(tools: Sequence[DescribedTool], settings: Llm, cache: Path) -> ReadBack:
    """Have a model read the phrases of tools that somebody wrote.

    Args:
        tools: All of one source.
        settings: The model and its budget.
        cache: Where answers are kept.

    Raises:
        LlmError: when nothing can be asked at all.
    """
    return asyncio.run(_read_back([tool.spec for tool in tools], settings, cache))


async def _read_back(specs: Sequence[ToolSpec], settings: Llm, cache: Path) -> ReadBack:
    prompt = load_author_prompts(settings.prompts).read
    faults: list[ToolFault] = []
    stopped = ""
    async with open_session(settings, cache, USE) as session:
        reader = ByModel(session)
        try:
            for number, items in enumerate(_batches(specs), start=1):
                asked = reading_request(f"read-{number}", specs, items, prompt)
                found = await read_by(reader, asked, items)
                faults += [
                    _fault(spec, item, why) for (spec, item), wrong in zip(items, found, strict=True) for why in wrong
                ]
        except StoppedError as fault:
            stopped = str(fault)
        account = session.account
    return ReadBack(faults=tuple(faults), account=account, stopped=stopped)


def _batches(specs: Sequence[ToolSpec]) -> list[list[tuple[ToolSpec, Item]]]:
    found = [(spec, item) for spec in specs for item in _items(spec)]
    return [found[at : at + ITEMS] for at in range(0, len(found), ITEMS)]


def _items(spec: ToolSpec) -> list[Item]:
    """Return the phrases of a tool that somebody wrote."""
    written = {
        piece: value
        for piece, value in split_pieces(spec.written).items()
        if spec.origins.get(".".join(piece)) != "derived" and piece[0] == "phrases"
    }
    return items_of(spec, all_elements(written))


def _fault(spec: ToolSpec, item: Item, why: str) -> ToolFault:
    text = item.element.text
    return ToolFault(tool=spec.name, check=USE, piece=item.element.name, message=f"{text!r}: {why}", text=text)
