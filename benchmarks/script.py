"""What a user would write instead: Faker and f-strings, three calls with results and an answer, one JSON line a row.

    python benchmarks/script.py --rows 1000 --out FILE [--check]

Written as one writes such a script in an afternoon. With `--check`, the arguments of every call are validated with a
compiled `jsonschema` validator. `benchmarks/against_script.py` runs it beside the generator.
"""

import argparse
import json
import random
import string
from pathlib import Path
from typing import Any

from faker import Faker
from jsonschema import Draft202012Validator

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "Get the weather in a city on a day.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "minLength": 1},
                    "date": {"type": "string", "format": "date"},
                    "units": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                },
                "required": ["city", "date"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "book_table",
            "description": "Book a table at a restaurant.",
            "parameters": {
                "type": "object",
                "properties": {
                    "restaurant": {"type": "string", "minLength": 1},
                    "guests": {"type": "integer", "minimum": 1, "maximum": 12},
                    "date": {"type": "string", "format": "date"},
                    "name": {"type": "string", "minLength": 1},
                },
                "required": ["restaurant", "guests", "date", "name"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "send_email",
            "description": "Send an email.",
            "parameters": {
                "type": "object",
                "properties": {
                    "to": {"type": "string", "format": "email"},
                    "subject": {"type": "string", "minLength": 1},
                    "body": {"type": "string", "minLength": 1},
                },
                "required": ["to", "subject", "body"],
                "additionalProperties": False,
            },
        },
    },
]


def main() -> None:
    """Write the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    Faker.seed(7)
    random.seed(7)
    fake = Faker()
    validators = {tool["function"]["name"]: Draft202012Validator(tool["function"]["parameters"]) for tool in TOOLS}
    with options.out.open("w", encoding="utf-8") as file:
        for _ in range(options.rows):
            row = make_row(fake)
            if options.check:
                for call in row["messages"][1]["tool_calls"]:
                    function = call["function"]
                    validators[function["name"]].validate(function["arguments"])
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def make_row(fake: Faker) -> dict[str, Any]:
    """A request for three things, the calls, their results, an answer."""
    makers = [random.choice((weather, table, email)) for _ in range(3)]
    parts = [make(fake) for make in makers]
    calls, results = [], []
    for name, arguments, result, _, _ in parts:
        call_id = "".join(random.choices(string.ascii_letters + string.digits, k=9))
        calls.append({"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}})
        results.append({"role": "tool", "tool_call_id": call_id, "name": name, "content": json.dumps(result)})
    request = ", then ".join(part[3] for part in parts)
    return {
        "messages": [
            {"role": "user", "content": f"Please {request}."},
            {"role": "assistant", "content": None, "tool_calls": calls},
            *results,
            {"role": "assistant", "content": " ".join(part[4] for part in parts)},
        ],
        "tools": TOOLS,
    }


Part = tuple[str, dict[str, Any], dict[str, Any], str, str]


def weather(fake: Faker) -> Part:
    """A forecast."""
    city, day = fake.city(), fake.date_between("today", "+30d").isoformat()
    units = random.choice(("celsius", "fahrenheit"))
    degrees, sky = random.randint(-5, 30), random.choice(("sunny", "cloudy", "rainy"))
    return (
        "get_weather",
        {"city": city, "date": day, "units": units},
        {"city": city, "date": day, "temperature": degrees, "sky": sky, "units": units},
        f"check the weather in {city} on {day} in {units}",
        f"It will be {sky} in {city} on {day} with {degrees} degrees {units}.",
    )


def table(fake: Faker) -> Part:
    """A reservation."""
    place, guests, name = fake.company(), random.randint(1, 12), fake.name()
    day = fake.date_between("today", "+30d").isoformat()
    number = f"RES-{random.randint(100000, 999999)}"
    return (
        "book_table",
        {"restaurant": place, "guests": guests, "date": day, "name": name},
        {"reservation": number, "restaurant": place, "guests": guests, "date": day},
        f"book a table at {place} for {guests} on {day} under {name}",
        f"Your table at {place} on {day} is booked ({number}).",
    )


def email(fake: Faker) -> Part:
    """A message."""
    to, subject, body = fake.email(), fake.catch_phrase(), fake.sentence()
    number = f"MSG-{random.randint(100000, 999999)}"
    return (
        "send_email",
        {"to": to, "subject": subject, "body": body},
        {"message_id": number, "to": to, "status": "sent"},
        f'send an email to {to} with the subject "{subject}" saying "{body}"',
        f"Your email to {to} has been sent.",
    )


if __name__ == "__main__":
    main()
