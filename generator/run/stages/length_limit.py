"""Rows that are not longer than the recipe allows: tools that are not called are left out until they fit."""

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Violation
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS
from generator.formats.files.lengths import measure_by
from generator.formats.sinks import encode_line
from generator.recipe import Recipe

CODE = "PL102"


def fit_length(conversation: Conversation, recipe: Recipe) -> Conversation:
    """Return the conversation, with tools that are not called left out until it is short enough."""
    most = recipe.lengths.max_tokens
    if most is None:
        return conversation
    called = {c.name for m in conversation.messages if isinstance(m, AssistantMessage) for c in m.tool_calls}
    while _tokens(conversation, recipe) > most:
        others = [at for at, tool in enumerate(conversation.tools) if tool.name not in called]
        if not others:
            break
        tools = conversation.tools[: others[-1]] + conversation.tools[others[-1] + 1 :]
        conversation = msgspec.structs.replace(conversation, tools=tools)
    return conversation


def too_long(conversation: Conversation, recipe: Recipe) -> list[Violation]:
    """Return what is wrong with a conversation that does not fit."""
    most = recipe.lengths.max_tokens
    if most is None or (tokens := _tokens(conversation, recipe)) <= most:
        return []
    return [Violation(CODE, "$", f"{tokens:,} tokens, and {most:,} are allowed")]


def _tokens(conversation: Conversation, recipe: Recipe) -> int:
    """Return tokens of the longest record that is written of the conversation."""
    longest, measure = 0, measure_by(recipe.lengths.tokenizer)
    for name in recipe.formats:
        try:
            record = FORMATS[name].render(conversation)
            longest = max(longest, measure(record, encode_line(record)))
        except CannotCarryError:  # the format gets no record
            continue
    return longest
