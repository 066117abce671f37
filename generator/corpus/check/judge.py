"""What is wrong with a parser's answer to a case."""

from typing import Any

import msgspec

from generator.corpus.case import Case
from generator.corpus.check.answer import ParserAnswer
from generator.corpus.emissions import contents_of
from generator.corpus.layout import is_cut_off
from generator.formats.wire.calls import ExpectedCall, same_calls, same_json

LABELS = (
    "died", "hang", "exception", "malformed delta", "invalid JSON", "lost call", "extra call", "wrong name", "wrong argument",
    "call from prose", "early delta", "leaked text", "not an allowed reading", "wrong value", "wrong content", "wrong finish",
    "wrong usage", "plans differ", "stream differs", "late delta", "superlinear time", "fault not noticed",
)  # fmt: skip
"""In order of what they mean to a user."""


class ParserFailure(msgspec.Struct, frozen=True, kw_only=True):
    """One way in which a parser fails on a case."""

    case: str
    format: str
    verdict: str
    label: str
    detail: str
    plans: tuple[str, ...] = ()
    """Kinds of the chunk plans with which it fails; none for the whole text."""
    mutation: str
    """The last change by which the case came about, or its first tag."""
    features: tuple[str, ...] = ()
    """What can be the cause: the hazard of the case, or its tags and mutations."""
    bytes: int = 0
    """Of the case."""
    text: str = ""
    """Of the case, where it is short."""
    expected: Any = None
    observed: Any = None
    """Calls and content, where there was an answer."""


def judge_answer(case: Case, answer: ParserAnswer, *, strict_numbers: bool, content: bool) -> tuple[str, str] | None:
    """Return the first thing that is wrong with where a parser ends, as (label, detail)."""
    broken = no_answer(answer) or _not_json(case, answer)
    if broken:
        return broken
    calls = found_calls(answer)
    if case.verdict == "i":
        return _not_allowed(case, calls if not _is_unfinished(case, answer) else calls[:-1], strict_numbers)
    assert case.oracle is not None
    if case.verdict == "n" and calls:
        return "call from prose", f"{calls[0].name}({calls[0].arguments})"
    wrong = compare_calls(case.oracle.tool_calls, calls, strict_numbers)
    if wrong is None and content and not any(_same_text(said, answer.content) for said in contents_of(case)):
        return "wrong content", f"{_short(answer.content)} instead of {_short(case.oracle.content)}"
    return wrong


def _is_unfinished(case: Case, answer: ParserAnswer) -> bool:
    """Whether the last call is one whose arguments end early, as the text does."""
    return is_cut_off(case) and bool(answer.calls) and answer.calls[-1].fault is not None


def judge_file(case: Case, answer: ParserAnswer) -> tuple[str, str] | None:
    """Return what is wrong with how a reader took a file of rows; to refuse one, it must raise an exception."""
    if answer.error is not None and (answer.error == "hang" or answer.error.startswith("died")):
        return no_answer(answer)
    if answer.error is not None and case.verdict == "y":
        return "exception", answer.error
    if answer.error is None and case.verdict == "n":
        return "fault not noticed", f"{case.mutations[-1].op} breaks {case.mutations[-1].arg}"
    return None


def no_answer(answer: ParserAnswer) -> tuple[str, str] | None:
    """Return why there is no answer, if there is none."""
    if answer.error is None:
        return None
    if answer.error == "hang":
        return "hang", f"no answer within {answer.seconds:g} s"
    if answer.error.startswith("deltas: "):
        return "malformed delta", answer.error.removeprefix("deltas: ")
    return ("died", answer.error) if answer.error.startswith("died") else ("exception", answer.error)


def _not_json(case: Case, answer: ParserAnswer) -> tuple[str, str] | None:
    faults = [f"{call.name}: {call.fault}" for call in answer.calls if call.fault]
    return ("invalid JSON", faults[0]) if faults and not is_cut_off(case) else None


def _not_allowed(case: Case, calls: tuple[ExpectedCall, ...], strict_numbers: bool) -> tuple[str, str] | None:
    if not case.allowed or any(
        same_calls(allowed.tool_calls, calls, strict_numbers=strict_numbers) for allowed in case.allowed
    ):
        return None
    nearest = min(case.allowed, key=lambda allowed: abs(len(allowed.tool_calls) - len(calls)))
    wrong = compare_calls(nearest.tool_calls, calls, strict_numbers)
    return "not an allowed reading", f"{wrong[0]}: {wrong[1]}" if wrong else ""


def found_calls(answer: ParserAnswer) -> tuple[ExpectedCall, ...]:
    """Return the calls of an answer."""
    return tuple([ExpectedCall(call.name, call.arguments) for call in answer.calls])


def compare_calls(
    expected: tuple[ExpectedCall, ...], found: tuple[ExpectedCall, ...], strict_numbers: bool
) -> tuple[str, str] | None:
    """Return the first difference between calls."""
    if len(found) < len(expected):
        return "lost call", f"{len(found)} of {len(expected)} calls"
    if len(found) > len(expected):
        return "extra call", f"{len(found)} instead of {len(expected)} calls"
    for index, (meant, got) in enumerate(zip(expected, found, strict=True)):
        if meant.name != got.name:
            return "wrong name", f"call {index}: {got.name!r} instead of {meant.name!r}"
        if not same_json(meant.arguments, got.arguments, strict_numbers=strict_numbers):
            return "wrong argument", f"call {index}: {_difference(meant.arguments, got.arguments, strict_numbers)}"
    return None


def _difference(meant: Any, got: Any, strict_numbers: bool) -> str:
    if not isinstance(got, dict) or not isinstance(meant, dict):
        return f"{_short(got)} instead of {_short(meant)}"
    for key, value in meant.items():
        if key not in got:
            return f"{key} is missing"
        if not same_json(value, got[key], strict_numbers=strict_numbers):
            return f"{key} is {_short(got[key])} instead of {_short(value)}"
    extra = next(key for key in got if key not in meant)
    return f"{_short(extra)} was not given"


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except RecursionError:
        return "something nested deep"
    return text if len(text) <= 60 else f"{text[:40]}…{text[-15:]}"


def _same_text(one: str | None, other: str | None) -> bool:
    return (one or "").strip() == (other or "").strip()


def judge_plans(first: ParserAnswer, other: ParserAnswer, *, content: bool) -> tuple[str, str] | None:
    """Return what differs between the answers to a text that was cut in two ways (or not cut at all)."""
    if first.error is not None or other.error is not None:
        return None  # told as an exception
    wrong = compare_calls(found_calls(first), found_calls(other), False)
    faults = [(one.fault or "", two.fault or "") for one, two in zip(first.calls, other.calls, strict=False)]
    if not wrong and any(one != two for one, two in faults):
        wrong = (
            "wrong argument",
            next(f"{two or 'JSON'} instead of {one or 'JSON'}" for one, two in faults if one != two),
        )
    if wrong:
        return "plans differ", f"{wrong[0]}: {wrong[1]}"
    if content and not _same_text(first.content, other.content):
        return "plans differ", f"content: {_short(other.content)} instead of {_short(first.content)}"
    return None


def observed(answer: ParserAnswer) -> Any:
    """Return an answer as reports show it."""
    if answer.error is not None:
        return {"error": answer.error}
    if answer.value is not msgspec.UNSET:
        return {"value": answer.value}
    calls = [{"name": call.name, "arguments": call.fault or call.arguments} for call in answer.calls]
    return {"content": answer.content, "tool_calls": calls}
