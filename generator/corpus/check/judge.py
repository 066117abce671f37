"""What is wrong with a parser's answer to a case. Editions carry this file as it is, so it needs nothing but Python.

A case is a line of a corpus or an edition: a dict with `text`, `verdict`, `oracle`, `allowed`, `emissions` and `plans`. What is
wrong is told as (label, detail); None means that nothing is.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import Any, NamedTuple

Wrong = tuple[str, str]
_PATIENCE = 24
"""Bytes behind the name of a call after which the calls before it are due: a token of a tokenizer, and white space."""
_HELD = 160
"""Bytes of words that may be held back, because they could be the beginning of a call."""


class Call(NamedTuple):
    """A call that a parser found."""

    name: Any
    arguments: Any
    """The value; None when they are not JSON."""
    fault: str | None = None
    """Why they are not strict JSON."""
    text: str = ""
    """As they were returned, where they are not; `{` where the call was begun and no arguments were returned."""


def call_of(name: Any, arguments: Any) -> Call:
    """Return a call; arguments are a JSON text or the value."""
    if not isinstance(arguments, str):
        return Call(name, arguments)
    try:
        return Call(name, json.loads(arguments, parse_constant=_refuse))
    except (ValueError, RecursionError) as fault:
        return Call(name, None, f"{str(fault)[:80]} in {arguments[:80]!r}", arguments)


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def text_of(case: dict[str, Any]) -> bytes:
    """Return the bytes of a case."""
    return case["text"].encode() if "text" in case else base64.b64decode(case["base64"])


# ----------------------------------------------------------------------------------------------------------- where it ends


def judge(
    case: dict[str, Any],
    content: str | None,
    calls: Sequence[Call],
    *,
    streamed: bool = False,
    compare_content: bool = True,
    strict_numbers: bool = False,
    recover: bool = False,
) -> Wrong | None:
    """Return the first thing that is wrong with where a parser ends.

    Args:
        case: The case.
        content: What it says beside the calls.
        calls: What it calls.
        streamed: Whether it was given pieces, so that it could take nothing back.
        compare_content: Whether the content is compared, too.
        strict_numbers: Whether 1 and 1.0 differ.
        recover: Whether calls that stand off the template have to be found: of `drift`, only the first reading is right.
    """
    whole = without_excused(case, calls, streamed)
    for call in whole:
        if call.fault:
            return "invalid JSON", f"{call.name}: {call.fault}"
    if case["verdict"] == "i":
        return _not_allowed(case, whole, strict_numbers, recover and is_drift(case))
    if case["verdict"] == "n" and calls:
        return "call from prose", f"{calls[0].name}({calls[0].arguments})"
    wrong = compare_calls(calls_of(case["oracle"]), calls, strict_numbers)
    if (
        wrong is None
        and compare_content
        and not any(_same_text(allowed_content, content) for allowed_content in contents_of(case))
    ):
        return "wrong content", f"{short(content)} instead of {short(case['oracle'].get('content'))}"
    return wrong


def without_excused(case: dict[str, Any], calls: Sequence[Call], streamed: bool) -> Sequence[Call]:
    """Return the calls, but for those that nobody could tell whole.

    These are a last one whose arguments begin a JSON text that the case cuts off; and in pieces, when nothing can be taken back,
    a last one that was begun where a text leaves the template, and those whose own text is no JSON and is told as it is.
    """
    cut, drift = is_cut_off(case), is_drift(case)
    if case["verdict"] != "i" or not calls or not (cut or streamed):
        return calls
    expected_last = (case.get("oracle") or {}).get("tool_calls", ())[len(calls) - 1 :]
    in_template = not cut and not drift and not case.get("allowed")
    has_expected_name = in_template or any(call["name"] == calls[-1].name for call in expected_last[:1])
    if calls[-1].text and (cut or drift or in_template) and has_expected_name and begins_json(calls[-1].text):
        calls = calls[:-1]
    text = text_of(case)
    return [call for call in calls if not (in_template and call.fault and call.text.strip().encode() in text)]


def is_cut_off(case: dict[str, Any]) -> bool:
    """Whether the text ends early, or an end token stands inside of it, so that arguments may end early, too."""
    return any(change["op"] in ("truncate", "end_inside") for change in case.get("mutations", ()))


def is_drift(case: dict[str, Any]) -> bool:
    """Whether a model wrote the call off its template."""
    return any(change["op"] == "drift" for change in case.get("mutations", ()))


_IN_TEXT = tuple([escape + end for escape in ("", "\\", "0", "00", "000", "0000") for end in ('"', '":0')])
_OUTSIDE = ("", "0", ":0", '"":0', "rue", "ue", "e", "alse", "lse", "se", "ull", "ll", "l")
"""What completes an escape and a text or key; a value, a colon, a pair or a word."""


def begins_json(text: str) -> bool:
    """Whether some JSON object begins with this text."""
    open_, quoted, escaped = [], False, False
    for letter in text:
        if escaped or (quoted and letter == "\\"):
            escaped = not escaped
        elif letter == '"':
            quoted = not quoted
        elif not quoted and letter in "{[":
            open_.append("}" if letter == "{" else "]")
        elif not quoted and letter in "}]" and open_:
            open_.pop()
    for end in (_IN_TEXT if quoted else _OUTSIDE) if text.lstrip().startswith("{") else ():
        with suppress(ValueError, RecursionError):
            json.loads(text + end + "".join(reversed(open_)), parse_constant=_refuse, strict=False)
            return True
    return not text.strip()


def _not_allowed(case: dict[str, Any], calls: Sequence[Call], strict: bool, recover: bool) -> Wrong | None:
    """Return what is wrong with the calls of a case with several allowed readings.

    That is how they differ from the nearest reading; with `recover`, from the first one.
    """
    readings = [calls_of(reading) for reading in case.get("allowed") or ()][: 1 if recover else None]
    wrongs = [compare_calls(reading, calls, strict) for reading in readings]
    if None in wrongs or not wrongs:
        return None
    nearest = min(range(len(readings)), key=lambda index: abs(len(readings[index]) - len(calls)))
    wrong = wrongs[nearest] or ("", "")
    return "not recovered" if recover else "not an allowed reading", f"{wrong[0]}: {wrong[1]}"


def calls_of(reading: dict[str, Any]) -> list[Call]:
    """Return the calls of an oracle."""
    return [Call(call["name"], call["arguments"]) for call in reading["tool_calls"]]


def contents_of(case: dict[str, Any]) -> tuple[str, ...]:
    """Return what a parser may return as content: the oracle's content alone, or with its thoughts.

    `Hi` with thoughts before it may also be `<think>…</think>Hi`.
    """
    content = case["oracle"].get("content") or ""
    if case["oracle"].get("reasoning") is None or "emissions" not in case:
        return (content,)
    parts, text = case["emissions"], text_of(case)
    block = text[slice(*parts.get("thoughts", (0, 0)))].decode()
    ends = [parts["content"][1], *[start for start, _ in parts["calls"]], len(text)]
    before = text[: next(end for end in ends if end)].decode()
    prefix = case.get("prefix", "")
    return content, block + content, prefix + block + content, before, prefix + before


def compare_calls(expected: Sequence[Any], returned: Sequence[Any], strict_numbers: bool = False) -> Wrong | None:
    """Return the first difference between calls as (label, detail); None when they are equal.

    `("lost call", "1 of 2 calls")`.
    """
    if len(returned) < len(expected):
        return "lost call", f"{len(returned)} of {len(expected)} calls"
    if len(returned) > len(expected):
        return "extra call", f"{len(returned)} instead of {len(expected)} calls"
    for index, (expected_call, returned_call) in enumerate(zip(expected, returned, strict=True)):
        if expected_call.name != returned_call.name:
            return "wrong name", f"call {index}: {returned_call.name!r} instead of {expected_call.name!r}"
        if not same_value(expected_call.arguments, returned_call.arguments, strict_numbers):
            return (
                "wrong argument",
                f"call {index}: {_difference(expected_call.arguments, returned_call.arguments, strict_numbers)}",
            )
    return None


def same_calls(left: Sequence[Any], right: Sequence[Any], strict_numbers: bool = False) -> bool:
    """Whether both lists call the same functions in the same order with equal arguments."""
    return compare_calls(left, right, strict_numbers) is None


def same_value(left: Any, right: Any, strict_numbers: bool = False) -> bool:
    """Whether two JSON values are equal: 1 is 1.0 unless numbers are strict, but never true; key order is free."""
    pairs = [(left, right)]
    while pairs:  # no recursion: values may be nested deeper than Python calls
        first, second = pairs.pop()
        if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
            pairs += [(first[key], second[key]) for key in first]
        elif isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
            pairs += zip(first, second, strict=True)
        elif first is not second and (
            isinstance(first, bool)
            or isinstance(second, bool)
            or first != second
            or (strict_numbers and type(first) is not type(second))
        ):
            return False
    return True


def _difference(expected: Any, returned: Any, strict_numbers: bool) -> str:
    """Return how unequal arguments differ, by the first argument that does: "city is 'Oslo' instead of 'Bergen'"."""
    if not isinstance(returned, dict) or not isinstance(expected, dict):
        return f"{short(returned)} instead of {short(expected)}"
    for key, value in expected.items():
        if key not in returned:
            return f"{key} is missing"
        if not same_value(value, returned[key], strict_numbers):
            return f"{key} is {short(returned[key])} instead of {short(value)}"
    extra = next(key for key in returned if key not in expected)
    return f"{short(extra)} was not given"


def short(value: Any) -> str:
    """Return a value as reports show it."""
    try:
        text = repr(value)
    except RecursionError:
        return "something nested deep"
    return text if len(text) <= 60 else f"{text[:40]}…{text[-15:]}"


def _same_text(first: str | None, second: str | None) -> bool:
    return (first or "").strip() == (second or "").strip()


def differ(
    case: dict[str, Any], first: tuple[Any, Sequence[Call]], other: tuple[Any, Sequence[Call]], compare_content: bool
) -> Wrong | None:
    """Return what differs between the ends of two streams (content and calls) of a text that was cut in two ways."""
    first_calls, other_calls = (without_excused(case, calls, True) for _, calls in (first, other))
    wrong = compare_calls(first_calls, other_calls)
    if wrong:
        return "plans differ", f"{wrong[0]}: {wrong[1]}"
    if compare_content and not _same_text(first[0], other[0]):
        return "plans differ", f"content: {short(other[0])} instead of {short(first[0])}"
    return None


# --------------------------------------------------------------------------------------------------------------- deltas


class Sent(NamedTuple):
    """Where a stream ends."""

    content: str
    calls: list[Call]
    fault: str | None
    """Why its deltas make no calls for who follows OpenAI's API."""


