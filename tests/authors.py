"""Scripted people for authoring: a writer with given answers, and readers who say what texts mean, as an honest one would."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from generator.llm.account import Account
from generator.llm.asking import ModelAnswer
from generator.run.authoring.asking import Asked
from generator.run.authoring.work import People

Say = Callable[[str], str]
"""From the text of a request to an answer."""


class Scripted(msgspec.Struct, frozen=True):
    """Answers by a function of the request's name and text."""

    reply: Callable[[str, str], Any]
    account: Account = msgspec.field(default_factory=Account)

    async def answer(self, asked: Asked) -> ModelAnswer:
        """The reply, as JSON unless it is text."""
        self.account.requests += 1
        found = self.reply(asked.name, "\n".join(text for _, text in asked.request.messages))
        return ModelAnswer(text=found if isinstance(found, str) else json.dumps(found))


def writer(server: Mapping[str, Any], tools: Mapping[str, Any], mended: Mapping[str, Any] | None = None) -> Scripted:
    """A writer who says this of the server and of its tools, and the third when asked again."""

    def reply(name: str, text: str) -> Any:
        if name.endswith(("-again", "-again-2")):
            return {"tools": mended or {}, "entities": {}}
        if name.startswith("1-"):
            return server
        described = text.partition("Describe these:\n")[2] or text.partition("what there is already:\n")[2]
        return {"tools": {name: said for name, said in tools.items() if f'"name": "{name}"' in described}}

    return Scripted(reply)


Meant = Callable[[str], dict[str, Any]]
"""From a text to be read to the entry that says what it was written for."""


class Oracle:
    """Reads as it was written, but for texts of which something else is known. It looks at the authoring's own items."""

    def __init__(self, honest: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.honest = dict(honest or {})
        self.seen: list[str] = []

    def reader(self) -> Scripted:
        """A reader."""
        return Scripted(lambda name, text: {"readings": [self._entry(name, *one) for one in numbered(text)]})

    def _entry(self, name: str, number: int, text: str) -> dict[str, Any]:
        self.seen.append(text)
        known = AS_MEANT.get(text, {"beyond": ""})
        own = next((entry for part, entry in self.honest.items() if part in text), {})
        return {"number": number, **known, **own}


AS_MEANT: dict[str, dict[str, Any]] = {}
"""Text of an item → the entry of a reader who reads it as it was written; filled by `remember_items`."""


def numbered(text: str) -> Iterable[tuple[int, str]]:
    """The numbered lines of a request to read."""
    for line in text.splitlines():
        if found := re.fullmatch(r"(\d+)\. (?:\((?:the assistant, )?(?:of|for) \w+\) )?(.+)", line):
            yield int(found[1]), found[2]


def entry_as_meant(item: Any, tool: str) -> dict[str, Any]:
    """The entry of a reader who reads an item as it was written."""
    return {
        "tool": tool,
        "slots": dict(item.slots),
        "values": dict(item.values),
        "pick": item.pick,
        "asks": item.asks,
        "fits": True,
        "beyond": "",
        "natural": True,
    }


def good_judge() -> Scripted:
    """A judge who likes every row."""

    def reply(name: str, text: str) -> Any:
        numbers = [int(number) for number in re.findall(r"^(\d+)\.$", text, re.MULTILINE)]
        fine = dict.fromkeys(("natural", "plausible", "useful", "told"), True)
        return {"rows": [{"number": number, **fine, "why": ""} for number in numbers]}

    return Scripted(reply)


def people(who: Scripted, oracle: Oracle, judge: Scripted | None = None, *, mends: bool = False) -> People:
    """The writer, two honest readers and a judge."""
    return People(writer=who, readers=(oracle.reader(), oracle.reader()), judge=judge or good_judge(), mends=mends)
