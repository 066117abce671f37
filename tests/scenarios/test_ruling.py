"""What clauses make of a call before all of it is known: amounts are computed first, and what is still to be asked for rules nothing out."""

from pathlib import Path
from typing import Any

import msgspec
from workbench import TODAY

from generator.scenarios.policies import Rules, draw_rules, read_policies
from generator.scenarios.service.course import Matter, ruled_out, with_amounts

ROOT = Path(__file__).parents[2]
POLICIES = {one.policy: one for one in read_policies(sorted((ROOT / "tool_specs" / "policies").glob("*.yaml")))}


def rules(policy: str, kind: str, tool: str) -> Rules:
    """Rules that state the clauses of one kind for one tool only."""
    whole = draw_rules(POLICIES[policy], 1, TODAY).policy_in_full
    some = [one for one in whole.clauses if one.clause.kind == kind and tool in one.clause.tools]
    return msgspec.structs.replace(whole, clauses=tuple(some))


def matter(tool: str, args: dict[str, Any], **thing: Any) -> Matter:
    return Matter(tool=tool, args=args, things={"find": thing}, today="2026-03-12", looks_up=False, made=[])


def test_amounts_are_computed_before_a_call_is_judged() -> None:
    own = rules("bank", "amount", "create_standing_order")
    numbers = own.clauses[0].numbers
    for frequency, name in (("quarterly", "few"), ("monthly", "many")):
        found = with_amounts(own, matter("create_standing_order", {"frequency": frequency}))
        assert found.args["payments"] == numbers[name]


def test_an_argument_that_is_still_to_be_asked_for_rules_nothing_out() -> None:
    own = rules("help_desk", "eligible", "change_ticket_status")
    seen = {"opened_on": "2026-03-12", "replies": 3}
    asked = Matter(
        tool="change_ticket_status",
        args={},
        things={"find_tickets": seen},
        today="2026-03-12",
        looks_up=False,
        made=[],
    )
    closing = msgspec.structs.replace(asked, args={"status": "closed"})
    assert ruled_out(own, asked) is None
    assert ruled_out(own, closing) is not None
