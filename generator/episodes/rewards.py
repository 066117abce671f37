"""Rewards: how right is what a model said? Pure functions, for training and for scoring.

`answer` is the `answer` of a record of the format `eval` (or its JSON text). A completion is a text as a chat template
writes it, a message as OpenAI's API returns it, a list of messages (the last of the assistant counts), or a list of calls. What a
model thinks first (`<think>…</think>`, or all up to a lone `</think>`) is not said; thoughts that do not end say nothing.

With TRL: `GRPOTrainer(reward_funcs=call_rewards, ...)` and a data set with the columns `prompt`, in which the tools stand, and
`answer`. With verifiers: a reward of a task. docs/fine-tuning.md has the lines for both.
"""

import json
import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, UserMessage
from generator.core.errors import CannotCarryError, FormatError
from generator.core.exact_json import is_among, loads, same
from generator.core.pointers import escape
from generator.formats import FORMATS, Format
from generator.formats.openai_messages import parse_exact_json, read_arguments
from generator.formats.rows.evaluation import Accepted
from generator.llm.reading import without_reasoning

Call = tuple[str, dict[str, Any]]
"""Name and arguments."""
_NAME, _ARGUMENTS = 0.2, 0.6
_MOST_ORDERS = 5040
"""Of up to seven calls of one name every way to pair them is tried; of more, the best pair is taken first."""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """What is right in a completion."""

    expected: int
    """How many calls are right; 0 where nothing should be called."""
    made: int
    readable: bool = True
    """Whether all calls that were begun could be read."""
    names: bool
    """Whether just the right tools are called, as often as they should be."""
    arguments: bool
    """Whether, besides, every call has the right arguments, whatever their values."""
    exact: bool
    """Whether everything is right."""
    reward: float


def match(made: list[Call] | None, right: list[Accepted]) -> Match:
    """Compare calls; None stands for calls that cannot be read."""
    if made is None:
        return Match(expected=len(right), made=0, names=False, arguments=False, exact=False, reward=0.0, readable=False)
    if not right or not made:
        good = len(right) == len(made)
        reward = 1.0 if good else 0.0
        return Match(expected=len(right), made=len(made), names=good, arguments=good, exact=good, reward=reward)
    by_name: dict[str, list[Accepted]] = {}
    for call in right:
        by_name.setdefault(call["name"], []).append(call)
    pairs = [pair for name, calls in by_name.items() for pair in _paired_best([c for c in made if c[0] == name], calls)]
    names = Counter(name for name, _ in made) == Counter(call["name"] for call in right)
    grades = [_grade(arguments, call) for arguments, call in pairs]
    return Match(
        expected=len(right),
        made=len(made),
        names=names,
        arguments=names and all(named for named, _ in grades),
        exact=names and all(grade == 1.0 for _, grade in grades),
        reward=sum(grade for _, grade in grades) / max(len(right), len(made)),
    )


def _paired_best(made: list[Call], right: list[Accepted]) -> list[tuple[dict[str, Any], Accepted]]:
    """Return the arguments of calls of one tool, each paired with a right call, so that the sum of the grades is highest."""
    arguments = [given for _, given in made]
    few, many = sorted((len(arguments), len(right)))
    grades = [[_grade(given, call)[1] for call in right] for given in arguments]
    if math.perm(many, few) > _MOST_ORDERS:
        return _paired_greedily(arguments, right, grades)
    best: tuple[float, list[tuple[int, int]]] = (-1.0, [])
    for chosen in permutations(range(many), few):
        pairs = [(i, j) if len(arguments) <= len(right) else (j, i) for i, j in enumerate(chosen)]
        best = max(best, (sum(grades[i][j] for i, j in pairs), pairs), key=lambda entry: entry[0])
    return [(arguments[i], right[j]) for i, j in best[1]]


def _paired_greedily(
    arguments: list[dict[str, Any]], right: list[Accepted], grades: list[list[float]]
) -> list[tuple[dict[str, Any], Accepted]]:
    """Return arguments with right calls, the best pair first, then the best of those that are left."""
    order = sorted(((-grade, i, j) for i, row in enumerate(grades) for j, grade in enumerate(row)))
    pairs: list[tuple[int, int]] = []
    for _, i, j in order:
        if all(i != i2 and j != j2 for i2, j2 in pairs):
            pairs.append((i, j))
    return [(arguments[i], right[j]) for i, j in pairs]


