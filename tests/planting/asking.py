"""Changes of who asks for a call, of questions, and of leave that is asked for."""

from changed_rows import (
    Change,
    Proven,
    other_letter,
    other_value,
    rearranged,
    replace,
    spliced,
    with_claim,
    with_message,
    with_messages,
    with_more_messages,
    with_proof,
)

from generator.core.claims import AskClaim
from generator.core.conversation import AssistantMessage, ToolCall, ToolMessage
from planting.arguments import other_spans
from planting.changes import Changes


def drop_a_wish(row: Proven) -> Changes:
    for wish in row.proof.wishes:
        yield Change(wish.tool, with_claim(row, wish))


def let_a_look_up_help_another_call(row: Proven) -> Changes:
    """A call that nobody asks for, it is said, for one that takes nothing from its result."""
    told_at = {m.tool_call_id: at for at, m in enumerate(row.talk.messages) if isinstance(m, ToolMessage)}
    for wish in row.proof.wishes:
        if wish.demanded:  # by a policy, before whatever it is made for
            continue
        yield Change("no such call", with_claim(row, wish, replace(wish, helps="000000000")))
        for other in row.proof.wishes:
            taken = {
                claim.message
                for claim in row.proof.arguments
                if claim.call_id == other.call_id and claim.source == "result"
            }
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


def answer_a_proposal_otherwise(row: Proven) -> Changes:
    """The user says no, and the call is made; or yes, and it is not; or says something else."""
    for told in row.proof.tells:
        if told.how in {"yes", "no"}:
            other = "no" if told.how == "yes" else "yes"
            yield Change(other, with_claim(row, told, replace(told, how=other)))
            for words in (
                "No, leave it." if told.how == "yes" else "Go ahead.",
                "Make it six.",
                "Yes, and book a taxi.",
            ):
                changed = spliced(row, told.message, told.start, told.end - told.start, words)
                moved = next(one for one in changed.proof.tells if one.message == told.message)
                yield Change(words, with_claim(changed, moved, replace(moved, end=len(words))))


def do_what_the_user_refused(row: Proven) -> Changes:
    """The user says no, and the call is made all the same, with all that is claimed of it."""
    for told in row.proof.tells:
        for wish in [wish for wish in row.proof.wishes if wish.unmade is not None and told.how == "no"]:
            call = ToolCall(wish.call_id, wish.tool, wish.unmade or {})
            messages = AssistantMessage(tool_calls=(call,)), ToolMessage(call.id, '{"status":"success"}', call.name)
            changed = with_claim(row, wish, replace(wish, unmade=None, said=()))
            changed = with_proof(changed, arguments=(*changed.proof.arguments, *wish.said))
            yield Change(wish.tool, with_more_messages(changed, told.message + 1, *messages))


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
            if wish.said:
                yield Change("its values", with_claim(row, wish, replace(wish, said=())))
            for name, value in wish.unmade.items():
                other = {**wish.unmade, name: other_value(value)}
                yield Change(name, with_claim(row, wish, replace(wish, unmade=other)))