def end_of(deltas: Iterable[dict[str, Any]]) -> Sent:
    """Return what deltas amount to: `content`, and `tool_calls` with `index`, `id` and `function`."""
    content, names, texts, ids = "", dict[int, str](), dict[int, str](), dict[int, str]()
    fault = None
    for delta in deltas:
        content += delta.get("content") or ""
        for piece in delta.get("tool_calls") or ():
            index, function = piece.get("index"), piece.get("function", piece)
            for wrong in _faults(index, piece.get("id"), function.get("name"), names, ids):
                fault = fault or wrong
            if isinstance(index, int):
                names[index] = names.get(index, "") + (function.get("name") or "")
                texts[index] = texts.get(index, "") + (function.get("arguments") or "")
                ids[index] = ids.get(index) or piece.get("id") or ""
    calls = [call_of(names[at], texts[at]) if texts[at] else Call(names[at], {}, text="{") for at in sorted(names)]
    return Sent(content, calls, fault)


def _faults(index: Any, call_id: Any, name: Any, names: dict[int, str], ids: dict[int, str]) -> Iterator[str]:
    """Yield what is wrong with a delta of a call, `call 1 begins without a name`.

    `names` and `ids` are what was sent so far, by the index of the call.
    """
    if not isinstance(index, int) or isinstance(index, bool):
        yield f"a piece of a call has the index {index!r}"
    elif index not in names and index != len(names):
        yield f"call {len(names)} has the index {index}"
    elif index not in names and name is None:
        yield f"call {index} begins without a name"
    elif names.get(index) and name:
        yield f"the name of call {index} is sent in two pieces: {names[index]!r} and {name!r}"
    owner = next((other_index for other_index, other_id in ids.items() if call_id and other_id == call_id), index)
    if call_id and (owner != index or ids.get(index) not in (None, "", call_id)):
        yield f"call {index} has the id {call_id!r} and call {owner} has {ids.get(owner)!r}"


