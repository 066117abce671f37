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
    if opened is None and (closed is None or _is_said(text, closed)):
        return "", text
    start = opened.end() if opened is not None else 0
    if closed is None:
        return text[start:].strip(), ""
    return text[start : closed.start()].strip(), text[closed.end() :].lstrip()


def _is_said(text: str, closed: re.Match[str]) -> bool:
    """Whether a closing tag without an opening one is a part of the answer: one of JSON, in which no line ends, or of what is said of tags."""
    before = text[: closed.start()]
    return _OPENING.search(before) is not None or (
        not text.startswith("\n", closed.end()) and ("{" in before or "[" in before)
    )


_OPENING = re.compile(r"<(?:think|thinking|reasoning)>")
