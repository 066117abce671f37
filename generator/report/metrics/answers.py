"""Answers that do not tell what was asked for."""

import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from generator.pointers import escape, leaves, resolve, split
from generator.report.mentions import SearchedText, is_look_up, known_words, words_of_text
from generator.report.metrics.base import Chart, Examples, Measured
from generator.report.naming import FoundValue, are_related, held_as
from generator.report.rows import SeenCall, SeenRow, SeenTurn, Value
from generator.report.schemas import slot_of, written
from generator.report.sketches import share

_SENTENCE = re.compile(
    r"(?<=[.?!])[\"”»)]?\s+|\n+|;\s|,? and (?:also |then )?(?=[a-z]+ (?:me|my|the|a|all|any)\b)|,? (?:and )?then "
)
_MOST_LEAVES = 300
"""Values of one result that are looked for."""


class Answers:
    """Compares what was asked and found with what is answered."""

    def __init__(self) -> None:
        self._look_ups = self._untold = self._lists = self._in_part = 0
        self._stressed = self._echoed = 0
        self._examples = Examples()

    def add(self, row: SeenRow) -> None:
        """Look at the answers of one row."""
        for turn in row.turns:
            telling: _Telling | None = None
            for call in turn.calls if turn.answer else ():
                if call.failed or call.result is None:
                    continue
                asked = is_look_up(call.name) and _is_asked(turn, call)
                stressed = _stressed(call)
                if not asked and not stressed:
                    continue
                telling = telling or _Telling(row, turn)
                found = _found(call)
                if asked:
                    self._look_up(row.number, call, _fresh(call, found, turn.text), telling)
                if telling.reports(call):
                    self._acknowledge(call, stressed, found, telling)

    def result(self) -> Measured:
        """Return the shares of look-ups and of optional values."""
        counts = (
            ("told", self._look_ups - self._untold - self._in_part),
            ("a list told in part", self._in_part),
            ("untold", self._untold),
        )
        return Measured(
            {
                "untold": share(self._untold, self._look_ups),
                "in_part": share(self._in_part, self._lists),
                "acknowledged": share(self._echoed, self._stressed),
                "look_ups": self._look_ups,
            },
            (Chart("Look-ups that were asked for", counts, "shares"),) if self._look_ups else (),
            self._examples.rows,
        )

    def _acknowledge(
        self, call: SeenCall, stressed: list[Value], found: "list[FoundValue]", telling: "_Telling"
    ) -> None:
        for value in stressed:
            held = held_as(value.pointer, value.value, found)
            if held:
                self._stressed += 1
                self._echoed += telling.acknowledges(call, value, held)

    def _look_up(self, number: int, call: SeenCall, fresh: "list[FoundValue]", telling: "_Telling") -> None:
        if not fresh:
            return
        self._look_ups += 1
        parts = _elements(call.result, fresh)
        told = [
            any(telling.tells(call, leaf) for leaf in fresh if not part or leaf.pointer.startswith(f"{part}/"))
            for part in parts
        ]
        self._lists += len(parts) > 1
        if not any(told):
            self._untold += 1
            self._examples.note("a look-up that was asked for is untold", number)
        elif not all(told):
            self._in_part += 1
            self._examples.note("a list is told in part", number)


def _stressed(call: SeenCall) -> list[Value]:
    """Return the optional values of a call that the user says; of flags, nothing but a proof tells whether they do."""
    places = call.tool.by_slot if call.tool is not None else {}
    return [
        value
        for value in call.values
        if value.origin in ("as_is", "reworded")
        and (declared := places.get(slot_of(value.pointer))) is not None
        and not declared.required
    ]


