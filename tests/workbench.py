"""A small set of tools written out in full, and the few steps from spec text to finished rows."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from msgspec.structs import replace

from generator.core.claims import Proof
from generator.core.conversation import Conversation, ToolCall, UserMessage
from generator.core.errors import PlanError
from generator.core.planning import HERE, Call, Event, EventLog, Meant, Note, Outcome, Ref, Say, Step, Tell, Wish
from generator.core.pointers import escape, split
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Pick, Toolbox, ToolSpec
from generator.dialogue.acts import word
from generator.dialogue.acts.check import check_row, violations_of
from generator.dialogue.proof.ledger import Finding
from generator.dialogue.wording import ToolPhrases, phrases_of_tools
from generator.recipe import ArgumentSettings, Recipe, ToolFile
from generator.recipe.settings import Offer
from generator.run.row import MadeRow, PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS
from generator.scenarios.scripts import SCRIPTED
from generator.tools.specs import load_toolbox

TOOL_SPECS = Path(__file__).parents[1] / "tool_specs"
WITHOUT_CALLS = ("held_back", "irrelevant", "near_miss", "withheld_tool")
"""Scenarios whose rows make no call, or not at once."""
OF_FILES = ("under_policy", *SCRIPTED)
"""Scenarios whose rows follow a written policy, or scripts, in files (`tests/scenarios/policies`, `tests/scenarios/scripts`)."""
CONVERSATIONS = tuple(name for name in SCENARIOS if name not in (*WITHOUT_CALLS, *OF_FILES))
"""Scenarios whose rows are conversations with calls, with any tools."""
GARDEN = """
tools:
  - name: water_plants
    description: Water the plants on the balcony.
    parameters: {type: object, properties: {minutes: {type: integer, minimum: 1, maximum: 30}}, required: [minutes]}
    phrases: {request: ["water the plants for {minutes} {minutes?minute|minutes}"], can: [water the plants, look after your plants]}
  - {name: list_seeds, description: List the seeds that are left., parameters: {type: object, properties: {kind: {type: string, enum: [herbs, flowers]}}}}
