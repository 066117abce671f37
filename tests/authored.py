"""A small server that nobody described, and what whoever is asked says of it: once right, once wrong and then mended, once never right."""

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from generator.core.toolbox import Toolbox
from generator.llm.asking import Account, ModelAnswer
from generator.recipe import ToolFile
from generator.run.authoring.asking import Asked
from generator.tools.specs.load import load_toolbox

_TEXT = {"type": "string"}


def _tool(name: str, about: str, required: Sequence[str], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": about, "inputSchema": schema}


SERVER = {
    "tools": [
        _tool("list_bikes", "List the bikes of a customer.", ["customer_name"], customer_name=_TEXT),
        _tool(
            "search_parts",
            "Search the catalogue by words, prices in euros.",
            ["query"],
            query=_TEXT,
            in_stock_only={"type": "boolean", "default": False},
        ),
        _tool(
            "reserve_part", "Put one piece of a part aside for a bike.", ["sku", "bike_id"], sku=_TEXT, bike_id=_TEXT
        ),
        _tool("draw_view", "Draw a component as SVG.", ["component"], component=_TEXT),
    ]
}

WORLD = """\
entities:
  bike:
    key: bike_id
    count: [5, 9]
    called: [name, customer_name]
    fields:
      bike_id: {type: string, pattern: "^B-[0-9]{5}$"}
      name: {type: string, examples: [Cube Touring, Trek Domane, Tern Link, Koga Worldtraveller, Bianchi Sprint, Woom Four]}
      colour: {type: string, enum: [black, red, blue, green]}
      customer_name: {type: string, x-kind: person_name}
  part:
    key: sku
    count: [6, 9]
    called: [part_name]
    fields:
      sku: {type: string, pattern: "^[A-Z]{2}-[0-9]{4}$"}
      part_name: {type: string}
      price: {type: number}
      in_stock: {type: integer, minimum: 0, maximum: 4}
    examples:
    - {part_name: Deore chain, price: 24.95}
    - {part_name: Marathon tyre, price: 32.9}
    - {part_name: Axa front light, price: 34.5}
    - {part_name: Royal gel saddle, price: 38.0}
    - {part_name: Magura brake pads, price: 19.9}
    - {part_name: Shift cable set, price: 11.0}
    - {part_name: Abus frame lock, price: 44.9}
    - {part_name: Derailleur hanger, price: 15.5}
    - {part_name: Carbon bottle cage, price: 29.0}
  reservation:
    key: reservation_id
    count: [1, 3]
    fields: {reservation_id: {type: string, pattern: "^RS-[0-9]{4}$"}, sku: {}, bike_id: {}}
tools:
  list_bikes:
    effect: {find: bike, by: {customer_name: customer_name}, at: bikes, sort: name}
    result: {bikes: [bike_id, name, colour], count: {type: integer, x-compute: len(bikes)}}
  search_parts:
    effect: {find: part, by: {query: [part_name]}, where: "in_stock > 0 or not args.in_stock_only", at: parts, sort: price}
    result: {parts: [sku, part_name, price, in_stock]}
  reserve_part:
    effect: {create: reservation, needs: [{that: "lookup(part, args.sku, in_stock) > 0", error: out_of_stock}]}
    result: [reservation_id, sku, bike_id, {part_name: {type: string, x-compute: "lookup(part, sku, part_name)"}}]
refused: {draw_view: it draws pictures}
"""
FAULTY_WORLD = WORLD.replace("by: {customer_name: customer_name}, ", "").replace(
    "[bike_id, name, colour]", "[bike_id, names]"
)
CHEAPER_WORLD = re.sub(r"(Marathon tyre, price: )32.9", r"\g<1>19.5", WORLD)
MENDED_WORLD = "\n".join(["tools:", *re.findall(r"  list_bikes:\n(?:    .*\n)+", WORLD)])

GOOD = """\
- script: which_bikes
  about: single
  let:
    b: {a: bike}
  turns:
  - user:
    - "Which bikes have I got registered with you? {b.customer_name}."
    - "{b.customer_name} here. The insurance wants a list of my bikes by tonight."
    - "Bikes under {b.customer_name}, please."
  - call: mine = list_bikes(customer_name=b.customer_name)
  - say:
    - "{len(mine.bikes)} {len(mine.bikes)?bike is|bikes are} registered for {b.customer_name}: {each x in mine.bikes: {x.name} ({x.colour})}."
    - "These:\\n{lines x in mine.bikes: {x.name}, {x.colour}}"
"""
MENDED = """\
- script: out_of_it
  about: nothing found, widened
  let:
    p: {a: part, has: {in_stock: 0}}
  turns:
  - user:
    - "Got a {p.part_name} {True ~ on the shelf}? Plans changed."
    - "Need a {p.part_name}, has to be {True ~ in stock}."
    - "{p.part_name}: anything {True ~ in stock} right now?"
  - call: found = search_parts(query=p.part_name, in_stock_only=True)
  - need: len(found.parts) == 0
    say: ["There's none. Should I look at what could be ordered?", "Not a single one. Shall I look in the catalogue?"]
  - user: ["Yes, please.", "Do that."]
  - call: other = search_parts(query=p.part_name)
  - need: len(other.parts) >= 1
    say: ["{each x in other.parts: {x.part_name} for {x.price:eur}}.", "There is {each x in other.parts: {x.part_name}, {x.price:eur}}."]
"""
FAULTY = MENDED.replace("in_stock_only=True", "in_stock_only=true")
PICKED = """\
- script: put_aside
  about: two searches, then an act
  let:
    b: {a: bike}
    p: {a: part, if: p.in_stock > 0}
  where: ["len([x for x in every('bike') if x.customer_name == b.customer_name and x.name == b.name]) == 1"]
  turns:
  - user:
    - "Please put a {p.part_name} aside for the {b.name} of {b.customer_name}."
    - "{b.customer_name} wants a {p.part_name} for the {b.name}. Reserve one, please."
    - "Could you keep a {p.part_name} back? It's for the {b.name} that {b.customer_name} has."
  - call:
    - mine = list_bikes(customer_name=b.customer_name)
    - found = search_parts(query=p.part_name)
  - pick:
    - bike = one([x for x in mine.bikes if x.name == b.name])
    - part = one([x for x in found.parts if x.part_name == p.part_name])
  - call: kept = reserve_part(sku=part.sku, bike_id=bike.bike_id)
  - say: ["{kept.part_name} is put aside ({kept.reservation_id}).", "Done, the number is {kept.reservation_id}."]
"""
HOPELESS = """\
- script: engraved
  let: {b: {a: bike}}
  turns:
  - user: "Engrave the {b.name}, please."
  - call: done = engrave_bike(name=b.name)
  - say: "Done."
"""


def source(folder: Path) -> Path:
    """The server's tools as a file, beside which others may be written."""
    path = folder / "spokes.json"
    path.write_text(json.dumps(SERVER))
    return path


def tools(folder: Path) -> Toolbox:
    """The server's tools as their own file says them."""
    return load_toolbox([ToolFile(file=source(folder), describe="bare")])


def reply(messages: Sequence[tuple[str, str]], faulty: bool = True) -> str:
    """What somebody answers who gets the world wrong at first, one script as well, and another one always."""
    text, asked = messages[-1][1], [text for role, text in messages if role == "user"]
    if "You read conversations" in messages[0][1]:
        again = "Here you are" in text
        found = (
            [] if again or "which_bikes" not in text else ["- {script: which_bikes, fault: nobody talks so, of: words}"]
        )
        return "\n".join(["```yaml", *found, "- {script: out_of_it, fault: dear tyres, of: world}", "```"])
    if "Describe its world." in text:
        return FAULTY_WORLD if faulty else WORLD
    if text.startswith("What is wrong with it:"):
        if "dear tyres" in text:  # of the judge
            return CHEAPER_WORLD
        return MENDED_WORLD if "no such field" in text else "{}"
    if "finds fault with them" in text:
        return GOOD.replace("These:", "Here you are:")
    if text.startswith("These do not hold yet."):
        return HOPELESS if "out_of_it" not in text else f"Here it is.\n```yaml\n{MENDED}{HOPELESS}```\n"
    return "\n".join(
        ["```yaml", GOOD, FAULTY if faulty and len(asked) == 1 else MENDED, HOPELESS if faulty else PICKED, "```"]
    )


class Scripted(msgspec.Struct, frozen=True):
    """Answers by a function of the messages."""

    reply: Callable[[Sequence[tuple[str, str]]], str] = reply
    account: Account = msgspec.field(default_factory=Account)

    async def answer(self, asked: Asked) -> ModelAnswer:
        """The reply."""
        self.account.requests += 1
        return ModelAnswer(text=self.reply(asked.messages), usd=0.0)
