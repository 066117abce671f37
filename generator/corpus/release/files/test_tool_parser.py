"""Runs a parser of tool calls over the cases beside this file; README.md says what `tool_parser_adapter.py` holds."""

import base64
import json
import os
from pathlib import Path
from typing import Any

import pytest
import tool_parser_adapter as adapter

FOLDER = Path(os.environ.get("TOOL_CALL_CASES", Path(__file__).parent))
TOOLS = json.loads((FOLDER / "tools.json").read_text("utf-8"))
LINES = (FOLDER / "cases" / f"{adapter.FORMAT}.jsonl").read_text("utf-8").split("\n")
CASES = [json.loads(line) for line in LINES if line]
KNOWN: dict[str, dict[str, str]] = getattr(adapter, "KNOWN", {})
Reading = tuple[str, list[tuple[str, Any]]]
"""Content, and the calls with their arguments."""


def parameters(kind: str) -> list[Any]:
    """All cases; those that are known to fail must fail."""
    known = {case: pytest.mark.xfail(reason=why, strict=True) for case, why in KNOWN.get(kind, {}).items()}
    return [pytest.param(case, id=case["id"], marks=[known[i] for i in [case["id"]] if i in known]) for case in CASES]


@pytest.mark.parametrize("case", parameters("whole"))
def test_whole(case: dict[str, Any]) -> None:
    text = case["text"] if "text" in case else base64.b64decode(case["base64"]).decode("utf-8", "replace")
    answer = adapter.parse(text, TOOLS)
    calls = [call.get("function", call) for call in answer.get("tool_calls") or ()]
    judge(case, (answer.get("content") or "", [(call["name"], value(case, call["arguments"])) for call in calls]))


@pytest.mark.skipif(not hasattr(adapter, "stream"), reason="the adapter has no stream")
@pytest.mark.parametrize("case", parameters("stream"))
def test_stream(case: dict[str, Any]) -> None:
    if "text" not in case:
        return  # no server could deliver these bytes
    plans = {"whole": [size for size in [len(case["text"].encode())] if size], **case["plans"]}
    found = {kind: streamed(case, sizes) for kind, sizes in plans.items()}
    for kind, reading in found.items():
        judge(case, reading, kind)
        first = next(iter(found.values()))
        assert same([*reading[1]], [*first[1]]), f"{kind}: another reading than of another plan"


def test_known_cases_are_cases() -> None:
    assert {case for known in KNOWN.values() for case in known} <= {case["id"] for case in CASES}


def streamed(case: dict[str, Any], sizes: list[int]) -> Reading:
    """The end of a stream; a call must not be sent before its name begins."""
    read = 0

    def pieces() -> Any:
        nonlocal read
        for size in sizes:
            read += size
            yield case["text"].encode()[read - size : read].decode()

    content, calls = "", dict[int, list[str]]()
    for delta in adapter.stream(pieces(), TOOLS):
        content += delta.get("content") or ""
        for call in delta.get("tool_calls") or ():
            index, function = call["index"], call.get("function", call)
            starts = case.get("names_at", [])
            assert index in calls or index >= len(starts) or read > starts[index], (
                f"call {index} is sent after {read} bytes"
            )
            known = calls.setdefault(index, ["", ""])
            known[0] += function.get("name") or ""
            known[1] += function.get("arguments") or ""
    may_break_off = case["verdict"] == "i"  # what was sent cannot be taken back
    found = [(name, value(case, text or "{}", may_break_off)) for _, (name, text) in sorted(calls.items())]
    return content, found


def value(case: dict[str, Any], arguments: Any, may_break_off: bool = False) -> Any:
    """Arguments as a value; those of a text that breaks off need not be whole."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        if may_break_off or case["hazard"] in ("truncate", "drop_last_marker"):
            return None
        raise


def judge(case: dict[str, Any], reading: Reading, kind: str = "whole") -> None:
    content, calls = reading
    if case["verdict"] == "i":
        whole = [call for call in calls if call[1] is not None]
        allowed = [pairs(one) for one in case.get("allowed", ())]
        assert not allowed or any(same(one, whole) for one in allowed), f"{kind}: {whole} is none of {allowed}"
        return
    expected = case["oracle"]
    assert same(pairs(expected), calls), f"{kind}: {calls} instead of {pairs(expected)}"
    assert content.strip() == (expected.get("content") or "").strip(), kind


def pairs(reading: dict[str, Any]) -> list[tuple[str, Any]]:
    return [(call["name"], call["arguments"]) for call in reading["tool_calls"]]


def same(one: Any, other: Any) -> bool:
    """Equal as JSON: 1 is 1.0 and not true. Without recursion, as some values nest very deep."""
    rest = [(one, other)]
    while rest:
        left, right = rest.pop()
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            rest += [(left[key], right[key]) for key in left]
        elif isinstance(left, list | tuple) and isinstance(right, list | tuple) and len(left) == len(right):
            rest += zip(left, right, strict=True)
        elif left is not right and (isinstance(left, bool) or isinstance(right, bool) or left != right):
            return False
    return True
