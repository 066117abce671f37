"""Whether the words around the values still mean the same: comparison, direction, units, negation, action.

Words of closed classes are found in both texts; each is assigned to the value it belongs to, and through it to a call;
then both sides are compared. A word that is on no list is free.
"""

from collections.abc import Mapping
from itertools import pairwise

from generator.toolbox import ToolSpec
from generator.validation.reworded.closed_classes import Mark, is_verb_place, lexicon
from generator.validation.reworded.done import done_fault
from generator.validation.reworded.labels import label_fault
from generator.validation.reworded.marked import MarkedText
from generator.validation.reworded.modality import only_asked_about, only_may_be
from generator.validation.reworded.own_words import asking_words
from generator.validation.reworded.parts import moved_value_fault
from generator.validation.reworded.tool_actions import actions_of, asked_of
from generator.validation.reworded.topics import added_condition, added_wish, not_asked_for, not_told

_STRICT = frozenset({"before", "after", "ahead", "later"})
"""Directions that no other direction may replace, whatever the value is."""
_MOVED = frozenset({"from", "to"})
_PLAIN = frozenset({"", "to", "leaving"})


def other_meaning(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec], *, is_request: bool) -> str:
    """Return what means something else in the new text; an empty text if nothing does.

    Args:
        was: The old text.
        now: The new text, with the same values.
        calls: The tools of the row's calls, by id.
        is_request: Whether the user says it, not the assistant.
    """
    return (
        moved_value_fault(was.tokens, now.tokens, was.spoken)
        or _value_fault(was, now)
        or _call_fault(was, now, calls, is_request)
        or _action_fault(was, now, calls, is_request)
        or _opposite(was, now)
        or (_past_fault(was, now, calls) if is_request else "")
        or label_fault(was, now)
        or (only_asked_about(was, now, calls) if is_request else only_may_be(was, now, calls))
        or ("" if is_request else done_fault(was, now, calls))
        or ("" if is_request else _future_fault(was, now, calls))
        or (not_asked_for if is_request else not_told)(was, now, calls)
        or ((added_wish(was, now) or added_condition(was, now)) if is_request else "")
        or (_all_fault(was, now, calls) if is_request else "")
    )


def _value_fault(was: MarkedText, now: MarkedText) -> str:
    """Return what is said otherwise of a single value; an empty text if nothing is."""
    before, after = was.of_values("comparison"), now.of_values("comparison")
    for value, one in enumerate(was.spoken):
        compared = after.get(value, set())
        if before.get(value, set()) != compared and frozenset(compared) not in one.beside.comparisons:
            return "another comparison beside a value"
        if fault := _amount_fault(was, now, value):
            return fault
        unit = now.unit(value)
        if (
            unit != was.unit(value)
            and unit not in one.beside.units
            and not any(token.text == unit == "total" for token in was.tokens)
        ):
            return f"another unit: {now.unit(value) or 'none'}"
        came, goes = was.directions[value], now.directions[value]
        if (
            not _same_direction(came, goes, one.group == "when")
            and goes not in one.beside.directions
            and not ({came, goes} == {"", "from"} and was.opens_range(value) and now.opens_range(value))
        ):
            return f"another direction: {goes or 'none'}"
    if _to_moved(was, now):
        return "what goes where changed places"
    counted = {
        mark.meaning
        for mark in now.marks
        if mark.kind == "unit" and mark.start and now.tokens[mark.start - 1].text in _COUNTED
    }
    added = (
        counted - {"total"} - was.said("unit") - {token.text for token in was.tokens}
    )  # "a total of 70" for "70 in total"
    return f"a unit of its own: {', '.join(sorted(added))}" if added else ""


def _amount_fault(was: MarkedText, now: MarkedText, value: int) -> str:
    """Return a fault if one of several is meant, or more of it, or a time that comes again, where that was not said."""
    if now.is_one_of(value) and not was.is_one_of(value):
        return "one of several, not all"
    if was.more(value) != now.more(value):
        return "more than was said, or as many"
    return "again and again, or not" if was.repeated(value) != now.repeated(value) else ""


_COUNTED = frozenset(
    {
        "the",
        "this",
        "many",
        "a",
        "an",
        "per",
        "each",
        "half",
        "one",
        "few",
        "several",
        "couple",
        "next",
        "last",
        "past",
        "of",
        "in",
    }
)
"""Words after which a unit measures something."""


def _to_moved(was: MarkedText, now: MarkedText) -> bool:
    """Whether one value lost its "to" and another one of the same call got one."""
    every = range(len(was.spoken))
    before, after = ({value for value in every if text.directions[value] == "to"} for text in (was, now))
    lost, won = (
        {(was.spoken[value].calls, was.spoken[value].group, was.spoken[value].verbalizer) for value in values}
        for values in (before - after, after - before)
    )
    return bool(lost & won)