def _grade(arguments: dict[str, Any], right: Accepted) -> tuple[bool, float]:
    """Return whether the names of the arguments are right, and how right the call is, from 0 to 1."""
    right_arguments, may_add, accepted_values = right["arguments"], right.get("may_add", {}), right.get("accepts", {})
    may_omit = {
        *right.get("may_omit", ()),
        *[key for key in right_arguments if "" in accepted_values.get(f"/{escape(key)}", ())],
    }
    accepted_extra_keys = {
        key for key in arguments if key not in right_arguments and f"/{escape(key)}" in accepted_values
    }
    has_right_names = all(
        key in right_arguments or key in may_add or key in accepted_extra_keys for key in arguments
    ) and all(key in arguments or key in may_omit for key in right_arguments)
    keys = [key for key in {**right_arguments, **arguments} if key in arguments or key not in may_omit]
    right_keys = sum(
        key in arguments
        and (
            _is_right(arguments[key], right_arguments[key], right, f"/{escape(key)}")
            if key in right_arguments
            else (key in accepted_extra_keys and is_among(arguments[key], accepted_values[f"/{escape(key)}"]))
            or (key in may_add and same(arguments[key], may_add[key]))
        )
        for key in keys
    )
    if has_right_names and right_keys == len(keys):
        return True, 1.0
    return has_right_names, _NAME + (_ARGUMENTS * right_keys / len(keys))


def _is_right(value: Any, right: Any, call: Accepted, pointer: str) -> bool:
    """Whether a value is as good as the right one."""
    if is_among(value, call.get("accepts", {}).get(pointer, ())):
        return True
    if isinstance(value, str) and isinstance(right, str) and pointer in call.get("any_case", ()):
        return _without_case_and_spaces(value) == _without_case_and_spaces(right)
    if isinstance(value, dict) and isinstance(right, dict):
        return value.keys() == right.keys() and all(
            _is_right(value[key], right[key], call, f"{pointer}/{escape(key)}") for key in right
        )
    if isinstance(value, list) and isinstance(right, list) and len(value) == len(right):
        if pointer not in call.get("any_order", ()):
            return all(_is_right(value[i], item, call, f"{pointer}/{i}") for i, item in enumerate(right))
        unmatched = list(value)
        for i, item in enumerate(right):
            index = next(
                (
                    place
                    for place, candidate in enumerate(unmatched)
                    if _is_right(candidate, item, call, f"{pointer}/{i}")
                ),
                None,
            )
            if index is None:
                return False
            del unmatched[index]
        return True
    return same(value, right)


def _without_case_and_spaces(text: str) -> str:
    """Return a text in which capitals and runs of white space do not count."""
    return " ".join(text.casefold().split())


TEXT_FORMATS = tuple(name for name, fmt in FORMATS.items() if fmt.policy.train == "spans")
"""The formats in whose words calls can be read."""
_BEGINNINGS = (
    "<tool_call",
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<｜tool▁call",
    "<|tool_call",
    "<|function_call|>",
    "to=functions.",
)
"""Where one of these stands, a call was begun."""


def read_answer(answer: Any) -> list[Accepted]:
    """Return the calls that are right, of an `answer` or its JSON text.

    Raises:
        FormatError: when it is something else.
    """
    if isinstance(answer, str):
        try:
            answer = parse_exact_json(answer)
        except ValueError as fault:
            raise FormatError(f"the answer is not JSON: {fault}") from None
    calls = answer.get("calls") if isinstance(answer, dict) else None
    if not isinstance(calls, list) or not all(_is_accepted(call) for call in calls):
        raise FormatError(
            "the answer is not that of an `eval` record: an object whose `calls` have `name` and `arguments`"
        )
    return calls


def _is_accepted(call: Any) -> bool:
    """Whether a call of an answer has a name and arguments."""
    return isinstance(call, dict) and isinstance(call.get("name"), str) and isinstance(call.get("arguments"), dict)


