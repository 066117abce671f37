"""What a model thinks before it answers, where its server leaves it in the text: `<think>…</think>` and then the answer."""

import re

_OPENED = re.compile(r"\s*<(think|thinking|reasoning)>")
_CLOSED = re.compile(r"</(?:think|thinking|reasoning)>")


def without_reasoning(text: str) -> tuple[str, str]:
    """Return (reasoning, answer).

    The opening tag may be missing: the chat templates of some models write it, so that the server does not return it. Reasoning
    that does not end is all there is: the answer is empty then.
    """
    opened = _OPENED.match(text)
    closed = _CLOSED.search(text)
    if opened is None and (closed is None or _ANY.search(text, 0, closed.start())):
        return "", text
    start = opened.end() if opened is not None else 0
    if closed is None:
        return text[start:].strip(), ""
    return text[start : closed.start()].strip(), text[closed.end() :].lstrip()


_ANY = re.compile(r"<(?:think|thinking|reasoning)>|[{\[]")
"""An opening tag elsewhere, or JSON: then the closing tag is a part of the answer."""
