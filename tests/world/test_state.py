"""A world with state, against a naive model of it: dicts and one `if` for each rule of the desk."""

from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_value
from generator.core.conversation import ToolCall
from generator.core.offline_schemas import validator
from generator.core.toolbox import Toolbox
from generator.tools.specs import load_toolbox
from generator.world import Backend, compile_backend
from generator.world.state import find_dead_ends
from tests.desk import DESK

TODAY = date(2026, 5, 4)
Model = dict[str, dict[str, dict[str, Any]]]


@cache
def desk() -> tuple[Toolbox, Backend]:
    path = Path(mkdtemp()) / "desk.yaml"
    path.write_text(DESK)
    toolbox = load_toolbox([path])
    return toolbox, compile_backend(toolbox, compile_value, 7)


def model_of(world: Any) -> Model:
    return {
        kind: {key: dict(one) for key, one in world.state.all(f"desk.{kind}").items()} for kind in ("customer", "order")
    }


def expected(model: Model, tool: str, args: dict[str, Any]) -> Any:  # noqa: C901
    """What the desk answers, and the change: text for an error."""
    orders, customers = model["order"], model["customer"]
    if tool == "find_customers":
        return {"customers": [one for one in customers.values() if one["name"] == args["name"]]}
    if tool == "list_orders":
        fitting = [one for one in orders.values() if one["customer_id"] == args["customer_id"]]
        fitting = [one for one in fitting if args.get("status") in (None, one["status"])]
        fitting = [one for one in fitting if one["total"] <= args.get("max_total", 10**9)]
        fitting = sorted(fitting, key=lambda one: -one["total"])[: args.get("limit", 4)]
        shown = [{key: one[key] for key in ("order_id", "item", "total", "status")} for one in fitting]
        return {"orders": shown, "shown": len(shown)}
    if tool == "create_order":
        if args["customer_id"] not in customers:
            return f"Error: Not found - there is no customer {args['customer_id']}"
        if len([one for one in orders.values() if one["customer_id"] == args["customer_id"]]) >= 6:
            return "Error: Limit reached - six orders are the most for a customer"
        return {
            "item": args["item"],
            "quantity": args["quantity"],
            "total": 7 * args["quantity"],
            "status": "open",
            "placed": "2026-05-04",
        }
    one = orders.get(args["order_id"])
    if one is None:
        return f"Error: Not found - there is no order {args['order_id']}"
    status, key = one["status"], one["order_id"]
    if tool == "get_order":
        return {name: one[name] for name in ("order_id", "item", "quantity", "total", "status")}
    if tool == "change_quantity":
        if status != "open":
            return f"Error: Not allowed - {one['item']} is {status}"
        one.update(quantity=args["quantity"], total=7 * args["quantity"])
        return {name: one[name] for name in ("order_id", "quantity", "total")}
    if tool == "release_order":
        if status != "held":
            return f"Error: Not held - order {key}: status is {status}"
        one["status"] = "open"
        return {"order_id": key, "status": "open"}
    if tool == "cancel_order":
        if status == "shipped":
            return f"Error: Already shipped - order {key} has left the warehouse"
        if status == "held":
            return f"Error: On hold - order {key}: status is held"
        if status == "cancelled":
            return f"Error: Wrong state - order {key} is cancelled"
        one["status"] = "cancelled"
        return {"order_id": key, "status": "cancelled"}
    if status not in ("cancelled", "shipped"):
        return f"Error: Still active - order {key}: status is {status}"
    del orders[key]
    return {"order_id": key}


@st.composite
def a_call(draw: st.DrawFn, model: Model) -> ToolCall:
    tool = draw(st.sampled_from(sorted(desk()[0])))
    customer = st.sampled_from([*model["customer"], "CUS-0000"])
    order = st.sampled_from([*model["order"], "ORD-00000"])
    names = st.sampled_from([*(one["name"] for one in model["customer"].values()), "Nobody"])
    args: dict[str, Any] = {}
    if tool == "find_customers":
        args = {"name": draw(names)}
    elif tool in ("list_orders", "create_order"):
        args = {"customer_id": draw(customer)}
    else:
        args = {"order_id": draw(order)}
    if tool == "list_orders":
        optional = {
            "status": st.sampled_from(["open", "held", "shipped", "cancelled"]),
            "max_total": st.sampled_from([14, 21]),
            "limit": st.integers(1, 3),
        }
        args |= draw(st.fixed_dictionaries({}, optional=optional))
    if tool in ("create_order", "change_quantity"):
        args |= {"quantity": draw(st.integers(1, 9))}
    if tool == "create_order":
        args = {
            "customer_id": args["customer_id"],
            "item": draw(st.sampled_from(["lamp", "rug"])),
            "quantity": args["quantity"],
        }
    return ToolCall("id", tool, args)


