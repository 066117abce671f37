"""What one entity tells of others is as these are: counts, what is looked up, and what follows from a date that was moved."""

from datetime import date
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import compile_value
from generator.core.conversation import ToolCall
from generator.core.seeds import Draw
from generator.tools.specs import load_toolbox
from generator.world import compile_backend
from generator.world.backend import Backend

TODAY = date(2026, 3, 4)
SHOP = """
entities:
  region: {key: region_id, count: [2, 2], fields: {region_id: {type: string, pattern: "^RG-[0-9]{4}$"}, place: {type: string, x-kind: city}}}
  client:
    key: client_id
    count: [3, 4]
    fields:
      client_id: {type: string, pattern: "^CL-[0-9]{4}$"}
      region_id: {}
      orders: {type: integer, x-compute: "count(purchase, client_id, client_id)"}
      last_seen: {type: string, x-compute: "add_days(since, 3)"}
      since: {type: string, format: date, x-when: past}
  purchase:
    key: purchase_id
    count: [3, 6]
    fields:
      purchase_id: {type: string, pattern: "^PU-[0-9]{4}$"}
      client_id: {}
      region: {type: string, x-compute: "lookup(client, client_id, region_id)"}
      place: {type: string, x-compute: "lookup(region, region, place)"}
tools:
  - name: list_clients
    parameters: {type: object, properties: {}}
    returns: {type: object, properties: {clients: {type: array, maxItems: 9, items: {type: object, properties: {client_id: {type: string}, region_id: {type: string}, orders: {type: integer}, since: {type: string}, last_seen: {type: string}}, required: [client_id, region_id, orders, since, last_seen]}}}, required: [clients]}
    effect: {find: client, at: clients}
  - name: list_purchases
    parameters: {type: object, properties: {client_id: {type: string}, region: {type: string}}}
    returns: {type: object, properties: {purchases: {type: array, maxItems: 20, items: {type: object, properties: {purchase_id: {type: string}, client_id: {type: string}, region: {type: string}, place: {type: string}}, required: [purchase_id, client_id, region, place]}}}, required: [purchases]}
    effect: {find: purchase, by: {client_id: client_id, region: region}, at: purchases}
  - name: buy
    parameters: {type: object, properties: {client_id: {type: string}}, required: [client_id]}
    returns: {type: object, properties: {purchase_id: {type: string}}, required: [purchase_id]}
    effect: {create: purchase}
  - name: open_purchase
    parameters: {type: object, properties: {purchase_id: {type: string}, region_id: {type: string}}, required: [purchase_id, region_id]}
    returns: {type: object, properties: {purchase_id: {type: string}}, required: [purchase_id]}
    effect: {get: purchase, by: {purchase_id: purchase_id, region_id: "lookup(client, client_id, region_id) == args.region_id"}}
  - name: list_regions
    parameters: {type: object, properties: {}}
    returns: {type: object, properties: {regions: {type: array, maxItems: 9, items: {type: object, properties: {region_id: {type: string}, place: {type: string}}, required: [region_id, place]}}}, required: [regions]}
    effect: {find: region, at: regions}
"""


@cache
def shop() -> Backend:
    path = Path(mkdtemp()) / "shop.yaml"
    path.write_text(SHOP)
    return compile_backend(load_toolbox([path]), compile_value, 3)


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**32 - 1), st.permutations(["list_clients", "list_purchases", "list_regions"]))
def test_what_is_told_of_others_is_as_they_are(salt: int, order: list[str]):
    world = shop().open(TODAY, salt)
    entities, draw = world.entities, Draw(salt, TODAY)
    assert entities is not None
    for tool in order[: salt % 4]:  # kinds are opened in any order
        entities.fit(tool, {}, draw)
    region = entities.fit("list_purchases", {"region": "RG-0000"}, draw)["region"]
    first = entities.fit("list_purchases", {"client_id": "CL-0000"}, draw)["client_id"]
    entities.begin()
    for _ in range(2):
        clients = {one["client_id"]: one for one in look(world, "list_clients")["clients"]}
        places = {one["region_id"]: one["place"] for one in look(world, "list_regions")["regions"]}
        for key, client in clients.items():
            found = look(world, "list_purchases", client_id=key)["purchases"]
            assert len(found) == client["orders"]
            assert {one["region"] for one in found} <= {client["region_id"]}
            assert all(one["place"] == places[one["region"]] for one in found)
            assert (
                date.fromisoformat(client["last_seen"]).toordinal() - date.fromisoformat(client["since"]).toordinal()
                == 3
            )
        found = look(world, "list_purchases", region=region)["purchases"]
        assert len(found) == sum(one["orders"] for one in clients.values() if one["region_id"] == region)
        world.step([ToolCall("id", "buy", {"client_id": first})])


def look(world, tool: str, **arguments: str):
    """The result of a call."""
    return world.step([ToolCall("id", tool, arguments)])[0].value


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_world_is_the_same_again_however_its_kinds_were_opened(salt: int):
    world = shop().open(TODAY, salt)
    entities, draw = world.entities, Draw(salt, TODAY)
    assert entities is not None
    arguments = entities.fit("list_purchases", {"region": "RG-0000"}, draw)
    entities.begin()
    again = shop().open(TODAY, salt)
    again.state.restore(list(world.state.added))
    calls = [
        ("list_purchases", arguments),
        ("buy", {"client_id": next(iter(world.state.all("shop.client")))}),
        ("list_clients", {}),
    ]
    for tool, said in calls:
        one, other = [each.step([ToolCall("id", tool, said)])[0].content for each in (world, again)]
        assert one == other
    assert world.state.digest() == again.state.digest()


@settings(max_examples=examples(20), deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_what_a_call_is_about_fits_what_it_says_beside(salt: int):
    world = shop().open(TODAY, salt)
    entities, draw = world.entities, Draw(salt, TODAY)
    assert entities is not None
    said = {"purchase_id": "PU-0000", "region_id": "RG-0000"}
    first = entities.fit("open_purchase", said, draw)
    again = entities.fit("open_purchase", {**first, "purchase_id": "PU-0000"}, draw)
    entities.begin()
    for arguments in (first, again):
        assert world.step([ToolCall("id", "open_purchase", arguments)])[0].ok
