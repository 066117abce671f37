"""Let a language model describe tools: one request a tool, and one more with the faults where there are any.

Its answers are checked like every other description of tools; a piece that stays wrong is dropped, and the derived one
is used in its place.
"""

import asyncio
import json
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import msgspec

from generator.arguments import KINDS
from generator.describing.checks import ToolFault
from generator.errors import StoppedError
from generator.llm.asking import ModelAnswer, Request, tokens_in
from generator.llm.open import open_session
from generator.llm.prompts import Prompt, load_describe, load_prompts, load_read_back
from generator.llm.reading import json_of_answer
from generator.llm.session import Session
from generator.overlays import Piece, Pieces, join_pieces, name_of_piece, split_pieces
from generator.recipe.llm import Llm
from generator.run.described import DescribedTool, check_words_and_values
from generator.run.read_phrases import Reader
from generator.run.trials import ENOUGH, try_tool
from generator.specs.overlays import Layer, derived_layer, layer_of, overlaid_as_far_as_it_fits
from generator.toolbox import Toolbox, ToolSpec

USE = "describe"
_TRIALS = 12
_MOST_TOLD = 12
_LONGEST_LINE = 160
_LONGEST_ANSWER = 8_000
_TEXTS = {"type": "array", "items": {"type": "string"}}
_BY_TEXT = {"type": "object", "additionalProperties": {"type": "string"}}
_ANSWER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "examples": {"type": "object", "additionalProperties": {"type": "array"}},
        "kinds": _BY_TEXT,
        "patterns": _BY_TEXT,
        "say": {"type": "object", "additionalProperties": {"enum": ["never", "seldom"]}},
        "returns": {"type": "object"},
        "links": _BY_TEXT,
        "relations": _TEXTS,
        "phrases": {
            "type": "object",
            "properties": {
                **dict.fromkeys(
                    ("request", "question", "want", "again", "several", "entry", "follow_up", "found", "vary", "can"),
                    _TEXTS,
                ),
                "slots": {"type": "object"},
                "synonyms": {"type": "object"},
                "pick": {"type": "object"},
                "best": {"type": "array"},
                "ask": {"type": "object", "additionalProperties": _TEXTS},
                "answer": {"type": "array"},
                "each": {"type": "object", "additionalProperties": _TEXTS},
            },
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}
"""JSON Schema of an answer."""


class Authored(msgspec.Struct, frozen=True, kw_only=True):
    """The result of describing one tool."""

    spec: ToolSpec
    pieces: Pieces
    """What the model says and the checks accept."""
    given: int
    """How many pieces the last answer held."""
    asked: int
    """Requests that it took."""
    dropped: tuple[tuple[str, str], ...] = ()
    """Pieces that were dropped, and why."""


class Estimated(msgspec.Struct, frozen=True, kw_only=True):
    """Estimated requests and tokens, if no answer has to be corrected."""

    requests: int
    sent: int
    received: int


class Authoring(msgspec.Struct, frozen=True, kw_only=True):
    """The results of describing tools."""

    tools: tuple[Authored, ...]
    requests: int
    cache_hits: int
    usd: float | None
    stopped: str = ""
    """Why asking stopped before all tools were described."""


