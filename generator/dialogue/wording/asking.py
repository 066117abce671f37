"""Whether a sentence of the user asks to be told something: it is a question, or says "show", "list" or "what"."""

import re
from collections.abc import Sequence

from generator.core.connectives import Connectives

_WORDS = re.compile(r"[a-zäöüß']+")
_ENDS = re.compile(r"[.?!](?=\s)|\n")


def asks_to_be_told(text: str, spans: Sequence[tuple[int, int]], start: int | None, words: Connectives) -> bool:
    """Whether the sentence asks to be told something.

    Args:
        text: The message.
        spans: Start and end of the values in it: stops within them end no sentence.
        start: A place in the sentence; None when it cannot be told which it is.
        words: Those of its language.
    """
    if start is None:
        return True
    begin, end = 0, len(text)
    ends = text
    for left, right in spans:
        ends = f"{ends[:left]}{'_' * (right - left)}{ends[right:]}"
    for stop in _ENDS.finditer(ends):
        if stop.end() <= start:
            begin = stop.end()
        else:
            end = stop.end()
            break
    sentence = text[begin:end].casefold().strip()
    if sentence.startswith(words.things) and sentence.endswith(words.please):
        return True  # "The contact details of Ada King, please."
    return "?" in sentence or not words.asking_to_be_told.isdisjoint(_WORDS.findall(sentence))
