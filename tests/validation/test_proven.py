"""The quick look at a row never passes one in which the careful checks find a fault."""

import random
from functools import lru_cache
from pathlib import Path
from unittest.mock import patch

import pytest
from changed_rows import Bench, Made, replace, text_of
from generator.validation.phrase_grammar.fragments import check_fragments
from generator.validation.proof.check_proof import check_proof
from generator.validation.proof.proven import surely_proven
from hypothesis import given
from hypothesis import strategies as st

from generator.conversation import AnswerClaim, Claim, Proof, ToolCall, ToolMessage, Violation
from generator.formats import FORMATS
from generator.recipe.load import load_recipe
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS
from generator.validation.phrase_grammar import fragments

RECIPES = Path(__file__).parents[2] / "recipes"


@lru_cache
def made_by(name: str) -> Bench:
    shop = prepare(load_recipe(RECIPES / f"{name}.yaml", scenarios=SCENARIOS, formats=FORMATS))
    made = [make_row(shop, index).row for index in range(80)]
    return Bench([Made(row.conversation, row.proof) for row in made], shop.toolbox)


@pytest.mark.parametrize("name", ["parallel", "mixed", "property_based"])
def test_rows_are_passed_as_a_rule(name: str) -> None:
    """A row that is turned down is right all the same, but checking it takes three times as long."""
    bench = made_by(name)
    direct = [made for made in bench.rows if {claim.source for claim in made.proof.arguments} == {"user"}]
    passed = [surely_proven(*made, bench.toolbox) for made in direct]
    assert sum(passed) > 0.95 * len(direct) > 0


# -- changes: each takes a row and chance, and gives the changed row ------------------------------------------------


def with_claims(made: Made, change) -> Made:
    arguments, answers = list(made.proof.arguments), list(made.proof.answers)
    change(arguments, answers)
    return made._replace(proof=Proof(arguments=tuple(arguments), answers=tuple(answers)))


def alter_a_claim(made: Made, chance: random.Random) -> Made:
    """Another beginning, end, place, way of saying, call or message."""

    def change(arguments: list[Claim], answers: list[AnswerClaim]) -> None:
        claims = chance.choice([found for found in (arguments, answers) if found])
        at = chance.randrange(len(claims))
        fields = ["start", "end", "pointer", "verbalizer", "call_id", "message", *(["of"] if claims is answers else [])]
        field = chance.choice(fields)
        value = getattr(claims[at], field)
        if field in {"start", "end", "message"} and chance.random() < 0.7:
            value = (value or 0) + chance.choice([-1, 1, 2, -5])
        else:
            value = getattr(chance.choice(claims), field)
        claims[at] = replace(claims[at], **{field: value})

    return with_claims(made, change)


def drop_or_double_a_claim(made: Made, chance: random.Random) -> Made:
    def change(arguments: list[Claim], answers: list[AnswerClaim]) -> None:
        claims = chance.choice([found for found in (arguments, answers) if found])
        at = chance.randrange(len(claims))
        claims[at : at + 1] = [claims[at]] * chance.choice([0, 2])

    return with_claims(made, change)


def order_claims_anew(made: Made, chance: random.Random) -> Made:
    def change(arguments: list[Claim], answers: list[AnswerClaim]) -> None:
        chance.shuffle(arguments)
        chance.shuffle(answers)

    return with_claims(made, change)


def edit_a_text(made: Made, chance: random.Random) -> Made:
    """A letter, a digit or a word more or less somewhere; what is claimed about what follows may move along."""
    messages = list(made.talk.messages)
    index = chance.randrange(len(messages))
    content = text_of(made.talk, index)
    at = chance.randrange(len(content) + 1)
    added = chance.choice(["", "x", "7", " ", " and", ", ", "not ", "1. ", "Ü", "\n"])
    cut = chance.choice([0, 0, 1, 3])
    messages[index] = replace(messages[index], content=content[:at] + added + content[at + cut :])
    made = made._replace(talk=replace(made.talk, messages=tuple(messages)))
    return moved(made, index, at, len(added) - cut) if chance.random() < 0.7 else made


