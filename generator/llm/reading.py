"""Check whether an answer is what was asked for. Answers may be hostile or broken; nothing is repaired."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import jsonschema_rs
import orjson

from generator.core.errors import FormatError
from generator.core.exact_json import read_exactly
from generator.core.offline_schemas import validator
from generator.llm.asking import Asker, ModelAnswer, Request

_CONTROL_TOKEN = re.compile(
    r"<\|[^<>|\n]{0,60}\|>|</?s>|\[/?INST\]|<</?SYS>>|</?(?:bos|eos|pad|unk|mask|start_of_turn|end_of_turn)>"
    r"|</?(?:think|tool_call|tool_calls|tool_response|function_call|tools)>|\[/?(?:TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)\]"
)
"""What chat templates and tool-call parsers give a meaning to."""
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\uffff"
    "\ud800-\udfff\ue000-\uf8ff\U000e0000-\U000fffff\U00100000-\U0010ffff]"
)
"""Controls, marks that are not seen or turn the direction of text, private letters."""
_FENCE = "```"
_DEEPEST = 60


def json_of_answer(answer: ModelAnswer, schema: dict[str, Any]) -> tuple[Any, str]:
    """Return the JSON value of an answer, or why it cannot be used.

    The whole text must be JSON (or one fenced block of it) that follows the schema, formats asserted; JSON in the
    middle of prose is refused.
    """
    if answer.fault:
        return None, answer.fault
    text = _without_fence(answer.text)
    try:
        value = orjson.loads(text)
        _check_depth(value, _DEEPEST)
        read_exactly(text.encode())
    except orjson.JSONDecodeError:
        return None, "not JSON"
    except FormatError:
        return None, "repeated keys"
    except RecursionError:
        return None, "too deep"
    fault = text_fault_within(value)
    if not fault:
        error = next(iter(_validator_of(schema).iter_errors(value)), None)
        fault = "" if error is None else f"not valid: {_shortened(error.message)}"
    return (None, fault) if fault else (value, "")


def ask_for_json(asker: Asker, request: Request, schema: dict[str, Any]) -> tuple[Any, ModelAnswer, str]:
    """Return the JSON value of the answer to a request, the answer itself, and why it cannot be used, or nothing."""
    (answer,) = asker.ask(request)
    value, fault = json_of_answer(answer, schema)
    asker.judge(request, answer, fault)
    return value, answer, fault


def _without_fence(text: str) -> str:
    """Return what stands between the lines of a fenced block, if the text is one."""
    block = text.strip()
    if not (block.startswith(_FENCE) and block.endswith(_FENCE)):
        return text
    first_line, _, rest = block.removeprefix(_FENCE).removesuffix(_FENCE).removeprefix("json").partition("\n")
    content, line_break, last_line = rest.rpartition("\n")
    return content if line_break and not first_line.strip() and not last_line.strip() else text


def _validator_of(schema: dict[str, Any]) -> jsonschema_rs.Validator:
    """Return a validator of the schema, compiled once."""
    try:
        return _compiled(orjson.dumps(schema))
    except TypeError:  # whole numbers beyond 64 bits
        return validator(schema)


@lru_cache(maxsize=512)
def _compiled(schema: bytes) -> jsonschema_rs.Validator:
    """Return the validator of a schema written as JSON."""
    return validator(orjson.loads(schema))


def answer_fault(text: str) -> str:
    """Return why a text may not be used in a row, or nothing."""
    if _CONTROL_TOKEN.search(text):
        return "holds a control token"
    return "holds unseen characters" if _UNSEEN.search(text) else ""


def texts_within(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield all texts of a JSON value, each with the name of its property."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from texts_within(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from texts_within(part, name)


def text_fault_within(value: Any, fault_of: Callable[[str], str] = answer_fault) -> str:
    """Return the first fault of a text or key of a JSON value, as `fault_of` finds it, or nothing."""
    if isinstance(value, str):
        return fault_of(value)
    if isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list):
        parts = value
    else:
        return ""
    return next((fault for part in parts if (fault := text_fault_within(part, fault_of))), "")


def kind_of_fault(fault: str) -> str:
    """Return the fault without its details, so that like is counted together."""
    return fault.partition(":")[0]


def _check_depth(value: Any, levels_left: int) -> None:
    """Raise RecursionError for a value that is nested deeper than so many levels."""
    if levels_left == 0:
        raise RecursionError
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in parts:
        _check_depth(part, levels_left - 1)


def _shortened(message: str) -> str:
    """Return a message on one line, cut where it is long."""
    line = " ".join(message.split())
    return line if len(line) <= 160 else line[:159] + "…"


_CLOSED = re.compile(r"</(?:think|thinking|reasoning)>")


def without_reasoning(text: str) -> tuple[str, str]:
    """Return (reasoning, answer).

    The opening tag may be missing: the chat templates of some models write it, so that the server does not return it. Reasoning
    that does not end is all there is: the answer is empty then.
    """
    opening_tag = _OPENING.match(text, len(text) - len(text.lstrip()))
    closing_tag = _CLOSED.search(text)
    if opening_tag is None and (closing_tag is None or _is_part_of_answer(text, closing_tag)):
        return "", text
    start = opening_tag.end() if opening_tag is not None else 0
    if closing_tag is None:
        return text[start:].strip(), ""
    return text[start : closing_tag.start()].strip(), text[closing_tag.end() :].lstrip()


def _is_part_of_answer(text: str, closing_tag: re.Match[str]) -> bool:
    """Whether a closing tag without an opening one is a part of the answer: one of JSON, in which no line ends, or of what is said of tags."""
    before = text[: closing_tag.start()]
    return _OPENING.search(before) is not None or (
        not text.startswith("\n", closing_tag.end()) and ("{" in before or "[" in before)
    )


_OPENING = re.compile(r"<(?:think|thinking|reasoning)>")