def _same_direction(was: str, now: str, of_time: bool) -> bool:
    if was == now or {was, now} <= _PLAIN or {was, now} == {"to", "until"}:
        return True
    if not of_time:
        return not ({was, now} <= _MOVED or {was, now} == {"to", "by"}) and not _STRICT & (
            {now} if was == "after" and not now else {was, now}
        )
    return False


def _call_fault(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec], is_request: bool) -> str:
    """Return what is said otherwise of a call; an empty text if nothing is."""
    if was.of_calls("negation") != now.of_calls("negation"):
        return "says the opposite, perhaps"
    for kind in ("order", "quantifier"):
        usual = (
            frozenset().union(*[asked_of(spec, kind) for spec in calls.values()]) if kind == "order" else frozenset()
        )
        usual = usual if is_request else usual - now.said(kind)  # an answer may leave it out
        differ = {meaning for meaning, _ in set(was.of_calls(kind)) ^ set(now.of_calls(kind))}
        lost_and_added = was.said(kind) - now.said(kind), now.said(kind) - was.said(kind)
        if kind == "quantifier" and _ALL & {token.text for token in was.tokens}:
            differ, lost_and_added = differ - {"every"}, (set(), set())  # "every message" for "all messages"
        if not is_request and kind == "order":
            differ &= lost_and_added[0] | lost_and_added[1]
        if differ - usual or all(lost_and_added):
            return f"another {kind}: {', '.join(sorted(differ))}"
    before, after = _states(was), _states(now)
    added = {state for state, _ in after} - {state for state, _ in before}
    asked = frozenset().union(*[asked_of(spec, "state") for spec in calls.values()])
    if is_request:
        added -= asked | _done_states(now)
    else:
        added = added or {state for state, _ in after - before}
        own = [calls[call] for _, told in after - before for call in told or calls if call in calls]
        added -= frozenset().union(*[asked_of(spec, "state") for spec in own if spec.looks_up])
    if added:
        return f"another state: {', '.join(sorted(added))}"
    lost = {state for state, _ in before} - {state for state, _ in after} - _done_states(was)
    lost = lost - asked if is_request else lost & _BAD
    return f"a state is lost: {', '.join(sorted(lost))}" if lost else ""


_ALL = frozenset({"all", "everything", "any"})
_BAD = frozenset(
    {"formerly", "failed", "gone", "cancelled", "pending", "overdue", "expired", "delayed", "taken", "inactive"}
)
"""States that no answer may leave out."""


def _done_states(text: MarkedText) -> set[str]:
    """Return the states that a text says by naming what is done: "have it cancelled"."""
    acts = {mark.start for mark in text.marks if mark.kind == "action"}
    return {mark.meaning for mark in text.marks if mark.kind == "state" and mark.start in acts}


def _states(text: MarkedText) -> set[tuple[str, frozenset[str]]]:
    """Return the states that a text tells of which calls; "open" is none where it stands for a verb."""
    marks = [mark for mark in text.marks if mark.kind == "state"]
    verbs = lexicon().verbs
    told = [
        mark
        for mark in marks
        if text.tokens[mark.start].text not in verbs or not is_verb_place(text.tokens, mark.start)
    ]
    return {(mark.meaning, text.calls_of(mark)) for mark in told}


def _action_fault(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec], is_request: bool) -> str:
    """Return an action that neither the old text nor the tools' own phrases say of the same call; an empty text if there is none."""
    asked = _actions_of_calls(was, calls, is_request)
    if is_request:
        lost = _lost_action(was, now, asked)
        if lost:
            return f"does not ask for it: {lost}"
    noun_pairs = {
        (one.text, other.text) for one, other in pairwise(was.tokens) if one.text and other.text[:1].isalpha()
    }  # "exchange rate"
    said: set[str] = set() if calls else was.said("action") | was.said("verb")
    found: dict[tuple[int, int], list[Mark]] = {}
    for mark in now.marks:
        if mark.kind == "action" or (is_request and mark.kind == "verb"):
            found.setdefault((mark.start, mark.end), []).append(mark)
    for (start, end), marks in found.items():
        may = said.union(*[asked[call] for call in now.calls_of(marks[0]) or calls])
        word = now.tokens[start].text
        follows = now.tokens[start + 1].text if start + 1 < len(now.tokens) else ""
        is_known = (word, follows) in noun_pairs or (
            marks[0].kind == "verb" and f"{word.removesuffix('e')}ing" in asking_words(list(calls.values()))
        )
        if not is_known and not any(mark.meaning in may for mark in marks) and not now.adds_a_value(marks[0]):
            return f"does something else: {' '.join(token.text for token in now.tokens[start:end])}"
    return ""