def moved(made: Made, index: int, at: int, by: int) -> Made:
    """The claims about a message, those behind a place farther on."""

    def change(arguments: list[Claim], answers: list[AnswerClaim]) -> None:
        for claims in (arguments, answers):
            for place, claim in enumerate(claims):
                if claim.message == index and claim.start is not None and claim.start >= at:
                    claims[place] = replace(claim, start=claim.start + by, end=(claim.end or 0) + by)

    return with_claims(made, change)


def alter_a_call(made: Made, chance: random.Random) -> Made:
    """Another value, a value less, another tool, another call's arguments or id."""
    messages = list(made.talk.messages)
    at = chance.choice([at for at, message in enumerate(messages) if getattr(message, "tool_calls", ())])
    calls: list[ToolCall] = list(messages[at].tool_calls)
    which, other = chance.randrange(len(calls)), chance.choice(calls)
    arguments = dict(calls[which].arguments)
    if arguments and chance.random() < 0.6:
        key = chance.choice(list(arguments))
        arguments[key] = chance.choice([*arguments.values(), *other.arguments.values(), None, 1, True, "Oslo"])
        if chance.random() < 0.3:
            del arguments[key]
        calls[which] = replace(calls[which], arguments=arguments)
    else:
        field = chance.choice(["name", "arguments", "id"])
        calls[which] = replace(calls[which], **{field: getattr(other, field)})
    messages[at] = replace(messages[at], tool_calls=tuple(calls))
    return made._replace(talk=replace(made.talk, messages=tuple(messages)))


def alter_a_result(made: Made, chance: random.Random) -> Made:
    """Another result, another id, or no result."""
    messages = list(made.talk.messages)
    told = [at for at, message in enumerate(messages) if isinstance(message, ToolMessage)]
    at, other = chance.choice(told), messages[chance.choice(told)]
    field = chance.choice(["content", "tool_call_id", ""])
    if field:
        messages[at] = replace(messages[at], **{field: getattr(other, field)})
    else:
        del messages[at]
    return made._replace(talk=replace(made.talk, messages=tuple(messages)))


CHANGES = (
    alter_a_claim,
    drop_or_double_a_claim,
    order_claims_anew,
    edit_a_text,
    alter_a_call,
    alter_a_result,
)


@pytest.mark.parametrize("change", CHANGES)
@given(st.sampled_from(["parallel", "mixed", "property_based"]), st.integers(0, 79), st.randoms(use_true_random=False))
def test_what_it_passes_has_no_fault(change, name: str, index: int, chance: random.Random) -> None:
    bench = made_by(name)
    changed = change(bench.rows[index], chance)
    if surely_proven(*changed, bench.toolbox):
        assert careful(changed, bench) == []


def careful(made: Made, bench: Bench) -> list[Violation]:
    """What the careful checks find, without a first look of their own."""
    with patch.object(fragments, "_surely_right", lambda talk: talk.parts.sort(key=fragments._by_place)):
        return check_proof(*made, bench.toolbox) + check_fragments(*made, bench.toolbox)


@pytest.mark.parametrize("content", [None, ""])
def test_claims_about_an_answer_that_says_nothing(content: str | None) -> None:
    bench = made_by("parallel")
    made = next(made for made in bench.rows if made.proof.answers and surely_proven(*made, bench.toolbox))
    *others, last = made.talk.messages
    silent = made._replace(talk=replace(made.talk, messages=(*others, replace(last, content=content))))
    assert careful(silent, bench)
    assert not surely_proven(*silent, bench.toolbox)


@pytest.mark.parametrize("field", [{"start": -1, "end": 0}, {"call_id": ""}, {"start": 10**6, "end": 10**6 + 3}])
@pytest.mark.parametrize("kind", ["arguments", "answers"])
def test_claims_that_point_nowhere(field: dict[str, object], kind: str) -> None:
    bench = made_by("parallel")
    for made in bench.rows[:20]:
        first, *rest = getattr(made.proof, kind)
        changed = made._replace(proof=replace(made.proof, **{kind: (replace(first, **field), *rest)}))
        assert careful(changed, bench)
        assert not surely_proven(*changed, bench.toolbox)
