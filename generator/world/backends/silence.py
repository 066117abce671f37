"""How often in a row a backend gave no answer: one that never does ends the run instead of every attempt at every row."""

from generator.core.errors import BackendError

MOST_AT_FIRST = 5
"""Equal failures in a row of what has not answered yet."""
MOST_LATER = 25
"""The same of what has answered before, so that a tool that is at times too slow costs rows, not the run."""
_ANY = ""


class Silence:
    """Counts, for one backend and each of its tools, equal failures in a row that are no answer.

    Each worker counts its own. A refusal is an answer.
    """

    def __init__(self) -> None:
        self._failed: dict[str, tuple[str, int]] = {}
        self._answered: set[str] = set()

    def answer(self, tool: str) -> None:
        """Note that a call was answered."""
        for one in (tool, _ANY):
            self._answered.add(one)
            self._failed.pop(one, None)

    def failure(self, tool: str, reason: str) -> None:
        """Note that a call was not answered: time was up, the process ended, or nobody is there.

        Raises:
            BackendError: when that has come too often.
        """
        for one in (tool, _ANY):
            before, count = self._failed.get(one, (reason, 0))
            count = count + 1 if before == reason else 1
            self._failed[one] = reason, count
            if count >= (MOST_LATER if one in self._answered else MOST_AT_FIRST):
                raise BackendError(f"the backend of {tool!r} never answers: {reason} ({count} times in a row)")
