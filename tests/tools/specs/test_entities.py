"""Declarations of entities, effects and tables: what cannot be is refused with file, line and the nearest name."""

from pathlib import Path

import pytest

from generator.arguments import compile_value
from generator.core.errors import SpecError
from generator.core.toolbox import Toolbox
from generator.tools.specs import load_toolbox
from generator.world import compile_backend
from tests.desk import DESK


def load(folder: Path, text: str) -> Toolbox:
    (folder / "desk.yaml").write_text(text)
    toolbox = load_toolbox([folder / "desk.yaml"])
    compile_backend(toolbox, compile_value, 1)
    return toolbox


def test_a_file_with_entities_loads(tmp_path: Path):
    toolbox = load(tmp_path, DESK)
    effect = toolbox["cancel_order"].effect
    assert effect is not None
    assert (effect.kind, effect.by, effect.set) == ("move", {"order_id": "order_id"}, {"status": "cancelled"})
    assert toolbox["create_order"].effect.refers == {"customer_id": "customer"}
    assert [name for name, spec in toolbox.items() if spec.looks_up] == ["find_customers", "list_orders", "get_order"]


_CALLED = "called: [item, status]"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("key: order_id", "key: order_no", "desk.yaml:12: entities.order.key: there is no field 'order_no' (did you mean \"order_id\"?)"),
        ("key: order_id", "keys: order_id", 'unknown key (did you mean "key"?)'),
        ("called: [item, status]", "called: [items]", "desk.yaml:22: entities.order.called: there is no field 'items' (did you mean \"item\"?)"),
        (_CALLED, f"{_CALLED}\n    one_at_a_time: {{on: place, start: item, minutes: quantity}}", "desk.yaml:23: entities.order.one_at_a_time.on: there is no field 'place' (did you mean \"placed\"?)"),
        (_CALLED, f"{_CALLED}\n    one_at_a_time: {{on: item, start: item, minutes: quantity}}", "desk.yaml:23: entities.order.one_at_a_time.on: 'item' is no day: {type: string, format: date} is expected (known: placed)"),
        (_CALLED, f"{_CALLED}\n    one_at_a_time: {{on: placed, start: item, minutes: quantity}}", "desk.yaml:23: entities.order.one_at_a_time.start: 'item' is no clock time (HH:MM)"),
        (_CALLED, f"{_CALLED}\n    one_at_a_time: {{on: placed, start: quantity, minutes: quantity}}", "one_at_a_time.start: 'quantity' is no clock time (HH:MM)"),
        (_CALLED, f"  begins: {{type: string, format: time}}\n    {_CALLED}\n    one_at_a_time: {{on: placed, start: begins, minutes: item}}", "one_at_a_time.minutes: 'item' is no number of minutes: {type: integer} is expected (known: quantity, total)"),
        ("count: [4, 8]", "count: [8, 4]", "two numbers from 0 to 50 in order are expected, not 8, 4"),
        ("customer_id: {}", "customer: {}", "a schema is expected, or the name of another entity's key"),
        ("customer_id: {}", "customer_id: {of: custmer}", "there is no entity 'custmer' (did you mean \"customer\"?)"),
        ("city: {type: string, x-kind: city}", "city: {type: string}\n      order_id: {}", "an entity cannot belong to itself through others"),
        ("open: [held, shipped, cancelled]", "open: [hold]", "'hold' is not a state (did you mean \"held\"?)"),
        ("{get: order}", "{get: ordr}", "effect.get: there is no entity 'ordr' (did you mean \"order\"?)"),
        ("{get: order}", "{gets: order}", 'unknown key (did you mean "get"?)'),
        ("{get: order}", "{get: order, find: order}", "one of find, get, create, update, delete, move, read, act is expected"),
        ("{get: order}", "{get: order, by: {id: order_id}}", "effect.by.id: there is no argument 'id'"),
        ("{get: order}", "{get: order, by: {order_id: order}}", "effect.by.order_id: order has no field 'order' (did you mean \"order_id\"?)"),
        ("{get: order}", "{get: customer}", "no argument tells which customer: add one named 'customer_id', or `by`"),
        ("{get: order}", "{get: order, at: record}", "effect.at: the result has no 'record'"),
        ("{get: order}", "{get: order, limit: 3}", "only 'find' has an order and a limit"),
        ("{get: order}", "{get: order, set: {status: open}}", "'get' changes nothing"),
        ("{get: order}", "{get: order, needs: [{state: [open], error: x}]}", "order has no field 'state' (did you mean \"status\"?)"),
        ("{get: order}", "{get: order, needs: [{status: [opened], error: x}]}", "'opened' is not a state of status (did you mean \"open\"?)"),
        ("{get: order}", "{get: order, needs: [{error: x}]}", "one condition is expected"),
        ("{get: order}", "{get: order, needs: [{status: [open]}]}", "effect.needs[0].error: this key is missing"),
        ("{get: order}", "{get: order, refers: {order_id: orders}}", "there is no entity 'orders' (did you mean \"order\"?)"),
        ("sort: -total", "sort: -totals", "effect.sort: order has no field '-totals' (did you mean \"total\"?)"),
        ("limit: limit}", "limit: most}", "effect.limit: there is no argument 'most'"),
        ("at: orders", "at: shown", "effect.at: 'shown' is not a list (known: orders)"),
        ("maxItems: 4", "minItems: 1", "a search can find nothing, so `minItems` is out of place"),
        ("total <= args.max_total", "total <= args.max", "desk.yaml:35: list_orders: effect.by.max_total: 'total <= args.max': no argument 'max' (known: customer_id, status"),
        ("total <= args.max_total", "totl <= args.max_total", "no field 'totl' (did you mean \"total\"?)"),
        ("to: cancelled", "to: canceled", "effect.to: 'canceled' is not a state of one field of order (did you mean \"cancelled\"?)"),
        ("to: cancelled", "set: {item: \"'x'\"}", "the state it leads to is missing"),
        ("set: {status: open}, needs", "set: {status: opened}, needs", "effect.set.status: 'opened' is not a state of status"),
        ("set: {status: open}, needs", "set: {order_id: item}, needs", "'order_id' is the key, which never changes"),
        ("per: [customer_id]", "per: [customer]", "order has no field 'customer' (did you mean \"customer_id\"?)"),
        ("entities:", "entitys:", "unknown key 'entitys' beside 'tools' (did you mean \"entities\"?)"),
        ("quantity * 7", "quantty * 7", "no property 'quantty' stands before it (did you mean \"quantity\"?)"),
        ("shown: {type: integer, x-compute: len(orders)}", "shown: {type: integer, x-field: total}", "x-field: no entity is shown here"),
        ("item: {type: string}, total", "item: {type: string, x-field: itm}, total", "the entity has no field 'itm' (did you mean \"item\"?)"),
        ("item: {type: string}, total", "item: {type: integer}, total", "the field item of the entity can be"),
        ("kinds: {}", "say: {order: never}", "get_order has no parameter 'order' (did you mean \"order_id\"?)"),
        ("kinds: {}", "say: {order_id: rarely}", "'seldom', 'never' or 'usually' is expected, not \"rarely\""),
        ("kinds: {}", "context: {order: same}", "get_order has no parameter 'order'"),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_refused(tmp_path: Path, old: str, new: str, words: str):
    assert old in DESK
    with pytest.raises(SpecError) as caught:
        load(tmp_path, DESK.replace(old, new, 1))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    "start",
    [
        "{type: string}",
        "{type: string, x-kind: time_seconds}",
        "{type: string, format: time}",
        '{type: string, enum: ["09:00", "14:30"]}',
        '{type: string, pattern: "^([01][0-9]|2[0-3]):(00|30)$"}',
    ],
)
def test_things_that_are_one_at_a_time_may_say_their_time_in_these_ways(tmp_path: Path, start: str):
    fields = f"{_CALLED}\n    one_at_a_time: {{on: placed, start: start_time, minutes: quantity}}"
    load(
        tmp_path,
        DESK.replace(_CALLED, fields).replace("      quantity:", f"      start_time: {start}\n      quantity:", 1),
    )


