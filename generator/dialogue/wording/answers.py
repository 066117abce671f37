"""The assistant's answers, which report results and say nothing else."""

import re
from collections.abc import Iterable, Sequence
from itertools import compress
from operator import ne
from typing import Any, NamedTuple

from generator.core.connectives import CONNECTIVES
from generator.core.conversation import ToolCall
from generator.core.pointers import escape, leaves, split
from generator.core.seeds import Draw
from generator.dialogue.styles import ANY, Style
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.phrases.telling import AnswerSentence
from generator.dialogue.wording.phrases.tool_phrases import ToolPhrases, answers_in_turn, asked_for, rank
from generator.dialogue.wording.utterance import (
    Phrase,
    Span,
    Spans,
    capital,
    fit_words,
    joined,
    opening,
    replaced,
    texts_around,
)
from generator.tools.productions import NO_WORDS, key_of, production, spoken_name, told_by_name


class ReportedCall(NamedTuple):
    """A call whose result is reported."""

    phrases: ToolPhrases
    call: ToolCall
    result: Any


def word_answer(
    calls: Sequence[ReportedCall],
    draw: Draw,
    voice: Voice,
    *,
    is_last: bool = True,
    is_end: bool = False,
    wanted: frozenset[str] = frozenset(),
    style: Style = ANY,
    used: set[AnswerSentence] | None = None,
) -> Phrase:
    """Return an answer that reports the results of some calls.

    Args:
        calls: The calls, with their results.
        draw: The row's stream.
        voice: The assistant's.
        is_last: Whether no further sentence follows.
        is_end: Whether nothing follows in the conversation: it may end with an offer to do more.
        wanted: Fields of the results that should be told, if there are sentences that tell them.
        style: How the answer is to look.
        used: Sentences of earlier answers, said again only if no other says as much; those that are said now are added.
    """
    rand = draw.rand
    distinguishing = _distinguishing_arguments(calls) if len(calls) > 1 else [_NOTHING]
    answers: list[Phrase] = []
    used = set() if used is None else used
    used_before, next_call = frozenset(used), 0
    patterned = _tell_in_a_pattern(calls, draw, voice, wanted, style) if len(calls) > 1 else {}
    while next_call < len(calls):
        end = _end_of_same_changes(calls, next_call)
        in_one_sentence = (
            _tell_in_one_sentence(calls[next_call:end], draw, voice, distinguishing[next_call])
            if end > next_call + 1
            else None
        )
        for number in range(next_call, end) if in_one_sentence is None else (next_call,):
            answer = (
                in_one_sentence
                or patterned.get(number)
                or _tell(calls[number], draw, voice, distinguishing[number], used, wanted, style)
            )
            is_again = answer[0][:4] == "Done" and (
                answers or any(one.template.text[:4] == "Done" for one in used_before)
            )
            answers.append(_without_done(answer) if is_again else answer)
        next_call = end
    is_pair = len(answers) == len(calls) == len(patterned) == 2 and draw.chance(_PAIR)
    is_list = (len(answers) > 2 or is_pair) and (len(patterned) == len(calls) or rand() < 0.9) and style.lists != "no"
    if is_list:
        answers[0] = _without_done(answers[0])
        has_introduction = (
            rand() < 0.7 and not style.is_brief and not any(one[0].startswith(_LEADING) for one in answers)
        )
        lead = draw.choice(_introductions(calls, is_last)) + "\n- " if has_introduction else "- "
        answer_text = joined(lead, answers[0], *[part for answer in answers[1:] for part in ("\n- ", answer)])
    else:
        answer_text = answers[0]
        for answer in answers[1:]:
            answer_text = joined(answer_text, _gap_after(answer_text[0]), answer)
    if is_end and draw.chance(_OFFERS) and style.closers != "no" and not style.is_brief:
        answer_text = joined(
            answer_text, "\n\n" if is_list else _gap_after(answer_text[0]), draw.choice(CONNECTIVES.offers)
        )
    return answer_text


