"""What tests of results share: a tool of orders, and backends that answer its calls."""

from datetime import date
from pathlib import Path
from textwrap import indent

from generator.arguments import compile_value
from generator.core.toolbox import Toolbox
from generator.tools.specs import load_toolbox
from generator.world import Backend, compile_backend

TODAY = date(2026, 3, 12)
HEAD = """\
- function:
    name: get
    parameters:
      type: object
      properties:
        city: {type: string}
        low: {type: [number, "null"]}
        high: {type: number}
        day: {type: string, format: date}
        clock: {type: string}
        count: {type: integer}
        place: {type: object, properties: {city: {type: string}, zip: {type: string}}}
        tags: {type: array, items: {type: string}}
"""
ORDERS = """\
- function:
    name: find_orders
    parameters: {type: object, properties: {customer: {type: string}, page: {type: integer}}}
  returns:
    type: object
    properties:
      customer: {type: string}
      orders:
        type: array
        minItems: 3
        maxItems: 3
        items:
          type: object
          properties:
            order_id: {type: string, pattern: "^ORD-[0-9]{6}$"}
            total: {type: integer, minimum: 20, maximum: 90000}
            status: {type: string, enum: [open, sent, delivered]}
            address: {type: string, pattern: "^[a-z]{12}$"}
          required: [order_id, total, status, address]
    required: [customer, orders]
- function:
    name: get_order
    parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
  links: {order_id: "find_orders#/orders/*/order_id"}
  returns:
    type: object
    properties:
      order_id: {type: string}
      total: {type: integer, minimum: 20, maximum: 90000}
      status: {type: string, enum: [open, sent, delivered, cancelled]}
      address: {type: string, pattern: "^[a-z]{12}$"}
      carrier: {type: string, pattern: "^[A-Z]{9}$"}
    required: [order_id, total, status, address, carrier]
- function:
    name: cancel_order
    parameters: {type: object, properties: {order_id: {type: string}}, required: [order_id]}
  links: {order_id: "find_orders#/orders/*/order_id"}
  returns:
    type: object
    properties:
      order_id: {type: string}
      total: {type: integer, minimum: 20, maximum: 90000}
      status: {type: string, enum: [cancelled]}
      carrier: {type: string, pattern: "^[A-Z]{9}$"}
    required: [order_id, total, status, carrier]
- function:
    name: move_order
    parameters:
      type: object
      properties: {order: {type: object, properties: {order_id: {type: string}}}, address: {type: string}}
  links: {order/order_id: "find_orders#/orders/*/order_id"}
  returns:
    type: object
    properties:
      order_id: {type: string, x-from: order/order_id}
      total: {type: integer, minimum: 20, maximum: 90000}
      address: {type: string, pattern: "^[a-z]{12}$"}
    required: [order_id, total, address]
- function:
    name: readdress_order
    parameters:
      type: object
      properties: {order_id: {type: string}, address: {type: string}}
  links: {order_id: "find_orders#/orders/*/order_id"}
  returns:
    type: object
    properties:
      address: {type: string, pattern: "^[a-z]{12}$"}
      total: {type: integer, minimum: 20, maximum: 90000}
    required: [address, total]
"""


def toolbox(folder: Path, text: str) -> Toolbox:
    path = folder / "tools.yaml"
    path.write_text(text, encoding="utf-8")
    return load_toolbox([path])


def backend(folder: Path, text: str = ORDERS, seed: int = 1) -> Backend:
    return compile_backend(toolbox(folder, text), compile_value, seed)


def returning(folder: Path, properties: str, seed: int = 1) -> Backend:
    """A backend whose one tool returns an object with these properties."""
    body = indent(properties, "      ")
    return backend(
        folder, f"{HEAD}  returns:\n    type: object\n    properties:\n{body}\n    additionalProperties: false\n", seed
    )


def answers(made: Backend, arguments: dict, count: int = 40):
    """Results of calls that differ only in an argument no result depends on."""
    return [made.open(TODAY).answer("get", {**arguments, "salt": salt}) for salt in range(count)]


def field(made: Backend, arguments: dict, count: int = 40) -> list:
    """The values of `x` in such results (optional properties may be missing)."""
    found = [result["x"] for result in answers(made, arguments, count) if "x" in result]
    assert found
    return found
