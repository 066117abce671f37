"""Preference data: beginnings of a finished row, each with what is rejected in place of its last message.

What is rejected is drawn from a random stream of its own, so the rows are the same without it. A continuation is used only
when the checker of rows, which did not make it, finds the one defect that it was made to have (`validation/rejected.py`).
Which defects are tried first is weighed so that all of them occur about equally often (`balance.py`).
"""

from collections.abc import Callable, Iterable

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Rejected
from generator.core.seeds import Draw, stream_seed
from generator.dialogue.acts.rejected import Continuation, defect_of, is_right
from generator.recipe import Preferences
from generator.run.overlays import OverlaidRow
from generator.run.overlays.preferences.balance import SAMPLE, balanced
from generator.run.overlays.preferences.finished_row import FinishedRow
from generator.run.overlays.preferences.making import MAKERS
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
        frozenset([one.rejected.defect for one in made(sampled, index) if one.rejected]) for index in range(SAMPLE)
    ]
    prepared.defects = balanced(dict(wanted), shown)


def write_preferences(
    prepared: PreparedRecipe,
    index: int,
    worded: tuple[Conversation, Proof],
    shown: OverlaidRow,
    state: State | None,
    draw: Draw,
) -> tuple[Conversation, ...]:
    """Return the rejected conversations of a row: up to `preferences.per_row`, each with another defect.

    Args:
        prepared: The recipe.
        index: The row.
        worded: The row with the usual names.
        shown: The row as it is written.
        state: What had become of its entities.
        draw: The row's random stream; it is not drawn from, and tells the day.
    """
    draw = Draw(stream_seed(prepared.seed, "preferences", index), draw.today)
    salt = stream_seed(prepared.seed, "world", index)
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