"""
"""Tools that have nothing to do with those of the shop."""
TODAY = date(2026, 3, 12)  # a Thursday
WITH_DATE = "You are a helpful assistant. Today is {weekday}, {today}."
WITHOUT_DATE = "You are a helpful assistant."

SHOP = """
tools:
  - type: function
    function:
      name: find_orders
      description: Find a customer's orders, with totals in dollars.
      parameters:
        type: object
        properties:
          customer: {type: string, description: Name of the customer}
          since: {type: string, format: date, description: First day}
          status: {type: string, enum: [open, in_transit, delivered], description: State of the orders}
          gift: {type: boolean, description: Only presents}
          max_total: {type: integer, minimum: 100, maximum: 900, description: Highest total}
        required: [customer]
        additionalProperties: false
    returns:
      type: object
      properties:
        orders:
          type: array
          minItems: 3
          maxItems: 4
          items:
            type: object
            properties:
              order_id: {type: string, pattern: "^ORD-[0-9]{6}$"}
              total: {type: integer, minimum: 20, maximum: 900, x-maximum: max_total}
              placed: {type: string, format: date, x-when: past}
              status: {type: string, enum: [open, in_transit, delivered]}
            required: [order_id, total, placed, status]
      required: [orders]
    kinds: {customer: person_name}
    phrases:
      request: ["find the orders of {customer}", "look up what {customer} ordered since {since}", "list orders"]
      question: ["what has {customer} ordered"]
      want: ["a list of the orders of {customer}"]
      again: ["of {customer}"]
      several: ["find the orders of these people"]
      entry: ["{customer}, since {since}", "{customer}"]
      vary: [customer]
      slots:
        customer: ["of {customer}"]
        since: ["placed on {since} or later"]
        status: ["that are {status}"]
        gift: {true: ["Only presents, please.", "bought as presents"], false: ["and no presents"]}
        max_total: ["up to {max_total:usd}"]
      synonyms:
        status: {in_transit: [on their way], open: [still open]}
      pick:
        orders:
          - {say: the cheapest one, by: min total}
          - {say: the most expensive one, by: max total}
          - {say: the last one, by: last}
      answer:
        - "{args.customer} has {orders#} {orders#?order|orders}: {orders}."
        - "I found {orders}."
      each:
        orders: ["{order_id} of {placed} over {total:usd}", "one over {total:usd}, {status}"]
  - type: function
    function:
      name: show_order
      description: Show an order, with its total in dollars.
      parameters:
        type: object
        properties:
          order_id: {type: string, pattern: "^ORD-[0-9]{6}$", description: Identifier of the order}
        required: [order_id]
        additionalProperties: false
    returns:
      type: object
      properties:
        order_id: {type: string}
        total: {type: integer, minimum: 20, maximum: 900}
        status: {type: string, enum: [open, in_transit, delivered]}
        parcels: {type: integer, minimum: 1, maximum: 5}
      required: [order_id, total, status, parcels]
    links: {order_id: "find_orders#/orders/*/order_id"}
    phrases:
      request: ["show order {order_id}", "show me what is in {order_id}"]
      follow_up: ["show me what is in {order_id}", "look {order_id} up"]
      answer: ["Order {order_id} over {total:usd} comes in {parcels} {parcels?parcel|parcels}."]
  - type: function
    function:
      name: stop_order
      description: Cancel an order, with its total in dollars.
      parameters:
        type: object
        properties:
          order_id: {type: string, pattern: "^ORD-[0-9]{6}$", description: Identifier of the order}
          reason: {type: string, description: Why}
          notify: {type: boolean, description: Tell the customer}
        required: [order_id]
        additionalProperties: false
    returns:
      type: object
      properties:
        order_id: {type: string}
        status: {type: string, enum: [cancelled]}
        total: {type: integer, minimum: 20, maximum: 900}
        refund_id: {type: string, pattern: "^RF-[0-9]{5}$"}
      required: [order_id, status, total, refund_id]
    links: {order_id: "find_orders#/orders/*/order_id"}
    examples:
      reason: ["It came too late.", "I ordered it twice.", "Wrong size"]
    phrases:
      request: ["cancel order {order_id}", "call off {order_id}"]
      follow_up: ["cancel {order_id}", "call {order_id} off"]
      slots:
        reason: ["with the reason {reason:quoted}"]
        notify: {true: ["and tell the customer"], false: ["without a word to the customer"]}
      answer:
        - "Order {order_id} over {total:usd} is {status}."
        - {when: {status: cancelled}, say: "Done, {order_id} is off. The refund is {refund_id}."}
  - type: function
    function:
      name: track_refund
      description: See where a refund stands.
      parameters:
        type: object
        properties:
          refund_id: {type: string, pattern: "^RF-[0-9]{5}$", description: Identifier of the refund}
        required: [refund_id]
        additionalProperties: false
    returns:
      type: object
      properties:
        refund_id: {type: string}
        state: {type: string, enum: [booked, paid]}
        paid_on: {type: string, format: date}
      required: [refund_id, state, paid_on]
    links: {refund_id: "stop_order#/refund_id"}
    phrases:
      request: ["track refund {refund_id}"]
      follow_up: ["track the refund of {refund_id}"]
      answer: ["The refund is {state} for {paid_on}."]
  - type: function
    function:
      name: get_weather
      description: Weather of a day.
      parameters:
        type: object
        properties:
          city: {type: string, description: City}
          day: {type: string, format: date, description: Day}
          unit: {type: string, enum: [celsius, fahrenheit], description: Unit}
        required: [city]
        additionalProperties: false
    returns:
      type: object
      properties:
        city: {type: string}
        sky: {type: string, enum: [clear, cloudy, rainy]}
        degrees: {type: integer, minimum: -9, maximum: 35}
      required: [city, sky, degrees]
    phrases:
      request: ["check the weather in {city}", "tell me the weather in {city} on {day}"]
      question: ["what's the weather like in {city}", "how will the weather be in {city} on {day}"]
      want: ["the weather in {city}"]
      again: ["in {city}"]
      vary: [city]
      slots:
        day: ["on {day}"]
        unit: ["in degrees {unit}"]
      answer: ["In {city} it is {sky} at {degrees} degrees."]
  - type: function
    function:
      name: book_table
      description: Book a table, with a deposit in euros.
      parameters:
        type: object
        properties:
          restaurant: {type: string, description: Name}
          date: {type: string, format: date, description: Day}
          time: {type: string, pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$", description: Time}
          guests: {type: integer, minimum: 1, maximum: 12, description: How many people}
          contact:
            type: object
            description: Who books
            properties:
              name: {type: string, description: Name}
              phone: {type: ["string", "null"], pattern: "^[0-9]{7}$", description: Phone}
            required: [name]
            additionalProperties: false
          channel: {type: string, const: assistant, description: Who asks}
        required: [restaurant, date, time, guests, channel]
        additionalProperties: false
    returns:
      type: object
      properties:
        code: {type: string, pattern: "^[A-Z]{4}$"}
        deposit: {type: integer, x-compute: "args.guests * 5"}
      required: [code, deposit]
    examples:
      restaurant: [Blue Door, Casa Nova, The Old Mill, Lantern]
    phrases:
      request: ["book a table at {restaurant} for {guests} on {date} at {time}", "reserve a table"]
      want: ["a table for {guests} {guests?person|people} at {restaurant}"]
      again: ["at {restaurant} on {date} at {time}"]
      several: ["book these tables"]
      entry: ["{restaurant}, {date} at {time}"]
      slots:
        restaurant: ["at {restaurant}"]
        date: ["on {date}"]
        time: ["at {time}"]
        guests: ["for {guests} {guests?person|people}"]
        contact/name: ["under the name {contact/name}"]
        contact/phone: ["with the phone number {contact/phone}"]
      answer: ["Booked {args.restaurant} on {args.date} at {args.time}; the code is {code} and the deposit {deposit:eur}."]
  - type: function
    function:
      name: order_parts
      description: Order spare parts.
      parameters:
        type: object
        properties:
          items:
            type: array
            minItems: 1
            maxItems: 3
            items:
              type: object
              properties: {part: {type: string}, quantity: {type: integer, minimum: 1, maximum: 30}}
              required: [part, quantity]
              additionalProperties: false
            description: What to order
          labels: {type: array, minItems: 1, maxItems: 3, uniqueItems: true, items: {type: string}, description: Labels}
          extra: {type: object, additionalProperties: {type: integer, maximum: 99}, minProperties: 1, maxProperties: 2}
        required: [items]
        additionalProperties: false
    returns:
      type: object
      properties:
        number: {type: integer, minimum: 1000, maximum: 99999}
        ready: {type: string, pattern: "^(0[6-9]|1[0-9]):[0-5][05]$"}
        labels: {type: array, items: {type: string}}
      required: [number, ready]
    examples:
      items/*/part: [oil filter, wiper blade, brake pad, spark plug]
      labels/*: [urgent, garage, van, spare]
    phrases:
      request: ["order {items}"]
      want: ["{items}"]
      slots:
        items: ["with {items}"]
        items/*: ["{items/*/quantity} x {items/*/part}", "{items/*/part} ({items/*/quantity})"]
        labels: ["labelled {labels}"]
      answer: ["Order number {number} is ready at {ready}.", "It is ready at {ready} and labelled {labels}."]
"""
"""A chain of three tools and a shorter one, a list to pick from, and three tools that stand alone."""


def write_tools(folder: Path, text: str = SHOP, name: str = "shop.yaml") -> Path:
    """A tool spec file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def load(folder: Path, text: str = SHOP, name: str = "shop.yaml") -> Toolbox:
    """The tools of spec text."""
    return load_toolbox([write_tools(folder, text, name)])


def recipe(files: Iterable[Path], *scenarios: str, **changes: Any) -> Recipe:
    """A recipe for these files and scenarios."""
    settings: dict[str, Any] = {
        "path": Path("recipe.yaml"),
        "text": "",
        "name": "recipe",
        "seed": 7,
        "rows": 10,
        "tools": tuple(ToolFile(file=file, describe="bare") for file in files),
        "offer": Offer(distractors=(0, 2)),
        "scenarios": tuple((name, 1.0) for name in scenarios or ("single",)),
        "calls": (2, 3),
        "steps": (2, 3),
        "arguments": ArgumentSettings(),
        "system": (WITH_DATE, WITHOUT_DATE),
        "today": (date(2026, 1, 1), date(2026, 12, 31)),
        "formats": ("deepfabric",),
    }
    return Recipe(**{**settings, **changes})


def workshop(folder: Path, *scenarios: str, text: str = SHOP, **changes: Any) -> PreparedRecipe:
    """A workshop for the tools of spec text."""
    return prepare(recipe([write_tools(folder, text)], *scenarios, **changes))


def with_scenario(shop: PreparedRecipe, name: str) -> PreparedRecipe:
    """The same tools, compiled once, with one of the recipe's scenarios; raises PlanError where the tools cannot serve it."""
    of = next((one for one in shop.scenarios if one.name == name), None)
    if of is None:
        raise PlanError(name)
    changed = replace(shop.recipe, scenarios=((name, 1.0),))
    return replace(shop, recipe=changed, scenarios=(of,), scenario_bounds=(1.0,))


def rows(shop: PreparedRecipe, count: int, first: int = 0) -> list[MadeRow]:
    """Finished rows."""
    return [make_row(shop, index) for index in range(first, first + count)]


def user_text(made: MadeRow) -> str:
    """What the user of a row says."""
    return "\n".join([m.content for m in made.row.conversation.messages if isinstance(m, UserMessage)])


class Told(NamedTuple):
    """Events in words."""

    user: str
    answer: str
    talk: Conversation
    proof: Proof
    faults: list[Finding]

    def said(self, pointer: str) -> list[str]:
        """The words for an argument, in the user's message."""
        return [self.user[c.start : c.end] for c in self.proof.arguments if c.pointer == pointer and c.source == "user"]


class Taken(NamedTuple):
    """An argument that comes from the result of an earlier call."""

    argument: str
    call_id: str
    pointer: str
    pick: Pick | None = None


class Filled(NamedTuple):
    """A call with its result."""

    spec: ToolSpec
    call: ToolCall
    result: Any
    taken: tuple[Taken, ...]


def filled(
    spec: ToolSpec, arguments: dict[str, Any], result: Any = None, taken: tuple[Taken, ...] = (), number: int = 0
) -> Filled:
    """A call that has been made."""
    result = {"status": "success"} if result is None else result
    return Filled(spec, ToolCall(id=f"call{number:05}", name=spec.name, arguments=arguments), result, taken)


def tell(
    *steps: tuple[Filled, ...],
    seed: object = 0,
    knows_today: bool = True,
    for_each: bool = False,
    books: dict[str, ToolPhrases] | None = None,
) -> Told:
    """Put one request for all these calls, and a report on the last step, into the words of the speaker of `seed`.

    With `for_each`, the last step is one wish about every element of a list; `books` are the compiled phrases of these tools.
    """
    toolbox = {call.spec.name: call.spec for step in steps for call in step}
    draw = Draw(stream_seed("tell", seed), TODAY)
    talk, proof = tell_with(
        books or phrases_of_tools(toolbox), draw, *steps, knows_today=knows_today, for_each=for_each
    )
    user, answer = (talk.messages[at].content or "" for at in (1 if knows_today else 0, -1))
    return Told(user, answer, talk, proof, check_row(talk, proof, toolbox))


def tell_with(
    books: dict[str, ToolPhrases],
    draw: Draw,
    *steps: tuple[Filled, ...],
    knows_today: bool = True,
    for_each: bool = False,
) -> tuple[Conversation, Proof]:
    """The same with these phrases and this random stream, and not checked."""
    offered = dict.fromkeys([call.spec.name for step in steps for call in step])
    story = EventLog(
        events=_events(steps, knows_today, for_each), offered=tuple(books[name].spec.tool for name in offered)
    )
    return word(story, books, draw, TODAY)


def _events(steps: tuple[tuple[Filled, ...], ...], knows_today: bool, for_each: bool) -> tuple[Event, ...]:
    say = int(knows_today)
    wishes: list[Wish] = []
    events: list[Event] = [Note(id=0, text=f"Today is {TODAY}.", states_today=True)] if knows_today else []
    wish_of: dict[str, int] = {}
    place_of: dict[str, tuple[int, int]] = {}
    for number, step in enumerate(steps):
        is_each = for_each and number == len(steps) - 1
        calls = []
        for place, one in enumerate(step):
            if not is_each or not place:
                wishes.append(_wish(one, wish_of, is_each))
            wish_of[one.call.id] = len(wishes) - 1
            place_of[one.call.id] = (say + 1 + number, place)
            calls.append(_call(one, (say, len(wishes) - 1), place_of))
        outcomes = tuple(Outcome(True, _content(one.result), one.result) for one in step)
        events.append(
            Step(id=say + 1 + number, calls=tuple(calls), made=tuple(one.call for one in step), outcomes=outcomes)
        )
    events.insert(say, Say(id=say, wishes=tuple(wishes)))
    last = len(events) - 1
    return (*events, Tell(id=last + 1, about=tuple((last, place) for place in range(len(steps[-1])))))


def _content(result: Any) -> str:
    return result if isinstance(result, str) else orjson.dumps(result).decode()


def _wish(one: Filled, wish_of: dict[str, int], is_each: bool) -> Wish:
    said = orjson.loads(orjson.dumps(one.call.arguments))
    meant = {}
    for taken in one.taken:
        *parents, last = split(taken.argument)
        inside = said
        for parent in parents:
            inside = inside[parent]
        del inside[last]
        pattern = "/".join("*" if step.isdecimal() else step for step in split(taken.pointer))
        meant[taken.argument] = Meant(Ref(HERE, wish_of[taken.call_id], pattern), (taken.pick,) if taken.pick else ())
    return Wish(one.spec.name, said, meant, is_each)


def _call(one: Filled, serves: tuple[int, int], place_of: dict[str, tuple[int, int]]) -> Call:
    taken = {
        taken.argument: Ref(
            *place_of[taken.call_id], taken.pointer.removeprefix("/"), (*serves, taken.argument), taken.pick
        )
        for taken in one.taken
    }
    said = {escape(key): Ref(*serves, escape(key)) for key in one.call.arguments if escape(key) not in taken}
    return Call(one.spec.name, {**said, **taken}, serves)


def tell_often(*steps: tuple[Filled, ...], times: int = 40, **how: bool) -> list[Told]:
    """The same in many people's words; every one of them is proven."""
    told = [tell(*steps, seed=seed, **how) for seed in range(times)]
    for one in told:
        assert violations_of(one.faults) == [], one.user + "\n" + one.answer
    return told