TABLES = """
tables: {prices: prices.csv, routes: {file: routes.yaml, key: [origin, destination]}}
tools:
  - name: quote
    parameters: {type: object, properties: {item: {type: string, enum: [lamp, rug]}, origin: {type: string, enum: [Oslo, Rome]}, destination: {const: Bern}}, required: [item, origin, destination]}
    returns:
      type: object
      properties:
        price: {type: number, x-compute: "lookup(prices, args.item, price)"}
        km: {type: integer, x-compute: "lookup(routes, args.origin, args.destination, km)"}
      required: [price, km]
"""


def with_tables(folder: Path, text: str = TABLES, prices: str = "item,price,stock\nlamp,12.5,3\nrug,80,0\n") -> Toolbox:
    (folder / "prices.csv").write_text(prices)
    (folder / "routes.yaml").write_text(
        "- {origin: Oslo, destination: Bern, km: 1450}\n- {origin: Rome, destination: Bern, km: 690}\n"
    )
    return load(folder, text)


def test_expressions_look_things_up_in_tables(tmp_path: Path):
    from datetime import date

    backend = compile_backend(with_tables(tmp_path), compile_value, 1)
    answer = backend.open(date(2026, 1, 1)).answer("quote", {"item": "rug", "origin": "Rome", "destination": "Bern"})
    assert answer == {"price": 80, "km": 690}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("prices.csv,", "price.csv,", "tables.prices: there is no file"),
        ("key: [origin, destination]", "key: [from]", "tables.routes.key: "),
        ("lookup(prices,", "lookup(price,", "there is no table 'price' (did you mean \"prices\"?)"),
        ("args.item, price)", "args.item, prise)", "prices has no column 'prise' (did you mean \"price\"?)"),
        ("args.destination, km)", "args.destination, km, km)", "origin, destination and a column are expected"),
        ("args.origin, args.destination, km)", "args.origin, args.destination)", ""),
    ],
)
def test_a_table_that_is_not_there_is_told(tmp_path: Path, old: str, new: str, words: str):
    if not words:  # the only column need not be named
        with_tables(tmp_path, TABLES.replace(old, new))
        return
    with pytest.raises(SpecError) as caught:
        with_tables(tmp_path, TABLES.replace(old, new))
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("prices", "words"),
    [
        ("item,price\nlamp,1\nlamp,2\n", "prices.csv:3: a row with lamp stands above already"),
        ("item,price\nlamp,1,2\n", "prices.csv:2: 2 columns are expected, not 3"),
        ("item,item\nlamp,1\n", "prices.csv:1: a first line with the names of the columns is expected"),
    ],
)
def test_a_table_that_is_wrong_is_told_with_its_line(tmp_path: Path, prices: str, words: str):
    with pytest.raises(SpecError) as caught:
        with_tables(tmp_path, prices=prices)
    assert words in str(caught.value)