def judge_time(
    case: dict[str, Any], sizes: Iterable[int], deltas: Sequence[dict[str, Any]], compare_content: bool = True
) -> Wrong | None:
    """Return the first delta that is early, late or no part of the answer; nothing is due in a case with the verdict `i`.

    `sizes` are bytes of the pieces that were given; a delta came `after` how many of them; with `compare_content` the content counts, too.
    """
    parts = case.get("emissions")
    if case["verdict"] == "i" or parts is None:
        return None
    ends = (0, *accumulate(sizes))
    texts = contents_of(case) if compare_content else None
    content, sent_arguments = "", dict[Any, str]()
    for after, batch in _by_piece(deltas, len(ends) - 1):
        bytes_read = ends[min(after, len(ends) - 1)]
        for index, arguments in _pieces_of_calls(batch):
            if index not in sent_arguments and index < len(parts["names"]) and bytes_read <= parts["names"][index][0]:
                return (
                    "early delta",
                    f"call {index} is sent after {bytes_read} bytes; its name begins at {parts['names'][index][0]}",
                )
            sent_arguments[index] = sent_arguments.get(index, "") + arguments
        content += "".join([delta.get("content") or "" for delta in batch])
        if texts is not None and not any(text.strip().startswith(content.strip()) for text in texts):
            return (
                "leaked text",
                f"{content[-60:]!r} after {bytes_read} bytes is no part of {case['oracle'].get('content')!r:.80}",
            )
        content_due = content if compare_content and case["oracle"].get("reasoning") is None else None
        wrong = (
            _late(case, bytes_read, content_due, sent_arguments) if bytes_read < ends[-1] else None
        )  # the end is judged as an answer
        if wrong:
            return wrong
    return None


