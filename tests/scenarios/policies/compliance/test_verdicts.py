"""What each kind of clause makes of a call, written down by hand, and what is said of the calls that it does not let be made."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from generator.core.conversation import AssistantMessage
from generator.core.errors import CannotFillError, RowError
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS
from generator.scenarios.policies import clauses
from generator.scenarios.policies.clauses import Clause, compile_test
from generator.scenarios.policies.compliance import breaches
from generator.scenarios.policies.compliance.transcript import MadeCall, Transcript, UnmadeCall
from generator.scenarios.policies.compliance.verdicts import verdict
from generator.scenarios.policies.stated import Stated
from generator.tools.specs import load_toolbox

ROOT = Path(__file__).parents[4]
BOX = load_toolbox([ROOT / "tool_specs" / "desk.yaml", ROOT / "tool_specs" / "banking.json"])
CARD = {"card_id": "C1"}
CARDS = {"cards": [{"card_id": "C1", "kind": "virtual", "spent": None, "name": "travel"}]}
replace = msgspec.structs.replace
NUMBERS = {"most": 2, "many": 12, "tries": 2}


def call(tool: str, args: dict[str, Any] | None = None, result: Any = None, at: int = 0, failed: bool = False) -> Any:
    return MadeCall(tool, args or {}, at, at + 1, result or {}, failed)


def transcript(clause: Clause, calls: tuple[MadeCall, ...]) -> Transcript:
    """A conversation of calls alone, under one clause."""
    test = compile_test(clause.expression, NUMBERS) if clause.expression else None
    stated = Stated(clause=replace(clause, test=test), place=0, text="The text.", numbers=NUMBERS)
    return Transcript((), BOX, (stated,), "2026-06-04", calls)


SEEN = call("list_cards", {}, CARDS, at=0)
USER = call("find_customer", {"email": "a@b.org"}, {"email": "a@b.org"}, at=0)
NOBODY = [call("find_customer", {"email": "x@b.org"}, at=at, failed=True) for at in (0, 2)]
FREEZE, SEND = call("freeze_card", CARD, at=10), call("transfer_money", {"recipient": "Jo", "amount": 5}, at=10)
ORDER = call("create_standing_order", {"frequency": "monthly", "payments": 12}, at=10)


def forbid(when: str = "", **more: Any) -> Clause:
    return clauses.Forbid(forbid="freeze_card", when=when, **more)


def hand_over(when: str = "") -> Clause:
    return clauses.Transfer(transfer="hand_over", of="freeze_card", when=when)


def eligible(that: str) -> Clause:
    return clauses.Eligible(eligible="freeze_card", seen="list_cards", that=that)


IDENTITY = clauses.Identity(identity="find_customer", by="email", tries="tries", transfer="hand_over")
WHOSE = clauses.Whose(whose="transfer_money#/recipient", same="email", by="find_customer")
LIMIT = clauses.Limit(limit=("transfer_money",), most="most")
BALANCE_FIRST = clauses.Order(order=("get_balance", "list_transactions"))
PAYMENTS = clauses.Amount(amount="create_standing_order#/payments", value="many if args.frequency == 'monthly' else 4")
MEMO, SCOPE = clauses.Ask(ask="transfer_money#/memo"), clauses.Scope(scope=("transfer_money",))
WRITES_ALONE = clauses.OneByOne(one_by_one="writes")
LOST, VIRTUAL = "it.kindd == 'virtual'", "it.kind == 'virtual'"
LACKS = f"freeze_card is called, and its thing lacks what {LOST!r} reads"
ANY_LACKS = "{} is called, and it or its thing lacks what {!r} reads"
OWN, OTHERS = replace(SEND, args={"recipient": "a@b.org"}), replace(SEND, args={"recipient": "c@b.org"})
UNKNOWN_USER = "{} is called before it is known who the user is"
HISTORY = call("list_transactions", {"account_id": "A1"}, at=10)
SENT = [replace(SEND, at=at, result_at=at + 1) for at in (0, 2)]
NO_FREQUENCY, ODD = replace(ORDER, args={"payments": 12}), replace(ORDER, args={**ORDER.args, "payments": 99})


@pytest.mark.parametrize(
    ("clause", "before", "made", "expected", "what"),
    [
        (forbid(), [], FREEZE, False, "freeze_card is called, which is forbidden"),
        (forbid(), [], SEND, True, ""),
        (forbid(args={"reason": "lost"}), [], FREEZE, True, ""),
        (forbid(args={"card_id": "C1"}), [], FREEZE, False, "freeze_card is called, which is forbidden"),
        (forbid(VIRTUAL), [SEEN], FREEZE, False, "freeze_card is called, which is forbidden"),
        (forbid("it.kind == 'credit'"), [SEEN], FREEZE, True, ""),
        (forbid(LOST), [SEEN], FREEZE, None, LACKS),
        (forbid(VIRTUAL), [], FREEZE, None, LACKS.replace("kindd", "kind")),
        (forbid("it.spent > 5"), [SEEN], FREEZE, None, LACKS.replace(repr(LOST), "'it.spent > 5'")),
        (forbid("args.reason == 'lost'"), [SEEN], FREEZE, True, ""),
        (hand_over(), [], FREEZE, False, "freeze_card is called, which is to be handed over"),
        (hand_over(), [], SEND, True, ""),
        (hand_over(VIRTUAL), [SEEN], FREEZE, False, "freeze_card is called, which is to be handed over"),
        (hand_over("it.kind == 'credit'"), [SEEN], FREEZE, True, ""),
        (hand_over(LOST), [SEEN], FREEZE, None, LACKS),
        (hand_over("args.reason == 'lost'"), [SEEN], FREEZE, True, ""),
        (eligible("it.kind == 'virtual'"), [SEEN], FREEZE, True, ""),
        (
            eligible("it.kind != 'virtual'"),
            [SEEN],
            FREEZE,
            False,
            "freeze_card is called for a thing that it may not be",
        ),
        (eligible(VIRTUAL), [], FREEZE, None, "freeze_card is called, and list_cards has not told of its thing"),
        (eligible(LOST), [SEEN], FREEZE, None, ANY_LACKS.format("freeze_card", LOST)),
        (SCOPE, [], SEND, True, ""),
        (SCOPE, [], FREEZE, False, "freeze_card is called, which is outside of what the assistant is for"),
        (IDENTITY, [USER], FREEZE, True, ""),
        (IDENTITY, [], FREEZE, None, UNKNOWN_USER.format("freeze_card")),
        (IDENTITY, NOBODY, FREEZE, False, "freeze_card is called after 2 wrong answers"),
        (IDENTITY, NOBODY, call("hand_over", at=10), True, ""),
        (WHOSE, [USER], OWN, True, ""),
        (WHOSE, [USER], OTHERS, False, "recipient of transfer_money is c@b.org, which is not the user's"),
        (WHOSE, [], OWN, None, UNKNOWN_USER.format("transfer_money")),
        (LIMIT, SENT[:1], SEND, True, ""),
        (LIMIT, [SENT[0], replace(SENT[1], failed=True)], SEND, True, ""),
        (LIMIT, SENT, SEND, False, "transfer_money is called more than 2 times"),
        (BALANCE_FIRST, [call("get_balance", {"account_id": "A1"})], HISTORY, True, ""),
        (
            BALANCE_FIRST,
            [call("get_balance", {"account_id": "A2"})],
            HISTORY,
            None,
            "list_transactions is called without",
        ),
        (PAYMENTS, [], ORDER, True, ""),
        (PAYMENTS, [], ODD, None, "payments of create_standing_order is 99, and not 12"),
        (PAYMENTS, [], NO_FREQUENCY, None, ANY_LACKS.format("create_standing_order", PAYMENTS.expression)),
        (MEMO, [], replace(SEND, args={"memo": "rent"}), True, ""),
        (MEMO, [], SEND, None, "transfer_money is called, and nobody has asked for memo"),
        (WRITES_ALONE, [SEEN], FREEZE, True, ""),
        (WRITES_ALONE, [replace(SEEN, at=10)], FREEZE, True, ""),
        (WRITES_ALONE, [replace(SEND, at=10)], FREEZE, None, "2 calls are made at once"),
    ],
)
def test_verdicts(clause: Clause, before: list[MadeCall], made: MadeCall, expected: bool | None, what: str) -> None:
    talk = transcript(clause, (*before, made))
    assert verdict(talk.clauses[0], talk, made) is expected
    found = [one.what for one in breaches(talk) if one.at == 10]
    assert [one.startswith(what) for one in found] == [True] * (expected is not True), found


@pytest.mark.parametrize("places", [(1, 3, 5, 7), (1, 1, 1, 1)])
def test_a_limit_blames_only_the_calls_beyond_it(places: tuple[int, ...]) -> None:
    talk = transcript(LIMIT, tuple([replace(SEND, at=at, result_at=9) for at in places]))
    assert [(one.at, one.what) for one in breaches(talk)] == [
        (at, "transfer_money is called more than 2 times (The text.)") for at in places[2:]
    ]


@pytest.mark.parametrize(("recipient", "is_due"), [("a@b.org", True), ("c@b.org", False)])
def test_an_offer_is_due_where_the_first_clause_that_rules_a_call_out_has_one(recipient: str, is_due: bool) -> None:
    """What is not the user's own is refused for that, and without the offer that another clause's refusals have."""
    stated = (
        Stated(clause=clauses.Instead(instead="transfer_money", offer=("Ask a branch.",)), place=0, text="Offer."),
        Stated(clause=clauses.Forbid(forbid="transfer_money"), place=1, text="None."),
        Stated(clause=WHOSE, place=2, text="Own."),
    )
    left = UnmadeCall("transfer_money", {"recipient": recipient}, 4, "I can't.")
    messages = [AssistantMessage("I can't.")] * 5
    talk = Transcript(messages, BOX, stated, "2026-06-04", (USER,), refused=(left,))
    assert [one.at for one in breaches(talk) if one.kind == "instead"] == [4] * is_due


def test_a_planner_refuses_rows_of_which_nobody_knows_what_a_clause_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The field of a clause is misspelt: no row under it freezes a card, and what is said of that names file and line."""
    recipe = load_recipe(ROOT / "recipes" / "service.yaml", scenarios=SCENARIOS, formats=FORMATS)
    tools = tuple([path for path in recipe.tools if Path(str(path)).stem in ("desk", "banking")])
    policies = tuple([path for path in recipe.policies if Path(str(path)).stem == "bank"])
    prepared = prepare(replace(recipe, tools=tools, policies=policies))
    (bank,) = prepared.toolkit.policies
    misspelt = [
        replace(clause, when=LOST, test=compile_test(LOST), share=1.0) if clause.expression == VIRTUAL else clause
        for clause in bank.clauses
    ]
    (at,) = [place for place, clause in enumerate(misspelt) if clause not in bank.clauses]
    policy = replace(bank, clauses=tuple(misspelt))
    prepared = replace(prepared, toolkit=replace(prepared.toolkit, policies=(policy,)))
    said: list[str] = []
    monkeypatch.setattr(CannotFillError, "__init__", lambda self, text: said.append(text))
    called: set[str] = set()
    for index in range(40):
        try:
            row = make_row(prepared, index)
        except RowError:
            continue
        called |= {one.name for message in row.row.conversation.messages for one in getattr(message, "tool_calls", ())}
    where = bank.clauses[at].where
    assert "bank.yaml:" in where
    assert called
    assert "freeze_card" not in called
    expected = f"{where}: nobody knows whether freeze_card may be called: {LACKS}"
    assert expected in said, {one for one in said if "nobody" in one}
