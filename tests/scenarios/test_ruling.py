"""What clauses make of a call before all of it is known: amounts are computed first, and what is still to be asked for rules nothing out."""

from pathlib import Path

import msgspec
from workbench import TODAY

from generator.scenarios.policies import Rules, draw_rules, read_policies
from generator.scenarios.policies.compliance.transcript import MadeCall, PlacedCall, Transcript
from generator.scenarios.policies.compliance.verdicts import forbidding, verdict, with_amounts
from generator.tools.specs import load_toolbox

ROOT = Path(__file__).parents[2]
BOX = load_toolbox([ROOT / "tool_specs" / name for name in ("desk.yaml", "tickets.yaml", "banking.json")])
POLICIES = {one.policy: one for one in read_policies(sorted((ROOT / "tool_specs" / "policies").glob("*.yaml")))}


def rules(policy: str, kind: str, tool: str) -> Rules:
    """Rules that state the clauses of one kind for one tool only."""
    whole = draw_rules(POLICIES[policy], 1, TODAY).policy_in_full
    some = [one for one in whole.clauses if one.clause.kind == kind and tool in one.clause.tools]
    return msgspec.structs.replace(whole, clauses=tuple(some))


def after(own: Rules, *calls: MadeCall) -> Transcript:
    return Transcript((), BOX, own.clauses, "2026-03-12", calls)


def test_amounts_are_computed_before_a_call_is_judged() -> None:
    own = rules("bank", "amount", "create_standing_order")
    numbers = own.clauses[0].numbers
    for frequency, name in (("quarterly", "few"), ("monthly", "many")):
        call = PlacedCall("create_standing_order", {"frequency": frequency}, 0)
        assert verdict(own.clauses[0], after(own), call) is None
        found = with_amounts(after(own), call)
        assert found.args["payments"] == numbers[name]
        assert verdict(own.clauses[0], after(own), found) is True


def test_an_argument_that_is_still_to_be_asked_for_rules_nothing_out() -> None:
    own = rules("help_desk", "eligible", "change_ticket_status")
    ticket = {"ticket_id": "T-1", "opened_on": "2026-03-12", "replies": 3}
    seen = after(own, MadeCall("find_tickets", {}, 1, 2, {"tickets": [ticket]}))
    asked = PlacedCall("change_ticket_status", {"ticket_id": "T-1"}, 3)
    closing = msgspec.structs.replace(asked, args={"ticket_id": "T-1", "status": "closed"})
    assert forbidding(seen, asked) is None
    assert forbidding(seen, closing) is own.clauses[0]
    assert verdict(own.clauses[0], after(own), closing) is None


def test_after_too_many_wrong_answers_only_handing_over_is_left() -> None:
    own = rules("bank", "identity", "find_customer")
    handing, looking = PlacedCall("hand_over", {}, 9), PlacedCall("list_cards", {}, 9)
    wrong = [MadeCall("find_customer", {"email": f"{at}@a.example"}, at, at + 1, None, failed=True) for at in (1, 3, 5)]
    right = MadeCall("find_customer", {"email": "b@a.example"}, 1, 2, {"customer_id": "C-1"})
    found = [
        (verdict(own.clauses[0], talk, handing), verdict(own.clauses[0], talk, looking))
        for talk in (after(own), after(own, right), after(own, *wrong))
    ]
    assert found == [(None, None), (True, True), (True, False)]
