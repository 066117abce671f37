"""What a server does not take, as its refusals say it: learnt once, and left out of all later requests."""

import re
from collections.abc import Collection
from typing import Any

_PARAMETERS = (
    "max_completion_tokens",
    "max_tokens",
    "seed",
    "temperature",
    "top_p",
    "frequency_penalty",
    "presence_penalty",
)
_RENAMED = "max_completion_tokens"
_FORMS = ("json_schema", "json_object")
_OF_FORMS = re.compile(r"response_format|json_schema|json_object|json mode|structured output|\bschema\b", re.IGNORECASE)


def learnt_from(words: str, sent: dict[str, Any]) -> str:
    """Return what of a request a server does not take, by its own words; empty where they do not tell.

    Args:
        words: Why it refuses.
        sent: The fields of the request.
    """
    named = [name for name in _PARAMETERS if re.search(rf"\b{name}\b", words, re.IGNORECASE)]
    if _RENAMED in named and "max_tokens" in sent:
        return _RENAMED
    if wrong := next((name for name in named if name in sent), ""):
        return "max_tokens" if wrong == _RENAMED else wrong
    form = sent.get("response_format", {}).get("type", "")
    return form if form and _OF_FORMS.search(words) else ""


def fitted(sent: dict[str, Any], learnt: Collection[str]) -> dict[str, Any]:
    """Return the fields of a request without what a server does not take: a looser form of JSON instead of a strict one."""
    found = {name: value for name, value in sent.items() if name not in learnt}
    if _RENAMED in learnt and "max_tokens" in found:
        found[_RENAMED] = found.pop("max_tokens")
    form = found.get("response_format", {}).get("type", "")
    looser = [one for one in _FORMS[_FORMS.index(form) :] if one not in learnt] if form in learnt else [form]
    if form and not looser:
        del found["response_format"]
    elif form and looser != [form]:
        found["response_format"] = {"type": looser[0]}
    return found


def in_words(learnt: str) -> str:
    """Return what was learnt, as `MODEL WHAT`, for people."""
    model, _, what = learnt.rpartition(" ")
    if what in _FORMS:
        return f"{model} does not take {what}: it is asked in a looser form (llm.json_mode)"
    if what == _RENAMED:
        return f"{model} takes max_tokens as {_RENAMED}"
    return f"{model} does not take {what}: it is left out"