def estimate(tools: Sequence[DescribedTool], all_tools: Sequence[DescribedTool], settings: Llm) -> Estimated:
    """Estimate what describing the tools will take, without asking."""
    prompt = load_describe(settings.prompts)
    requests = [_request(tool, all_tools, prompt) for tool in tools]
    sent = sum(map(tokens_in, requests))
    received = sum(len(json.dumps(join_pieces(tool.derived), default=str)) // 4 for tool in tools)
    return Estimated(requests=len(requests), sent=sent, received=received)


def author(
    tools: Sequence[DescribedTool],
    all_tools: Sequence[DescribedTool],
    settings: Llm,
    cache: Path,
    reader: Llm | None = None,
) -> Authoring:
    """Ask a model about some tools of a source.

    Args:
        tools: Those to describe.
        all_tools: All of the source, for links and as siblings.
        settings: The model, its budget and prompts.
        cache: Where answers are kept, so that asking again takes up where it stopped.
        reader: A second model that reads the phrases back, on the same account and budget.

    Raises:
        LlmError: when nothing can be asked at all.
    """
    return asyncio.run(_author(tools, all_tools, settings, cache, reader))


async def _author(
    tools: Sequence[DescribedTool], all_tools: Sequence[DescribedTool], settings: Llm, cache: Path, second: Llm | None
) -> Authoring:
    prompt, again = load_describe(settings.prompts), load_prompts(settings.prompts).again
    async with AsyncExitStack() as stack:
        session = await stack.enter_async_context(open_session(settings, cache, USE))
        reader = None
        if second is not None:
            reading = await stack.enter_async_context(open_session(second, cache.with_suffix(".read-back"), USE))
            reading.account = session.account
            reader = Reader(reading, load_read_back(second.prompts))
        jobs = [_author_one(tool, all_tools, session, prompt, again, reader) for tool in tools]
        done = await asyncio.gather(*jobs, return_exceptions=True)
        account = session.account
    stopped = next((fault for fault in done if isinstance(fault, StoppedError)), None)
    for fault in done:
        if isinstance(fault, BaseException) and not isinstance(fault, StoppedError):
            raise fault
    return Authoring(
        tools=tuple(one for one in done if isinstance(one, Authored)),
        requests=account.requests,
        cache_hits=account.cache_hits,
        usd=None if account.unpriced else account.usd,
        stopped=str(stopped) if stopped else "",
    )


async def _author_one(
    tool: DescribedTool,
    all_tools: Sequence[DescribedTool],
    session: Session,
    prompt: Prompt,
    again: Prompt,
    reader: Reader | None,
) -> Authored:
    request = _request(tool, all_tools, prompt)
    answer = await session.answer(request)
    pieces, faults = _checked(tool, all_tools, answer)
    faults += await _read_otherwise(reader, tool, all_tools, pieces)
    asked = 1
    if faults:
        second = await session.answer(_once_more(request, answer, faults, again))
        asked = 2
        mended, _ = _checked(tool, all_tools, second)
        if mended:
            pieces = pieces | mended
            faults = _faults(tool, all_tools, pieces) + await _read_otherwise(reader, tool, all_tools, pieces)
    return _kept(tool, all_tools, pieces, faults, asked)


async def _read_otherwise(
    reader: Reader | None, tool: DescribedTool, all_tools: Sequence[DescribedTool], pieces: Pieces
) -> list[tuple[str, str]]:
    """Return (piece, message) pairs for phrases that the second model reads otherwise; none without such a model."""
    if reader is None or not pieces:
        return []
    spec, _ = _read(tool, pieces)
    return await reader.faults(spec, [one.spec for one in all_tools if one is not tool], pieces)


def _request(tool: DescribedTool, all_tools: Sequence[DescribedTool], prompt: Prompt) -> Request:
    spec = tool.spec
    function = {"name": spec.name, "description": spec.tool.description, "parameters": spec.tool.parameters}
    siblings = [
        f"{one.spec.name}: {(one.spec.tool.description or '').splitlines()[0] if one.spec.tool.description else ''}"[
            :_LONGEST_LINE
        ]
        for one in all_tools
        if one is not tool
    ]
    return prompt.ask(
        _ANSWER,
        USE,
        function=json.dumps(function, ensure_ascii=False),
        siblings="\n".join(siblings) or "(none)",
        kinds=", ".join(sorted(KINDS)),
        draft=json.dumps(join_pieces(tool.derived), ensure_ascii=False),
    )


def _once_more(request: Request, answer: ModelAnswer, faults: Sequence[tuple[str, str]], again: Prompt) -> Request:
    told = "; ".join(f"{piece}: {message}" if piece else message for piece, message in faults[:_MOST_TOLD])
    messages = (
        *request.messages,
        *([("assistant", answer.text[:_LONGEST_ANSWER])] if answer.text else []),
        *again.fill(faults=told),
    )
    return msgspec.structs.replace(request, messages=tuple(messages), again=True)


def _checked(
    tool: DescribedTool, all_tools: Sequence[DescribedTool], answer: ModelAnswer
) -> tuple[Pieces, list[tuple[str, str]]]:
    """Return the pieces of an answer, and what is wrong with them."""
    value, fault = json_of_answer(answer, _ANSWER)
    if fault:
        return {}, [("", fault)]
    pieces = split_pieces(value)
    return pieces, _faults(tool, all_tools, pieces)


def _faults(tool: DescribedTool, all_tools: Sequence[DescribedTool], pieces: Pieces) -> list[tuple[str, str]]:
    """Return (piece, message) pairs for what is wrong with pieces on top of what is derived."""
    spec, dropped = _read(tool, pieces)
    names = {name_of_piece(piece) for piece in pieces}
    found = [(name_of_piece(piece), message) for piece, message in dropped.items()]
    toolbox: Toolbox = {one.spec.name: one.spec for one in all_tools} | {spec.name: spec}
    found += [
        (fault.piece, fault.message)
        for fault in check_words_and_values(spec, toolbox)
        if not fault.is_told and _is_of(fault, names)
    ]
    if not found:
        trial = try_tool(spec, _TRIALS)
        if trial.share < ENOUGH:
            why = trial.refusals[0][0] if trial.refusals else "no row could be made"
            found.append(("", f"of {trial.attempts} trial rows {len(trial.rows)} were accepted: {why}"))
    return found


def _is_of(fault: ToolFault, names: set[str]) -> bool:
    return any(fault.piece == name or name.startswith(f"{fault.piece}.") for name in names)


def _read(tool: DescribedTool, pieces: Pieces) -> tuple[ToolSpec, dict[Piece, str]]:
    """Return the tool under the pieces of a model, and those that do not fit."""
    layers: list[Layer] = [derived_layer(tool.bare, tool.derived)] if tool.derived else []
    spec, dropped = overlaid_as_far_as_it_fits(tool.bare, [*layers, layer_of(pieces, "model", tool.bare)])
    return spec, {piece: message for piece, message in dropped.items() if piece in pieces}


def _kept(
    tool: DescribedTool,
    all_tools: Sequence[DescribedTool],
    pieces: Pieces,
    faults: list[tuple[str, str]],
    asked: int,
) -> Authored:
    """Return the pieces without those with faults; nothing, if no row can be made with the rest."""
    given = len(pieces)
    dropped: dict[str, str] = {}
    for _ in range(len(pieces) + 1):
        wrong = _wrong(pieces, faults)
        if not wrong:
            break
        dropped |= {name_of_piece(piece): message for piece, message in wrong.items()}
        pieces = {piece: value for piece, value in pieces.items() if piece not in wrong}
        faults = _faults(tool, all_tools, pieces) if pieces else []
    spec, _ = _read(tool, pieces)
    return Authored(spec=spec, pieces=pieces, given=given, asked=asked, dropped=tuple(dropped.items()))


def _wrong(pieces: Pieces, faults: Sequence[tuple[str, str]]) -> dict[Piece, str]:
    """Return the pieces that faults name; where they name none, those that rows are made of first, then all."""
    found = {
        piece: message
        for piece in pieces
        for name, message in faults
        if name_of_piece(piece) == name or (name and name_of_piece(piece).startswith(f"{name}."))
    }
    if found or not faults:
        return found
    rows = [piece for piece in pieces if piece[0] in ("phrases", "returns")]
    return dict.fromkeys(rows or pieces, faults[0][1])
