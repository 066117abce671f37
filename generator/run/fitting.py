"""Rows that are not longer than the recipe allows: tools that are not called are left out until they fit."""

from functools import lru_cache

import msgspec

from generator.conversation import AssistantMessage, Conversation, Violation
from generator.data.lengths import Measure, measure_by
from generator.errors import CannotCarryError
from generator.formats import FORMATS
from generator.recipe import LengthLimits, Recipe
from generator.sinks import encode_line

CODE = "PL102"


def fit(conversation: Conversation, recipe: Recipe) -> Conversation | Violation:
    """The conversation, with fewer tools on offer where it is too long; what is wrong where that is not enough."""
    most = recipe.lengths.max_tokens
    if most is None:
        return conversation
    measure = _measure(recipe.lengths)
    called = {c.name for m in conversation.messages if isinstance(m, AssistantMessage) for c in m.tool_calls}
    while (tokens := _tokens(conversation, recipe, measure)) > most:
        others = [at for at, tool in enumerate(conversation.tools) if tool.name not in called]
        if not others:
            return Violation(CODE, "$", f"{tokens:,} tokens, and {most:,} are allowed")
        tools = conversation.tools[: others[-1]] + conversation.tools[others[-1] + 1 :]
        conversation = msgspec.structs.replace(conversation, tools=tools)
    return conversation


@lru_cache(maxsize=8)
def _measure(limits: LengthLimits) -> Measure:
    return measure_by(limits.tokenizer)


def _tokens(conversation: Conversation, recipe: Recipe, measure: Measure) -> int:
    """Tokens of the longest record that is written of the conversation."""
    longest = 0
    for name in recipe.formats:
        try:
            record = FORMATS[name].render(conversation)
            longest = max(longest, measure(record, encode_line(record)))
        except CannotCarryError:  # the format gets no record
            continue
    return longest
