"""Whether answers follow the lines of the system message that code can check."""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache, lru_cache

from generator.core.conversation import SystemMessage
from generator.core.exact_json import loads
from generator.core.yaml_values import own_data
from generator.dialogue.proof.styles import faults_of_text
from generator.dialogue.styles import Style
from generator.report.mentions import known_words, words_of_text
from generator.report.metrics.base import Chart, Examples, Measured, most_first
from generator.report.rows import SeenRow, SeenTurn
from generator.report.sketches import share

SHORT = 60  # as metrics.yaml says
"""Words of an answer that is short; lines of a list are not counted."""
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?…][\"”')]*(?=\s+[\"“(]?[A-ZÀ-Þ]|\s*$)")
_MARKS = re.compile(r"\*\*|^#{1,6} |`|^\s*[-*] |\[[^\]\n]+\]\(", re.MULTILINE)
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")


class InstructionMeter:
    """Holds the turns of a conversation against its system messages."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._followed: Counter[str] = Counter()
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Look at the turns of one row."""
        texts = [message.content for message in row.conversation.messages if isinstance(message, SystemMessage)]
        for name, detail in instructions("\n".join(texts)):
            for turn in row.turns:
                follows = _READERS[name](turn, detail)
                if follows is None:
                    continue
                self._asked[name] += 1
                self._followed[name] += follows
                if not follows:
                    self._examples.note(f"not followed: {name}", row.number)

    def result(self) -> Measured:
        """Return shares of the turns."""
        by_name = {name: round(100 * self._followed[name] / asked, 1) for name, asked in self._asked.items()}
        charts = (
            Chart("Turns under such a line", most_first(self._asked)),
            Chart("Turns that follow it, in per cent", tuple(sorted(by_name.items()))),
        )
        total = self._asked.total()
        return Measured(
            {"followed": share(self._followed.total(), total), "turns": total},
            charts if total else (),
            self._examples.rows,
        )


@lru_cache(maxsize=1 << 12)
def instructions(text: str) -> tuple[tuple[str, str], ...]:
    """Return the lines of a system message that can be checked, by name, a language with its name."""
    return tuple(
        [
            (name, found[1].capitalize() if found.re.groups else "")
            for name, patterns in _patterns().items()
            if (found := next((match for pattern in patterns if (match := pattern.search(text))), None))
        ]
    )


@cache
def _patterns() -> dict[str, list[re.Pattern[str]]]:
    languages = "|".join(known_words().function_words)
    data: dict[str, list[str]] = own_data(__file__)
    return {
        name: [re.compile(one.replace("{language}", languages), re.IGNORECASE) for one in patterns]
        for name, patterns in data.items()
    }


def _is_short(answer: str) -> bool:
    prose = [line for line in answer.split("\n") if not _BULLET.match(line)]
    return len(words_of_text(" ".join(prose))) <= SHORT


def _is_one_sentence(answer: str) -> bool:
    return len(_SENTENCE_END.findall(answer.strip())) <= 1


def _has_bullets(answer: str) -> bool:
    return len(_BULLET.findall(answer)) > 1 or (_is_one_sentence(answer) and "\n" not in answer.strip())


def _is_json(answer: str) -> bool:
    try:
        loads(answer)
    except ValueError:
        return False
    return True


def is_in(language: str, answer: str) -> bool | None:
    """Whether a text has more words of this language than of any other one; None where too few tell."""
    words = Counter(words_of_text(answer))
    told = {name: sum(words[word] for word in known) for name, known in known_words().function_words.items()}
    most = max(told.values())
    return told.get(language) == most if most > 1 else None


def _uses_given_tools(turn: SeenTurn) -> bool | None:
    return all(call.tool is not None for call in turn.calls) if turn.calls else None


def _guesses_nothing(turn: SeenTurn) -> bool | None:
    values = [value for call in turn.calls for value in call.values]
    return all(value.origin != "not_found" for value in values) if values else None


def _looks(turn: SeenTurn, style: Style) -> bool | None:
    return not any(faults_of_text(turn.answer, style)) if turn.answer else None


def _of_answers(reader: Callable[[str], bool | None]) -> Callable[[SeenTurn, str], bool | None]:
    return lambda turn, _: reader(turn.answer) if turn.answer else None


_READERS: dict[str, Callable[[SeenTurn, str], bool | None]] = {
    "short": _of_answers(_is_short),
    "one_sentence": _of_answers(_is_one_sentence),
    "bullets": _of_answers(_has_bullets),
    "plain_text": _of_answers(lambda answer: _MARKS.search(answer) is None),
    "no_emoji": _of_answers(lambda answer: _EMOJI.search(answer) is None),
    "json": _of_answers(_is_json),
    "language": lambda turn, language: is_in(language, turn.answer) if turn.answer else None,
    "words": lambda turn, most: _looks(turn, Style(words=int(most))),
    "no_lists": lambda turn, _: _looks(turn, Style(lists="no")),
    "no_offers": lambda turn, _: _looks(turn, Style(closers="no")),
    "no_exclamations": lambda turn, _: _looks(turn, Style(exclamations="no")),
    "given_tools": lambda turn, _: _uses_given_tools(turn),
    "no_guessing": lambda turn, _: _guesses_nothing(turn),
}
"""By name: whether a turn follows the line; None when that does not show in it."""