def _tell_in_a_pattern(
    calls: Sequence[ReportedCall], draw: Draw, voice: Voice, wanted: frozenset[str], style: Style
) -> dict[int, Phrase]:
    """Return sentences that begin alike about calls of a tool that is called several times, by their numbers among the calls.

    Of the tool's ways to begin, the one is taken whose sentences leave out least of what tells the calls apart and
    of what the user cared to give; a reader compares lines more easily than sentences that are each built in a way
    of their own.
    """
    by_tool: dict[str, list[int]] = {}
    for number, call in enumerate(calls):
        by_tool.setdefault(call.call.name, []).append(number)
    sentences_by_number: dict[int, Phrase] = {}
    for places in by_tool.values():
        untold = places if calls[places[0]].phrases.answers else []
        while len(untold) > 1:
            sentences = _in_best_pattern([calls[number] for number in untold], untold, draw, voice, wanted, style)
            sentences_by_number |= sentences
            untold = [number for number in untold if number not in sentences] if sentences else []
    return sentences_by_number


def _in_best_pattern(
    calls: list[ReportedCall], numbers: list[int], draw: Draw, voice: Voice, wanted: frozenset[str], style: Style
) -> dict[int, Phrase]:
    """Return, by the numbers of the calls, sentences that begin alike ("Oslo has …", "Rome has …"): of the beginnings, the one that tells most of the results and leaves out least; none where it tells just one."""
    phrases = calls[0].phrases
    apart = differing([call.call.arguments for call in calls])
    needed = apart - phrases.optional or apart
    needs_of_calls = [
        (needed, (apart | asked_for(phrases, call.call.arguments)).intersection(call.call.arguments) | wanted)
        for call in calls
    ]
    ranked = {needs: _by_beginning(phrases, *needs) for needs in needs_of_calls}
    begins = list(next(iter(ranked.values())))
    start = draw.below(len(begins))
    left_out_by_beginning = {
        begin: sum([sum(ranked[needs][begin][0][:2]) for needs in needs_of_calls])
        for begin in begins[start:] + begins[:start]
    }
    seed = draw.below(_SEEDS)  # the elements of lists are told in one way in all of the sentences
    best: tuple[int, int, dict[int, Phrase]] | None = None
    for begin in sorted(
        left_out_by_beginning, key=lambda begin: (left_out_by_beginning[begin], style.is_brief and len(begin))
    ):
        if best is not None and best[:2] <= (0, left_out_by_beginning[begin]):
            break
        lost, sentences = 0, dict[int, Phrase]()
        for number, call, needs in zip(numbers, calls, needs_of_calls, strict=True):
            for left_out, repeated, _, answer in ranked[needs][begin]:
                draw_of_row = Draw(seed, draw.today)
                phrase = answer.tell(call.result, call.call.arguments, call.call.id, draw_of_row, voice)
                if phrase is not None:
                    lost += left_out + repeated
                    if not _tells_less(call, answer, needs[1], draw, voice):
                        sentences[number] = phrase
                    break
        untold = len(numbers) - len(sentences)
        if best is None or (untold, lost) < best[:2]:
            best = untold, lost, sentences
    return best[2] if best is not None and len(best[2]) > 1 else {}


def _tells_less(one: ReportedCall, answer: AnswerSentence, asked: frozenset[str], draw: Draw, voice: Voice) -> bool:
    """Whether another sentence tells more of what was asked for, so that this one is not enough although it begins as the others do."""
    missing = len(asked - answer.names)
    if not missing:
        return False
    others = [other for other in one.phrases.answers if len(asked - other.names) < missing]
    own = Draw(0, draw.today)
    return any(other.tell(one.result, one.call.arguments, one.call.id, own, voice) is not None for other in others)