def read_completion(completion: Any, right: list[Accepted], text_format: str | None = None) -> list[Call] | None:
    """Return the calls that a completion makes; None when calls are begun that cannot be read.

    What a model thinks before it speaks is cut first; thoughts that do not end say nothing.

    Args:
        completion: A text, a message, a list of messages, a response of an API, or a list of calls; plain data or pydantic's
            objects.
        right: The calls that would be right: texts without quotes are read by the types of their arguments.
        text_format: How a text is to be read; None: in every way that there is.

    Raises:
        FormatError: when there is no text format of that name, or the completion is nothing of these.
    """
    if text_format is not None and text_format not in TEXT_FORMATS:
        raise FormatError(f"{text_format!r} is no text format (these are: {', '.join(TEXT_FORMATS)})")
    message = _message_of(_plain_calls(completion))
    return _calls_in_text(message, right, text_format) if isinstance(message, str) else _parsed_calls(message)


def _plain_calls(completion: Any) -> Any:
    """Return messages and responses that libraries hold as objects (OpenAI's client, verifiers) as plain data."""
    if isinstance(completion, list):
        return [_plain_calls(entry) for entry in completion]
    dump = getattr(completion, "model_dump", None)
    return dump() if callable(dump) else completion


def _message_of(completion: Any) -> str | list[Any]:
    """Return the text or the list of raw calls that stand for what was said; raises FormatError for what is neither."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, list):
        if completion and not all(isinstance(entry, dict) and "role" in entry for entry in completion):
            return _named_calls(completion)
        said = [entry for entry in completion if entry.get("role") == "assistant"]
        return _message_of(said[-1]) if said else ""
    if not isinstance(completion, dict):
        raise _fault_of_completion(completion)
    choices = completion.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return _message_of(choices[0].get("message", choices[0].get("text")))
    for key in ("tool_calls", "calls"):
        if isinstance(completion.get(key), list) and completion[key]:
            return _named_calls(completion[key])
    return _text_of(completion)


def _text_of(message: dict[str, Any]) -> str:
    """Return the text of a message without calls, empty where it has none."""
    named = [message[key] for key in ("content", "text", "completion") if key in message]
    texts = [value for value in named if isinstance(value, str)]
    if texts:
        return texts[0]
    parts = named[0] if named and isinstance(named[0], list) else []
    if parts and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in parts):
        return "".join(part["text"] for part in parts)
    if parts or (named and named[0] is not None) or not ({"content", "tool_calls", "calls"} & message.keys()):
        raise _fault_of_completion(message)
    return ""


def _named_calls(entries: list[Any]) -> list[Any]:
    """Return raw calls; raises FormatError where some have no name anywhere: then it is a list of something else."""
    if not all(isinstance(entry, dict) and ({"name", "function"} & entry.keys()) for entry in entries):
        raise _fault_of_completion(entries)
    return entries


def _fault_of_completion(completion: Any) -> FormatError:
    """Return the error for what is no completion."""
    keys = completion if isinstance(completion, dict) else None
    found = (
        f"an object with {', '.join(map(repr, list(keys)[:6])) or 'nothing'}"
        if keys is not None
        else f"{completion!r:.80}"
    )
    return FormatError(
        f"{found} is no completion that can be read: a text, a message or response of OpenAI's Chat Completions, a list of messages, or "
        "a list of calls with `name` and `arguments` is expected (answers of other APIs are turned into one of these first)"
    )


def _parsed_calls(entries: list[Any]) -> list[Call] | None:
    """Return names and arguments of raw calls; None where one of them cannot be read."""
    found: list[Call] = []
    for entry in entries:
        function = entry.get("function", entry) if isinstance(entry, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return None
        arguments, fault = read_arguments(function.get("arguments", function.get("parameters")))
        if fault:
            return None
        found.append((function["name"], arguments))
    return found


def _calls_in_text(text: str, right: list[Accepted], text_format: str | None) -> list[Call] | None:
    """Return the calls that a text makes in any text format, or the one; None where some are begun and cannot be read."""
    thought, said = without_reasoning(text)
    before = "".join(text[: len(text) - len(said)].replace(thought, "").split())  # some templates write empty thoughts
    ways = (said, *((f"{before}{said}", f"\n{before}\n{said}") if before else ())) if said else ()
    tools = json.dumps([_tool_of(call) for call in right])
    for name in (text_format,) if text_format else TEXT_FORMATS:
        for one in ways:
            calls = _read_as(FORMATS[name], one, tools)
            if calls:
                return calls
    begun = any(beginning in said for beginning in _BEGINNINGS) or said.lstrip().startswith('{"name"')
    return None if begun else []


def _tool_of(call: Accepted) -> list[Any]:
    """Return name and schema of a tool as far as a call shows them: which arguments are texts."""
    given = {**call["arguments"], **call.get("may_add", {})}
    types = {name: {"type": _JSON_TYPES.get(type(value), "null")} for name, value in given.items()}
    return [call["name"], {"type": "object", "properties": types}]


_JSON_TYPES = {str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}


def _read_as(fmt: Format, text: str, tools: str) -> list[Call]:
    """Return the calls of a text in one format; none where it holds none, or cannot be read."""
    frame = _frame(fmt, tools)
    if frame is None:
        return []
    before, after, ends = frame
    bare = text.strip()
    for said in dict.fromkeys((text, bare)):
        for end in ("", *ends):
            plain, faults = fmt.read({"text": f"{before}{said}{end}{after}"})
            message = plain["messages"][-1] if not faults and isinstance(plain, dict) else {}
            calls = message.get("tool_calls") if message.get("role") == "assistant" else None
            if calls:
                return [(call["function"]["name"], call["function"]["arguments"]) for call in calls]
    return []


@lru_cache(maxsize=1024)
def _frame(fmt: Format, tools: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Return what stands before and behind what a model says, and the tokens that may end it; None for tools it cannot write."""
    declared = {name: Tool(name=name, description="", parameters=schema) for name, schema in loads(tools)}
    offered = tuple(declared.values()) or (
        Tool(name="tool", description="", parameters={"type": "object", "properties": {}}),
    )
    said = AssistantMessage(content="said")
    called = AssistantMessage(tool_calls=(ToolCall("aaaaaaaa1", offered[0].name, {}),))
    ends, before, after = [], "", ""
    for message in (said, called):
        try:
            record = fmt.render(Conversation((UserMessage(content="?"), message), offered))
        except CannotCarryError:
            return None
        start, stop = record["spans"][-1]
        text = record["text"]
        before, after = before or text[:start], after or text[stop:]
        ends.append(_last_token(text[start:stop], fmt))
    return before, after, tuple(dict.fromkeys(filter(None, ends)))


