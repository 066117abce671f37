"""Preference data: beginnings of a finished row, each with what is rejected in place of its last message.

What is rejected is drawn from a random stream of its own, so the rows are the same without it. A continuation is used only
when the checker of rows, which did not make it, finds the one defect that it was made to have (`validation/rejected.py`).
Which defects are tried first is weighed so that all of them occur about equally often.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Rejected
from generator.core.defects import DEFECTS_OF_CALLS
from generator.core.seeds import Draw, stream_seed
from generator.dialogue.acts.rejected import Continuation, defect_of, is_right
from generator.recipe import Preferences
from generator.run.overlays import OverlaidRow
from generator.run.overlays.preferences.finished_row import FinishedRow
from generator.run.overlays.preferences.other_calls import (
    call_instead_of_question,
    calls_with,
    dependent_calls,
    extra_call,
)
from generator.run.overlays.preferences.other_texts import (
    early_stop,
    ignored_error,
    question_instead_of_call,
    unfounded_claim,
)
from generator.run.overlays.scramble import renamed_message
from generator.run.prepared import PreparedRecipe
from generator.scenarios.defects import why_never
from generator.world.state import State

__all__ = ["weigh_defects", "write_preferences"]

Found = tuple[int, Continuation, str]
"""The index of a message, the rejected continuation in its place, and the defect of that."""


def weigh_defects(prepared: PreparedRecipe, made: Callable[[PreparedRecipe, int], Iterable[Conversation]]) -> None:
    """Set the weights of the recipe's defects.

    Args:
        prepared: The recipe; `defects` of it is set.
        made: Returns the rejected conversations of a row; of a row that cannot be made, none.
    """
    recipe = prepared.recipe
    usual = tuple([(name, 1.0) for name in MAKERS if why_never(name, recipe) is None])
    wanted = recipe.preferences.defects or usual
    every = Preferences(defects=wanted, per_row=len(MAKERS))
    sampled = msgspec.structs.replace(
        prepared,
        recipe=msgspec.structs.replace(recipe, preferences=every),
        defects=wanted,
        backend=prepared.simulated,
        uses=None,
    )
    shown = [
        frozenset([one.rejected.defect for one in made(sampled, index) if one.rejected]) for index in range(_SAMPLE)
    ]
    prepared.defects = _balanced(dict(wanted), shown)


def write_preferences(
    prepared: PreparedRecipe,
    salt: int,
    index: int,
    worded: tuple[Conversation, Proof],
    shown: OverlaidRow,
    state: State | None,
    draw: Draw,
) -> tuple[Conversation, ...]:
    """Return the rejected conversations of a row: up to `preferences.per_row`, each with another defect.

    Args:
        prepared: The recipe.
        salt: Of the row's world.
        index: The row.
        worded: The row with the usual names.
        shown: The row as it is written.
        state: What had become of its entities.
        draw: The row's random stream; it is not drawn from, and tells the day.
    """
    draw = Draw(stream_seed(prepared.seed, "preferences", index), draw.today)
    row = FinishedRow(conversation=worded[0], proof=worded[1], prepared=prepared, draw=draw, salt=salt, state=state)
    found: list[Found] = []
    for name in draw.ordered(prepared.defects or ()):
        one = _find(row, name)
        if one is not None:
            found.append(one)
        if len(found) == prepared.recipe.preferences.per_row:
            break
    return tuple([_shown(one, shown) for one in found])


def _find(row: FinishedRow, name: str) -> Found | None:
    """Return a continuation with that defect and no other, in place of any message that is to be learnt; None if none is found."""
    messages, toolbox = row.conversation.messages, row.prepared.toolbox
    places = [at for at, message in enumerate(messages) if isinstance(message, AssistantMessage) and message.train]
    for at in row.draw.shuffled(places):
        is_checked = False
        for tried, wrong in enumerate(MAKERS[name](row, at)):
            if not is_checked and not is_right(row.conversation, row.proof, at, toolbox):
                break
            is_checked = True
            if defect_of(row.conversation, row.proof, at, wrong, toolbox) == name:
                return at, wrong, name
            if tried == _MOST_TRIED:
                break
    return None


_MOST_TRIED = 12
"""The most continuations of one kind that are tried in place of one message."""


def _shown(found: Found, shown: OverlaidRow) -> Conversation:
    """Return the beginning of the row as it is written, with the rejected continuation."""
    at, wrong, name = found
    message = renamed_message(wrong.message, shown.renamed) if shown.renamed else wrong.message
    messages = shown.conversation.messages[: at + 1]
    return msgspec.structs.replace(shown.conversation, messages=messages, rejected=Rejected(message, name))


MakeContinuations = Callable[[FinishedRow, int], Iterator[Continuation]]
"""(row, index of the message) → continuations that might stand in its place."""

MAKERS: dict[str, MakeContinuations] = {
    **{name: partial(calls_with, name) for name in DEFECTS_OF_CALLS},
    "extra_call": extra_call,
    "dependent_calls": dependent_calls,
    "call_instead_of_question": call_instead_of_question,
    "question_instead_of_call": question_instead_of_call,
    "unfounded_claim": unfounded_claim,
    "early_stop": early_stop,
    "ignored_error": ignored_error,
}
"""Name of the defect → its makers."""


_SAMPLE = 100
"""How many rows are made for it."""
_ROUNDS = 30
_MOST = 1000.0
"""How much more weight a defect has than wanted at most: it is then tried before all others."""


def _balanced(wanted: Mapping[str, float], shown: Iterable[frozenset[str]]) -> tuple[tuple[str, float], ...]:
    """Return (name, weight) pairs of the defects.

    Args:
        wanted: How often each should occur, as weights.
        shown: For each row of the sample, the defects that it can show.
    """
    rows = Counter([one for one in shown if one])
    seen = frozenset().union(*rows)
    share = sum(rows.values()) / (sum(wanted[name] for name in seen) or 1)
    weights = dict(wanted)
    for _ in range(_ROUNDS):
        expected = dict.fromkeys(seen, 0.0)
        for able, number in rows.items():
            whole = sum(weights[name] for name in able)
            for name in able:
                expected[name] += number * weights[name] / whole
        for name in seen:
            weights[name] = min(weights[name] * share * wanted[name] / expected[name], _MOST * wanted[name])
    return tuple([(name, weights[name] if name in seen else _MOST * wanted[name]) for name in wanted])
