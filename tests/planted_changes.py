"""Everything that can be wrong with a row, planted in rows of every scenario: the checker must refuse each of them.

    python tests/planted_changes.py     prints how many changes of each kind are refused

A kind of change is a function that yields changed rows of one row. Its entry in `KINDS` names the codes of which one
must be reported, and why a row in a model's words (which is only read) may be passed, if it may.
"""

import random
import re
import sys
from collections.abc import Iterator
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

import orjson
from changed_rows import (
    AnyClaim,
    Change,
    Kind,
    Proven,
    copy_of,
    made,
    other_letter,
    other_value,
    rearranged,
    replace,
    spans_in,
    spliced,
    with_call,
    with_claim,
    with_message,
    with_messages,
    with_proof,
    with_result,
    with_value,
    without_call,
)

from generator.conversation import (
    AnswerClaim,
    AskClaim,
    AssistantMessage,
    Claim,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.pointers import leaves, put, resolve

Changes = Iterator[Change]

# -- arguments ----------------------------------------------------------------------------------------------------------


def change_an_argument(row: Proven) -> Changes:
    for claim in row.proof.arguments:
        for pointer, leaf in leaves(row.value(claim), claim.pointer):
            yield Change(f"{claim.source} {leaf!r}", with_value(row, claim.call_id, pointer, other_value(leaf)))


def change_the_type_of_an_argument(row: Proven) -> Changes:
    for claim in row.proof.arguments:
        value = row.value(claim)
        if isinstance(value, bool):
            yield Change(f"{value!r} as a number", with_value(row, claim.call_id, claim.pointer, int(value)))
        elif isinstance(value, str | int):
            other = [value] if isinstance(value, str) else str(value)
            yield Change(f"{value!r} as {other!r}", with_value(row, claim.call_id, claim.pointer, other))


def exchange_the_values_of_two_arguments(row: Proven) -> Changes:
    """Within a call and between calls; the claims stay."""
    for one, other in pairs_of_claims(row):
        left, right = row.value(one), row.value(other)
        changed = with_value(row, one.call_id, one.pointer, right)
        yield Change(f"{left!r} and {right!r}", with_value(changed, other.call_id, other.pointer, left))


def pairs_of_claims(row: Proven) -> Iterator[tuple[Claim, Claim]]:
    for one, other in permutations(row.proof.arguments, 2):
        if (one.call_id, one.pointer) < (other.call_id, other.pointer) and differ(row.value(one), row.value(other)):
            yield one, other


def differ(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one != other


def exchanged(row: Proven, one: Claim, other: Claim) -> Proven:
    """Each argument takes the value and the words of the other."""
    changed = with_value(row, one.call_id, one.pointer, row.value(other))
    changed = with_value(changed, other.call_id, other.pointer, row.value(one))
    changed = with_claim(changed, one, replace(other, call_id=one.call_id, pointer=one.pointer))
    return with_claim(changed, other, replace(one, call_id=other.call_id, pointer=other.pointer))


def exchange_two_arguments_of_a_call(row: Proven) -> Changes:
    """ "From Oslo to Rome", and the call flies from Rome; every claim is true."""
    for one, other in pairs_of_claims(row):
        if one.call_id == other.call_id and one.source == other.source == "user":
            yield Change(f"{one.pointer} and {other.pointer}", exchanged(row, one, other))


def exchange_an_argument_of_two_calls(row: Proven) -> Changes:
    """ "Oslo tomorrow and Rome on Friday", and the calls ask for Rome tomorrow; every claim is true."""
    claims = row.claims("user")
    spans = [(claim.message, claim.start) for claim in claims]
    own = [claim for claim in claims if spans.count((claim.message, claim.start)) == 1]
    for one, other in pairs_of_claims(row):
        calls = row.calls[one.call_id], row.calls[other.call_id]
        is_pair = one in own and other in own and one.call_id != other.call_id and calls[0].name == calls[1].name
        has_more = all(sum(claim.call_id == call.id for claim in own) > 1 for call in calls)
        if is_pair and has_more and one.pointer == other.pointer:
            yield Change(f"{one.pointer}", exchanged(row, one, other))


def turn_a_list_round(row: Proven) -> Changes:
    """The values of a list in another order than they are said in."""
    for one, other in pairs_of_claims(row):
        is_list = re.sub(r"\d+$", "*", one.pointer) == re.sub(r"\d+$", "*", other.pointer) != one.pointer
        if is_list and one.call_id == other.call_id and one.source == "user":
            yield Change(one.pointer, exchanged(row, one, other))


def take_two_arguments_of_an_earlier_turn_for_each_other(row: Proven) -> Changes:
    """ "And on Friday?", and the call flies from where it went to before; every claim is true."""
    for one, other in pairs_of_claims(row):
        if one.source == other.source == "earlier_turn" and one.call_id == other.call_id:
            yield Change(f"{one.pointer} and {other.pointer}", exchanged(row, one, other))


def add_an_argument(row: Proven) -> Changes:
    for call in row.own_calls.values():
        for value in (1, "x", None, [], {}, {"a": 1}):
            yield Change(call.name, with_call(row, call.id, arguments={**call.arguments, "more": value}))


def add_to_a_list_or_object(row: Proven) -> Changes:
    for call in row.own_calls.values():
        for name, part in call.arguments.items():
            whole = any(claim.call_id == call.id and claim.pointer == f"/{name}" for claim in row.proof.arguments)
            if isinstance(part, list | dict) and part and not whole:
                bigger = [*copy_of(part), copy_of(part[0])] if isinstance(part, list) else {**part, "more": 1}
                yield Change(name, with_value(row, call.id, f"/{name}", bigger))


def drop_an_optional_argument(row: Proven) -> Changes:
    """With all claims about it; the words for it are still there."""
    for call in row.own_calls.values():
        required = (row.toolbox[call.name].tool.parameters or {}).get("required", ())
        for key in call.arguments:
            claims = [c for c in row.proof.arguments if c.call_id == call.id and c.pointer.split("/")[1] == key]
            spans = [(c.start, c.end) for c in row.proof.arguments if c.call_id != call.id]
            shared = any((claim.start, claim.end) in spans for claim in claims)
            is_each = any(claim.pick == "each" for claim in row.proof.arguments)
            said = {claim.source for claim in claims} <= {"user", "earlier_turn"}
            if key not in required and said and (not shared or is_each or claims[0].source == "earlier_turn"):
                rest = {name: value for name, value in call.arguments.items() if name != key}
                changed = with_call(row, call.id, arguments=rest)
                kept = [claim for claim in row.proof.arguments if claim not in claims]
                yield Change(f"{claims[0].source} {key}", with_proof(changed, arguments=kept))


# -- claims about arguments ---------------------------------------------------------------------------------------------


def drop_a_claim(row: Proven) -> Changes:
    for claim in row.proof.arguments:
        others = [c.pointer for c in row.proof.arguments if c is not claim and c.call_id == claim.call_id]
        if claim.pointer not in others:
            yield Change(claim.source, with_claim(row, claim))


def redirect_a_claim(row: Proven) -> Changes:
    for claim in row.proof.arguments:
        yield Change("no such argument", with_claim(row, claim, replace(claim, pointer="/nothing")))
        yield Change("no such call", with_claim(row, claim, replace(claim, call_id="000000000")))
        yield Change("deeper", with_claim(row, claim, replace(claim, pointer=claim.pointer + "/0")))


def claim_another_source(row: Proven) -> Changes:
    """Said, said earlier, given by the context, by a result, by the schema: only one of them is true."""
    results, systems = row.at(ToolMessage), row.at(SystemMessage)
    for claim in row.proof.arguments:
        for source in ("user", "earlier_turn", "context", "result", "default", "model"):
            if source != claim.source:
                yield Change(f"{claim.source} as {source}", with_claim(row, claim, replace(claim, source=source)))
        for index in results[:2] if claim.source != "result" else ():
            there = replace(claim, source="result", message=index, result_pointer="")
            yield Change(f"{claim.source} as result", with_claim(row, claim, there))
        for index in systems if claim.source != "context" else ():
            there = replace(claim, source="context", message=index, start=0, end=5)
            yield Change(f"{claim.source} as context", with_claim(row, claim, there))
        for index in row.at(UserMessage) if claim.source == "result" else ():
            there = replace(claim, source="user", message=index, start=0, end=len(row.text(index)), verbalizer="literal")
            yield Change("result as user", with_claim(row, claim, there))


def point_to_another_message(row: Proven) -> Changes:
    for claim in row.claims("user", "earlier_turn"):
        for index in (None, -1, len(row.talk.messages), *range(len(row.talk.messages))):
            if index != claim.message:
                yield Change(f"{claim.source} in message {index}", with_claim(row, claim, replace(claim, message=index)))


def shift_a_span(row: Proven) -> Changes:
    for claim in row.claims("user", "earlier_turn"):
        assert claim.message is not None
        for start, end in other_spans(row, claim):
            yield Change(f"{claim.source} {start, end}", with_claim(row, claim, replace(claim, start=start, end=end)))


def other_spans(row: Proven, claim: Any) -> Iterator[tuple[int | None, int | None]]:
    """Spans that are not the claim's own: a letter more or less, none, the wrong way round, counted from the end."""
    content = row.text(claim.message)
    size, start, end = len(content), claim.start, claim.end
    yield from ((start - 1, end - 1), (start + 1, end + 1), (end, start), (start, start), (start + size, end + size))
    yield from ((start - size, end), (start - size, end - size) if end != size else (start - size, 0))
    for other in ((start + 1, end), (start, end - 1), (start, end + 1), (start - 1, end), (0, size)):
        if other != (start, end) and content[slice(*other)].strip() == content[slice(*other)]:  # not only a space more
            yield other


def read_it_otherwise(row: Proven) -> Changes:
    for claim in row.claims("user", "earlier_turn"):
        for name in ("nonsense", None, "percent" if claim.verbalizer != "percent" else "usd"):
            yield Change(f"{claim.verbalizer} as {name}", with_claim(row, claim, replace(claim, verbalizer=name)))


def borrow_the_words_of_another_argument(row: Proven) -> Changes:
    """One argument takes the value and the claim of another: what was said once cannot be said for two."""
    for one, other in permutations(row.claims("user"), 2):
        if one.call_id == other.call_id and one.pointer != other.pointer:
            changed = with_value(row, one.call_id, other.pointer, row.value(one))
            yield Change(f"{one.pointer}", with_claim(changed, other, replace(one, pointer=other.pointer)))


# -- who asks for a call -------------------------------------------------------------------------------------------------


def drop_a_wish(row: Proven) -> Changes:
    for wish in row.proof.wishes:
        yield Change(wish.tool, with_claim(row, wish))


def compute_otherwise(row: Proven) -> Changes:
    """Another value, another operation, other words; the second value of a sum from elsewhere."""
    for claim in row.proof.arguments:
        if claim.calc is not None:
            for calc in ("half", "double", "plus 5", "minus 5", "sum", "difference", "days 1", "days -1", "days -30", "thrice", ""):
                if calc != claim.calc:
                    yield Change(f"{claim.calc} as {calc!r}", with_claim(row, claim, replace(claim, calc=calc)))
            yield Change("as it is", with_claim(row, claim, replace(claim, calc=None)))
            yield Change("another value", with_value(row, claim.call_id, claim.pointer, other_value(row.value(claim))))
            words = "the day before it all" if claim.calc.startswith("days") else "a third of it"
            size, index = (claim.end or 0) - (claim.start or 0), row.asked_at[claim.call_id]
            changed = spliced(row, index, claim.start or 0, size, words)
            yield Change(words, with_claim(changed, claim, replace(claim, end=(claim.start or 0) + len(words))))


def let_a_look_up_help_another_call(row: Proven) -> Changes:
    """A call that nobody asks for, it is said, for one that takes nothing from its result."""
    told_at = {m.tool_call_id: at for at, m in enumerate(row.talk.messages) if isinstance(m, ToolMessage)}
    for wish in row.proof.wishes:
        yield Change("no such call", with_claim(row, wish, replace(wish, helps="000000000")))
        for other in row.proof.wishes:
            taken = {claim.message for claim in row.proof.arguments if claim.call_id == other.call_id and claim.source == "result"}
            if told_at.get(wish.call_id) not in taken:
                yield Change(f"{wish.tool} for {other.tool}", with_claim(row, wish, replace(wish, helps=other.call_id)))


def redirect_a_wish(row: Proven) -> Changes:
    for wish in row.proof.wishes:
        for index in (-1, len(row.talk.messages), *range(len(row.talk.messages))):
            if index != wish.message:
                yield Change(f"message {index}", with_claim(row, wish, replace(wish, message=index)))
        yield Change("no such call", with_claim(row, wish, replace(wish, call_id="000000000")))
        yield Change("another tool", with_claim(row, wish, replace(wish, tool="another_tool")))
        yield Change("twice", with_claim(row, wish, wish, wish))


# -- questions -----------------------------------------------------------------------------------------------------------


def drop_what_is_asked(row: Proven) -> Changes:
    """The question is there, and nothing says what it is for."""
    if row.proof.asks:
        yield Change("no claim", with_proof(row, asks=()))


def answered(row: Proven) -> list[AskClaim]:
    """The questions to which the next message replies: it may ask for something else first."""
    return [ask for ask in row.proof.asks if ask.message + 1 not in row.asked_at.values()]


def remove_a_question(row: Proven) -> Changes:
    """The user gives the value unasked, in a message of its own."""
    for ask in answered(row):
        order = [at for at in range(len(row.talk.messages)) if at != ask.message]
        yield Change("no question", rearranged(row, order))


def ask_for_something_else(row: Proven) -> Changes:
    for ask in row.proof.asks:
        others = {claim.pointer for claim in row.proof.arguments if claim.call_id == ask.call_id} - {ask.pointer}
        for pointer in (*sorted(others), "/nothing", ""):
            yield Change(f"for {pointer}", with_claim(row, ask, replace(ask, pointer=pointer)))
        yield Change("no such call", with_claim(row, ask, replace(ask, call_id="000000000")))


def redirect_a_question(row: Proven) -> Changes:
    for ask in row.proof.asks:
        for index in (-1, len(row.talk.messages), *range(len(row.talk.messages))):
            if index != ask.message:
                yield Change(f"message {index}", with_claim(row, ask, replace(ask, message=index)))


def ask_in_other_words(row: Proven) -> Changes:
    for ask in row.proof.asks:
        for words in ("What do you want?", "Which planet do you have in mind?", "Why?"):
            yield Change(words, spliced(row, ask.message, ask.start, ask.end - ask.start, words))
        for start, end in other_spans(row, ask):
            yield Change(f"{start, end}", with_claim(row, ask, replace(ask, start=start, end=end)))


def ask_for_what_was_said(row: Proven) -> Changes:
    """The first message says the value already; the reply says it again."""
    for ask in row.proof.asks:
        index = row.asked_at[ask.call_id]
        for claim in row.claims("user"):
            if claim.pointer == ask.pointer:
                said = row.text(claim.message or 0)[claim.start : claim.end]
                content = row.text(index)
                changed = with_message(row, index, content=f"{content} {said}")
                start = len(content) + 1
                again = replace(claim, message=index, start=start, end=start + len(said))
                yield Change("both", with_claim(changed, claim, again, claim))
                yield Change("only before", with_claim(changed, claim, again))


def reply_with_something_else(row: Proven) -> Changes:
    """What the assistant asked for is not what the user says then."""
    for ask in row.proof.asks:
        for claim in row.claims("user"):
            if claim.pointer == ask.pointer:
                for words in ("You choose.", "Never mind", "31 December 1999", "5,017"):
                    size = (claim.end or 0) - (claim.start or 0)
                    yield Change(words, spliced(row, claim.message or 0, claim.start or 0, size, words))
            elif claim.call_id == ask.call_id:  # the reply gives another argument, and this one nobody gives
                reply = next((c for c in row.claims("user") if c.pointer == ask.pointer), None)
                if reply is None:  # it says which one is meant, no value
                    continue
                changed = with_claim(row, reply, replace(reply, pointer=claim.pointer))
                yield Change(f"{claim.pointer}", with_claim(changed, claim))


def leave_a_question_unanswered(row: Proven) -> Changes:
    """The conversation ends with the question; what was claimed of later calls is still claimed."""
    for ask in answered(row):
        yield Change("the end", with_messages(row, row.talk.messages[: ask.message + 1]))
        order = [at for at in range(len(row.talk.messages)) if at != ask.message + 1]
        yield Change("no reply", rearranged(row, order))


# -- what texts say ------------------------------------------------------------------------------------------------------


def change_a_letter_of_a_value(row: Proven) -> Changes:
    for claim in [*row.claims("user", "earlier_turn"), *row.proof.answers]:
        content = row.text(claim.message or 0)
        for at in sorted({claim.start, ((claim.start or 0) + (claim.end or 0)) // 2, (claim.end or 0) - 1}):
            if content[at].isalnum():
                changed = spliced(row, claim.message or 0, at, 1, other_letter(content[at]))
                yield Change(f"{content[claim.start : claim.end]!r} at {at}", changed)


def say_something_else(row: Proven) -> Changes:
    for claim in [*row.claims("user", "earlier_turn"), *row.proof.answers]:
        index = claim.message or 0
        said = row.text(index)[claim.start : claim.end]
        for words in ("something else", "no luggage", '"something"', "5,017", "31 December 1999", "11:59 pm", "$0.01"):
            changed = spliced(row, index, claim.start or 0, len(said), words)
            yield Change(f"{said!r} → {words!r}", changed)


def glue_something_to_a_value(row: Proven) -> Changes:
    """ "5" becomes "15" or "5.5" without the span."""
    for claim in [*row.claims("user", "earlier_turn"), *row.proof.answers]:
        index, start, end = claim.message or 0, claim.start or 0, claim.end or 0
        content = row.text(index)
        before = ("1", "-", "1.", "1,", "x") if content[start].isdigit() else ("un", "1") if content[start].isalpha() else ()
        after = ("0", ".5", ",000", "x") if content[end - 1].isdigit() else ("burg", "1") if content[end - 1].isalpha() else ()
        for text in before:
            yield Change(f"{text!r} before {content[start:end]!r}", spliced(row, index, start, 0, text))
        for text in after:
            yield Change(f"{text!r} after {content[start:end]!r}", spliced(row, index, end, 0, text))


MORE = (
    *(" and book me a taxi", " Also, water the plants.", " for Maria", " not", " really", "\n- Feed the cat"),
    *(' called "Blue Moon"', " almost", " The manager approved it.", " twelve"),
)


def add_words(row: Proven) -> Changes:
    """Beside a value, or where a text begins or ends, in every text of the user and the assistant."""
    for index in spoken(row):
        spans = spans_in(row, index)
        places = sorted({0, len(row.text(index)), *[place for span in spans for place in span]})
        for place in [place for place in places if not any(start < place < end for start, end in spans)]:
            for more in MORE:
                text = more if place else more.strip() + " "
                yield Change(f"{text!r} at {place} of {index}", spliced(row, index, place, 0, text))


def spoken(row: Proven) -> list[int]:
    return [at for at in (*row.at(UserMessage), *row.at(AssistantMessage)) if row.text(at)]


def drop_the_words_between(row: Proven) -> Changes:
    """Two values with nothing between them; but "on" may be missing before a day, as it is before "tomorrow"."""
    days = {c.start for c in (*row.proof.arguments, *row.proof.answers) if (c.verbalizer or "").startswith("date")}
    for index in spoken(row):
        for (_, end), (start, _) in pairwise(spans_in(row, index)):
            between = row.text(index)[end:start]
            if end < start and between not in {" ", ", "} and not (start in days and between in {" on ", " at "}):
                yield Change(f"{between!r}", spliced(row, index, end, start - end, " "))


def say_a_number_more(row: Proven) -> Changes:
    for index in spoken(row):
        content = row.text(index)
        for text in (" And 5 more.", " 3.50", " ٣", "\n12) and then some"):
            yield Change(f"{text!r} at the end of {index}", spliced(row, index, len(content), 0, text))
        yield Change(f"at the start of {index}", spliced(row, index, 0, 0, "About 7: "))


def speak_before_a_call(row: Proven) -> Changes:
    for index in row.at(AssistantMessage):
        if row.talk.messages[index].tool_calls:
            yield Change("let me look", with_message(row, index, content="That takes 5 seconds."))


def live_on_another_day(row: Proven) -> Changes:
    """Days such as "tomorrow" count from the day that the system message states."""
    relative = re.compile(r"today|tomorrow|yesterday|from today|^(?:next |this )?\w+day$", re.IGNORECASE)
    said = [row.text(c.message or 0)[c.start : c.end] for c in row.claims("user") if (c.verbalizer or "").startswith("date")]
    if any(relative.search(words) for words in said):
        for today in ("Today is 1999-05-05.", "Today is 2030-12-30.", "Today is 2026-02-30.", "No day."):
            yield Change(today, with_message(row, 0, content=today))
        yield Change("said by the user", with_messages(row, [UserMessage(row.text(0)), *row.talk.messages[1:]]))


# -- results, and what is taken from them --------------------------------------------------------------------------------


def change_a_result(row: Proven) -> Changes:
    """What a call takes from it, or an answer tells of it."""
    told_at = {row.talk.messages[index].tool_call_id: index for index in row.at(ToolMessage)}
    used = [(claim.message or 0, claim.result_pointer or "") for claim in row.claims("result")]
    used += [(told_at[c.call_id], c.pointer) for c in row.proof.answers if c.of == "result" and c.verbalizer != "count"]
    for index, pointer in used:
        try:
            result = orjson.loads(row.text(index))
        except orjson.JSONDecodeError:  # an error that is told as it stands
            continue
        value = resolve(result, pointer)
        put(result, pointer, other_value(value))
        yield Change("another value", with_result(row, index, result))
        yield Change("nothing", with_result(row, index, {}))
        yield Change("text", with_result(row, index, f"It is {value}."))
        yield Change("broken", with_result(row, index, row.text(index)[:-1]))


def exchange_two_results(row: Proven) -> Changes:
    for one, other in permutations(row.at(ToolMessage), 2):
        told = {claim.call_id for claim in row.proof.answers if claim.of == "result" and claim.verbalizer == "literal"}
        ids = {row.talk.messages[at].tool_call_id for at in (one, other)}
        if one < other and told & ids and row.text(one) != row.text(other):
            changed = with_result(row, one, row.text(other))
            yield Change("exchanged", with_result(changed, other, row.text(one)))


def drop_a_result(row: Proven) -> Changes:
    """What is claimed of it is still claimed."""
    used = {claim.call_id for claim in row.proof.answers}
    for index in row.at(ToolMessage):
        if row.talk.messages[index].tool_call_id in used:
            yield Change(f"{index}", with_message(row, index, tool_call_id="000000000"))


def lengthen_a_list_that_was_counted(row: Proven) -> Changes:
    told_at = {row.talk.messages[index].tool_call_id: index for index in row.at(ToolMessage)}
    for claim in row.proof.answers:
        if claim.verbalizer == "count" and claim.of == "result":
            result = orjson.loads(row.text(told_at[claim.call_id]))
            listed = resolve(result, claim.pointer)
            if isinstance(listed, list):
                listed.append(listed[-1])
                yield Change(claim.pointer, with_result(row, told_at[claim.call_id], result))


def take_from_elsewhere(row: Proven) -> Changes:
    for claim in row.claims("result"):
        for index in (None, -1, len(row.talk.messages), *range(len(row.talk.messages))):
            if index != claim.message:
                yield Change(f"message {index}", with_claim(row, claim, replace(claim, message=index)))
        for pointer in (None, "", "/nothing", "/orders", "/orders/99/order_id", f"{claim.result_pointer}/0"):
            yield Change(f"place {pointer}", with_claim(row, claim, replace(claim, result_pointer=pointer)))


def take_before_there_is_a_result(row: Proven) -> Changes:
    """The dependent calls move into the first step."""
    dependent = [row.calls[claim.call_id] for claim in row.claims("result")]
    if dependent:
        first = row.at(AssistantMessage)[0]
        messages = list(row.talk.messages)
        for index in row.at(AssistantMessage):
            calls = tuple(call for call in messages[index].tool_calls if call not in dependent)
            messages[index] = replace(messages[index], tool_calls=(*calls, *dependent) if index == first else calls)
        yield Change("called at once", with_messages(row, messages))


class Picked(NamedTuple):
    """A claim that an element was singled out, and the list."""

    claim: Claim
    result: Any
    elements: list[Any]
    chosen: int
    pattern: tuple[str, str]
    """What stands before the element's place in the pointer and after it."""


def picked(row: Proven) -> Iterator[Picked]:
    for claim in row.claims("result"):
        match = re.fullmatch(r"(.*?)/(\d+)(/.*|)", claim.result_pointer or "")
        if match and claim.pick not in {None, "each"}:
            result = orjson.loads(row.text(claim.message or 0))
            yield Picked(claim, result, resolve(result, match[1]), int(match[2]), (match[1], match[3]))


def take_another_element(row: Proven) -> Changes:
    """The argument and the claim agree with each other, but not with the user's words."""
    for claim, result, elements, chosen, (before, after) in picked(row):
        for index in range(len(elements)):
            pointer = f"{before}/{index}{after}"
            if index != chosen and differ(resolve(result, pointer), row.value(claim)):
                changed = with_value(row, claim.call_id, claim.pointer, resolve(result, pointer))
                yield Change(f"{claim.pick}: {index}", with_claim(changed, claim, replace(claim, result_pointer=pointer)))


def let_another_element_stand_out(row: Proven) -> Changes:
    for claim, result, elements, chosen, (before, _) in picked(row):
        extreme, _, field = (claim.pick or "").partition(" ")
        for index in range(len(elements)) if extreme == "is" else ():
            field, _, value = field.partition(" ")
            if index != chosen:
                changed = copy_of(result)
                put(changed, f"{before}/{index}/{field}", orjson.loads(value))
                yield Change(f"{claim.pick} twice", with_result(row, claim.message or 0, changed))
            break
        for index in range(len(elements)) if extreme in ("min", "max") else ():
            own = resolve(elements[chosen], field)
            if index != chosen and isinstance(own, int | float):
                for value in (own - 1 if extreme == "min" else own + 1, own):
                    changed = copy_of(result)
                    put(changed, f"{before}/{index}/{field.removeprefix('/')}", value)
                    yield Change(f"{claim.pick} {value}", with_result(row, claim.message or 0, changed))


def pick_by_something_else(row: Proven) -> Changes:
    for claim, _, elements, chosen, _ in picked(row):
        for pick, holds in (("first", chosen == 0), ("last", chosen == len(elements) - 1)):
            if not holds:
                yield Change(f"{claim.pick} as {pick}", with_claim(row, claim, replace(claim, pick=pick)))
        for pick in ("", "second", "best total", "min", "min nothing", "max order_id/x", "min  total", "each", None):
            yield Change(f"{claim.pick} as {pick!r}", with_claim(row, claim, replace(claim, pick=pick)))


def describe_with_other_words(row: Proven) -> Changes:
    """The words for the element are others, none, or "it" although nothing has been spoken of."""
    taken: set[tuple[int | None, str | None]] = set()
    for claim, *_ in picked(row):
        if claim.referred is not None:  # these words leave it open, see below
            continue
        index = row.asked_at[claim.call_id]
        said = row.text(index)[claim.start : claim.end]
        for start, end in (
            *((None, None), (0, 4), ((claim.start or 0) + 1, claim.end), (claim.start, (claim.end or 0) - 1)),
            *((claim.end, claim.start), (10**6, 10**6 + 3)),
        ):
            if (start, end) != (claim.start, claim.end):
                yield Change(f"{said!r} {start, end}", with_claim(row, claim, replace(claim, start=start, end=end)))
        words = ["the seventh one", "one of them", *([] if (claim.message, claim.result_pointer) in taken else ["it"])]
        taken.add((claim.message, claim.result_pointer))
        for other in words:
            yield Change(f"{said!r} → {other!r}", spliced(row, index, claim.start or 0, len(said), other))


def call_for_some_instead_of_each(row: Proven) -> Changes:
    each = [claim for claim in row.claims("result") if claim.pick == "each"]
    if len(each) > 2:
        for claim in each:
            yield Change("one is left out", without_call(row, claim.call_id))


# -- answers -------------------------------------------------------------------------------------------------------------


def tell_another_value(row: Proven) -> Changes:
    """A claim about an answer leads to another value than the words state."""
    for one, other in pairwise(row.proof.answers):
        said = row.text(one.message)[one.start : one.end], row.text(other.message)[other.start : other.end]
        if said[0] != said[1] and one.verbalizer == other.verbalizer:
            swapped = replace(one, pointer=other.pointer, call_id=other.call_id, of=other.of)
            if meant_by(row, one) != meant_by(row, swapped):
                yield Change(f"{one.pointer} as {other.pointer}", with_claim(row, one, swapped))


def meant_by(row: Proven, claim: AnswerClaim) -> Any:
    told_at = {row.talk.messages[index].tool_call_id: index for index in row.at(ToolMessage)}
    source = orjson.loads(row.text(told_at[claim.call_id])) if claim.of == "result" else row.arguments_of(claim.call_id)
    return resolve(source, claim.pointer)


def redirect_an_answer(row: Proven) -> Changes:
    size = len(row.talk.messages)
    for claim in row.proof.answers:
        for change in (
            *({"message": index} for index in (*range(-1, size + 1), 10**6, -(10**6)) if index != claim.message),
            {"call_id": "000000000"},
            {"pointer": "/nothing"},
            {"pointer": claim.pointer + "/0"},
            {"of": "arguments" if claim.of == "result" else "result", "pointer": claim.pointer + "x"},
            {"verbalizer": "nonsense"},
            *({"start": start, "end": end} for start, end in other_spans(row, claim)),
        ):
            yield Change(f"{change}", with_claim(row, claim, replace(claim, **change)))


def claim_less_of_an_answer(row: Proven) -> Changes:
    """A name stands in the answer, and nothing says where it comes from."""
    for claim in row.proof.answers:
        if not re.search(r"\d", row.text(claim.message)[claim.start : claim.end]):
            yield Change(row.text(claim.message)[claim.start : claim.end], with_claim(row, claim))


def claim_no_number_of_an_answer(row: Proven) -> Changes:
    for claim in row.proof.answers:
        if re.search(r"\d", row.text(claim.message)[claim.start : claim.end]):
            yield Change(row.text(claim.message)[claim.start : claim.end], with_claim(row, claim))


# -- calls and messages --------------------------------------------------------------------------------------------------


def make_a_call_twice(row: Proven) -> Changes:
    """Everything about the second call is in order, except that it is the first one again."""
    for index in row.at(AssistantMessage):
        for call in row.talk.messages[index].tool_calls:
            again = replace(call, id="again0000", arguments=dict(reversed(call.arguments.items())))
            calls = (*row.talk.messages[index].tool_calls, again)
            result = next(m for m in row.talk.messages if isinstance(m, ToolMessage) and m.tool_call_id == call.id)
            changed = with_message(row, index, tool_calls=calls)
            changed = with_messages(changed, (*changed.talk.messages, replace(result, tool_call_id=again.id)))
            claims: dict[str, list[AnyClaim]] = {
                name: [*getattr(row.proof, name), *[replace(c, call_id=again.id) for c in getattr(row.proof, name) if c.call_id == call.id]]
                for name in ("arguments", "wishes")
            }
            yield Change(call.name, with_proof(changed, **claims))


def add_a_call(row: Proven) -> Changes:
    """Nobody asks for it."""
    for index in row.at(AssistantMessage):
        if row.talk.messages[index].tool_calls:
            for name, arguments in ((next(iter(row.toolbox)), {}), ("no_such_tool", {"x": 1})):
                calls = (*row.talk.messages[index].tool_calls, ToolCall("extra0000", name, arguments))
                yield Change(name, with_message(row, index, tool_calls=calls))


def drop_a_call(row: Proven) -> Changes:
    """With its result and all that is claimed about it; somebody asked for it."""
    used = {row.talk.messages[claim.message or 0].tool_call_id for claim in row.claims("result")}
    is_each = any(claim.pick == "each" for claim in row.proof.arguments)
    for call in row.calls.values():
        if call.id not in used and not is_each and len(row.calls) > 1:
            yield Change(call.name, without_call(row, call.id))


def call_another_tool(row: Proven) -> Changes:
    for call in row.calls.values():
        for name in [name for name in row.toolbox if name != call.name][:3]:
            if call.arguments:
                wishes = [replace(wish, tool=name) if wish.call_id == call.id else wish for wish in row.proof.wishes]
                yield Change(f"{name} for {call.name}", with_proof(with_call(row, call.id, name=name), wishes=wishes))
        yield Change(f"no tool for {call.name}", with_call(row, call.id, name="no_such_tool"))


def give_two_calls_one_id(row: Proven) -> Changes:
    for one, other in pairwise(row.calls.values()):
        yield Change(one.name, with_call(row, other.id, id=one.id))


def let_somebody_else_ask(row: Proven) -> Changes:
    for index in row.at(UserMessage):
        for other in (SystemMessage(row.text(index)), AssistantMessage(row.text(index))):
            messages = list(row.talk.messages)
            messages[index] = other
            yield Change(type(other).__name__, with_messages(row, messages))


def ask_after_the_call(row: Proven) -> Changes:
    for index in row.at(UserMessage):
        order = [*[at for at in range(len(row.talk.messages)) if at != index], index]
        yield Change(f"message {index}", rearranged(row, order))


def exchange_two_messages_of_the_user(row: Proven) -> Changes:
    for one, other in pairwise(row.at(UserMessage)):
        order = list(range(len(row.talk.messages)))
        order[one], order[other] = other, one
        yield Change(f"{one} and {other}", rearranged(row, order))


def exchange_two_turns(row: Proven) -> Changes:
    """The second request with its calls and its answer comes first."""
    begins = [at for at in row.at(UserMessage) if at - 1 not in {ask.message for ask in row.proof.asks}]
    if len(begins) == 2 and row.scenario != "multi_turn":  # whose turns may need nothing of each other
        first, second = begins
        order = [*range(first), *range(second, len(row.talk.messages)), *range(first, second)]
        yield Change("exchanged", rearranged(row, order))


def drop_a_message_of_the_user(row: Proven) -> Changes:
    for index in row.at(UserMessage):
        order = [at for at in range(len(row.talk.messages)) if at != index]
        yield Change(f"message {index}", rearranged(row, order))


# -- what must come of it ------------------------------------------------------------------------------------------------


# -- calls that fail -----------------------------------------------------------------------------------------------------


def failed(row: Proven) -> Iterator[int]:
    """The results that are errors."""
    for index in row.at(ToolMessage):
        message = row.talk.messages[index]
        if isinstance(message, ToolMessage) and message.is_error:
            yield index


def let_a_failed_call_go_well(row: Proven) -> Changes:
    for index in failed(row):
        yield Change(row.text(index), with_message(row, index, content='{"done":true}', is_error=False))


def let_a_call_fail(row: Proven) -> Changes:
    """The answer tells it as if it had gone well."""
    for index in row.at(ToolMessage):
        if index not in set(failed(row)):
            content = '{"error":"timeout","message":"The request timed out."}'
            yield Change(row.text(index), with_message(row, index, content=content, is_error=True))


def drop_what_is_told(row: Proven) -> Changes:
    for told in row.proof.tells:
        yield Change(told.how, with_claim(row, told))


def redirect_what_is_told(row: Proven) -> Changes:
    for told in row.proof.tells:
        others = [call for call in row.calls if call != told.call_id]
        for change in (
            *({"message": index} for index in (-1, len(row.talk.messages), *range(len(row.talk.messages))) if index != told.message),
            *({"call_id": call} for call in ("000000000", *others)),
            {"how": "nonsense"},
            *({"start": start, "end": end} for start, end in other_spans(row, told)),
        ):
            yield Change(f"{change}", with_claim(row, told, replace(told, **change)))


def give_another_reason(row: Proven) -> Changes:
    for claim in row.proof.answers:
        if claim.verbalizer == "message":
            words = "you have no card on file"
            yield Change(words, spliced(row, claim.message, claim.start, claim.end - claim.start, words))


def forget_that_a_call_is_made_again(row: Proven) -> Changes:
    for wish in row.proof.wishes:
        if wish.mends is not None:
            yield Change(wish.tool, with_claim(row, wish, replace(wish, mends=None)))


def let_a_search_find_something(row: Proven) -> Changes:
    """The answer says that there is nothing."""
    empty = {tell.call_id for tell in row.proof.tells if tell.how == "empty"}
    for index in row.at(ToolMessage):
        if row.talk.messages[index].tool_call_id in empty:
            ((name, _),) = orjson.loads(row.text(index)).items()
            yield Change("one", with_result(row, index, {name: [{"title": "One"}]}))
            yield Change("another shape", with_result(row, index, []))


def make_again_what_went_well(row: Proven) -> Changes:
    for one, other in pairwise(row.proof.wishes):
        if other.mends is None:
            yield Change(one.tool, with_claim(row, other, replace(other, mends=one.call_id)))
        yield Change("itself", with_claim(row, other, replace(other, mends=other.call_id)))


def make_again_with_other_arguments(row: Proven) -> Changes:
    for wish in row.proof.wishes:
        call = row.calls.get(wish.call_id)
        if wish.mends is not None and call is not None and call.id not in row.own_calls:
            for name, value in call.arguments.items():
                yield Change(name, with_value(row, call.id, f"/{name}", other_value(value)))


def learn_a_wrong_call(row: Proven) -> Changes:
    for index in row.at(AssistantMessage):
        message = row.talk.messages[index]
        if isinstance(message, AssistantMessage) and not message.train:
            yield Change("learnt", with_message(row, index, train=True))


# -- leave that is asked for ---------------------------------------------------------------------------------------------


def answer_a_proposal_otherwise(row: Proven) -> Changes:
    """The user says no, and the call is made; or yes, and it is not; or says something else."""
    for told in row.proof.tells:
        if told.how in {"yes", "no"}:
            other = "no" if told.how == "yes" else "yes"
            yield Change(other, with_claim(row, told, replace(told, how=other)))
            for words in ("No, leave it." if told.how == "yes" else "Go ahead.", "Make it six.", "Yes, and book a taxi."):
                changed = spliced(row, told.message, told.start, told.end - told.start, words)
                moved = next(one for one in changed.proof.tells if one.message == told.message)
                yield Change(words, with_claim(changed, moved, replace(moved, end=len(words))))


def propose_something_else(row: Proven) -> Changes:
    for told in row.proof.tells:
        if told.how == "proposed":
            for claim in row.proof.answers:
                if claim.message == told.message:
                    said = row.text(claim.message)[claim.start : claim.end]
                    words = said[:-1] + other_letter(said[-1]) if said[-1].isalnum() else f"x{said}"
                    yield Change(words, spliced(row, claim.message, claim.start, claim.end - claim.start, words))


def forget_what_was_not_made(row: Proven) -> Changes:
    for wish in row.proof.wishes:
        if wish.unmade is not None:
            yield Change("the wish", with_claim(row, wish))
            yield Change("its values", with_claim(row, wish, replace(wish, said=())))
            for name, value in wish.unmade.items():
                other = {**wish.unmade, name: other_value(value)}
                yield Change(name, with_claim(row, wish, replace(wish, unmade=other)))


# -- conditions ----------------------------------------------------------------------------------------------------------


def let_the_condition_turn_out_otherwise(row: Proven) -> Changes:
    """Another value to compare with, another comparison, another result: the call is made, or not, all the same."""
    for claim in row.proof.conditions:
        yield Change("dropped", with_proof(row, conditions=()))
        for op in ("is", "over", "under", "not"):
            if op != claim.op:
                yield Change(op, with_claim(row, claim, replace(claim, op=op)))
        yield Change("value", with_claim(row, claim, replace(claim, value=other_value(claim.value))))
        for change in ({"pointer": "/nothing"}, {"of": "000000000"}, {"call_id": claim.of}, {"of": claim.call_id}):
            yield Change(f"{change}", with_claim(row, claim, replace(claim, **change)))
        for index in (-1, *range(len(row.talk.messages))):
            if index != claim.message:
                yield Change(f"message {index}", with_claim(row, claim, replace(claim, message=index)))


# -- comparisons ---------------------------------------------------------------------------------------------------------


def compare_otherwise(row: Proven) -> Changes:
    """Another field, the other extreme, fewer calls; another one is told as the best, or nobody."""
    for claim in row.proof.comparisons:
        yield Change("dropped", with_proof(row, comparisons=()))
        other = "min" if claim.extreme == "max" else "max"
        for change in ({"extreme": other}, {"pointer": "/nothing"}, {"calls": claim.calls[:-1]}, {"calls": claim.calls[::-1][:1]}, {"message": -1}):
            yield Change(f"{change}", with_claim(row, claim, replace(claim, **change)))
        (best,) = [tell for tell in row.proof.tells if tell.how == "best"]
        yield Change("no verdict", with_claim(row, best))
        for told in spoken_in(row, best):
            for call in claim.calls:
                if call != told.call_id:
                    yield Change(f"{told.of} of {call}", with_claim(row, told, replace(told, call_id=call)))
            yield Change(f"{told.of} unsaid", with_claim(row, told))


def let_another_one_be_best(row: Proven) -> Changes:
    """The best value is the worst by far, or another one's is better."""
    told_at = {m.tool_call_id: at for at, m in enumerate(row.talk.messages) if isinstance(m, ToolMessage)}
    for claim in row.proof.comparisons:
        (best,) = [tell for tell in row.proof.tells if tell.how == "best"]
        winners = {told.call_id for told in spoken_in(row, best)}
        for call in claim.calls:
            result = copy_of(orjson.loads(row.text(told_at[call])))
            is_worse = (call in winners) == (claim.extreme == "min")
            put(result, claim.pointer, 10**6 if is_worse else -(10**6))
            yield Change(f"{call} {result}", with_result(row, told_at[call], result))


def spoken_in(row: Proven, sentence: Any) -> list[AnswerClaim]:
    return [one for one in row.proof.answers if one.message == sentence.message and sentence.start <= one.start < sentence.end]


# -- what is taken back --------------------------------------------------------------------------------------------------


def change_something_else_before_the_call(row: Proven) -> Changes:
    """The old value is said elsewhere, or the new one is the old one, or nobody says that something is changed."""
    for claim in row.proof.retracted:
        if claim.by is None:
            continue
        yield Change("nothing", with_claim(row, claim))
        yield Change("after the call", with_claim(row, claim, replace(claim, by=len(row.talk.messages) - 1)))
        for change in (
            *({"message": index} for index in (-1, *range(len(row.talk.messages))) if index != claim.message),
            *({"pointer": f"/{name}"} for name in row.arguments_of(claim.call_id) if f"/{name}" != claim.pointer),
            {"call_id": "000000000"},
            *({"start": start, "end": end} for start, end in other_spans(row, claim)),
        ):
            yield Change(f"{change}", with_claim(row, claim, replace(claim, **change)))
        for tell in row.proof.tells:
            if tell.how == "corrected":
                yield Change("not told", with_claim(row, tell))


def take_back_something_else(row: Proven) -> Changes:
    for claim in row.proof.retracted:
        if claim.by is not None:
            continue
        yield Change("nothing", with_claim(row, claim))
        value = row.arguments_of(claim.call_id)
        first = next(one.call_id for one in row.proof.wishes if one.message == claim.message)
        if first == claim.call_id:  # the value was not accepted; no call was made with it
            yield from accept_what_was_refused(row, claim)
            continue
        yield Change("the same", with_call(row, claim.call_id, arguments=row.arguments_of(first)))
        for change in (
            *({"message": index} for index in (-1, *range(len(row.talk.messages))) if index != claim.message),
            *({"pointer": f"/{name}"} for name in value if f"/{name}" != claim.pointer),
            {"call_id": "000000000"},
            {"call_id": first},
            *({"start": start, "end": end} for start, end in other_spans(row, claim)),
        ):
            yield Change(f"{change}", with_claim(row, claim, replace(claim, **change)))


# -- what there is to choose from ------------------------------------------------------------------------------------------


def choose_another(row: Proven) -> Changes:
    """The call takes an element that the user has not chosen; the claim says so, or says that it was meant."""
    for claim in row.proof.arguments:
        if claim.pick is None or not claim.pick.startswith(("nth ", "is ")):
            continue
        *before, place, key = (claim.result_pointer or "").split("/")
        for other in range(6):
            there = "/".join([*before, str(other), key])
            if other != int(place) and reachable(row, claim.message, there):
                value = resolve(orjson.loads(row.text(claim.message)), there)
                changed = with_value(row, claim.call_id, claim.pointer, value)
                yield Change(f"{other}", with_claim(changed, claim, replace(claim, result_pointer=there)))
                yield Change(f"{other}, meant", with_claim(changed, claim, replace(claim, result_pointer=there, pick=f"nth {other + 1}")))


def reachable(row: Proven, index: int | None, pointer: str) -> bool:
    try:
        resolve(orjson.loads(row.text(index)), pointer)
    except (LookupError, ValueError):
        return False
    return True


def choose_in_other_words(row: Proven) -> Changes:
    """What the user says when asked which one: something that names none of them, or nothing at all."""
    for claim in row.proof.arguments:
        if claim.referred is None or claim.pick is None:
            continue
        index, start, end = claim.referred
        for words in ("the seventh one", "any of them", "the blue one", "it"):
            changed = spliced(row, index, start, end - start, words)
            yield Change(words, with_claim(changed, claim, replace(claim, referred=(index, start, start + len(words)))))
        for there in ((index, start + 1, end), (index, start, end + 1), (index - 1, start, end), (index + 1, 0, 3), (-1, 0, 1), None):
            yield Change(f"{there}", with_claim(row, claim, replace(claim, referred=there)))


def name_what_was_left_open(row: Proven) -> Changes:
    """The request says which one it is, or speaks of something else."""
    for claim in row.proof.arguments:
        if claim.referred is not None and claim.pick is not None:
            for words in ("the first one", "each of them", "the umbrella", "nothing"):
                index, size = row.asked_at[claim.call_id], (claim.end or 0) - (claim.start or 0)
                changed = spliced(row, index, claim.start or 0, size, words)
                moved = replace(claim, end=(claim.start or 0) + len(words))
                yield Change(words, with_claim(changed, claim, moved))


def refer_to_something_else(row: Proven) -> Changes:
    """Words for what was found or said some turns ago that mean something else, or could."""
    for claim in row.proof.arguments:
        index, *span = claim.referred or (row.asked_at.get(claim.call_id, 0), claim.start, claim.end)
        is_later = claim.source == "result" and claim.start is not None and index - (claim.message or 0) > 2
        if is_later or (claim.source == "earlier_turn" and claim.referred is not None):
            for words in ("the umbrella", "it", "the same umbrella", "the seventh one"):
                changed = spliced(row, index, span[0], span[1] - span[0], words)
                moved = {"referred": (index, span[0], span[0] + len(words))} if claim.referred else {"end": span[0] + len(words)}
                yield Change(words, with_claim(changed, claim, replace(claim, **moved)))


def leave_a_choice_out(row: Proven) -> Changes:
    """The assistant tells fewer than there are, or tells two alike, or another number."""
    for tell in row.proof.tells:
        if tell.how == "several":
            told = [claim for claim in row.proof.answers if claim.message == tell.message and tell.start <= claim.start < tell.end]
            for claim in told:
                yield Change("one less claimed", with_claim(row, claim))
            one, other = told[:2]
            words = row.text(tell.message)[one.start : one.end]
            yield Change("alike", spliced(row, tell.message, other.start, other.end - other.start, words))
            text = row.text(tell.message)
            for number, more in (("two", "three"), ("three", "four"), ("four", "two"), ("five", "four")):
                at = text.casefold().find(number, tell.start, told[0].start)
                if at >= 0:
                    yield Change(f"{more} for {number}", spliced(row, tell.message, at, len(number), more))
            yield Change("nothing told", with_claim(row, tell))


def accept_what_was_refused(row: Proven, claim: Any) -> Changes:
    """The value is one that the tool accepts, or something else is said of what it accepts."""
    (tell,) = [tell for tell in row.proof.tells if tell.how == "refused" and tell.call_id == claim.call_id]
    reply = next(one for one in row.claims("user") if (one.call_id, one.pointer) == (claim.call_id, claim.pointer))
    right = row.text(reply.message)[reply.start : reply.end]
    yield Change("right", spliced(row, claim.message, claim.start, claim.end - claim.start, right))
    for words in ("It has to be blue.", "That isn't possible.", "It has to be between 7 and 7000.", "I can only offer red or blue."):
        yield Change(words, spliced(row, tell.message, tell.start, tell.end - tell.start, words))
    others = [name for name in row.arguments_of(claim.call_id) if f"/{name}" != claim.pointer]
    changes: list[dict[str, Any]] = [{"pointer": f"/{name}"} for name in others]
    changes += [{"message": index} for index in (-1, *range(len(row.talk.messages))) if index != claim.message]
    changes += [{"start": start, "end": end} for start, end in other_spans(row, claim)]
    for change in (*changes, {"call_id": "000000000"}):
        yield Change(f"{change}", with_claim(row, claim, replace(claim, **change)))
    yield Change("no question", with_proof(row, asks=()))


class Planted(NamedTuple):
    """A kind of change, and what must come of it."""

    change: Kind
    codes: str
    """The codes of which one must be reported."""
    only_phrases: str = ""
    """Why a row whose texts need not be made of phrases may be passed, if it may."""
    mostly: str = ""
    """Why some changes (at most one of ten) change nothing that the checker must see, if they do."""


UNREAD = "what stands between the values of a text in a model's words is compared with the templates' text instead"
CUT = "phrases are cut at their slots: what is left may read as the end of one and the beginning of another"
ORDERED = "which words lead to which tool and argument is told by phrases only"
KINDS: dict[str, tuple[Planted, ...]] = {
    "arguments": (
        Planted(change_an_argument, "PF102 PF103 PF105 PF129"),
        Planted(change_the_type_of_an_argument, "PF102 PF103 PF105 PF129"),
        Planted(exchange_the_values_of_two_arguments, "PF102 PF103 PF105"),
        Planted(exchange_two_arguments_of_a_call, "PF110 PF112 PF102 PF106", ORDERED),
        Planted(exchange_an_argument_of_two_calls, "PF110 PF112", ORDERED),
        Planted(turn_a_list_round, "PF110", ORDERED),
        Planted(take_two_arguments_of_an_earlier_turn_for_each_other, "PF102"),
        Planted(add_an_argument, "PF101"),
        Planted(add_to_a_list_or_object, "PF101"),
        Planted(drop_an_optional_argument, "PF110 PF112 PF109 PF113 PF118", UNREAD),
    ),
    "claims": (
        Planted(drop_a_claim, "PF101"),
        Planted(redirect_a_claim, "PF101"),
        Planted(claim_another_source, "PF101 PF102 PF103 PF105 PF116"),
        Planted(point_to_another_message, "PF102"),
        Planted(shift_a_span, "PF102"),
        Planted(read_it_otherwise, "PF102"),
        Planted(borrow_the_words_of_another_argument, "PF102"),
    ),
    "wishes": (Planted(drop_a_wish, "PF114 PF120"), Planted(redirect_a_wish, "PF114 PF102 PF104 PF113 PF115 PF121", UNREAD)),
    "computed values": (Planted(compute_otherwise, "PF129 PF103"),),
    "look-ups": (Planted(let_a_look_up_help_another_call, "PF127"),),
    "comparisons": (Planted(compare_otherwise, "PF128 PF106 PF111", UNREAD), Planted(let_another_one_be_best, "PF128 PF106")),
    "questions": (
        Planted(drop_what_is_asked, "PF111"),
        Planted(remove_a_question, "PF110 PF102"),
        Planted(ask_for_something_else, "PF115"),
        Planted(redirect_a_question, "PF115"),
        Planted(ask_in_other_words, "PF115", UNREAD),
        Planted(ask_for_what_was_said, "PF115 PF102"),
        Planted(reply_with_something_else, "PF115 PF102 PF110"),
        Planted(leave_a_question_unanswered, "PF115"),
    ),
    "words": (
        Planted(change_a_letter_of_a_value, "PF102 PF106"),
        Planted(say_something_else, "PF102 PF106"),
        Planted(glue_something_to_a_value, "PF102 PF106"),
        Planted(add_words, "PF110 PF111 PF115", UNREAD),
        Planted(drop_the_words_between, "PF110 PF111", UNREAD, CUT),
        Planted(say_a_number_more, "PF107 PF109 PF115"),
        Planted(speak_before_a_call, "PF107"),
        Planted(live_on_another_day, "PF102"),
    ),
    "results": (
        Planted(change_a_result, "PF103 PF106 PF122"),
        Planted(exchange_two_results, "PF103 PF106"),
        Planted(drop_a_result, "PF106 PF120"),
        Planted(lengthen_a_list_that_was_counted, "PF106"),
        Planted(take_from_elsewhere, "PF103 PF129"),
        Planted(take_before_there_is_a_result, "PF103"),
        Planted(take_another_element, "PF104 PF129"),
        Planted(let_another_element_stand_out, "PF104"),
        Planted(pick_by_something_else, "PF104"),
        Planted(describe_with_other_words, "PF104 PF102 PF129"),
        Planted(call_for_some_instead_of_each, "PF104"),
    ),
    "answers": (
        Planted(tell_another_value, "PF106"),
        Planted(redirect_an_answer, "PF106"),
        Planted(claim_less_of_an_answer, "PF111", UNREAD),
        Planted(claim_no_number_of_an_answer, "PF107"),
    ),
    "failures": (
        Planted(let_a_failed_call_go_well, "PF120 PF121"),
        Planted(let_a_search_find_something, "PF120"),
        Planted(let_a_call_fail, "PF119 PF120 PF106 PF122"),
        Planted(drop_what_is_told, "PF110 PF111 PF119 PF120 PF128", UNREAD),
        Planted(redirect_what_is_told, "PF120 PF124 PF125 PF128 PF110 PF111 PF119 PF106", UNREAD),
        Planted(give_another_reason, "PF106"),
        Planted(forget_that_a_call_is_made_again, "PF101 PF119"),
        Planted(make_again_what_went_well, "PF121"),
        Planted(make_again_with_other_arguments, "PF121"),
        Planted(learn_a_wrong_call, "PF121"),
        Planted(answer_a_proposal_otherwise, "PF120", UNREAD),
        Planted(propose_something_else, "PF106"),
        Planted(take_back_something_else, "PF123 PF125"),
        Planted(change_something_else_before_the_call, "PF123 PF102 PF110", UNREAD),
        Planted(let_the_condition_turn_out_otherwise, "PF122 PF110 PF102", UNREAD),
        Planted(forget_what_was_not_made, "PF101 PF102 PF106 PF120 PF105", UNREAD),
    ),
    "choices": (
        Planted(choose_another, "PF104"),
        Planted(choose_in_other_words, "PF104 PF124 PF115 PF110 PF102"),
        Planted(name_what_was_left_open, "PF124"),
        Planted(refer_to_something_else, "PF104 PF102 PF110"),
        Planted(leave_a_choice_out, "PF124 PF111 PF106", UNREAD),
    ),
    "calls and messages": (
        Planted(make_a_call_twice, "PF108"),
        Planted(add_a_call, "PF101 PF114"),
        Planted(drop_a_call, "PF110 PF109 PF111 PF119 PF121", UNREAD),
        Planted(call_another_tool, "PF101 PF102 PF106 PF110 PF111 PF113", ORDERED),
        Planted(give_two_calls_one_id, "PF101"),
        Planted(let_somebody_else_ask, "PF102 PF114 PF115 PF120"),
        Planted(ask_after_the_call, "PF102 PF114 PF115 PF120"),
        Planted(exchange_two_messages_of_the_user, "PF102 PF110 PF114 PF115 PF120", UNREAD),
        Planted(exchange_two_turns, "PF102 PF103 PF110 PF120"),
        Planted(drop_a_message_of_the_user, "PF101 PF114 PF115 PF119 PF120"),
    ),
}
MOST = 5
"""Changes of one kind that are tried in one row, chosen at random."""


def planted(change: Kind) -> Iterator[Change]:
    """The changes of a kind in all rows."""
    for number, row in enumerate(made()):
        found = list(change(row))
        yield from random.Random(f"{change.__name__} {number}").sample(found, min(MOST, len(found)))


def main() -> None:
    """Print the table."""
    sys.stdout.write(f"{'':58}{'planted':>8}{'refused':>9}{'read only':>11}\n")
    whole = [0, 0, 0]
    for title, kinds in KINDS.items():
        sys.stdout.write(f"{title}\n")
        for kind in kinds:
            rows = [change.row for change in planted(kind.change)]
            counts = [len(rows), *[sum(bool(row.findings(phrases=phrases)) for row in rows) for phrases in (True, False)]]
            whole = [one + other for one, other in zip(whole, counts, strict=True)]
            name = kind.change.__name__.replace("_", " ")
            sys.stdout.write(f"  {name:56}{counts[0]:8}{counts[1]:9}{counts[2]:11}\n")
    sys.stdout.write(f"{'all':58}{whole[0]:8}{whole[1]:9}{whole[2]:11}\n")


if __name__ == "__main__":
    main()
