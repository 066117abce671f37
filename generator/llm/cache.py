"""A cache of answers in SQLite, by a digest of the request, so that nothing is paid for twice.

Answers are stored together with what they cost, in one transaction, before anybody uses them: a killed process loses none
that counted, and several processes may share a file. The first answer to a question stays: whoever asks later gets that
one, which makes runs repeatable.
"""

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from generator.core.errors import OutputError
from generator.llm.asking import Account, ModelAnswer, PromptMessage, Refused, Request

T = TypeVar("T")

_VERSION = 1
_WAIT_SECONDS = 60
_TABLES = (
    "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, answer BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS accounts (run TEXT PRIMARY KEY, account BLOB NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS batches (batch TEXT PRIMARY KEY, names BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS prompts (key BLOB PRIMARY KEY, prompt BLOB NOT NULL, fault TEXT NOT NULL DEFAULT '')",
)


class KeptPrompt(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was asked."""

    use: str
    model: str
    messages: tuple[PromptMessage, ...]


def new_messages_in(request: Request) -> list[PromptMessage]:
    """Return the messages of a request with tools as (role, text) pairs, from the model's last one on: those before it are kept already."""
    turns = request.turns
    last = max((at for at, turn in enumerate(turns) if turn["role"] == "assistant"), default=0)
    return [
        (turn["role"], "\n".join(filter(None, (turn.get("content"), *map(_call_text, turn.get("tool_calls") or ())))))
        for turn in turns[last:]
    ]


def _call_text(call: dict[str, Any]) -> str:
    """Return a call of a tool as text: `get_weather {"city": "Oslo"}`."""
    return f"{call['function']['name']} {call['function']['arguments']}"


class Cache:
    """The answers in one file, made when it is not there, unless it `must_exist`; `run` is the digest of the data set whose account is kept.

    Raises:
        OutputError: when it cannot be opened, or is something else.
    """

    def __init__(self, path: Path, run: str, *, must_exist: bool = False) -> None:
        self.path = path
        self._run = run
        if must_exist and not path.is_file():
            raise OutputError(f"{path}: there is no such file, and --llm-cache-only asks nobody")
        try:
            self._open()
        except (sqlite3.Error, OSError) as fault:
            raise OutputError(f"{path}: cannot be used as a cache of answers ({fault})") from None

    def _open(self) -> None:
        """Open the database, and make its tables where they are not there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, _VERSION):
            raise sqlite3.DatabaseError(f"version {version}, not {_VERSION}")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")  # a power cut may lose the last answers, never the file
        for statement in _TABLES:
            self._db.execute(statement)
        if not version:
            self._db.execute(f"PRAGMA user_version = {_VERSION}")

    def get(self, key: bytes) -> ModelAnswer | None:
        """Return the answer of that name."""
        row = self._execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        return self._decoded(row[0], ModelAnswer) if row else None

    def put(
        self,
        answers: Sequence[tuple[bytes, ModelAnswer]],
        account: Account,
        prompts: Sequence[tuple[bytes, KeptPrompt]] = (),
        refused: Sequence[Refused] = (),
    ) -> list[ModelAnswer]:
        """Store answers by their keys, and the account; return the stored answers (the first for each key).

        The prompts of the same keys, and why answers were refused, are kept for people to look at: nothing reads them.
        """
        stored: list[ModelAnswer] = []
        self._execute("BEGIN IMMEDIATE")
        try:
            for key, prompt in prompts:
                self._execute(
                    "INSERT OR IGNORE INTO prompts (key, prompt) VALUES (?, ?)", (key, msgspec.json.encode(prompt))
                )
            for key, fault in refused:
                self._execute("UPDATE prompts SET fault = ? WHERE key = ?", (fault, key))
            for key, answer in answers:
                added = self._execute(
                    "INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, msgspec.json.encode(answer))
                ).rowcount
                stored.append(answer if added else self.get(key) or answer)
            self._execute("INSERT OR REPLACE INTO accounts VALUES (?, ?)", (self._run, msgspec.json.encode(account)))
            self._execute("COMMIT")
        except BaseException:
            self._db.rollback()
            raise
        return stored

    def shown(self, *, use: str = "", refused: bool = False) -> Iterator[tuple[KeptPrompt, str, ModelAnswer]]:
        """Yield what was asked, why the answer could not be used (or nothing), and the answer, in the order in which they were asked: of a `use` alone, or the `refused` ones."""
        for prompt, fault, answer in self._execute(
            "SELECT prompt, fault, answer FROM prompts JOIN answers USING (key) WHERE fault != '' OR NOT ? ORDER BY prompts.rowid",
            (refused,),
        ):
            kept = self._decoded(prompt, KeptPrompt)
            if not use or kept.use == use:
                yield kept, fault, self._decoded(answer, ModelAnswer)

    def account(self) -> Account:
        """Return what the data set has cost so far."""
        row = self._execute("SELECT account FROM accounts WHERE run = ?", (self._run,)).fetchone()
        account = self._decoded(row[0], Account) if row else Account()
        account.cache_hits = 0
        return account

    def batches(self) -> dict[str, str]:
        """Return the batches in which requests were sent, by the requests' names."""
        rows = self._execute("SELECT batch, names FROM batches ORDER BY rowid").fetchall()
        return {name: batch for batch, names in rows for name in self._decoded(names, list[str])}

    def keep_batch(self, batch: str, names: Sequence[str]) -> None:
        """Keep which requests a batch holds; none: nobody looks for it any more."""
        self._execute("INSERT OR REPLACE INTO batches VALUES (?, ?)", (batch, msgspec.json.encode(names)))

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _decoded(self, text: Any, kind: type[T]) -> T:
        """Return an entry; raises OutputError for a damaged one (SQLite may hold any type)."""
        try:
            return msgspec.json.decode(text, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError, TypeError, RecursionError) as fault:
            what = "account" if kind is Account else "prompt" if kind is KeptPrompt else "answer"
            raise OutputError(f"{self.path}: the cache of answers holds a damaged {what} ({fault})") from None

    def _execute(self, statement: str, values: tuple[object, ...] = ()) -> sqlite3.Cursor:
        """Execute a statement; raises OutputError when SQLite cannot."""
        try:
            return self._db.execute(statement, values)
        except sqlite3.Error as fault:
            raise OutputError(f"{self.path}: the cache of answers cannot be used ({fault})") from None
