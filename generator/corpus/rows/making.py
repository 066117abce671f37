"""Make files of rows: each is a pure function of (recipe, tools, seed, format, index)."""

import json
from functools import cache
from typing import Any

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError
from generator.core.exact_json import loads
from generator.core.seeds import Draw, call_id, stream_seed
from generator.corpus.case import Case, Mutation, Verdict
from generator.corpus.hard_values import hard_sentence
from generator.corpus.rows.line_faults import HARMLESS, LINE_FAULTS
from generator.corpus.rows.record_faults import RECORD_FAULTS, swap_part
from generator.corpus.toolbox import TODAY, Usable, load_tools, usable
from generator.formats import FORMATS, Format
from generator.recipe.corpus import CorpusRecipe

LIKE_MESSAGES = ("deepfabric", "deepfabric-string", "openai", "trl")
"""Formats whose records have `messages` with `role` and `tool_calls`, into which faults of structure are put."""


@cache
def row_formats() -> tuple[str, ...]:
    """Return names of the formats that files of rows are made in: records, not text, that hold calls."""
    return tuple(name for name, fmt in FORMATS.items() if fmt.policy.train != "spans" and _carries_calls(fmt))


def _carries_calls(fmt: Format) -> bool:
    tool = Tool(name="ping", description="Ping.", parameters={"type": "object", "properties": {}})
    request: tuple[Message, ...] = (
        UserMessage("Ping."),
        AssistantMessage(tool_calls=(ToolCall("abcdefgh1", "ping", {}),)),
    )
    answered = (*request, ToolMessage("abcdefgh1", "pong", "ping"), AssistantMessage("Done."))
    try:
        fmt.render(Conversation(answered if fmt.policy.requests == "any" else request, (tool,)))
    except CannotCarryError:
        return False
    return True


class FileMaker:
    """Makes the files of one recipe and row format."""

    def __init__(self, recipe: CorpusRecipe, tools: dict[str, Usable], fmt: Format) -> None:
        self.fmt = fmt
        self.seed = recipe.seed
        self.tools = [
            known
            for known in tools.values()
            if known.usual and known.tool.description and known.tool.parameters and known.is_api_name
        ]


def file_makers(recipe: CorpusRecipe) -> list[FileMaker]:
    """Return a maker for each row format of the recipe."""
    names = [name for name in recipe.formats if name in row_formats()]
    tools = {name: usable(spec, recipe.seed) for name, spec in load_tools(recipe).items()} if names else {}
    return [FileMaker(recipe, tools, FORMATS[name]) for name in names]


def make_file(maker: FileMaker, index: int) -> Case:
    """Return the file with that index."""
    draw = Draw(stream_seed("corpus", maker.seed, maker.fmt.name, index), TODAY)
    records = [_record(maker, draw) for _ in range(draw.between(1, 3))]
    place = draw.below(len(records))
    kind = draw.rand()
    if kind < 0.2:
        return _case(maker, index, _lines(records), "y", "valid", None)
    if kind < 0.6 and maker.fmt.name in LIKE_MESSAGES:
        name = draw.choice(tuple(RECORD_FAULTS))
        rule = RECORD_FAULTS[name](records[place], draw)
        waived = rule is not None and rule in maker.fmt.waives
        if rule is not None and not waived:
            return _case(maker, index, _lines(records), "n", name, _own_code(maker.fmt, name, rule))
        return _case(maker, index, _lines(records), "i", name, None)
    if kind < 0.75:
        swap_part(records[place], draw)
        return _case(maker, index, _lines(records), "i", "swap_part", None)
    name = draw.choice(tuple(LINE_FAULTS))
    lines = [_line(record) for record in records]
    lines[place], rule = LINE_FAULTS[name](lines[place], draw)
    return _case(maker, index, b"".join(lines), "n" if rule else "y" if name in HARMLESS else "i", name, rule)


def _own_code(fmt: Format, name: str, rule: str) -> str:
    """Return the code of the format's own rule for arguments of a wrong type, where the format encodes them."""
    if rule == "DF201" and fmt.name == "openai":
        return "OA101"
    return "TR101" if rule == "DF201" and fmt.name == "trl" else rule


def _case(maker: FileMaker, index: int, data: bytes, verdict: Verdict, name: str, rule: str | None) -> Case:
    mutations = () if name == "valid" else (Mutation(name, arg=rule),)
    return Case(
        id=f"{name}-{index:06d}",
        format=maker.fmt.name,
        verdict=verdict,
        text=data,
        oracle=None,
        mutations=mutations,
    )


def _line(record: Any) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _lines(records: list[Any]) -> bytes:
    return b"".join([_line(record) for record in records])


def _record(maker: FileMaker, draw: Draw) -> Any:
    """Return a valid record; formats that hold only one turn get a conversation of one request and its calls."""
    for _ in range(20):
        try:
            made = maker.fmt.render(_conversation(maker, draw))
        except CannotCarryError:
            continue
        return loads(json.dumps(made))
    return loads(json.dumps(maker.fmt.render(_conversation(maker, draw, calls=1))))


def _conversation(maker: FileMaker, draw: Draw, calls: int = 0) -> Conversation:
    known = [draw.choice(maker.tools) for _ in range(calls or draw.between(1, 3))]
    known = known[:1] if maker.fmt.policy.parallel != "ok" else known
    made = tuple([ToolCall(call_id(draw.rand), tool.tool.name, draw.choice(tool.usual)) for tool in known])
    messages: list[Message] = [
        UserMessage(f"Please do this: {', '.join(call.name for call in made)}."),
        AssistantMessage(tool_calls=made),
    ]
    if maker.fmt.policy.requests == "any":
        messages += [ToolMessage(call.id, '{"status": "ok"}', call.name) for call in made]
        messages.append(AssistantMessage(hard_sentence(draw)))
    return Conversation(tuple(messages), tuple({tool.tool.name: tool.tool for tool in known}.values()))
