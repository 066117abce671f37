"""Tools without a state: units, dates and text. A module in the `TOOLS` style (see store_tools.py)."""

import json
from datetime import date, timedelta
from typing import Any

UNITS = {
    "kilometers": ("length", 1000.0),
    "meters": ("length", 1.0),
    "miles": ("length", 1609.344),
    "feet": ("length", 0.3048),
    "kilograms": ("mass", 1.0),
    "pounds": ("mass", 0.45359237),
    "ounces": ("mass", 0.028349523125),
}
LENGTHS = [unit for unit, (kind, _) in UNITS.items() if kind == "length"]
MASSES = [unit for unit, (kind, _) in UNITS.items() if kind == "mass"]
_DATE = {"type": "string", "format": "date"}


def _tool(
    name: str, description: str, properties: dict[str, Any], returns: dict[str, Any], **beside: Any
) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    result = {"type": "object", "properties": returns, "required": list(returns)}
    function = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": function, "returns": result, **beside}


def _converter(name: str, kind: str, units: list[str]) -> dict[str, Any]:
    return _tool(
        name,
        f"Convert a {kind} from one unit to another.",
        {
            "value": {"type": "number", "minimum": 1, "maximum": 500, "multipleOf": 0.5, "description": "How much"},
            "from_unit": {"type": "string", "enum": units, "description": "Unit of the value"},
            "to_unit": {"type": "string", "enum": units, "description": "Unit to convert to"},
        },
        {"result": {"type": "number"}, "unit": {"type": "string", "enum": units}},
        relations=["from_unit != to_unit"],
        phrases={
            "request": [
                "convert {value} {from_unit} to {to_unit}",
                "work out what {value} {from_unit} is in {to_unit}",
            ],
            "question": ["how many {to_unit} are {value} {from_unit}", "what is {value} {from_unit} in {to_unit}"],
            "again": ["{value} {from_unit} to {to_unit}"],
            "answer": [
                "{args.value} {args.from_unit} is {result} {unit}.",
                "That makes {result} {unit} for {args.value} {args.from_unit}.",
            ],
        },
    )


TOOLS = [
    _converter("convert_length", "length", LENGTHS),
    _converter("convert_mass", "mass", MASSES),
    _tool(
        "days_between",
        "Count the days from one date to a later one.",
        {"start": {**_DATE, "description": "First date"}, "end": {**_DATE, "description": "Last date"}},
        {"days": {"type": "integer"}},
        relations=["start < end"],
        phrases={
            "request": ["count the days from {start} to {end}"],
            "question": ["how many days are there between {start} and {end}"],
            "want": ["the number of days between {start} and {end}"],
            "again": ["from {start} to {end}"],
            "answer": ["There {days?is|are} {days} {days?day|days} from {args.start:date} to {args.end:date}."],
        },
    ),
    _tool(
        "add_days",
        "Tell the date and weekday a number of days after a date.",
        {
            "start": {**_DATE, "description": "Date to count from"},
            "days": {"type": "integer", "minimum": 2, "maximum": 180, "description": "How many days later"},
        },
        {"date": _DATE, "weekday": {"type": "string"}},
        phrases={
            "request": ["work out the date {days} days after {start}"],
            "question": ["what date is {days} days after {start}"],
            "want": ["the date {days} days after {start}"],
            "again": ["{days} days after {start}"],
            "answer": [
                "{args.days} days after {args.start:date} is {weekday}, {date:date}.",
                "That is {weekday}, {date:date}: {args.days} days after {args.start:date}.",
            ],
        },
    ),
    _tool(
        "count_words",
        "Count the words and characters of a text.",
        {
            "text": {
                "type": "string",
                "minLength": 5,
                "maxLength": 120,
                "description": "Text to look at",
                "examples": [
                    "The early bird catches the worm",
                    "Please water the plants while we are away",
                    "Our next meeting is in the small room on the second floor",
                    "Fresh bread every morning from seven",
                    "No parking in front of the gate",
                    "Thank you all for coming to the opening",
                ],
            }
        },
        {"words": {"type": "integer"}, "characters": {"type": "integer"}},
        phrases={
            "request": ["count the words in {text:quoted}"],
            "question": ["how many words are in {text:quoted}"],
            "want": ["the word count of {text:quoted}"],
            "again": ["{text:quoted}"],
            "answer": ["{args.text:quoted} has {words} {words?word|words} and {characters} characters."],
        },
    ),
]


def handle_tool_call(tool_name: str, tool_input: dict[str, Any]) -> str:
    """The result of a call, as JSON."""
    handlers = {
        "convert_length": convert,
        "convert_mass": convert,
        "days_between": days_between,
        "add_days": add_days,
        "count_words": count_words,
    }
    if tool_name not in handlers:
        raise ValueError(f"Unknown tool: {tool_name}")
    return json.dumps(handlers[tool_name](**tool_input))


def convert(value: float, from_unit: str, to_unit: str) -> dict[str, Any]:
    """A length or mass in another unit, to two places."""
    kind, factor = UNITS[from_unit]
    other, divisor = UNITS[to_unit]
    if kind != other:
        raise ValueError(f"{from_unit} cannot be converted to {to_unit}")
    return {"result": round(value * factor / divisor, 2), "unit": to_unit}


def days_between(start: str, end: str) -> dict[str, Any]:
    """The days between two dates."""
    return {"days": (date.fromisoformat(end) - date.fromisoformat(start)).days}


def add_days(start: str, days: int) -> dict[str, Any]:
    """The date so many days later."""
    found = date.fromisoformat(start) + timedelta(days=days)
    return {"date": found.isoformat(), "weekday": found.strftime("%A")}


def count_words(text: str) -> dict[str, Any]:
    """The size of a text."""
    return {"words": len(text.split()), "characters": len(text)}
