"""The scripted server in a thread beside the test, and a reply that does what our prompts ask for."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scripted_llm import Fake, Serving, instance_of, serving

from generator.dialogue.values.read.numbers import NUMBER_WORDS


@contextmanager
def fake_server(**behaviour: Any) -> Iterator[Serving]:
    """A server on 127.0.0.1 while the block lasts."""
    ready = threading.Event()
    holder: dict[str, Any] = {}

    async def serve() -> None:
        holder["end"] = asyncio.Event()
        holder["loop"] = asyncio.get_running_loop()
        async with serving(Fake(**behaviour)) as server:
            holder["server"] = server
            ready.set()
            await holder["end"].wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield holder["server"]
    finally:
        holder["loop"].call_soon_threadsafe(holder["end"].set)
        thread.join(20)


def question(asked: dict[str, Any]) -> str:
    """What our prompt asks: the last message that is not one about an answer that was no good."""
    return next(
        message["content"]
        for message in reversed(asked["messages"])
        if message["role"] == "user" and not message["content"].startswith("That cannot be used")
    )


def is_second(asked: dict[str, Any]) -> bool:
    """Whether the first answer was no good."""
    return asked["messages"][-1]["content"].startswith("That cannot be used")


def purpose(asked: dict[str, Any]) -> str:
    """`request`, `answer`, `arguments`, `read`, `read_answer`, `judge` or `result`."""
    text = question(asked)
    begins = {
        "The message:": "request",
        "The text:": "answer",
        "What the scores": "judge",
        "The tools, one": "read",
        "What was said, and": "read_answer",
    }
    found = next((name for start, name in begins.items() if text.startswith(start)), "")
    return found or ("arguments" if "JSON Schema of its arguments" in text else "result")


def old_text(asked: dict[str, Any]) -> str:
    """The text that is to be said in other words."""
    found = re.match(r"The (?:message|text):\n(.*?)\n\nEach of these", question(asked), re.DOTALL)
    assert found is not None
    return found[1]


def obliging(asked: dict[str, Any]) -> str:
    """A good model's answer."""
    what = purpose(asked)
    if what == "request":
        return json.dumps({"text": f"Hi there! {old_text(asked)}"})
    if what == "answer":
        return json.dumps({"text": f"Sure. {old_text(asked)}"})
    if what == "judge":
        return json.dumps({"reason": "Natural.", "score": 5})
    if what == "arguments":
        return arguments(asked)
    if what == "read":
        return json.dumps({"calls": calls_said(asked), "later": [], "beyond": []})
    if what == "read_answer":
        return json.dumps({"values": values_told(asked), "beyond": []})
    found = re.search(r"as they\nare here:\n(.*?)\n\nMake better", question(asked), re.DOTALL)
    return found[1] if found else json.dumps(instance_of(asked["response_format"]["json_schema"]["schema"]))


def calls_said(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of the tiny tools that the last message of the user asks for."""
    said = re.findall(r"^User: (.*?)(?=\n\nWhich calls)", question(asked), re.DOTALL | re.MULTILINE)[-1]
    calls = []
    for plant, number in re.findall(
        r"(fern|cactus|ivy|orchid|times)\D*?(\d+|\b(?:" + "|".join(NUMBER_WORDS) + r")\b)", said
    ):
        count = NUMBER_WORDS.get(number) or int(number)
        is_bell = plant == "times"
        given = {"times": count} if is_bell else {"plant": plant, "litres": count}
        calls.append({"name": "ring_bell" if is_bell else "water_plant", "arguments": given})
    return calls


def values_told(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Where the values of an answer about the tiny tools come from: the first field of a call that holds each."""
    text = question(asked)
    calls = [
        {"arguments": json.loads(given), "result": json.loads(result)}
        for given, result in re.findall(r"^Call \d+: \w+, arguments (.*?), result (.*)$", text, re.MULTILINE)
    ]
    values = []
    for number, words in re.findall(r"^(\d+)\. (.*)$", text.partition("Its values, one a line:")[2], re.MULTILINE):
        said: Any = words.strip('"')
        said = int(said) if said.isdecimal() else NUMBER_WORDS.get(said.lower(), said)
        places = [
            {"number": int(number), "call": at, "place": f"{of}/{name}"}
            for at, call in enumerate(calls, 1)
            for of in call
            for name, value in call[of].items()
            if value == said
        ]
        values += places[:1]
    return values


def arguments(asked: dict[str, Any]) -> str:
    """As many objects as are asked for, like the examples but for one number."""
    text = question(asked)
    count = int(re.findall(r"Make (\d+) other ones", text)[0])
    example = json.loads(re.findall(r"^\{.*\}$", text.partition("Two examples:")[2], re.MULTILINE)[0])
    key = next((key for key, value in example.items() if type(value) is int), None)
    values = [dict(example) for _ in range(count)]
    for number, value in enumerate(values, start=1):
        if key is not None:
            value[key] = number
    return json.dumps({"values": values})
