"""Finished rows by hand, for tests of what happens to rows after they are made."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from generator.core.claims import Claim, Proof
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Row,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.formats import FORMATS
from generator.formats.run_folder.files import Layout
from generator.recipe import ArgumentSettings, Recipe
from generator.recipe.settings import Offer
from generator.run.engine.progress import Listener, RunFinished, ignore
from generator.run.engine.run import RunOptions, run
from generator.run.row import MadeRow, RejectedRow

TOKEN = "<|im_end|>"
"""What OpenChatML cannot carry."""

FIND = Tool(
    name="find_orders",
    description="Find a customer's orders.",
    parameters={
        "type": "object",
        "properties": {"customer": {"type": "string"}, "limit": {"type": "integer"}},
        "required": ["customer"],
    },
)
CANCEL = Tool(
    name="cancel_order",
    description="Cancel an order.",
    parameters={"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
)


def conversation(customer: str = "Ada", index: int = 0) -> Conversation:
    """Two searches at once, then a cancellation of what the first one found."""
    first, second, third = (f"{letter}{index:08}" for letter in "abc")
    return Conversation(
        tools=(FIND, CANCEL),
        messages=(
            SystemMessage(content="Be brief."),
            UserMessage(content=f"Find 3 orders of {customer} and those of Bob, then cancel the first."),
            AssistantMessage(
                tool_calls=(
                    ToolCall(id=first, name="find_orders", arguments={"customer": customer, "limit": 3}),
                    ToolCall(id=second, name="find_orders", arguments={"customer": "Bob"}),
                )
            ),
            ToolMessage(tool_call_id=first, name="find_orders", content='{"orders":[{"order_id":"ORD-1"}]}'),
            ToolMessage(tool_call_id=second, name="find_orders", content='{"orders":[]}'),
            AssistantMessage(tool_calls=(ToolCall(id=third, name="cancel_order", arguments={"order_id": "ORD-1"}),)),
            ToolMessage(tool_call_id=third, name="cancel_order", content='{"status":"cancelled"}'),
            AssistantMessage(content="The order is cancelled."),
        ),
    )


def proof(customer: str = "Ada", index: int = 0) -> Proof:
    """Where the arguments of `conversation` come from."""
    text = conversation(customer, index).messages[1].content or ""
    first, second, third = (f"{letter}{index:08}" for letter in "abc")

    def said(call_id: str, pointer: str, words: str, verbalizer: str) -> Claim:
        start = text.index(words)
        return Claim(
            call_id=call_id,
            pointer=pointer,
            source="user",
            message=1,
            start=start,
            end=start + len(words),
            verbalizer=verbalizer,
        )

    return Proof(
        arguments=(
            said(first, "/customer", customer, "literal"),
            said(first, "/limit", "3", "number"),
            said(second, "/customer", "Bob", "literal"),
            Claim(
                call_id=third,
                pointer="/order_id",
                source="result",
                message=3,
                result_pointer="/orders/0/order_id",
                pick="first",
            ),
        )
    )


def made_row(index: int, customer: str = "Ada", *, rejected: int = 0) -> MadeRow:
    """Row `index`, after `rejected` attempts that failed."""
    talk = conversation(customer, index)
    return MadeRow(
        row=Row(index=index, scenario="mixed", conversation=talk, proof=proof(customer, index)),
        record=FORMATS["deepfabric"].render(talk),
        rejected=tuple(
            RejectedRow(index=index, attempt=attempt, violations=(Violation("DF201", "$.messages[1]", "is wrong"),))
            for attempt in range(rejected)
        ),
    )


def recipe(rows: int, *formats: str) -> Recipe:
    """A recipe for so many rows in these formats."""
    return Recipe(
        path=Path("r.yaml"),
        text="",
        name="r",
        seed=0,
        rows=rows,
        tools=(),
        offer=Offer(),
        scenarios=(("mixed", 1.0),),
        calls=(2, 2),
        steps=(2, 2),
        arguments=ArgumentSettings(),
        system=(),
        today=(date(2026, 1, 1), date(2026, 1, 1)),
        formats=formats or ("deepfabric",),
    )


@contextmanager
def rows_are(made: Callable[[int], MadeRow]) -> Iterator[None]:
    """Inside, runs have no tools, and their rows are those that `made` gives."""
    prepared = SimpleNamespace(aims=None, toolbox={}, left_out=())
    prepared.for_row = lambda index: prepared

    def prepare(recipe: Recipe, *_: Any) -> SimpleNamespace:
        prepared.recipe = recipe
        return prepared

    with (
        patch("generator.run.engine.blocks.prepare_usable", prepare),
        patch("generator.run.engine.checked_row.make_row", lambda _, index: made(index)),
    ):
        yield


def write_rows(
    recipe: Recipe, made: Sequence[MadeRow], out: Path, listener: Listener = ignore, **how: Any
) -> RunFinished:
    """A run that makes these rows."""
    with rows_are(lambda index: made[index]):
        return run(recipe, out, listener, how_to(**how))


def how_to(
    packing: str | None = None, sinks: Sequence[str] = ("jsonl",), shard_rows: int | None = None, **how: Any
) -> RunOptions:
    """How to run, with the layout's parts by name."""
    return RunOptions(layout=Layout(packing=packing, sinks=tuple(sinks), shard_rows=shard_rows), **how)
