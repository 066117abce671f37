"""What rows have in common with others: duplicates of one run, parts of families and pairs, and contamination.

Contamination is what rows share with other files, such as a benchmark's: words of requests, tool names, arguments. Which part of a data
set a row belongs to is decided by its index alone, so that it never moves.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    FileSequence,
    Message,
    Row,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import FormatError, OutputError
from generator.core.seeds import stream_seed
from generator.formats import FORMATS
from generator.formats.files.records import records_of
from generator.formats.format import compact_json
from generator.formats.run_folder.tally import Shared
from generator.recipe import TWINS, Recipe
from generator.recipe.settings import rows_together
from generator.report.files.format_of import guessed_format
from generator.report.files.repairs import understood

_SEEDS = 2**64


def split_of(recipe: Recipe) -> Callable[[int], str | None]:
    """Return a function from a row's index to the name of its split; None when there are no splits.

    The rows of a family of twins, and those of a pair, are in the same split.
    """
    if not recipe.splits:
        return lambda index: None
    names = tuple(name for name, _ in recipe.splits)
    bounds = tuple(accumulate(share for _, share in recipe.splits))
    last, seed = len(names) - 1, recipe.seed
    together = rows_together(recipe.no_call) if recipe.no_call is not None else len(TWINS) if recipe.twins else 1

    def split(index: int) -> str | None:
        share_before = stream_seed(seed, "split", index // together) / _SEEDS * bounds[-1]
        return names[min(bisect_right(bounds, share_before), last)]

    return split


def duplicate_key(row: Row, unique: str) -> int:
    """Return a number that is equal for duplicate rows; others share one with a chance of 1 in 2^63.

    `requests`: what the user says in all turns, without regard to case and white space. `calls`: the set of all calls, each a name and arguments.
    """
    # a column of whole numbers holds 63 bits
    return int.from_bytes(blake2b(_common(row, unique), digest_size=8).digest(), "big") >> 1


def digest_of(row: Row, what: str) -> bytes:
    """Return 16 bytes that are equal for duplicate rows.

    `what` is as `unique` of `duplicate_key`, or `rows`: all messages with their calls and results, and the names of the tools on offer, without
    regard to ids.
    """
    return blake2b(_common(row, what), digest_size=16).digest()


def _common(row: Row, what: str) -> bytes:
    """Return, as bytes to compare, what duplicates share: of `rows` tools and messages, of `requests` their words, else the calls."""
    if row.document is not None:
        parts = [msgspec.json.encode(row.document).decode()]
    elif what == "rows":
        names = sorted(tool.name for tool in row.conversation.tools)
        parts = [*names, *map(_without_ids, row.conversation.messages)]
    elif what == "requests":
        requests = [message.content for message in row.conversation.messages if isinstance(message, UserMessage)]
        parts = [" ".join(text.casefold().split()) for text in requests]
    else:
        calls = [call for m in row.conversation.messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
        parts = sorted(set(map(_as_text, calls)))
    return "\x1f".join(parts).encode("utf-8", "surrogatepass")


def _without_ids(message: Message) -> str:
    """Return a message as text, without the ids of its calls."""
    role = str(message.__struct_config__.tag)
    if isinstance(message, ToolMessage):
        return f"{role}\x1e{message.name}\x1e{message.content}"
    calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
    return "\x1e".join([role, message.content or "", *map(_as_text, calls)])


def _as_text(call: ToolCall) -> str:
    return f"{call.name} {compact_json(with_sorted_keys(call.arguments))}"


def with_sorted_keys(value: object) -> object:
    """Return a JSON value with the keys of all objects in one order."""
    if isinstance(value, dict):
        return {key: with_sorted_keys(value[key]) for key in sorted(value)}
    return [with_sorted_keys(item) for item in value] if isinstance(value, list) else value


WORDS = 8
"""Length of a shared sequence of words that counts as contamination."""


class Against:
    """The contents of other files as hashes: about 60 bytes for each word of their requests."""

    def __init__(self, files: Iterable[Path]) -> None:
        """Read the files; raises OutputError for one that cannot be read or holds no conversation."""
        self.shared = Shared()
        self._words: set[int] = set()
        self._tools: set[str] = set()
        self._arguments: set[int] = set()
        self._both: set[str] = set()
        for file in files:
            before = self.shared.records
            for requests, tools, arguments in _parts_in_file(file):
                self.shared.records += 1
                self._words.update(_runs(requests))
                self._tools.update(tools)
                self._arguments.update(map(_number, arguments))
            if self.shared.records == before:
                what = "holds no conversation in any of our formats, and no BFCL question"
                raise OutputError(f"--against {file}: {what}")
            self.shared.files.append(file.name)

    def compare(self, conversation: Conversation) -> None:
        """Compare one row with the files."""
        requests, tools, arguments = _compared_parts(conversation)
        shared = self.shared
        shared.rows += 1
        shared.requests += any(run in self._words for run in _runs(requests))
        both = self._tools.intersection(tools)
        shared.tools += bool(both)
        self._both |= both
        shared.arguments += any(_number(text) in self._arguments for text in arguments)
        shared.names = sorted(self._both)


def read_against(files: Collection[Path]) -> Against | None:
    """Return what rows are held against, where files are named; raises OutputError for an unusable one."""
    return Against(files) if files else None


Parts = tuple[list[str], list[str], list[str]]
"""Requests, names of tools, arguments of calls as text."""


def _parts_in_file(file: Path) -> Iterator[Parts]:
    """Yield the contents of each record of a file; records of unknown formats are skipped."""
    for entry in records_of(file):
        if not isinstance(record := entry.record, dict):
            continue
        try:
            content = understood(record, FORMATS[guessed_format(record)])
        except FormatError:
            content = FileSequence(files=())
        parts = _bfcl_parts(record) if isinstance(content, FileSequence) else _compared_parts(content)
        if any(parts):
            yield parts


def _bfcl_parts(record: dict[str, Any]) -> Parts:
    """Return the contents of a BFCL question of several turns, or of one of the two files that belong together."""
    turns, functions = record.get("question"), record.get("function")
    messages = [m for turn in turns if isinstance(turn, list) for m in turn] if isinstance(turns, list) else []
    return _texts_at("content", messages), _texts_at("name", functions if isinstance(functions, list) else []), []


def _texts_at(key: str, parts: list[Any]) -> list[str]:
    """Return the texts that objects have at a key."""
    return [part[key] for part in parts if isinstance(part, dict) and isinstance(part.get(key), str)]


def _compared_parts(conversation: Conversation) -> Parts:
    """Return (requests, names of tools, arguments of calls as JSON) of a conversation, which are compared with other files."""
    requests = [message.content for message in conversation.messages if isinstance(message, UserMessage)]
    calls = [call for m in conversation.messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
    return (
        requests,
        [tool.name for tool in conversation.tools],
        [compact_json(with_sorted_keys(call.arguments)) for call in calls if len(call.arguments) > 1],
    )


def _runs(requests: list[str]) -> Iterator[int]:
    """Yield a hash of every eight consecutive words of each request."""
    for text in requests:
        words = re.findall(r"\w+", text.casefold())
        for at in range(len(words) - WORDS + 1):
            yield _number(" ".join(words[at : at + WORDS]))


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