@settings(max_examples=examples(60), deadline=None)
@given(st.data(), st.integers(0, 2**64 - 1))
def test_calls_do_what_a_naive_model_says(data: st.DataObject, salt: int):
    toolbox, backend = desk()
    world = backend.open(TODAY, salt)
    model = model_of(world)
    made = []
    for _ in range(data.draw(st.integers(1, 8))):
        call = data.draw(a_call(model))
        (outcome,) = world.step([call])
        made.append((call, outcome.content))
        wanted = expected(model, call.name, call.arguments)
        if isinstance(wanted, str):
            assert (outcome.ok, outcome.content) == (False, wanted)
            continue
        assert outcome.ok, outcome.content
        assert validator(toolbox[call.name].returns).is_valid(outcome.value)
        if call.name == "create_order":
            key = outcome.value["order_id"]
            assert key not in model["order"]
            model["order"][key] = {**world.state.all("desk.order")[key], **wanted}
            wanted = {"order_id": key, **wanted}
        assert outcome.value == wanted
        assert {key: dict(one) for key, one in world.state.all("desk.order").items()} == model["order"]
    again = backend.open(TODAY, salt)
    assert [again.step([call])[0].content for call, _ in made] == [content for _, content in made]
    assert again.state.digest() == world.state.digest() != ""


@settings(max_examples=examples(60), deadline=None)
@given(st.data(), st.integers(0, 2**64 - 1))
def test_calls_at_once_come_to_the_same_in_any_order(data: st.DataObject, salt: int):
    backend = desk()[1]
    model = model_of(backend.open(TODAY, salt))
    calls = [data.draw(a_call(model)) for _ in range(data.draw(st.integers(2, 5)))]
    order = data.draw(st.permutations(range(len(calls))))
    first, second = backend.open(TODAY, salt), backend.open(TODAY, salt)
    outcomes = first.step(calls)
    moved = second.step([calls[place] for place in order])

    def told(pairs: Any) -> list[tuple[str, str]]:
        return sorted((repr(call), outcome.content) for call, outcome in pairs)

    assert told(zip(calls, outcomes, strict=True)) == told(zip([calls[place] for place in order], moved, strict=True))
    assert first.state.digest() == second.state.digest()


@settings(max_examples=examples(40), deadline=None)
@given(st.data(), st.integers(0, 2**64 - 1))
def test_a_search_finds_what_was_created_and_no_more_what_was_deleted(data: st.DataObject, salt: int):
    world = desk()[1].open(TODAY, salt)
    customer = data.draw(st.sampled_from(list(world.state.all("desk.customer"))))

    def call(name: str, **args: Any) -> Any:
        return world.step([ToolCall("id", name, args)])[0].value

    before = {one["order_id"] for one in call("list_orders", customer_id=customer, status="cancelled")["orders"]}
    made = call("create_order", customer_id=customer, item="lamp", quantity=9)
    if made is None or len(before) == 4:  # there are six already, or a list holds no more
        return
    assert call("list_orders", customer_id=customer, limit=1)["orders"][0]["order_id"] == made["order_id"]
    call("cancel_order", order_id=made["order_id"])
    after = {one["order_id"] for one in call("list_orders", customer_id=customer, status="cancelled")["orders"]}
    assert after == {*before, made["order_id"]}
    call("delete_order", order_id=made["order_id"])
    assert {
        one["order_id"] for one in call("list_orders", customer_id=customer, status="cancelled")["orders"]
    } == before


def test_a_look_at_what_a_call_would_come_to_changes_nothing():
    world = desk()[1].open(TODAY, 3)
    customer = next(iter(world.state.all("desk.customer")))
    call = ToolCall("id", "create_order", {"customer_id": customer, "item": "rug", "quantity": 1})
    seen = world.peek(call)
    assert seen.value["order_id"] not in world.state.all("desk.order")
    assert world.step([call])[0] == seen


def test_the_same_call_twice_makes_two_things():
    world = desk()[1].open(TODAY, 4)
    customer = next(iter(world.state.all("desk.customer")))
    call = ToolCall("id", "create_order", {"customer_id": customer, "item": "rug", "quantity": 1})
    first, second = world.step([call, call])
    (third,) = world.step([call])
    assert len({outcome.value["order_id"] for outcome in (first, second, third)}) == 3


