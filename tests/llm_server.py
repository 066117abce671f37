"""The scripted server in a thread beside the test, and a reply that does what our prompts ask for."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scripted_llm import Fake, Serving, instance_of, serving


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
    """`arguments`, `judge` or `result`."""
    text = question(asked)
    if text.startswith("What the scores"):
        return "judge"
    return "arguments" if "JSON Schema of its arguments" in text else "result"


def obliging(asked: dict[str, Any]) -> str:
    """A good model's answer."""
    what = purpose(asked)
    if what == "judge":
        return json.dumps({"reason": "Natural.", "score": 5})
    if what == "arguments":
        return arguments(asked)
    found = re.search(r"as they\nare here:\n(.*?)\n\nMake better", question(asked), re.DOTALL)
    return found[1] if found else json.dumps(instance_of(asked["response_format"]["json_schema"]["schema"]))


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
