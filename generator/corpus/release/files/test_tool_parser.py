"""Runs a parser of tool calls over the cases beside this file; README.md says what `tool_parser_adapter.py` holds."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(os.environ.get("TOOL_CALL_CASES", Path(__file__).parent))
sys.path.append(str(FOLDER))

import tool_call_judge as judging  # noqa: E402
import tool_parser_adapter as adapter  # noqa: E402

TOOLS = json.loads((FOLDER / "tools.json").read_text("utf-8"))
VERSION = str(json.loads((FOLDER / "RELEASE.json").read_text("utf-8"))["version"])
WITHDRAWN = json.loads((FOLDER / "withdrawn.json").read_text("utf-8")).get(VERSION, {})
LINES = (FOLDER / "cases" / f"{adapter.FORMAT}.jsonl").read_text("utf-8").split("\n")
CASES = [case for case in map(json.loads, filter(None, LINES)) if f"{adapter.FORMAT}/{case['id']}" not in WITHDRAWN]
KNOWN: dict[str, dict[str, str]] = getattr(adapter, "KNOWN", {})
RECOVER = getattr(adapter, "RECOVER", False)


def parameters(kind: str) -> list[Any]:
    """All cases; those that are known to fail must fail."""
    known = {case: pytest.mark.xfail(reason=why, strict=True) for case, why in KNOWN.get(kind, {}).items()}
    return [pytest.param(case, id=case["id"], marks=[known[i] for i in [case["id"]] if i in known]) for case in CASES]


@pytest.mark.parametrize("case", parameters("whole"))
def test_whole(case: dict[str, Any]) -> None:
    answer = adapter.parse(judging.text_of(case).decode("utf-8", "replace"), TOOLS)
    told = [call.get("function", call) for call in answer.get("tool_calls") or ()]
    calls = [judging.call_of(call["name"], call["arguments"]) for call in told]
    expect(judging.judge(case, answer.get("content"), calls, recover=RECOVER))


@pytest.mark.skipif(not hasattr(adapter, "stream"), reason="the adapter has no stream")
@pytest.mark.parametrize("case", parameters("stream"))
def test_stream(case: dict[str, Any]) -> None:
    first = None
    plans = [plan for plan in case["plans"] if plan["sizes"]]
    for plan in plans:
        deltas = list(streamed(judging.text_of(case), plan["sizes"]))
        end = judging.end_of(deltas)
        expect(end.fault and ("malformed delta", end.fault), plan)
        expect(judging.judge(case, end.content, end.calls, streamed=True, recover=RECOVER), plan)
        first = first or end
        expect(judging.differ(case, first[:2], end[:2], True) if case["verdict"] == "i" else None, plan)
        expect(judging.judge_time(case, plan["sizes"], deltas), plan)


def test_known_cases_are_cases() -> None:
    assert {case for known in KNOWN.values() for case in known} <= {case["id"] for case in CASES}


def expect(wrong: Any, plan: dict[str, Any] | None = None) -> None:
    """Fail with what is wrong, if anything is."""
    pieces = f" (pieces: {plan['kind']})" if plan else ""
    assert not wrong, f"{wrong[0]}: {wrong[1]}{pieces}"


def streamed(text: bytes, sizes: list[int]) -> Any:
    """What the adapter sends for pieces of these sizes, and after how many of them."""
    taken = 0

    def pieces() -> Any:
        nonlocal taken
        for place, size in enumerate(sizes):
            start = sum(sizes[:place])
            taken = place + 1
            yield text[start : start + size].decode()

    for delta in adapter.stream(pieces(), TOOLS):
        yield {**delta, "after": taken}