SAID = """
tools:
  - name: list_pages
    parameters:
      type: object
      properties: {desk: {type: integer, minimum: 1, maximum: 900}, cursor: {type: string}, limit: {type: integer}, word: {type: string}}
      required: [desk]
    context: {desk: same}
    say: {cursor: never, limit: seldom}
"""


def test_arguments_are_said_as_often_as_the_file_says(tmp_path: Path):
    from generator.run.row import make_row, prepare
    from tests.workbench import recipe

    (tmp_path / "pages.yaml").write_text(SAID)
    shop = prepare(recipe([tmp_path / "pages.yaml"], "parallel"))
    calls = [
        [
            call.arguments
            for message in make_row(shop, index).row.conversation.messages
            for call in getattr(message, "tool_calls", ())
        ]
        for index in range(60)
    ]
    flat = [arguments for row in calls for arguments in row]
    assert all(len({arguments["desk"] for arguments in row}) == 1 for row in calls)
    assert len({row[0]["desk"] for row in calls}) > 20
    assert not [arguments for arguments in flat if "cursor" in arguments]
    often = {name: len([arguments for arguments in flat if name in arguments]) for name in ("limit", "word")}
    assert 0 < often["limit"] < often["word"] / 2


@pytest.mark.parametrize("often", ["desk: seldom", "page: never", "page: seldom"])
def test_what_is_not_there_or_said_in_every_call_cannot_be_said_seldom(tmp_path: Path, often: str):
    with pytest.raises(SpecError, match="say"):
        load(tmp_path, SAID.replace("cursor: never", often))


LEDGER = """
entities:
  account: {key: account_id, count: [2, 2], fields: {account_id: {type: string, pattern: "^AC-[0-9]{4}$"}}}
  wallet: {key: wallet_id, count: [2, 2], fields: {wallet_id: {type: string, pattern: "^WA-[0-9]{4}$"}}}
tools:
  - name: open_wallet
    parameters: {type: object, properties: {account_id: {type: string}}, required: [account_id]}
    returns: {type: object, properties: {wallet_id: {type: string}}, required: [wallet_id]}
    effect: {get: wallet, by: {account_id: wallet_id}}
"""


def test_an_argument_that_is_compared_with_the_key_names_this_entity_whatever_it_is_called(tmp_path: Path):
    (tmp_path / "ledger.yaml").write_text(LEDGER)
    assert load_toolbox([tmp_path / "ledger.yaml"])["open_wallet"].effect.refers == {"account_id": "wallet"}
