"""Whether a request still names what it is about: the weather, not the time."""

from collections.abc import Sequence

from generator.toolbox import ToolSpec, name_as_words
from generator.validation.reworded.marked import MarkedText
from generator.validation.reworded.unknown import forms_of, is_usual, with_alike


def lost_topic(was: MarkedText, now: MarkedText, tools: Sequence[ToolSpec]) -> str:
    """Return a word that names what a tool is about, if the old text has such words of it and the new one none; else an empty text."""
    before, after = ({token.text for token in text.tokens if token.text[:1].isalpha()} for text in (was, now))
    said = {form for word in after for part in {word, *word.split("-")} for form in forms_of(part)}
    for tool in tools:
        names = {word for word in name_as_words(tool.name).lower().split() if not is_usual(word)} if tool.looks_up else set()
        told = names & {form for word in before for form in forms_of(word)}
        if told and not said & with_alike(names):
            return f"does not speak of it: {', '.join(sorted(told))}"
    return ""


_ALSO = frozenset({"also", "too", "well", "plus", "additionally", "besides"})
_PARTS = frozenset([".", "!", "?", ";", ",", "\n", "and"])


def added_wish(was: MarkedText, now: MarkedText) -> str:
    """Return a fault if the new text wants something more without any value: "and give me the forecast as well"."""
    return "wants something more" if _wishes_for_more(now) > _wishes_for_more(was) else ""


def _wishes_for_more(text: MarkedText) -> int:
    """Return how many parts have no value, but a word for more and others that name something."""
    count, words, values = 0, list[str](), 0
    for token in [*text.tokens, None]:
        if token is None or token.text in _PARTS:
            more = _ALSO.intersection(words)
            count += bool(more) and not values and len(words) > _FEW
            words, values = [], 0
        elif token.value >= 0:
            values += 1
        else:
            words.append(token.text)
    return count


_FEW = 4