def _by_beginning(
    phrases: ToolPhrases, apart: frozenset[str], asked: frozenset[str]
) -> dict[str, list[tuple[int, int, int, AnswerSentence]]]:
    """Return a tool's answers by how they begin, those first that leave out least, above all of what tells calls `apart`.

    One that begins with a sentence of its own counts as if it left out something: "Posted. Look under …" in each line is a refrain.

    Before each stand how much it leaves out, how much it says of each element of a list, and its place.
    """
    found: dict[str, list[tuple[int, int, int, AnswerSentence]]] = {}
    for number, answer in enumerate(phrases.answers):
        left_out = _APART * len(apart - answer.names) + len(asked - answer.names) + (". " in answer.begins)
        found.setdefault(answer.begins, []).append((left_out, len(answer.repeated & asked), number, answer))
    return {begins: sorted(answers, key=lambda sentence: sentence[:3]) for begins, answers in found.items()}


_SEEDS = 2**32
_APART = 10
"""How much worse it is to leave out what tells calls apart than anything else that was asked for."""


def _gap_after(text: str) -> str:
    """Return what stands between a sentence and the next one: an empty line after lines that are shown as they are."""
    return "\n\n" if text.endswith("```") else " "


def _end_of_same_changes(calls: Sequence[ReportedCall], start: int) -> int:
    """Return the end of the calls from `start` on that did the same to different things, if there are several."""
    end = start + 1
    while end < len(calls) and calls[end].phrases is calls[start].phrases and not calls[start].phrases.looks_up:
        end += 1
    return end


def _tell_in_one_sentence(
    calls: Sequence[ReportedCall], draw: Draw, voice: Voice, naming: frozenset[str]
) -> Phrase | None:
    """Return one sentence about several calls of a tool ("I turned off the lamp and the fan."), if one of its sentences reads well so; None also now and then."""
    phrases = calls[0].phrases
    if not phrases.answers or not draw.chance(_IN_ONE):
        return None
    given = frozenset().union(*[asked_for(phrases, call.call.arguments) for call in calls])
    sayable = frozenset().union(*[answer.names for answer in phrases.answers])
    for answer in answers_in_turn(phrases, draw.rand, naming, given):
        if not given & sayable <= answer.names:
            continue
        sentences = [
            answer.tell(result, call_made.arguments, call_made.id, draw, voice) for _, call_made, result in calls
        ]
        told_phrases = [phrase for phrase in sentences if phrase is not None]
        call = _merged(told_phrases) if len(told_phrases) == len(sentences) else None
        if call is not None:
            return call
    return None


_BEGINNING = re.compile(r"(?:Done[ ,:—–]+)?I\b")
_OF_ONE = re.compile(r"\b(?:it|its|it's|is|has|was|this|that|one|invitation|link)\b|[,.;:] | and ")
"""Words that fit one thing only, and what makes a sentence of several parts."""


def _merged(answers: Sequence[Phrase]) -> Phrase | None:
    """Return one sentence that says what several say of a call each; None where that would not read well.

    "I locked the front door." and "I locked the garage." → "I locked the front door and the garage." The sentences
    must begin with "I", so that their verb fits one thing and several, and differ in one value.
    """
    first = answers[0]
    differing = _only_difference(answers)
    if differing is None:
        return None
    start, end, *_ = first[1][differing]
    outside = f"{first[0][:start]}\0{first[0][end:]}"
    beginning = _BEGINNING.match(outside)
    if beginning is None or _OF_ONE.search(outside, beginning.end()) or _follows_its_noun(first, differing):
        return None
    text, done = "", 0
    spans: Spans = []
    for number, (begin, close, *_) in enumerate(first[1]):
        text += first[0][done:begin]
        done = close
        for place, (text_of_answer, spans_of_answer, _) in enumerate(answers):
            begin, close = spans_of_answer[number][:2]
            if number == differing and place:
                text += " and " if place == len(answers) - 1 else ", "
            if number == differing or not place:
                text += text_of_answer[begin:close]
            spans.append(_span_ending_at(spans_of_answer[number], len(text)))
    return text + first[0][done:], spans, [(0, first[2][0][1], tuple([owner for _, _, ((_, _, (owner,)),) in answers]))]