class _Telling:
    """The values that the answer of a turn tells: by the row's proof where there is one, else by search."""

    def __init__(self, row: SeenRow, turn: SeenTurn) -> None:
        self._text = turn.answer
        self._answer = SearchedText(turn.answer)
        self._proven = row.proof is not None
        self._values: set[str] = set()
        """Values that are stated, as compact JSON."""
        self._places: set[tuple[str, str]] = set()
        """(id of the call, pointer into its result)."""
        calls = dict(zip(row.proof.calls, row.calls, strict=True)) if row.proof else {}
        for claim in row.proof.answers if row.proof else ():
            call = calls.get(claim.call_id)
            if call is None:
                continue
            if claim.of == "result":
                self._places.add((call.call.id, claim.pointer))
            with suppress(LookupError):
                self._values.add(
                    written(resolve(call.result if claim.of == "result" else call.call.arguments, claim.pointer))
                )

    def tells(self, call: SeenCall, leaf: FoundValue) -> bool:
        """Whether it tells this value of a call's result."""
        if not self._proven:
            return self._answer.mentions(leaf.value)
        return leaf.written in self._values or (call.call.id, leaf.pointer) in self._places

    def reports(self, call: SeenCall) -> bool:
        """Whether it tells anything of this very call, as far as a proof can say."""
        return not self._proven or any(call_id == call.call.id for call_id, _ in self._places)

    def acknowledges(self, call: SeenCall, value: Value, held: "list[FoundValue]") -> bool:
        """Whether it says an optional value, in whatever words of the result; of a flag, its name will do."""
        if any((call.call.id, leaf.pointer) in self._places for leaf in held):
            return True
        if isinstance(value.value, bool):
            names = [value.pointer, *(leaf.pointer for leaf in held)]
            return any(are_related(name, self._text) for name in names)
        said = [value.value, *(leaf.value for leaf in held)]
        return any(written(one) in self._values or self._answer.mentions(one) for one in said)


def _found(call: SeenCall) -> list[FoundValue]:
    """Return the values of its result, of a very long one the first."""
    return [FoundValue(pointer, value, written(value)) for pointer, value in islice(leaves(call.result), _MOST_LEAVES)]


def _fresh(call: SeenCall, found: list[FoundValue], request: str) -> list[FoundValue]:
    """Return the values that are new: neither arguments of the call nor said by the user. A number is new unless an argument has its name."""
    given = {written(value.value) for value in call.values}
    names = {split(value.pointer)[-1:] for value in call.values}
    said = SearchedText(request)

    def is_new(leaf: FoundValue) -> bool:
        if isinstance(leaf.value, bool) or leaf.value in (None, "", [], {}):
            return False
        if isinstance(leaf.value, int | float):
            return split(leaf.pointer)[-1:] not in names
        return leaf.written not in given and said.find(leaf.value) is None

    return [leaf for leaf in found if is_new(leaf)]


def _is_asked(turn: SeenTurn, call: SeenCall) -> bool:
    """Whether the sentence that the call goes back to asks to be told something.

    It is the sentence in which the user says the call's first value, or else the one that shares most words with the
    tool's name.
    """
    sentences = list(_sentences(turn.text))
    starts = [v.span[0] for v in call.values if v.span is not None and v.message == turn.message]
    holding = [text for start, end, text in sentences if starts and start <= min(starts) < end]
    if not holding:
        name = set(words_of_text(call.name.replace("_", " ")))
        holding = sorted(
            (text for _, _, text in sentences), key=lambda text: -len(name & _singular(words_of_text(text)))
        )[:1]
    asking = known_words().asking_words
    return any("?" in text or not asking.isdisjoint(words_of_text(text)) for text in holding if not _NAMED.match(text))


_NAMED = re.compile(
    r"\s*(?:Among|Of|Out of|About|(?:It|That|This)(?:'s| is) about|Regarding|I mean|I'm talking about)\b", re.IGNORECASE
)
"""Begins a sentence that only names what a look-up finds: "Of my open orders, cancel the latest one."."""


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    for cut in _SENTENCE.finditer(text):
        yield start, cut.end(), text[start : cut.end()]
        start = cut.end()
    yield start, len(text) + 1, text[start:]


def _singular(words: list[str]) -> set[str]:
    return {*words, *(word.removesuffix("s") for word in words)}


def _elements(result: Any, fresh: list[FoundValue]) -> list[str]:
    """Return pointers to the parts of a result to be told: the elements of its first list of objects, or all."""
    lists = [("", result)] if isinstance(result, list) else []
    if isinstance(result, dict):
        lists += [(f"/{escape(key)}", value) for key, value in result.items() if isinstance(value, list)]
    for pointer, value in lists:
        if value and all(isinstance(element, dict) for element in value):
            parts = [f"{pointer}/{index}" for index in range(min(len(value), _MOST_LEAVES))]
            held = [part for part in parts if any(leaf.pointer.startswith(f"{part}/") for leaf in fresh)]
            return held or [""]
    return [""]