def _pieces_of_calls(batch: Sequence[dict[str, Any]]) -> Iterator[tuple[int, str]]:
    """Yield (index of the call, text of arguments) for each piece of a call in the deltas."""
    for call in [call for delta in batch for call in delta.get("tool_calls") or ()]:
        yield call["index"], call.get("function", call).get("arguments") or ""


def _by_piece(deltas: Sequence[dict[str, Any]], pieces: int) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield (number of pieces read, deltas that were sent then); behind the last piece, all the rest."""
    next_delta = 0
    for after in range(pieces + 1):
        batch = []
        while next_delta < len(deltas) and (deltas[next_delta]["after"] <= after or after == pieces):
            batch.append(deltas[next_delta])
            next_delta += 1
        yield after, batch


def _late(case: dict[str, Any], bytes_read: int, content: str | None, sent_arguments: dict[Any, str]) -> Wrong | None:
    """Return what should have been sent after so many bytes and was not.

    That is the content before the calls (None: it is not checked), or a call behind which the name of the next one
    stands.
    """
    parts = case["emissions"]
    start, end = parts["content"]
    if content is not None:
        name_is_read = parts["names"] and bytes_read > parts["names"][0][1]
        content_due = (
            text_of(case)[start : end if name_is_read else max(start, min(end, bytes_read - _HELD))]
            .decode("utf-8", "ignore")
            .strip()
        )
        if not content.strip().startswith(content_due):
            return "late delta", f"after {bytes_read} bytes only {content!r:.60} of what is said is sent"
    for index, next_name in enumerate(parts["names"][1:]):
        if bytes_read >= next_name[1] + _PATIENCE and (
            index not in sent_arguments or call_of("", sent_arguments[index] or "{}").fault
        ):
            return (
                "late delta",
                f"call {index} is not sent after {bytes_read} bytes, where the name of the next one is known",
            )
    return None