def test_tools_that_always_fail_after_another_one_are_found_by_trying():
    _, backend = desk()
    dead_ends = find_dead_ends(backend.effects, backend.population)
    assert ("create_order", "release_order") in dead_ends
    assert ("create_order", "cancel_order") not in dead_ends


CART = """
entities:
  product:
    key: product_id
    count: [2, 2]
    fields: {product_id: {type: string, pattern: "^P-[0-9]{4}$"}, name: {type: string, examples: [lamp, rug, desk]}, price: {type: integer, minimum: 3, maximum: 9}}
    called: [name]
  line:
    key: line_id
    count: [0, 0]
    fields: {line_id: {type: string, pattern: "^L-[0-9]{4}$"}, product_id: {}, quantity: {type: integer, minimum: 1, maximum: 3}, sum: {type: integer}}
tools:
  - name: add_line
    parameters: {type: object, properties: {product: {type: string}, quantity: {type: integer, minimum: 1, maximum: 3}}, required: [product]}
    returns:
      type: object
      properties:
        name: {type: string, x-field: product_id/name}
        total: {type: integer, x-compute: "total(line, sum)"}
        lines: {type: integer, x-compute: "count(line)"}
        alike: {type: integer, x-compute: "count(line, product_id, args.product)"}
      required: [name, total, lines, alike]
    effect: {create: line, refers: {product: product}, set: {quantity: 1, product_id: args.product, sum: "lookup(product, product_id, price) * quantity"}}
  - name: drop_product
    parameters: {type: object, properties: {product: {type: string}}, required: [product]}
    returns: {type: object, properties: {name: {type: string}}, required: [name]}
    effect: {delete: product, by: {product: [product_id, name]}}
"""


@settings(max_examples=examples(40), deadline=None)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 1), st.sampled_from([None, 1, 2, 3])), min_size=1, max_size=3), max_size=4
    ),
    st.integers(0, 2**64 - 1),
)
def test_running_totals_are_true_after_every_step(steps: list[list[tuple[int, int | None]]], salt: int):
    backend = cart()
    world = backend.open(TODAY, salt)
    products = list(world.state.all("cart.product").values())
    bought: list[tuple[dict[str, Any], int]] = []
    for step in steps:
        calls = []
        for which, quantity in step:
            arguments = {"product": products[which]["product_id"]} | (
                {} if quantity is None else {"quantity": quantity}
            )
            calls.append(ToolCall("id", "add_line", arguments))
            bought.append((products[which], quantity or 1))
        for call, outcome in zip(calls, world.step(calls), strict=True):
            alike = [one for one, _ in bought if one["product_id"] == call.arguments["product"]]
            total = sum(one["price"] * quantity for one, quantity in bought)
            assert outcome.value == {
                "name": alike[0]["name"],
                "total": total,
                "lines": len(bought),
                "alike": len(alike),
            }


def test_one_of_several_fields_names_an_entity():
    world = cart().open(TODAY, 1)
    first, second = world.state.all("cart.product").values()
    by_name, by_key = (
        ToolCall("id", "drop_product", {"product": name}) for name in (first["name"], second["product_id"])
    )
    assert [outcome.value["name"] for outcome in world.step([by_name, by_key])] == [first["name"], second["name"]]
    assert world.step([by_name])[0].content == f"Error: Not found - there is no product {first['name']}"


@cache
def cart() -> Backend:
    path = Path(mkdtemp()) / "cart.yaml"
    path.write_text(CART)
    return compile_backend(load_toolbox([path]), compile_value, 3)


HALL = """
entities:
  hall:
    key: hall_id
    count: [1, 1]
    fields: {hall_id: {type: string, pattern: "^H-[0-9]{4}$"}, keeper: {type: string, x-kind: person_name}}
  room:
    key: room_id
    count: [4, 6]
    fields:
      room_id: {type: string, pattern: "^R-[0-9]{4}$"}
      name: {type: string, x-kind: city}
      has: {type: array, items: {type: string, enum: [chairs, screen, piano]}, minItems: 1, maxItems: 3, uniqueItems: true}
    called: [name]
  booking:
    key: booking_id
    count: [3, 5]
    fields: {booking_id: {type: string, pattern: "^B-[0-9]{4}$"}, room_id: {}, day: {type: string, format: date}}
tools:
  - name: get_room
    parameters: {type: object, properties: {room_id: {type: string, pattern: "^R-[0-9]{4}$"}}, required: [room_id]}
    returns:
      type: object
      properties:
        keeper: {type: string, x-compute: "lookup(hall, keeper)"}
        next_day: {type: [string, "null"], x-compute: "least(booking, day, day, room_id, room_id)"}
        name: {type: string}
        chance: {type: integer, minimum: 0, maximum: 100000}
      required: [keeper, next_day, name, chance]
    effect: {get: room}
  - name: find_free_rooms
    parameters: {type: object, properties: {has: {type: array, items: {type: string, enum: [chairs, screen, piano]}}}}
    returns: {type: object, properties: {rooms: {type: array, items: {type: object, properties: {room_id: {type: string}, name: {type: string}}, required: [room_id, name]}}}, required: [rooms]}
    effect: {find: room, by: {has: "contains(has, args.has)"}, where: "count(booking, room_id, room_id) == 0", at: rooms}
  - name: book_room
    parameters: {type: object, properties: {name: {type: string}}, required: [name]}
    returns: {type: object, properties: {booking_id: {type: string}, room_id: {type: [string, "null"]}}, required: [booking_id, room_id]}
    effect: {create: booking, set: {room_id: "find(room, room_id, name, args.name)", day: today}}
"""


