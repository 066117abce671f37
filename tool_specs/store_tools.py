"""Tools of a small online store that keep their state: an SQLite data base in memory, new for every conversation.

A module in the `TOOLS` style: `python -m generator tools read tool_specs/store_tools.py` reads it, and a recipe with
`backend: {python: ../tool_specs/store_tools.py}` really runs it. Beside what OpenAI's format has, an entry of `TOOLS` may
hold what any spec file may: `returns`, `links`, `phrases`, … (docs/tool-specs.md).
"""

import json
import sqlite3
from datetime import date, timedelta
from typing import Any

CATEGORIES = ["kitchen", "garden", "office", "sports", "toys"]
SPEEDS = {"standard": 5, "express": 2, "overnight": 1}
PRODUCTS = [
    ("KIT-101", "cast-iron skillet", "kitchen", 39.0, 14),
    ("KIT-102", "chef's knife", "kitchen", 54.5, 9),
    ("KIT-103", "glass teapot", "kitchen", 27.0, 21),
    ("KIT-104", "stand mixer", "kitchen", 219.0, 4),
    ("KIT-105", "pepper mill", "kitchen", 18.5, 40),
    ("GAR-201", "pruning shears", "garden", 24.0, 33),
    ("GAR-202", "watering can", "garden", 19.5, 26),
    ("GAR-203", "raised planter", "garden", 89.0, 7),
    ("GAR-204", "garden hose", "garden", 34.0, 18),
    ("OFF-301", "desk lamp", "office", 45.0, 16),
    ("OFF-302", "monitor stand", "office", 62.0, 11),
    ("OFF-303", "label printer", "office", 118.0, 5),
    ("OFF-304", "whiteboard", "office", 75.5, 8),
    ("SPO-401", "yoga mat", "sports", 29.0, 30),
    ("SPO-402", "jump rope", "sports", 12.5, 44),
    ("SPO-403", "kettlebell", "sports", 48.0, 12),
    ("SPO-404", "climbing chalk", "sports", 9.5, 50),
    ("TOY-501", "wooden train set", "toys", 58.0, 10),
    ("TOY-502", "kite", "toys", 22.0, 25),
    ("TOY-503", "marble run", "toys", 36.5, 13),
]


def _tool(
    name: str, description: str, properties: dict[str, Any], required: list[str], **beside: Any
) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
        **beside,
    }