def _last_token(text: str, fmt: Format) -> str:
    """Return the control token that a learnt text ends with."""
    return next((token for token in sorted(fmt.policy.refuses, key=len, reverse=True) if text.endswith(token)), "")


def call_reward(completion: Any, answer: Any, **other: Any) -> float:
    """Return how right a completion is, from 0 to 1.

    - where the answer has no calls: 1 for a completion without calls, else 0
    - otherwise the mean over the calls, those that are right and those that were made beyond them: 1 for a call whose name
      and arguments are right; for one with the right name only, 0.2 and up to 0.6 more by the share of its arguments that
      are right, of all that either call has; 0 for any other
    - 0 for a completion in which calls are begun that cannot be read

    Args:
        completion: What the model said (see above).
        answer: What is right (see above).
        other: `format`, the name of the text format to read calls in (`qwen`); without it all of them are tried, which
            takes a millisecond or two.
            Everything else is passed over: libraries give more.

    Raises:
        FormatError: when the answer is none, there is no such text format, or the completion has the shape of another API
            (Anthropic's, Gemini's, OpenAI's Responses) or none that is known.
    """
    return judge(completion, answer, other.get("format")).reward


def call_rewards(completions: Sequence[Any], answer: Sequence[Any], **other: Any) -> list[float]:
    """Return the `call_reward` of each completion, as TRL's GRPO asks for it: columns of the data set are lists."""
    name = other.get("format")
    name = name if isinstance(name, str) else None
    return [call_reward(said, right, format=name) for said, right in zip(completions, answer, strict=True)]


def judge(completion: Any, answer: Any, text_format: str | None = None) -> Match:
    """Return what is right and what is wrong in a completion; `call_reward` says what may be given, and what it raises."""
    right = read_answer(answer)
    return match(read_completion(completion, right, text_format), right)