def _follows_its_noun(answer: Phrase, number: int) -> bool:
    """Whether the noun of one thing stands before a value: "job JOB-12", "the playlist "Calm Hours""."""
    text, spans, _ = answer
    start, _, _, pointer, _ = spans[number]
    before = text[:start].split()
    return bool(before) and (before[-1] in re.findall("[a-z]+", pointer) or before[-2:-1] == ["the"])


def _span_ending_at(span: Span, end: int) -> Span:
    """Return a span moved so that it ends at an index."""
    start, stop, verbalizer, pointer, owner = span
    return end - (stop - start), end, verbalizer, pointer, owner


def _only_difference(answers: Sequence[Phrase]) -> int | None:
    """Return the number of the only span whose words differ; None where there is none, or where something else differs."""
    frames = {_outside(answer) for answer in answers}
    if len(frames) != 1:
        return None
    words = [[text[start:end] for start, end, *_ in spans] for text, spans, _ in answers]
    differing = [
        number for number, words_of_value in enumerate(zip(*words, strict=True)) if len(set(words_of_value)) > 1
    ]
    return (
        differing[0]
        if len(differing) == 1 and len({words_of_value[differing[0]] for words_of_value in words}) == len(words)
        else None
    )


def _outside(answer: Phrase) -> tuple[Any, ...]:
    """Return the texts around the values of a sentence, and how, from where and of what each value is said: the same for sentences of one form."""
    values = [(verbalizer, pointer, root) for _, _, verbalizer, pointer, (_, root) in answer[1]]
    return *texts_around(answer), *values


_OFFERS = 0.06
"""How often the last answer of a conversation ends with an offer to do more."""
_LEADING = ("Here", "I ", "I've ")
"""Beginnings of answers before which nothing introduces a list of them."""
_PAIR = 0.85
"""How often two calls of one tool are told in lines."""
_IN_ONE = 0.8
"""How often several calls that did the same are told in one sentence, where they can be."""


def _introductions(calls: Sequence[ReportedCall], is_last: bool) -> tuple[str, ...]:
    """Return the texts that may introduce a list of answers: nothing was "found" when something was done, and not all is "done" when more is to be said."""
    kinds = {call.phrases.looks_up for call in calls}
    return (
        CONNECTIVES.both
        if len(kinds) == 2
        else CONNECTIVES.found
        if True in kinds
        else CONNECTIVES.done
        if is_last
        else CONNECTIVES.both
    )


def _without_done(answer: Phrase) -> Phrase:
    """Return an answer without its leading "Done", which is left out in lists and after the first answer."""
    text = answer[0]
    if text.startswith("Done") and text[4:5] in {",", ".", ":", " "}:
        first = opening(answer)
        rest = first[4:].lstrip(",.:—– ")
        if rest or len(first) < len(text):
            return capital(replaced(answer, 0, len(first), rest))
    return answer


def _distinguishing_arguments(calls: Sequence[ReportedCall]) -> list[frozenset[str]]:
    """Return, for each call, the arguments that tell it from the others of the same tool.

    A value that is not the same in all of these calls differs from that of another one, whichever call it is in.
    """
    by_tool: dict[str, list[dict[str, Any]]] = {}
    for _, call, _ in calls:
        if call.name in by_tool:
            by_tool[call.name].append(call.arguments)
        else:
            by_tool[call.name] = [call.arguments]
    if len(by_tool) == len(calls):
        return [_NOTHING] * len(calls)
    differing_by_tool = {
        name: differing(several) if len(several) > 1 else _NOTHING for name, several in by_tool.items()
    }
    return [differing_by_tool[call.name].intersection(call.arguments) for _, call, _ in calls]


_NOTHING: frozenset[str] = frozenset()


def differing(objects: list[dict[str, Any]]) -> frozenset[str]:
    """Return the keys whose values are not the same in all of these objects; a missing value counts as null."""
    first = objects[0]
    keys = tuple(first)
    keys_that_differ: set[str] = set()
    for other in objects[1:]:
        if tuple(other) == keys:
            keys_that_differ.update(compress(keys, map(ne, first.values(), other.values())))
        else:
            keys_that_differ.update([key for key, value in other.items() if first.get(key) != value])
            keys_that_differ.update([key for key, value in first.items() if other.get(key) != value])
    return frozenset(keys_that_differ)


