"""Policy files: every fault is told with file and line, and texts in which clauses cannot be told apart are refused."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbench import TODAY, load

from generator.core.errors import RecipeError
from generator.core.toolbox import Toolbox
from generator.scenarios.policies import check_policies, draw_rules, read_policies, with_sentences
from generator.scenarios.policies.compliance.transcript import stated_clauses
from generator.scenarios.policies.stated import fillings

ROOT = Path(__file__).parents[3]
POLICIES = read_policies(sorted((ROOT / "tool_specs" / "policies").glob("*.yaml")))
HEAD = "policy: shop\nserves: [shop]\nrole: [You serve a shop.]\nclauses:\n"


def read_for(file: Path, tools: Toolbox) -> None:
    policies = read_policies([file])
    check_policies(policies, tools)
    with_sentences(tools, policies)


def faults(folder: Path, clause: str, head: str = HEAD) -> str:
    """What is said of a policy for the tools of the workbench's shop."""
    file = folder / "policy.yaml"
    file.write_text(f"{head}- {clause}\n")
    tools = load(folder)
    with pytest.raises(RecipeError) as refused:
        read_for(file, tools)
    assert str(file) in str(refused.value)
    return str(refused.value).removeprefix(f"{file}:")


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("{eligibel: stop_order, text: So it is.}", "5: clauses[0]: a clause begins with one of transfer"),
        ("{eligibel: stop_order, text: So it is.}", '(did you mean "eligible"?)'),
        ("{forbid: stop_order, txt: a}", "5: clauses[0].txt"),
        ("{forbid: stop_oder, text: So it is.}", "there is no tool 'stop_oder'"),
        ("{forbid: stop_order, args: {ordr: 1}, text: So it is.}", "stop_order has no argument 'ordr'"),
        ("{forbid: stop_order, when: args.x > most, text: So it is.}", "nothing has the name 'most'"),
        ("{forbid: stop_order, when: import os, text: So it is.}", "not an expression"),
        ("{limit: stop_order, most: mots, numbers: {most: [2]}, text: '{most}'}", '(did you mean "most"?)'),
        ("{limit: stop_order, most: 2, text: 'At most {most}.'}", "text: there is no number 'most'"),
        ("{limit: stop_order, most: 2, text: []}", "clauses[0].text"),
        ("{ask: stop_order#/order_id, text: So it is.}", "the argument is required"),
        ("{order: [stop_order, find_orders], text: So it is.}", "find_orders has no argument 'order_id'"),
        ("{tell: stop_order, fields: [sum], text: So it is.}", "stop_order returns no 'sum'"),
        ("{confirm: writes, says: {stop_order: '{prize}'}, text: So it is.}", "there is no 'prize'"),
        ("{about: Us, text: You serve}", "stands in another text"),
        ("{forbid: stop_order, not_with: late, text: So it is.}", "no clause has the name 'late'"),
        ("{instead: stop_order, after: [forbit], offer: Ask us., text: So it is.}", '(did you mean "forbid"?)'),
        (
            "{instead: stop_order, offer: Ask us., text: So it is.}",
            "no clause with `eligible` or `forbid` refuses stop_order",
        ),
        ("{limit: [stop_order, stop_oder], most: 2, text: So it is.}", "there is no tool 'stop_oder'"),
    ],
)
def test_faults_are_told_with_their_place(tmp_path: Path, clause: str, expected: str) -> None:
    assert expected in faults(tmp_path, clause)


def test_offers_are_made_after_clauses_that_refuse_their_tool(tmp_path: Path) -> None:
    """A name of another clause would say when something is offered, and it never would be."""
    head = f"""{HEAD}- {{forbid: stop_order, name: never, text: They are not stopped.}}
- {{forbid: find_orders, name: unseen, text: They are not looked at.}}
- {{limit: stop_order, name: often, most: 2, text: Two at most are stopped.}}
"""
    offer = "{{instead: stop_order, after: [{}], offer: Ask us., text: So it is.}}"
    for name in ("unseen", "often"):
        said = faults(tmp_path, offer.format(f"forbid, {name}"), head)
        assert said.startswith(f"8: clauses[3]: after: {name!r} ")
        assert "(known: eligible, forbid, never)" in said
    assert "refuses stop_order" in faults(tmp_path, offer.format("eligible"), head)
    file = tmp_path / "policy.yaml"
    file.write_text(f"{head}- {offer.format('forbid, never')}\n")
    read_for(file, load(tmp_path))


def test_groups_of_which_one_is_wanted_name_tools(tmp_path: Path) -> None:
    head = HEAD.replace("role:", "either: [[stop_order, stop_oder]]\nrole:")
    assert "there is no tool 'stop_oder'" in faults(tmp_path, "{about: Us, text: So it is.}", head)


def test_a_policy_for_tools_that_are_not_loaded_is_refused(tmp_path: Path) -> None:
    said = faults(tmp_path, "{about: Us, text: So it is.}", HEAD.replace("[shop]", "[shpo]"))
    assert "no loaded tool is of 'shpo'" in said


@given(seed=st.integers(0, 2**32), policy=st.sampled_from(POLICIES))
def test_a_message_tells_which_clauses_it_states(seed: int, policy) -> None:
    rules = draw_rules(policy, seed, TODAY)
    found = stated_clauses(POLICIES, f"Today is 2026-03-12.\n\n{rules.text}")
    assert [(one.place, one.numbers) for one in found] == [(one.place, one.numbers) for one in rules.clauses]
    assert all(one.text in rules.text for one in rules.clauses)


@given(seed=st.integers(0, 2**32), policy=st.sampled_from(POLICIES), data=st.data())
def test_clauses_are_drawn_apart(seed: int, policy, data) -> None:
    """Without one clause all others are stated as before, and those that do not stand with it may be, too."""
    gone = data.draw(st.integers(0, len(policy.clauses) - 1))
    clauses = [msgspec.structs.replace(one, share=0.0) if at == gone else one for at, one in enumerate(policy.clauses)]
    other = draw_rules(msgspec.structs.replace(policy, clauses=tuple(clauses)), seed, TODAY)
    before, name = draw_rules(policy, seed, TODAY).clauses, policy.clauses[gone].name
    is_back = bool(name) and any(one.place == gone for one in before)
    after = [one.text for one in other.clauses if not (is_back and name in one.clause.not_with)]
    assert after == [one.text for one in before if one.place != gone]
    for rules in (before, other.clauses):
        assert all({one.clause.name for one in rules}.isdisjoint(one.clause.not_with) for one in rules)


@given(seed=st.integers(0, 2**32))
def test_of_two_clauses_that_do_not_stand_with_each_other_one_stays(seed: int) -> None:
    clauses = [
        msgspec.structs.replace(clause, name=name, not_with=(other,), share=1.0)
        for clause, name, other in zip(POLICIES[0].clauses[:2], "ab", "ba", strict=True)
    ]
    rules = draw_rules(msgspec.structs.replace(POLICIES[0], clauses=tuple(clauses)), seed, TODAY)
    assert (len(rules.clauses), len(rules.unstated)) == (1, 1)


@pytest.mark.parametrize("policy", POLICIES, ids=[policy.policy for policy in POLICIES])
def test_clauses_have_several_texts_or_numbers(policy) -> None:
    bound = [one for one in policy.clauses if one.kind != "about"]
    assert sum(len(one.text) * len(fillings(one)) > 1 for one in bound) >= len(bound) / 3