@cache
def hall(seed: int = 3) -> Backend:
    path = Path(mkdtemp()) / "hall.yaml"
    path.write_text(HALL)
    return compile_backend(load_toolbox([path]), compile_value, seed)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 2**64 - 1), st.lists(st.sampled_from(["chairs", "screen", "piano"]), unique=True))
def test_formulas_and_filters_look_at_other_entities(salt: int, wanted: list[str]):
    world = hall().open(TODAY, salt)
    rooms, bookings = (dict(world.state.all(f"hall.{kind}")) for kind in ("room", "booking"))
    (keeper,) = [one["keeper"] for one in world.state.all("hall.hall").values()]
    for key, room in rooms.items():
        days = [one["day"] for one in bookings.values() if one["room_id"] == key]
        value = world.step([ToolCall("id", "get_room", {"room_id": key})])[0].value
        assert (value["keeper"], value["next_day"], value["name"]) == (keeper, min(days, default=None), room["name"])
    free = {key for key, one in rooms.items() if set(wanted) <= set(one["has"])} - {
        one["room_id"] for one in bookings.values()
    }
    search = ToolCall("id", "find_free_rooms", {"has": wanted})
    assert {one["room_id"] for one in world.step([search])[0].value["rooms"]} == free
    for key in free:
        assert world.step([ToolCall("id", "book_room", {"name": rooms[key]["name"]})])[0].value["room_id"] == key
    assert world.step([search])[0].value["rooms"] == []
    assert world.step([ToolCall("id", "book_room", {"name": "Attic"})])[0].value["room_id"] is None


ARCHIVE = """
entities:
  paper:
    key: paper_id
    fields: {paper_id: {type: string, pattern: "^PAP-[0-9]{4}$"}}
tools:
  - type: function
    function: {name: list_drafts, description: List the drafts of a paper., parameters: {type: object, properties: {paper_id: {type: string}}, required: [paper_id]}}
    returns:
      type: object
      properties:
        drafts:
          type: array
          minItems: 2
          items: {type: object, properties: {draft_id: {type: string, format: uuid}, saved_by: {type: string, x-kind: person_name}}, required: [draft_id, saved_by]}
      required: [drafts]
    effect: {read: paper}
  - type: function
    function: {name: restore_draft, description: Restore a draft., parameters: {type: object, properties: {draft_id: {type: string}}, required: [draft_id]}}
    returns: {type: object, properties: {saved_by: {type: string, x-kind: person_name}}, required: [saved_by]}
    effect: {act: true}
    links: {draft_id: "list_drafts#/drafts/*/draft_id"}
"""


@given(st.integers(0, 2**32))
@settings(max_examples=examples(10))
def test_what_is_no_entity_keeps_the_facts_that_an_earlier_result_told(salt: int):
    path = Path(mkdtemp()) / "archive.yaml"
    path.write_text(ARCHIVE)
    world = compile_backend(load_toolbox([path]), compile_value, 3).open(TODAY, salt)
    (listed,) = world.step([ToolCall("a", "list_drafts", {"paper_id": next(iter(world.state.all("archive.paper")))})])
    for draft in listed.value["drafts"]:
        (restored,) = world.step([ToolCall("b", "restore_draft", {"draft_id": draft["draft_id"]})])
        assert restored.value["saved_by"] == draft["saved_by"]


def test_a_kind_that_is_opened_while_a_result_is_made_changes_nothing_in_it():
    backend = hall(4)  # whose kinds nobody has opened before
    (key, *_), call = backend.open(TODAY, 8).state.all("hall.room"), "get_room"
    first, second = [backend.open(TODAY, 8).step([ToolCall("id", call, {"room_id": key})])[0] for _ in range(2)]
    assert first == second