def _tell(
    reported: ReportedCall,
    draw: Draw,
    voice: Voice,
    naming: frozenset[str],
    used: set[AnswerSentence],
    wanted: frozenset[str] = frozenset(),
    style: Style = ANY,
) -> Phrase:
    """Return a sentence about one result: any of the tool's sentences whose values the result has, the shortest one where answers are short.

    Those that say one of the arguments in `naming` come first, so that several answers can be told apart; among them
    those that say the optional arguments, which the user cared to give. A sentence that is among the `used` ones is said again
    only if no other says as much; the one that is said is added to them.
    """
    phrases, call, result = reported
    if phrases.answers:
        given = asked_for(phrases, call.arguments) | wanted
        first_told: tuple[AnswerSentence, Phrase] | None = None
        for answer in _answers_to_try(phrases, draw, naming, given, wanted):
            if first_told is not None and _completeness(answer, naming, given, wanted) != _completeness(
                first_told[0], naming, given, wanted
            ):
                break
            phrase = answer.tell(result, call.arguments, call.id, draw, voice)
            if phrase is None:
                continue
            if style.is_brief:
                first_told = (
                    first_told
                    if first_told is not None and len(first_told[1][0]) <= len(phrase[0])
                    else (answer, phrase)
                )
                continue
            if answer not in used:
                used.add(answer)
                return phrase
            first_told = first_told or (answer, phrase)
        if first_told is not None:
            return first_told[1]
    return _tell_plainly(reported, voice)


def _answers_to_try(
    phrases: ToolPhrases, draw: Draw, naming: frozenset[str], given: frozenset[str], wanted: frozenset[str]
) -> Iterable[AnswerSentence]:
    """Return a tool's sentences as they are to be tried: first those that say most of the `wanted` fields."""
    drawn = answers_in_turn(phrases, draw.rand, naming, given)
    return sorted(drawn, key=lambda sentence: -len(sentence.names & wanted)) if wanted else drawn


def _completeness(
    answer: AnswerSentence, naming: frozenset[str], given: frozenset[str], wanted: frozenset[str]
) -> tuple[tuple[int, int, int], int]:
    """Return what tells how much an answer says: of what was asked for, and of the `wanted` fields."""
    return rank(answer, naming, given), len(answer.names & wanted)


def _tell_plainly(reported: ReportedCall, voice: Voice) -> Phrase:
    """Return a sentence for a result that nobody wrote phrases for: its fields by name."""
    phrases, call, result = reported
    fields, text = [("", result)], "The result is "
    if isinstance(result, dict):
        declared = (phrases.spec.returns or {}).get("properties") or result
        declared = (
            result if result.keys().isdisjoint(declared) else declared
        )  # a real answer, of which nothing was known
        fields = [
            (pointer, value)
            for name, part in result.items()
            if name in declared
            for pointer, value in leaves(part, f"/{escape(name)}")
            if value not in ([], {})
        ][:6]
        text = told_by_name(phrases.spec.name)
    if not fields:
        return "Done.", [], [(0, _TOLD, (call.id,))]
    spans: Spans = []
    for index, (pointer, value) in enumerate(fields):
        words = VERBALIZERS["json"].say(value, voice) or "null"
        if isinstance(result, dict):
            name = " ".join(filter(None, [spoken_name(escape(step)) for step in split(pointer)])) or "value"
            before, words = fit_words(f"{name} ", words, "json")
            text += f"{', ' if index else ''}{before}"
        spans.append((len(text), len(text) + len(words), "json", pointer, (call.id, "result")))
        text += words
    return text + ".", spans, [(0, _TOLD, (call.id,))]


_TOLD = production(key_of("told", ""), NO_WORDS)
