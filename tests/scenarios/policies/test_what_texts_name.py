"""The policies of this repository say no more and no less than they execute: what they leave out is named, and what does the same counts together."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from generator.core.conversation import AssistantMessage, Conversation, SystemMessage, ToolCall, ToolMessage
from generator.scenarios.policies import Policy, read_policies
from generator.scenarios.policies.clauses import Clause, Confirm, Limit, Scope
from generator.scenarios.policies.compliance import breaches, read_transcript
from generator.scenarios.policies.sentences import SLOT, refusals_of
from generator.tools.specs import load_toolbox

ROOT = Path(__file__).parents[3]
FILES = [
    *[
        ROOT / "tool_specs" / f"{name}.yaml"
        for name in ("desk", "shop", "health", "travel", "tickets", "hr", "restaurants")
    ],
    ROOT / "tool_specs" / "banking.json",
]
BOX = load_toolbox(FILES)
POLICIES = read_policies(sorted((ROOT / "tool_specs" / "policies").glob("*.yaml")))
STEM = 4


def clauses(kind: type[Clause]) -> list[Any]:
    """All clauses of a kind, with their policies."""
    return [
        pytest.param(policy, clause, id=f"{policy.policy}-{at}")
        for policy in POLICIES
        for at, clause in enumerate(policy.clauses)
        if isinstance(clause, kind)
    ]


def stems(text: str) -> set[str]:
    return {word[:STEM].lower() for word in re.findall(r"[A-Za-z]+", text)}


def outside(policy: Policy, clause: Scope) -> Iterator[str]:
    yield from [name for name, spec in BOX.items() if spec.domain in policy.serves and name not in clause.scope]


@pytest.mark.parametrize(("policy", "clause"), clauses(Scope))
def test_each_text_of_a_scope_names_every_tool_that_it_leaves_out(policy: Policy, clause: Scope) -> None:
    left_out = [*outside(policy, clause)]
    assert left_out
    within = {stem for name in clause.scope for stem in stems(name.replace("_", " "))}
    for name in left_out:
        own = stems(name.replace("_", " ")) - within
        assert [text for text in clause.text if not own & stems(text)] == [], f"{name} is left out"


@pytest.mark.parametrize(("policy", "clause"), clauses(Scope))
def test_just_the_tools_outside_of_a_scope_break_it(policy: Policy, clause: Scope) -> None:
    for name, spec in BOX.items():
        if spec.domain in policy.serves:
            call = AssistantMessage(tool_calls=(ToolCall("a", name, {}),))
            for text in clause.text:
                system = SystemMessage(f"{policy.role[0]}\n\n{text}")
                talk = Conversation((system, call, ToolMessage("a", "{}", name)))
                found = {one.kind for one in breaches(read_transcript(talk, (policy,), BOX))}
                assert ("scope" in found) is (name not in clause.scope)


@pytest.mark.parametrize(("policy", "clause"), clauses(Limit))
def test_tools_that_make_the_same_thing_count_together(policy: Policy, clause: Limit) -> None:
    made = {_made(name) for name in clause.limit}
    others = [name for name, spec in BOX.items() if spec.domain in policy.serves and _made(name) in made - {None}]
    assert sorted({*clause.limit, *others}) == sorted(clause.limit)


def _made(name: str) -> tuple[str, Any] | None:
    """The kind of entity that a tool makes, and of which type; None for one that makes nothing."""
    effect = BOX[name].effect
    return (effect.entity, effect.set.get("type")) if effect is not None and effect.kind == "create" else None


@pytest.mark.parametrize(("policy", "clause"), clauses(Confirm))
def test_what_a_text_wants_named_before_a_yes_each_sentence_names(policy: Policy, clause: Confirm) -> None:
    wants_digits = any("last four digits" in text for text in clause.text)
    for says in clause.says.values() if wants_digits else ():
        assert all("last_four" in {slot[2] for slot in SLOT.finditer(say)} for say in says)


@pytest.mark.parametrize("policy", POLICIES, ids=lambda one: one.policy)
def test_numbers_of_a_refusal_stand_in_every_text(policy: Policy) -> None:
    for clause in policy.clauses:
        for refusal in refusals_of(clause):
            for name in {slot[2] for slot in SLOT.finditer(refusal) if slot[2] in clause.numbers}:
                assert all(f"{{{name}}}" in text for text in clause.text), clause.where
