"""Contamination: what rows share with other files, such as a benchmark's: words of requests, tool names, arguments."""

import re
from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from generator.core.conversation import AssistantMessage, Conversation, FileSequence, UserMessage
from generator.core.errors import FormatError, OutputError
from generator.formats import FORMATS
from generator.formats.files.records import records_of
from generator.formats.format import compact_json
from generator.formats.run_folder.tally import Shared
from generator.report.files.format_of import guessed_format
from generator.report.files.repairs import understood
from generator.report.files.unique import with_sorted_keys

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
            for requests, tools, arguments in _contents(file):
                self.shared.records += 1
                self._words.update(_runs(requests))
                self._tools.update(tools)
                self._arguments.update(map(_number, arguments))
            if self.shared.records == before:
                raise OutputError(
                    f"--against {file}: holds no conversation in any of our formats, and no BFCL question"
                )
            self.shared.files.append(file.name)

    def look(self, conversation: Conversation) -> None:
        """Compare one row with the files."""
        requests, tools, arguments = _parts(conversation)
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


def _contents(file: Path) -> Iterator[Parts]:
    """Yield the contents of each record of a file; records of unknown formats are skipped."""
    for entry in records_of(file):
        if not isinstance(record := entry.record, dict):
            continue
        try:
            found = understood(record, FORMATS[guessed_format(record)])
        except FormatError:
            found = FileSequence(files=())
        parts = _bfcl_parts(record) if isinstance(found, FileSequence) else _parts(found)
        if any(parts):
            yield parts


def _bfcl_parts(record: dict[str, Any]) -> Parts:
    """Return the contents of a BFCL question of several turns, or of one of the two files that belong together."""
    turns = record.get("question")
    messages = [m for turn in turns if isinstance(turn, list) for m in turn] if isinstance(turns, list) else []
    requests = [m["content"] for m in messages if isinstance(m, dict) and isinstance(m.get("content"), str)]
    functions = record.get("function")
    names = (
        [f["name"] for f in functions if isinstance(f, dict) and isinstance(f.get("name"), str)]
        if isinstance(functions, list)
        else []
    )
    return requests, names, []


def _parts(conversation: Conversation) -> Parts:
    requests = [message.content for message in conversation.messages if isinstance(message, UserMessage)]
    calls = [call for m in conversation.messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
    return (
        requests,
        [tool.name for tool in conversation.tools],
        [compact_json(with_sorted_keys(call.arguments)) for call in calls if len(call.arguments) > 1],
    )


def _runs(requests: list[str]) -> Iterator[int]:
    """Yield a hash for every eight consecutive words."""
    for text in requests:
        words = re.findall(r"\w+", text.casefold())
        for at in range(len(words) - WORDS + 1):
            yield _number(" ".join(words[at : at + WORDS]))


def _number(text: str) -> int:
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