def _actions_of_calls(was: MarkedText, calls: Mapping[str, ToolSpec], is_request: bool) -> dict[str, frozenset[str]]:
    """Return what may be said to be done of each call: what its tool does, and what the old text says of it."""
    found = {call: actions_of(spec, is_request=is_request) for call, spec in calls.items()}
    for mark in was.marks:
        if mark.kind in {"action", "verb"}:
            for call in was.calls_of(mark) or calls:
                found[call] = found[call] | {mark.meaning}
    return found


_MUST_BE_SAID = frozenset(["delete", "cancel", "archive", "decline", "accept", "close", "refund"])
"""Actions that only a word for them can ask for."""


def _lost_action(was: MarkedText, now: MarkedText, asked: Mapping[str, frozenset[str]]) -> str:
    """Return an action of the old text for which the new one has no word; an empty text if there is none."""
    words = [(now.calls_of(mark), mark.meaning) for mark in now.marks if mark.kind in {"action", "verb", "state"}]
    for mark in was.marks:
        calls = was.calls_of(mark)
        if mark.kind != "action" or mark.meaning not in _MUST_BE_SAID or len(calls) != 1:
            continue
        may = asked[next(iter(calls))] - {"look_up", "search"}
        if not any(meaning in may and (not of or of & calls) for of, meaning in words):
            return mark.meaning
    return ""


def _opposite(was: MarkedText, now: MarkedText) -> str:
    """Return a word of the new text that says the opposite of one of the old text; an empty text if there is none."""
    before, after = was.words_beyond("comparison"), now.words_beyond("comparison") - now.words_of_phrases("state")
    for word in sorted(after - before):
        if lexicon().opposites.get(word, frozenset()) & (before - after):
            return f"says the opposite: {word}"
    return ""


_PAST = frozenset({"was", "were", "did", "had"})


def _past_fault(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec]) -> str:
    """Return a word by which a request asks for what has been; an empty text if there is none, or the tools are asked so."""
    said = {token.text for token in was.tokens}
    for before, token in pairwise(now.tokens):
        of_self = before.text in {"i", "we"} and token.text.endswith("ed") and token.text != "need"
        if (
            (token.text in _PAST or of_self)
            and token.text not in said
            and token.text not in asking_words(list(calls.values()))
        ):
            return f"another time: {token.text}"
    return ""


def _future_fault(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec]) -> str:
    """Return a fault if the new answer speaks of what is not done yet; "you'll get an alert" says that one is set."""
    before = was.said("future")
    if "not_yet" in before - now.said("future"):
        words = [token.text for token in now.tokens]
        if any(
            word in {"i", "we", "was", "were"} and (word in {"was", "were"} or after.endswith("ed"))
            for word, after in pairwise(words)
        ):
            return "is done already"
    for mark in now.marks:
        follows = now.tokens[mark.end : mark.end + 1]
        is_way = (
            now.tokens[mark.start].text == "going" and follows and follows[0].value >= 0
        )  # "going to 85 Station Avenue"
        if mark.kind != "future" or mark.meaning in before or is_way:
            continue
        words = [token.text for token in now.tokens[max(0, mark.start - 1) : mark.end]]
        told = [calls[call] for call in now.calls_of(mark) or calls if call in calls]
        comes_later = bool(told) and all(asked_of(spec, "verb") & _LATER for spec in told)
        if not (comes_later and words[-1] in _WILL and not _SELF & set(words)):
            return "is not done yet"
    return ""


_LATER = frozenset({"alert", "remind"})
_WILL = frozenset({"will", "you'll", "it'll"})
_SELF = frozenset({"i", "we", "i'll", "we'll"})


def _all_fault(was: MarkedText, now: MarkedText, calls: Mapping[str, ToolSpec]) -> str:
    """Return a fault if the new request wants something done to all of what it names, and the old one does not."""
    before = [
        was.calls_of(Mark("all", one.text, at, at + 1)) for at, one in enumerate(was.tokens) if one.text in _EVERYTHING
    ]
    for place, token in enumerate(now.tokens):
        if token.text in _EVERYTHING:
            told = now.calls_of(Mark("all", token.text, place, place + 1))
            if token.text == "all" and place and now.tokens[place - 1].text in _IDLE_ALL:
                continue
            if (
                told
                and not any(told & calls_before or not calls_before for calls_before in before)
                and not any(calls[call].looks_up for call in told if call in calls)
            ):
                return f"another quantifier: {token.text}"
    return ""


_EVERYTHING = frozenset({"all", "every", "each", "everything"})
_IDLE_ALL = frozenset({"that's", "of", "after", "at", "for", "us", "you", "in", "above"})
