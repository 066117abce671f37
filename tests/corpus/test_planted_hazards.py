"""Every hazard finds the mistake that it is named for, in a format of each syntax: a right parser that makes one mistake.

The second half is about mistakes that a parser makes in pieces only.
"""

from functools import cache

import msgspec
import pytest
import reference_parsers

from generator.corpus.check.failures import PlainAnswer, answer_of
from generator.corpus.check.plain import Pieces, plain_stream
from generator.corpus.check.run import CheckOptions, check_case
from generator.corpus.grid import grid_cases, hazards
from generator.corpus.release import release_makers
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
    "elements within elements": "minimax_m3",
}
OWN = {"own_opening_marker", "own_closing_marker", "half_closing_marker", "end_token"}
"""What a text holds is another one in each format."""


@cache
def valid_cases(name, verdicts="y"):
    """By hazard: the cases that a parser must read."""
    found = {}
    for case in grid_cases(release_makers()[name]):
        if case.verdict in verdicts:
            found.setdefault(case.hazard, []).append(case)
    return found


def mistake(fmt, hazard):
    """A change of one value, which is the mistake of that name; None where a hazard is no value."""
    text = hazard.text
    if hazard.name in OWN:
        closing = fmt.markers[-1] if fmt.markers else ""
        marker = {"$open": fmt.opening, "$close": closing, "$half": closing[: len(closing) // 2], "$end": fmt.end[0]}
        text = marker[hazard.text]
    if text and not text.startswith("$"):  # other markers of the format are several
        return lambda value: value.replace(text, "") if isinstance(value, str) else value
    alone = "lorem ipsum dolor sit amet, " * 36 if hazard.alone == "long" else hazard.alone
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
        return [call._replace(arguments=changed(call.arguments, change)) for call in calls]

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
    "many_calls": lambda calls: calls[:11],
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


def calls_of(batch):
    return [call for delta in batch for call in delta.get("tool_calls", ())]


def words_that_come_with_a_call_are_lost(batch, ended):
    return [delta for delta in batch if "content" not in delta] if calls_of(batch) else batch


def what_is_held_back_at_the_end_is_lost(batch, ended):
    return [] if ended else batch


def of_several_calls_in_a_piece_the_first_is_sent(batch, ended):
    first = [call["index"] for call in calls_of(batch)][:1]
    return [delta for delta in batch if [call["index"] for call in delta.get("tool_calls", ())] in ([], first)]


def a_whole_call_in_a_piece_sends_its_name_only(batch, ended):
    named = {call["index"] for call in calls_of(batch) if "name" in call}
    return [d for d in batch if not any(c["index"] in named and "name" not in c for c in d.get("tool_calls", ()))]


def words_are_sent_with_the_white_space_off(batch, ended):
    said = "".join([delta.get("content", "") for delta in batch])
    rest = [delta for delta in batch if "content" not in delta]
    return [{"content": said.strip()}, *rest] if said.strip() else rest


def everything_waits_for_the_end(held):
    def send(batch, ended):
        held.extend(batch)
        return held if ended else []

    return send


def a_call_waits_for_the_end_of_all(held):
    def send(batch, ended):
        held.extend(delta for delta in batch if "tool_calls" in delta)
        return [delta for delta in batch if "content" in delta] + (held if ended else [])

    return send


def a_call_is_sent_with_its_first_argument(held):
    """So one that has none is never sent."""
    known = set()

    def send(batch, ended):
        known.update(call["index"] for call in calls_of(batch) if '"' in call.get("arguments", ""))
        held.extend(batch)
        sent = [delta for delta in held if all(call["index"] in known for call in delta.get("tool_calls", ()))]
        held[:] = [delta for delta in held if delta not in sent]
        return sent

    return send


SAID = ("words_before", "words_before_two", "words_with_brackets")
SEVERAL = ("second_call", "many_calls", "no_arguments_twice", "words_before_two")
MISTAKES = {
    words_that_come_with_a_call_are_lost: (SAID, "wrong content"),
    what_is_held_back_at_the_end_is_lost: (("half_marker_last",), "wrong content"),
    of_several_calls_in_a_piece_the_first_is_sent: (SEVERAL, "lost call"),
    a_whole_call_in_a_piece_sends_its_name_only: (("boolean_true", "second_call", "text_true"), "wrong argument"),
    words_are_sent_with_the_white_space_off: (SAID, "leaked text"),
    everything_waits_for_the_end: (("second_call", "many_calls"), "late delta"),
    a_call_waits_for_the_end_of_all: (("second_call", "many_calls"), "late delta"),
    a_call_is_sent_with_its_first_argument: (("no_arguments", "no_arguments_last"), "lost call"),
}
"""Mistake → the hazards that are about it, and what is told."""
KEEPS = {everything_waits_for_the_end, a_call_waits_for_the_end_of_all, a_call_is_sent_with_its_first_argument}


class WrongInPieces(reference_parsers.InProcess):
    """A right parser; what it sends after each piece goes through a mistake."""

    def __init__(self, maker, mistake):
        tools = {name: msgspec.to_builtins(tool_object(known.tool)) for name, known in maker.tools.items()}
        super().__init__(maker.fmt.name, tools)
        self.mistake = mistake

    def run(self, given, tools, seconds):
        if isinstance(given, str):
            return super().run(given, tools, seconds)
        pieces = Pieces(given)
        send = self.mistake([]) if self.mistake in KEEPS else self.mistake
        return answer_of(msgspec.convert(plain_stream(self.sent(pieces, tools, send), pieces), PlainAnswer))

    def sent(self, pieces, tools, send):
        parser = reference_parsers.made(self.name, [self.tools[name] for name in tools or self.tools])
        for piece in pieces:
            parser.feed(piece)
            yield from send(parser.deltas, False)
            parser.deltas = []
        parser.finish()
        yield from send(parser.deltas, True)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_a_mistake_in_pieces_is_found_where_the_whole_text_is_read_rightly(mistake):
    hazards, label = MISTAKES[mistake]
    found = set()
    for name in FAMILIES.values():
        runner = WrongInPieces(release_makers()[name], mistake)
        for hazard in hazards:
            for case in valid_cases(name, "yn").get(hazard, ()):
                assert check_case(case, runner, CheckOptions(parser="right"))[1] == []
                findings = check_case(case, runner, CheckOptions(parser="right", stream="wrong"))[1]
                if any(finding.label == label and finding.features == (hazard,) for finding in findings):
                    found.add((name, hazard))
    assert {hazard for _, hazard in found} == set(hazards)
    assert len({name for name, _ in found}) > len(FAMILIES) // 2, sorted(found)