_PRODUCT = {
    "type": "object",
    "properties": {
        "product_id": {"type": "string"},
        "name": {"type": "string"},
        "price": {"type": "number"},
        "in_stock": {"type": "integer"},
    },
    "required": ["product_id", "name", "price", "in_stock"],
}
_ORDER = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string"},
        "product": {"type": "string"},
        "quantity": {"type": "integer"},
        "total": {"type": "number"},
        "arrives_on": {"type": "string", "format": "date"},
        "status": {"type": "string", "enum": ["placed", "cancelled"]},
    },
    "required": ["order_id", "product", "quantity", "total", "arrives_on", "status"],
}
_QUANTITY = {"type": "integer", "minimum": 1, "maximum": 4, "description": "How many pieces"}
_SPEED = {"type": "string", "enum": list(SPEEDS), "default": "standard", "description": "How fast it is sent"}
_PRODUCT_ID = {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{3}$", "description": "Product number, e.g. KIT-101"}

TOOLS = [
    _tool(
        "browse_store",
        "List the products of one category, cheapest first.",
        {
            "category": {"type": "string", "enum": CATEGORIES, "description": "Category to look in"},
            "max_price": {"type": "integer", "minimum": 40, "maximum": 200, "description": "Highest price in dollars"},
        },
        ["category"],
        returns={
            "type": "object",
            "properties": {"products": {"type": "array", "items": _PRODUCT}},
            "required": ["products"],
        },
        phrases={
            "request": [
                "search the {category} section of the store",
                "list what the store has in its {category} section",
            ],
            "question": ["what does the store have in its {category} section"],
            "want": ["a list of what is in the {category} section of the store"],
            "slots": {"category": ["in the {category} section"], "max_price": ["for at most {max_price:usd}"]},
            "pick": {
                "products": [
                    {"say": "the cheapest one", "by": "min price"},
                    {"say": "the most expensive one", "by": "max price"},
                    {"say": "the first one", "by": "first"},
                ]
            },
            "answer": [
                "Here is what the {args.category} section has for at most {args.max_price:usd}: {products}.",
                "For {args.max_price:usd} or less, I found {products} in the {args.category} section.",
                "Here is what the store has in its {args.category} section: {products}.",
                "In the {args.category} section I found {products}.",
            ],
            "each": {
                "products": [
                    "the {name} for {price:usd} ({in_stock} in stock)",
                    "the {name} at {price:usd}, with {in_stock} in stock",
                    "the {name} ({price:usd}, {in_stock} in stock)",
                ]
            },
        },
    ),
    _tool(
        "get_store_item",
        "Look up the name of one product, its price in dollars for each piece, and its stock.",
        {"product_id": _PRODUCT_ID},
        ["product_id"],
        returns=_PRODUCT,
        links={"product_id": "browse_store#/products/*/product_id"},
        examples={"product_id": [product[0] for product in PRODUCTS]},
        phrases={
            "request": ["look up product {product_id}", "check the price and stock of product {product_id}"],
            "question": ["how much is product {product_id}", "what is the price of product {product_id}"],
            "want": ["the details of product {product_id}"],
            "follow_up": ["look up {product_id}", "check the stock of {product_id}"],
            "again": ["product {product_id}"],
            "vary": ["product_id"],
            "answer": [
                "The {name} costs {price:usd}, and {in_stock} {in_stock?is|are} in stock.",
                "There {in_stock?is|are} {in_stock} of the {name} in stock, at {price:usd} each.",
                "The price of the {name} is {price:usd}, and the store has {in_stock} in stock.",
                "The {name} is {price:usd}. There {in_stock?is|are} {in_stock} left in stock.",
            ],
        },
    ),
    _tool(
        "order_store_item",
        "Order a product; tells the total in dollars and the day of arrival.",
        {"product_id": _PRODUCT_ID, "quantity": _QUANTITY, "shipping": _SPEED},
        ["product_id", "quantity"],
        returns=_ORDER,
        links={"product_id": ["browse_store#/products/*/product_id", "get_store_item#/product_id"]},
        examples={"product_id": [product[0] for product in PRODUCTS]},
        phrases={
            "request": [
                "buy {quantity} of product {product_id}",
                "get me {quantity} {quantity?piece|pieces} of {product_id} from the store",
                "order {quantity} {quantity?piece|pieces} of product {product_id}",
                "place an order for {quantity} of product {product_id}",
            ],
            "want": ["an order for {quantity} of product {product_id}"],
            "follow_up": ["order {quantity} of {product_id}"],
            "again": ["{quantity} of product {product_id}"],
            "slots": {
                "shipping": {
                    "standard": ["with standard shipping"],
                    "express": ["with express shipping"],
                    "overnight": ["with overnight shipping"],
                }
            },
            "answer": [
                "With {args.shipping} shipping, order {order_id} ({quantity} × {product}) comes to {total:usd} and arrives on {arrives_on:date}.",
                "Order {order_id} is placed with {args.shipping} shipping: {quantity} × {product} for {total:usd}, arriving on {arrives_on:date}.",
                "I've ordered {quantity} × {product} with {args.shipping} shipping for {total:usd}; order {order_id} arrives on {arrives_on:date}.",
                "I've placed order {order_id} for {quantity} × {product}. It comes to {total:usd} and should arrive on {arrives_on:date}.",
                "I've ordered {quantity} × {product} for {total:usd}. Order {order_id} should arrive on {arrives_on:date}.",
                "Your order of {quantity} × {product} comes to {total:usd} and will be with you on {arrives_on:date}. The order number is {order_id}.",
            ],
        },
    ),
    _tool(
        "get_store_order",
        "Tell what was ordered, its total in dollars, status and day of arrival.",
        {"order_id": {"type": "string", "pattern": "^ORD-[0-9]{4}$", "description": "Order number, e.g. ORD-1001"}},
        ["order_id"],
        returns=_ORDER,
        links={"order_id": "order_store_item#/order_id"},
        examples={"order_id": ["ORD-1001", "ORD-1002", "ORD-1003"]},
        phrases={
            "request": ["check order {order_id}", "look up the status of order {order_id}"],
            "question": ["what is the status of order {order_id}", "when does order {order_id} arrive"],
            "want": ["the status of order {order_id}"],
            "follow_up": ["check the status of {order_id}"],
            "again": ["order {order_id}"],
            "answer": [
                {
                    "when": {"status": "placed"},
                    "say": "Order {order_id} ({quantity} × {product} for {total:usd}) is placed and arrives on {arrives_on:date}.",
                },
                {
                    "when": {"status": "placed"},
                    "say": "Order {order_id} is placed. It holds {quantity} × {product}, comes to {total:usd} and should arrive on {arrives_on:date}.",
                },
                {
                    "when": {"status": "cancelled"},
                    "say": "Order {order_id} ({quantity} × {product} for {total:usd}) is cancelled.",
                },
                {
                    "when": {"status": "cancelled"},
                    "say": "Order {order_id} is cancelled, so {quantity} × {product} for {total:usd} won't arrive.",
                },
            ],
        },
    ),
    _tool(
        "cancel_store_order",
        "Cancel an order that has not been cancelled yet, and refund its dollars; the pieces go back into stock.",
        {"order_id": {"type": "string", "pattern": "^ORD-[0-9]{4}$", "description": "Order number, e.g. ORD-1001"}},
        ["order_id"],
        returns={
            "type": "object",
            "properties": {
                "order_id": {"type": "string"},
                "product": {"type": "string"},
                "refund": {"type": "number"},
            },
            "required": ["order_id", "product", "refund"],
        },
        links={"order_id": ["order_store_item#/order_id", "get_store_order#/order_id"]},
        examples={"order_id": ["ORD-1001", "ORD-1002", "ORD-1003"]},
        phrases={
            "request": ["cancel order {order_id}"],
            "want": ["order {order_id} cancelled"],
            "follow_up": ["cancel {order_id}"],
            "again": ["order {order_id}"],
            "answer": [
                "Order {order_id} for the {product} is cancelled; you get {refund:usd} back.",
                "I've cancelled order {order_id} for the {product}. You get {refund:usd} back.",
                "Done, order {order_id} for the {product} is cancelled, with a refund of {refund:usd}.",
                "I've cancelled your order of the {product} ({order_id}), and {refund:usd} goes back to you.",
            ],
        },
    ),
]


class PromptGenerator:
    """The store. An instance lives for one conversation."""

    def __init__(self) -> None:
        self.db = sqlite3.connect(":memory:")
        self.db.execute(
            "CREATE TABLE products (product_id TEXT PRIMARY KEY, name TEXT, category TEXT, price REAL, in_stock INTEGER)"
        )
        self.db.execute(
            "CREATE TABLE orders (order_id TEXT PRIMARY KEY, product_id TEXT, quantity INTEGER, total REAL, arrives_on TEXT, status TEXT)"
        )
        self.db.executemany("INSERT INTO products VALUES (?, ?, ?, ?, ?)", PRODUCTS)
        for product_id, quantity, speed in (
            ("KIT-103", 1, "express"),
            ("GAR-201", 2, "standard"),
            ("TOY-502", 3, "standard"),
        ):
            self._insert(product_id, quantity, speed)

    def handle_tool_call(self, tool_name: str, tool_input: dict[str, Any]) -> str:
        """The result of a call, as JSON."""
        if tool_name not in {tool["function"]["name"] for tool in TOOLS}:
            raise ValueError(f"Unknown tool: {tool_name}")
        return json.dumps(getattr(self, tool_name)(**tool_input))

    def browse_store(self, category: str, max_price: float = 1e9) -> dict[str, Any]:
        """Products of a category."""
        found = self.db.execute(
            "SELECT product_id, name, price, in_stock FROM products WHERE category = ? AND price <= ? ORDER BY price",
            (category, max_price),
        )
        return {"products": [dict(zip(("product_id", "name", "price", "in_stock"), row, strict=True)) for row in found]}

    def get_store_item(self, product_id: str) -> dict[str, Any]:
        """One product."""
        row = self.db.execute(
            "SELECT product_id, name, price, in_stock FROM products WHERE product_id = ?", (product_id,)
        ).fetchone()
        if row is None:
            raise ValueError(f"There is no product {product_id}")
        return dict(zip(("product_id", "name", "price", "in_stock"), row, strict=True))

    def order_store_item(self, product_id: str, quantity: int, shipping: str = "standard") -> dict[str, Any]:
        """A new order, if there are enough pieces."""
        product = self.get_store_item(product_id)
        if product["in_stock"] < quantity:
            raise ValueError(f"Only {product['in_stock']} pieces of {product_id} are in stock")
        return self.get_store_order(self._insert(product_id, quantity, shipping))

    def get_store_order(self, order_id: str) -> dict[str, Any]:
        """One order."""
        row = self.db.execute(
            "SELECT order_id, name, quantity, total, arrives_on, status FROM orders JOIN products USING (product_id) WHERE order_id = ?",
            (order_id,),
        ).fetchone()
        if row is None:
            raise ValueError(f"There is no order {order_id}")
        return dict(zip(("order_id", "product", "quantity", "total", "arrives_on", "status"), row, strict=True))

    def cancel_store_order(self, order_id: str) -> dict[str, Any]:
        """The refund for an order that is cancelled now."""
        order = self.get_store_order(order_id)
        if order["status"] == "cancelled":
            raise ValueError(f"Order {order_id} is cancelled already")
        self.db.execute("UPDATE orders SET status = 'cancelled' WHERE order_id = ?", (order_id,))
        self.db.execute(
            "UPDATE products SET in_stock = in_stock + ? WHERE name = ?", (order["quantity"], order["product"])
        )
        return {"order_id": order_id, "product": order["product"], "refund": order["total"]}

    def _insert(self, product_id: str, quantity: int, speed: str) -> str:
        (number,) = self.db.execute("SELECT 1001 + count(*) FROM orders").fetchone()
        (price,) = self.db.execute("SELECT price FROM products WHERE product_id = ?", (product_id,)).fetchone()
        arrives = (date.today() + timedelta(days=SPEEDS[speed])).isoformat()
        order_id = f"ORD-{number}"
        self.db.execute(
            "INSERT INTO orders VALUES (?, ?, ?, ?, ?, 'placed')",
            (order_id, product_id, quantity, round(price * quantity, 2), arrives),
        )
        self.db.execute("UPDATE products SET in_stock = in_stock - ? WHERE product_id = ?", (quantity, product_id))
        return order_id
