"""Preferences: what is rejected has one fault, which other code names, and which the checker of rows finds as well."""

from collections import Counter
from functools import cache

import msgspec
import orjson
import pytest
from consumers import ROOT, converter_of, varied_rows
from made_rows import CANCEL, FIND, conversation
from nightly import night, one_in

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Rejected, ToolCall
from generator.core.defects import DEFECTS_OF_CALLS, defect_between
from generator.core.errors import CannotCarryError
from generator.dialogue.acts.check import check_row
from generator.formats import FORMATS
from generator.formats.defects import rejected
from generator.formats.rules import check_record
from generator.formats.steps import unrolled
from generator.recipe import load_recipe
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS

NAMES = ("trl-preference", "sharegpt-ranking")


@cache
def records(name: str) -> list[dict]:
    found = []
    for row in varied_rows()[:50]:
        try:
            found += [FORMATS[name].render(part) for part in unrolled(row, FORMATS[name])]
        except CannotCarryError:
            continue
    assert len(found) >= 50
    return [orjson.loads(orjson.dumps(record)) for record in found]


@cache
def prepared() -> PreparedRecipe:
    return prepare(load_recipe(ROOT / "recipes/mixed.yaml", scenarios=SCENARIOS, formats=FORMATS))


@cache
def parts() -> list[tuple[Conversation, Proof]]:
    """Beginnings of rows that end with calls, and what is claimed of them."""
    found = []
    for index in range(60):
        row = make_row(prepared(), index).row
        for part in unrolled(row.conversation, FORMATS["trl-preference"]):
            made = {c.id for m in part.messages for c in getattr(m, "tool_calls", ())}
            proof = Proof(
                arguments=tuple(c for c in row.proof.arguments if c.call_id in made),
                wishes=tuple(c for c in row.proof.wishes if c.call_id in made),
                answers=tuple(c for c in row.proof.answers if c.message < len(part.messages)),
                asks=tuple(c for c in row.proof.asks if c.message < len(part.messages)),
            )
            found.append((part, proof))
    return found


def faults_of(part: Conversation, proof: Proof) -> set[str]:
    """What the checkers find: of claims, and of arguments against schemas."""
    claims = {finding.code for finding in check_row(part, proof, prepared().toolbox, phrases=False, prefix=True)}
    violations = {violation.rule for violation in check_record(FORMATS["deepfabric"].render(part))} - {"DF402"}
    return claims | violations


@night
def test_the_checker_finds_what_is_wrong_and_nothing_in_what_is_chosen():
    named: Counter[str] = Counter()
    for part, proof in parts():
        if faults_of(part, proof):
            continue  # a beginning that says more than its calls
        wrong, name = rejected(part)
        found = faults_of(msgspec.structs.replace(part, messages=(*part.messages[:-1], wrong)), proof)
        calls_fewer = name in ("missing_call", "serial_calls")  # in a beginning, a call may still come
        assert calls_fewer or found, (name, wrong)
        named[name] += 1
    assert len(named) == len(DEFECTS_OF_CALLS)
    assert sum(named.values()) > 45


@pytest.mark.parametrize("name", one_in(2, NAMES))
def test_every_record_names_the_one_fault_that_it_has(name):
    named = Counter(record["defect"] for record in records(name))
    assert len(named) >= 6
    for record in records(name)[:15]:
        assert FORMATS[name].read(record)[1] == []
        other = next(word for word in DEFECTS_OF_CALLS if word != record["defect"])
        assert [fault.rule for fault in FORMATS[name].read(record | {"defect": other})[1]] == ["PD101"]


def test_rejected_calls_have_their_arguments_in_the_order_of_all_others():
    """Else a model could tell them by that. A tool's own order is that of its declaration, required arguments first."""
    right = conversation()
    at = next(
        i for i, message in enumerate(right.messages) if isinstance(message, AssistantMessage) and message.tool_calls
    )
    said = right.messages[at]
    call = msgspec.structs.replace(said.tool_calls[0], arguments={"limit": 9, "customer": "Ada"})
    wrong = Rejected(msgspec.structs.replace(said, tool_calls=(call, *said.tool_calls[1:])), "wrong_value")
    part = msgspec.structs.replace(right, messages=right.messages[: at + 1], rejected=wrong)
    first = FORMATS["trl-preference"].render(part)["rejected"][0]["tool_calls"][0]["function"]
    assert (first["name"], list(first["arguments"])) == ("find_orders", ["customer", "limit"])


@pytest.mark.parametrize(
    ("made", "name"),
    [
        ([("find_orders", {"customer": "Ada", "limit": 4}), ("find_orders", {"customer": "Bob"})], "wrong_value"),
        ([("find_orders", {"customer": "Ada", "limit": "3"}), ("find_orders", {"customer": "Bob"})], "wrong_type"),
        ([("find_orders", {"customer": "Bob", "limit": 3}), ("find_orders", {"customer": "Ada"})], "swapped_values"),
        (
            [("find_orders", {"customer": "Ada", "limit": 3}), ("find_orders", {"customer": "Bob", "limit": 3})],
            "unsaid_optional",
        ),
        ([("cancel_order", {"customer": "Ada", "limit": 3}), ("find_orders", {"customer": "Bob"})], "wrong_tool"),
        ([("find_orders", {"customer": "Ada", "limit": 3})], "serial_calls"),
        (
            [("find_orders", {"customer": "Bob"}), ("find_orders", {"customer": "Ada", "limit": 3})],
            None,
        ),  # in another order
        ([("find_orders", {"customer": "Bob"})], None),
        ([("find_orders", {"customer": "Ada", "limit": 3}), ("find_orders", {"customer": "Bob"})], None),
        ([("find_orders", {"customer": "Eve", "limit": 4}), ("find_orders", {"customer": "Bob"})], None),  # two faults
        ([("cancel_order", {"order_id": "1"}), ("find_orders", {"customer": "Bob"})], None),
        ([("find_orders", {"customer": "Eve"})], None),
    ],
)
def test_one_fault_has_a_name_and_none_or_two_have_none(made, name):
    right = conversation().messages[2].tool_calls
    calls = tuple(ToolCall(f"x{at:08}", *call) for at, call in enumerate(made))
    assert defect_between(right, calls, {tool.name: tool for tool in (FIND, CANCEL)}) == name


def test_openai_types_take_the_messages():
    from openai.types.chat import ChatCompletionMessageParam
    from pydantic import TypeAdapter

    messages = TypeAdapter(list[ChatCompletionMessageParam])
    for record in records("openai-preference")[:100]:
        for key in ("preferred_output", "non_preferred_output"):
            messages.validate_python(record["input"]["messages"] + record[key])


def test_llamafactory_takes_the_ranking():
    convert = converter_of("sharegpt-ranking")
    for record in records("sharegpt-ranking")[:100]:
        example = convert(record)
        assert [entry["role"] for entry in example["_response"]] == ["function", "function"]
        assert example["_response"][0]["content"] == record["chosen"]["value"] != example["_response"][1]["content"]
        assert len(example["_prompt"]) % 2 == 1
