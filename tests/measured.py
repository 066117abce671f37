"""Conversations by hand and what a report says of them."""

from pathlib import Path

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.formats import FORMATS
from generator.formats.sinks import encode_line
from generator.report import Report, files_to_measure, measure_files

WEATHER = Tool(
    name="get_weather",
    description="Get the weather of a city.",
    parameters={
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
            "days": {"type": "integer", "default": 1},
        },
        "required": ["city"],
    },
)
BOOK = Tool(
    name="book_table",
    description="Book a table in a restaurant.",
    parameters={
        "type": "object",
        "properties": {"guests": {"type": "integer"}, "day": {"type": "string", "format": "date"}},
        "required": ["guests"],
    },
)
Call = tuple[str, dict[str, object], object]
"""A tool's name, its arguments, and its result."""


def turn(text: str, *steps: list[Call], answer: str | None = "Done.", start: int = 0) -> list[Message]:
    """One request, its steps of calls, and the answer."""
    messages: list[Message] = [UserMessage(content=text)]
    number = start
    for step in steps:
        calls, results = [], []
        for name, arguments, result in step:
            number += 1
            calls.append(ToolCall(id=f"call{number:05}", name=name, arguments=arguments))
            content = result if isinstance(result, str) else msgspec.json.encode(result).decode()
            results.append(ToolMessage(tool_call_id=calls[-1].id, name=name, content=content))
        messages += [AssistantMessage(tool_calls=tuple(calls)), *results]
    return messages if answer is None else [*messages, AssistantMessage(content=answer)]


def talk(*messages: Message, tools: tuple[Tool, ...] = (WEATHER, BOOK)) -> Conversation:
    """A conversation about the weather and a table."""
    return Conversation(messages=tuple(messages), tools=tools)


def weather(text: str, city: str, answer: str = "It is sunny.", **more: object) -> Conversation:
    """One question about the weather."""
    return talk(*turn(text, [("get_weather", {"city": city, **more}, {"sky": "sunny"})], answer=answer))


def write(path: Path, talks: list[Conversation], format_name: str = "openai") -> Path:
    """The conversations as a file."""
    path.write_bytes(b"".join(encode_line(FORMATS[format_name].render(talk)) for talk in talks))
    return path


def measured(folder: Path, *talks: Conversation) -> Report:
    """What a report says of the conversations."""
    return measure_files("it", files_to_measure(write(folder / "rows.jsonl", list(talks))))


def counts(report: Report, metric: str, title: str) -> dict[str, float]:
    """The counts of the chart whose title begins so."""
    return dict(next(chart.counts for chart in report.metrics[metric].charts if chart.title.startswith(title)))
