"""Changes of what texts say."""

import re
from itertools import pairwise

from changed_rows import Change, Proven, other_letter, spans_in, spliced, with_message, with_messages

from generator.core.conversation import AssistantMessage, UserMessage
from generator.tools.productions import HEADS
from planting.changes import Changes


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
        before = (
            ("1", "-", "1.", "1,", "x") if content[start].isdigit() else ("un", "1") if content[start].isalpha() else ()
        )
        after = (
            ("0", ".5", ",000", "x")
            if content[end - 1].isdigit()
            else ("burg", "1")
            if content[end - 1].isalpha()
            else ()
        )
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
    said = [
        row.text(c.message or 0)[c.start : c.end] for c in row.claims("user") if (c.verbalizer or "").startswith("date")
    ]
    if any(relative.search(words) for words in said):
        for today in ("Today is 1999-05-05.", "Today is 2030-12-30.", "Today is 2026-02-30.", "No day."):
            yield Change(today, with_message(row, 0, content=today))
        yield Change("said by the user", with_messages(row, [UserMessage(row.text(0)), *row.talk.messages[1:]]))


ENDINGS = ((" for me?", "."), ("?", "."), (", please.", "?"), (".", "?"), (".", " for me?"))


def end_a_sentence_otherwise(row: Proven) -> Changes:
    """ "can you … ." and "I need … ?": the end of a sentence of the user that does not belong to its beginning."""
    for index in row.at(UserMessage):
        text, spans = row.text(index), spans_in(row, index)
        for ending, other in ENDINGS:
            for found in re.finditer(re.escape(ending) + r"(?=\s|$)", text):
                number = text[: found.start()].rpartition("\n")[2].isdigit()
                if not number and not any(start < found.end() and found.start() < end for start, end in spans):
                    changed = spliced(row, index, found.start(), len(ending), other)
                    yield Change(f"{ending!r} → {other!r} at {found.start()} of {index}", changed)


JOINTS = (
    *(
        (" and ", ", and after that "),
        (", and also ", "; "),
        ("; ", ", "),
        (", then ", "; and "),
        (" and then ", ", plus "),
    ),
    *(("\n- ", "\n7. "), ("\n2. ", "\n- "), ("\n2. ", "\n3. "), (". Then ", ", and finally "), (". Also, ", "; and ")),
)


def join_requests_otherwise(row: Proven) -> Changes:
    """The words between two requests that are not those of one kind of sentence or list."""
    begun = sorted({(use.message, use.start) for use in row.proof.uses if use.key.partition(": ")[0] in HEADS})
    for index, start in begun:
        text = row.text(index)
        for joint, other in JOINTS if index in row.at(UserMessage) else ():
            if (index, 0) < (index, start) and text.endswith(joint, 0, start):
                changed = spliced(row, index, start - len(joint), len(joint), other)
                yield Change(f"{joint!r} → {other!r} at {start} of {index}", changed)
