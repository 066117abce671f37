"""Every hazard finds the mistake that it is named for, in a format of each syntax: a right parser that makes one mistake."""

from functools import cache

import msgspec
import pytest
import reference_parsers

from generator.corpus.check.run import CheckOptions, check_case
from generator.corpus.grid import grid_cases, hazards
from generator.corpus.release.making import release_makers
from generator.formats.format import tool_object

FAMILIES = {
    "objects in a list": "jamba",
    "a name, then JSON": "kimi_k2",
    "channels": "harmony",
    "Python": "lfm25",
    "elements": "qwen3_coder",
    "typed elements": "deepseek_v4",
    "key and value elements": "glm45",
    "braces": "gemma4",
}
OWN = {"own_opening_marker", "own_closing_marker", "half_closing_marker", "end_token"}
"""What a text holds is another one in each format."""


@cache
def valid_cases(name):
    """By hazard: the cases that a parser must read."""
    found = {}
    for case in grid_cases(release_makers()[name]):
        if case.verdict == "y":
            found.setdefault(case.hazard, []).append(case)
    return found


def mistake(fmt, hazard):
    """A change of one value, which is the mistake of that name; None where a hazard is no value."""
    text = hazard.text
    if hazard.name in OWN:
        closing = fmt.markers[-1] if fmt.markers else ""
        marker = {"$open": fmt.opening, "$close": closing, "$half": closing[: len(closing) // 2], "$end": fmt.end[0]}
        text = marker[hazard.text]
    if text:
        return lambda value: value.replace(text, "") if isinstance(value, str) else value
    alone = "lorem ipsum dolor sit amet, " * 72 if hazard.alone == "long" else hazard.alone
    wrong = alone if alone is not None else hazard.value
    return None if wrong is msgspec.UNSET else lambda value: "lost" if repr(value) == repr(wrong) else value


def changed(value, change):
    """The value with every part of it changed."""
    if isinstance(value, dict):
        inside = {str(change(key)): changed(part, change) for key, part in value.items()}
        return inside if change(value) is value else "lost"
    if isinstance(value, list):
        return [changed(part, change) for part in value] if change(value) is value else "lost"
    return change(value)


class WrongParser(reference_parsers.InProcess):
    """A right parser, but for one mistake."""

    def __init__(self, maker, change):
        tools = {name: msgspec.to_builtins(tool_object(known.tool)) for name, known in maker.tools.items()}
        super().__init__(maker.fmt.name, tools)
        self.change = change

    def run(self, given, tools, seconds):
        answer = super().run(given, tools, seconds)
        return msgspec.structs.replace(answer, deltas=None, calls=tuple(self.change(list(answer.calls))))


def with_values(change):
    def in_calls(calls):
        return [msgspec.structs.replace(call, arguments=changed(call.arguments, change)) for call in calls]

    return in_calls


CALLS = {
    "no_arguments": lambda calls: [call for call in calls if call.arguments],
    "no_arguments_first": lambda calls: calls[not calls[0].arguments :] if calls else calls,
    "no_arguments_middle": lambda calls: [
        c for at, c in enumerate(calls) if c.arguments or not 0 < at < len(calls) - 1
    ],
    "no_arguments_last": lambda calls: calls if not calls or calls[-1].arguments else calls[:-1],
    "no_arguments_twice": lambda calls: list({(c.name, repr(c.arguments)): c for c in calls}.values()),
    "second_call": lambda calls: calls[:1],
    "many_calls": lambda calls: calls[:15],
    "words_before_two": lambda calls: calls[:1],
}
"""Mistakes that lose calls."""


@pytest.mark.parametrize("name", FAMILIES.values(), ids=FAMILIES)
def test_a_mistake_is_found_by_the_hazard_of_its_name(name):
    maker = release_makers()[name]
    tried = 0
    for hazard in hazards():
        cases = valid_cases(name).get(hazard.name, ())
        change = mistake(maker.fmt, hazard)
        calls = CALLS.get(hazard.name) or (with_values(change) if change else None)
        if not cases or calls is None:
            continue
        runner = WrongParser(maker, calls)
        case = min(cases, key=lambda case: len(case.text))
        found = check_case(case, runner, CheckOptions(parser="wrong"))[1]
        assert [finding.features for finding in found] == [(hazard.name,)], case.id
        tried += 1
    assert tried > 60
