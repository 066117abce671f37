"""Whether a conversation agrees with itself: results with each other, answers with what is shown, and with the system message."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any

from generator.core.conversation import SystemMessage
from generator.core.exact_json import is_json
from generator.core.yaml_values import own_data
from generator.dialogue.proof.styles import faults_of_text
from generator.dialogue.styles import Style
from generator.report.metrics.base import Chart, Measured, Meter, most_first, share
from generator.report.rows import ParsedCall, ParsedRow, ParsedTurn, is_look_up, known_words, words_of_text, written
from generator.tools.invariants import SeenCall as AnsweredCall
from generator.tools.invariants import contradictions, shipped_invariants
from generator.tools.specs.shown import unshown

_MOST_ELEMENTS = 300
_DEEPEST = 6


class ContradictionMeter(Meter):
    """Holds the results of each conversation against the shipped invariants, and against each other."""

    def add(self, row: ParsedRow) -> None:
        """Look at the results of one row."""
        answered = [call for call in row.calls if call.result is not None and not call.failed]
        agreements = list(_repeated_values_agree(answered))
        calls = [AnsweredCall(call.name, call.call.arguments, call.result, call.message) for call in answered]
        is_broken = bool(calls and contradictions(shipped_invariants(), calls))
        disagree = not all(agreements)
        self.counts.update(rows=1, broken=is_broken, compared=bool(agreements), disagreeing=disagree)
        if is_broken:
            self.examples.note("results that break an invariant", row.number)
        if disagree:
            self.examples.note("results that disagree", row.number)

    def result(self) -> Measured:
        """Return shares of the conversations."""
        figures = {
            "rows": self.share_of("broken", "rows"),
            "disagreeing": self.share_of("disagreeing", "compared"),
            "compared": int(self.counts["compared"]),
        }
        return Measured(figures, examples=self.examples.rows)


def _repeated_values_agree(calls: list[ParsedCall]) -> Iterator[bool]:
    """Yield for each value that two results give of one thing whether it is the same.

    A thing is known by its first property `id` or `…_id`. A call that is not a look-up may change things: what was
    returned before it is forgotten, and so are values that are told of other arguments of one name (a price for two
    people is another one for three).
    """
    facts_by_thing: dict[tuple[str, str], dict[str, tuple[str, dict[str, str]]]] = {}
    for call in calls:
        if not is_look_up(call.name):
            facts_by_thing.clear()
        arguments = {value.pointer: written(value.value) for value in call.values}
        for thing, values in _things(call.result):
            before = facts_by_thing.setdefault(thing, {})
            for key, value in values.items():
                earlier = before.get(key)
                if earlier is not None and all(
                    arguments.get(name, value) == value for name, value in earlier[1].items()
                ):
                    yield earlier[0] == value
                before[key] = value, arguments


def _things(result: Any, depth: int = 0) -> Iterator[tuple[tuple[str, str], dict[str, str]]]:
    """Yield the objects of a result that have an identifier, each with its simple values."""
    if depth > _DEEPEST:
        return
    if isinstance(result, list):
        for element in result[:_MOST_ELEMENTS]:
            yield from _things(element, depth + 1)
    elif isinstance(result, dict):
        name = next((key for key in result if key == "id" or key.endswith(("_id", "Id"))), None)
        if name is not None and _is_distinctive(result[name]):
            simple = {key: value for key, value in result.items() if isinstance(value, str | int | float | bool)}
            yield (name, written(result[name])), {key: written(simple[key]) for key in simple if key != name}
        for value in result.values():
            yield from _things(value, depth + 1)


def _is_distinctive(identifier: Any) -> bool:
    """Whether an identifier is no small number, which things of several kinds may have."""
    if isinstance(identifier, str):
        return len(identifier) >= 4
    return isinstance(identifier, int) and not isinstance(identifier, bool) and identifier >= 1000


class UnshownMeter(Meter):
    """Counts rows whose answers claim what nothing in them shows."""

    def __init__(self) -> None:
        super().__init__()
        self._said: Counter[str] = Counter()

    def add(self, row: ParsedRow) -> None:
        """Look at the answers of one row."""
        self.counts["answered"] += any(turn.answer and turn.calls for turn in row.turns)
        unshown_claims = {f"{claim.said} ({claim.kind})" for claim in unshown(row.conversation)}
        self.counts["unshown"] += bool(unshown_claims)
        self._said.update(unshown_claims)
        for claim_in_words in sorted(unshown_claims):
            self.examples.note(f"nothing shows {claim_in_words}", row.number)

    def result(self) -> Measured:
        """Return the share of the rows with answers to results."""
        charts = (Chart("Said but not shown", most_first(self._said)),) if self._said else ()
        return Measured({"rows": self.share_of("unshown", "answered")}, charts, self.examples.rows)


SHORT = 60  # as metrics.yaml says
"""Words of an answer that is short; lines of a list are not counted."""
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?…][\"”')]*(?=\s+[\"“(]?[A-ZÀ-Þ]|\s*$)")
_MARKS = re.compile(r"\*\*|^#{1,6} |`|^\s*[-*] |\[[^\]\n]+\]\(", re.MULTILINE)
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")


class InstructionMeter(Meter):
    """Holds the turns of a conversation against its system messages."""

    def __init__(self) -> None:
        super().__init__()
        self._asked: Counter[str] = Counter()
        self._followed: Counter[str] = Counter()

    def add(self, row: ParsedRow) -> None:
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
                    self.examples.note(f"not followed: {name}", row.number)

    def result(self) -> Measured:
        """Return shares of the turns."""
        by_name = {name: round(100 * self._followed[name] / turns, 1) for name, turns in self._asked.items()}
        charts = (
            Chart("Turns under such a line", most_first(self._asked)),
            Chart("Turns that follow it, in per cent", tuple(sorted(by_name.items()))),
        )
        total = self._asked.total()
        figures = {"followed": share(self._followed.total(), total), "turns": total}
        return Measured(figures, charts if total else (), self.examples.rows)


@lru_cache(maxsize=1 << 12)
def instructions(text: str) -> tuple[tuple[str, str], ...]:
    """Return the lines of a system message that can be checked, by name, a language with its name."""
    matches = {
        name: next(filter(None, [pattern.search(text) for pattern in patterns]), None)
        for name, patterns in _patterns().items()
    }
    return tuple([(name, match[1].capitalize() if match.re.groups else "") for name, match in matches.items() if match])


@cache
def _patterns() -> dict[str, list[re.Pattern[str]]]:
    languages = "|".join(known_words().function_words)
    data: dict[str, list[str]] = own_data(__file__, "instructions.yaml")
    return {
        name: [re.compile(pattern.replace("{language}", languages), re.IGNORECASE) for pattern in patterns]
        for name, patterns in data.items()
    }


def _is_short(answer: str) -> bool:
    return len(words_of_text(" ".join([line for line in answer.split("\n") if not _BULLET.match(line)]))) <= SHORT


def _is_one_sentence(answer: str) -> bool:
    return len(_SENTENCE_END.findall(answer.strip())) <= 1


def _has_bullets(answer: str) -> bool:
    return len(_BULLET.findall(answer)) > 1 or (_is_one_sentence(answer) and "\n" not in answer.strip())


def is_in(language: str, answer: str) -> bool | None:
    """Whether a text has more words of this language than of any other one; None where too few tell."""
    words = Counter(words_of_text(answer))
    words_by_language = {
        name: sum(words[word] for word in function_words)
        for name, function_words in known_words().function_words.items()
    }
    most = max(words_by_language.values())
    return words_by_language.get(language) == most if most > 1 else None


def _guesses_nothing(turn: ParsedTurn) -> bool | None:
    values = [value for call in turn.calls for value in call.values]
    return all(value.origin != "not_found" for value in values) if values else None


def _looks(turn: ParsedTurn, style: Style) -> bool | None:
    return not any(faults_of_text(turn.answer, style)) if turn.answer else None


def _of_answers(reader: Callable[[str], bool | None]) -> Callable[[ParsedTurn, str], bool | None]:
    return lambda turn, _: reader(turn.answer) if turn.answer else None


_READERS: dict[str, Callable[[ParsedTurn, str], bool | None]] = {
    "short": _of_answers(_is_short),
    "one_sentence": _of_answers(_is_one_sentence),
    "bullets": _of_answers(_has_bullets),
    "plain_text": _of_answers(lambda answer: _MARKS.search(answer) is None),
    "no_emoji": _of_answers(lambda answer: _EMOJI.search(answer) is None),
    "json": _of_answers(is_json),
    "language": lambda turn, language: is_in(language, turn.answer) if turn.answer else None,
    "words": lambda turn, most: _looks(turn, Style(words=int(most))),
    "no_lists": lambda turn, _: _looks(turn, Style(lists="no")),
    "no_offers": lambda turn, _: _looks(turn, Style(closers="no")),
    "no_exclamations": lambda turn, _: _looks(turn, Style(exclamations="no")),
    "given_tools": lambda turn, _: all(call.tool is not None for call in turn.calls) if turn.calls else None,
    "no_guessing": lambda turn, _: _guesses_nothing(turn),
}
"""By name: whether a turn follows the line; None when that does not show in it."""
