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
