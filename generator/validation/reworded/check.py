"""All checks of a rewording: does it say the same values of the same calls, and nothing else?"""

from collections import Counter
from collections.abc import Mapping, Sequence

from generator.toolbox import ToolSpec
from generator.validation.reworded.additions import addition
from generator.validation.reworded.marked import MarkedText
from generator.validation.reworded.meaning import other_meaning
from generator.validation.reworded.own_words import other_values, own_words
from generator.validation.reworded.roles import role_fault
from generator.validation.reworded.survival import Span, Spoken, around, find_again, other_ways, with_pronouns
from generator.validation.reworded.unknown import unknown_word, words_of_tool


def say_the_same(
    old: str, new: str, spoken: Sequence[Spoken], calls: Mapping[str, ToolSpec], *, is_english: bool, is_request: bool
) -> tuple[list[Span], str]:
    """Return where each value stands in the new text, in the order given, and no fault; or why the new text is refused.

    Args:
        old: The template's text.
        new: The other words for it.
        spoken: The values of the old text.
        calls: The tools of all calls of the row, by the ids of the calls.
        is_english: Whether what is known of English words can be used.
        is_request: Whether the user says it, not the assistant.
    """
    said_again: list[Span] = []
    spans, fault = find_again(old, new, spoken, said_again)
    if fault:
        return [], fault
    new = with_pronouns(new, said_again)
    old_spans = [(one.start, one.end) for one in spoken]
    was, now = MarkedText(old, old_spans, spoken), MarkedText(new, spans, spoken)
    fault = role_fault(was, now, spans, is_english=is_english, is_request=is_request)
    for way in other_ways(old, new, spoken, spans) if fault else ():
        other = MarkedText(new, way, spoken)
        if not role_fault(was, other, way, is_english=is_english, is_request=is_request):
            spans, now, fault = way, other, ""
            break
    if fault:
        return [], fault
    tools = list({spec.name: spec for spec in calls.values()}.values())
    around_old = around(old, [(one.start, one.end) for one in spoken])
    others = other_values(tools) if is_request else ()
    fault = addition(around_old, around(new, spans), is_english, own_words(tools), others, _counts(spoken, calls))
    if not fault and is_english:
        word = unknown_word(was.tokens, now.tokens, [words_of_tool(tool) for tool in tools])
        fault = f"speaks of something else: {word}" if word else ""
    if not fault and is_english:
        fault = other_meaning(was, now, calls, is_request=is_request)
    return ([], fault) if fault else (spans, "")


def _counts(spoken: Sequence[Spoken], calls: Mapping[str, ToolSpec]) -> set[int]:
    """Return how many calls there are, of each tool and in all, and how many elements of each list a text tells of."""
    told = {call for one in spoken for call in one.calls}
    elements = {(one.calls, one.record.rpartition("/")[0], one.record) for one in spoken if one.record}
    lists = Counter(element[:2] for element in elements).values()
    return {len(told), *Counter(calls[call].name for call in told if call in calls).values(), *lists} - {1}
