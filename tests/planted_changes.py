"""Everything that can be wrong with a row, planted in rows of every scenario: the checker must refuse each of them.

    python tests/planted_changes.py     prints how many changes of each kind are refused

A kind of change is a function that yields changed rows of one row. Its entry in `KINDS` names the codes of which one
must be reported, and why a row in a model's words (which is only read) may be passed, if it may.
"""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]

from changed_rows import Change, Kind, made
from planting.answers import (
    claim_less_of_an_answer,
    claim_no_number_of_an_answer,
    redirect_an_answer,
    tell_another_value,
)
from planting.arguments import (
    add_an_argument,
    add_to_a_list_or_object,
    borrow_the_words_of_another_argument,
    change_an_argument,
    change_the_type_of_an_argument,
    claim_another_source,
    drop_a_claim,
    drop_an_optional_argument,
    exchange_an_argument_of_two_calls,
    exchange_the_values_of_two_arguments,
    exchange_two_arguments_of_a_call,
    point_to_another_message,
    read_it_otherwise,
    redirect_a_claim,
    shift_a_span,
    turn_a_list_round,
)
from planting.asking import (
    answer_a_proposal_otherwise,
    ask_for_something_else,
    ask_for_what_was_said,
    ask_in_other_words,
    do_what_the_user_refused,
    drop_a_wish,
    drop_what_is_asked,
    forget_what_was_not_made,
    leave_a_question_unanswered,
    let_a_look_up_help_another_call,
    propose_something_else,
    redirect_a_question,
    redirect_a_wish,
    remove_a_question,
    reply_with_something_else,
)
from planting.choices import (
    change_something_else_before_the_call,
    refer_to_something_else,
)
from planting.derivations import (
    forge_a_derivation,
    keep_shared_words_for_one_call,
    let_a_clause_without_a_verb_say_less,
    let_a_text_swallow_what_follows,
    restitch_a_gap,
    say_it_of_another_call_too,
)
from planting.failures import (
    drop_what_is_told,
    give_another_reason,
    let_a_call_fail,
    let_a_failed_call_go_well,
    redirect_what_is_told,
)
from planting.lists import (
    leave_a_line_out,
    leave_one_of_several,
    leave_out_what_was_picked,
    miscount_all_together,
    miscount_what_is_left_out,
    name_another_order,
    rename_a_field,
    tell_another_field,
    tell_of_another_element,
)
from planting.messages import (
    add_a_call,
    ask_after_the_call,
    call_another_tool,
    drop_a_call,
    drop_a_message_of_the_user,
    exchange_two_messages_of_the_user,
    give_two_calls_one_id,
    let_somebody_else_ask,
    make_a_call_twice,
)
from planting.results import (
    call_for_some_instead_of_each,
    change_a_result,
    describe_with_other_words,
    drop_a_result,
    exchange_two_results,
    lengthen_a_list_that_was_counted,
    let_another_element_stand_out,
    pick_by_something_else,
    take_another_element,
    take_before_there_is_a_result,
    take_from_elsewhere,
)
from planting.texts import (
    add_words,
    change_a_letter_of_a_value,
    drop_the_words_between,
    end_a_sentence_otherwise,
    glue_something_to_a_value,
    join_requests_otherwise,
    live_on_another_day,
    say_a_number_more,
    say_something_else,
    speak_before_a_call,
)


class Planted(NamedTuple):
    """A kind of change, and what must come of it."""

    change: Kind
    codes: str
    """The codes of which one must be reported."""
    only_phrases: str = ""
    """Why a row whose texts need not be made of phrases may be passed, if it may."""
    mostly: str = ""
    """Why some changes (at most one of ten) change nothing that the checker must see, if they do."""


ALIKE = (
    "the last of three requests may begin either way, and a reason may be that of a call or of the same call made again"
)
UNREAD = "what stands between the values of a text in a model's words is compared with the templates' text instead"
CUT = '"on" and "at" fall away before days and references'
UNDERIVED = "a text in a model's words has no derivation"
AGAIN = "the words ask for a call that is made again, and so for both"
ORDERED = "which words lead to which tool and argument is told by phrases only"
KINDS: dict[str, tuple[Planted, ...]] = {
    "arguments": (
        Planted(change_an_argument, "PF102 PF103 PF105 PF106"),
        Planted(change_the_type_of_an_argument, "PF102 PF103 PF105 PF106"),
        Planted(exchange_the_values_of_two_arguments, "PF102 PF103 PF105"),
        Planted(exchange_two_arguments_of_a_call, "PF110 PF112 PF102 PF106", ORDERED),
        Planted(exchange_an_argument_of_two_calls, "PF110 PF112", ORDERED),
        Planted(turn_a_list_round, "PF110", ORDERED),
        Planted(add_an_argument, "PF101"),
        Planted(add_to_a_list_or_object, "PF101"),
        Planted(drop_an_optional_argument, "PF110 PF112 PF109 PF113", UNREAD),
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
    "wishes": (
        Planted(drop_a_wish, "PF114 PF120"),
        Planted(redirect_a_wish, "PF114 PF102 PF104 PF113 PF115", UNREAD),
    ),
    "look-ups": (Planted(let_a_look_up_help_another_call, "PF127"),),
    "lists": (
        Planted(tell_of_another_element, "PF139 PF143 PF106 PF111"),
        Planted(name_another_order, "PF139"),
        Planted(leave_a_line_out, "PF139"),
        Planted(leave_out_what_was_picked, "PF143", UNDERIVED),
        Planted(tell_another_field, "PF144 PF106 PF111", UNDERIVED),
        Planted(leave_one_of_several, "PF145 PF103 PF104 PF106 PF107 PF111", UNDERIVED),
        Planted(miscount_what_is_left_out, "PF111 PF139", UNREAD),
        Planted(rename_a_field, "PF111 PF139", UNREAD),
        Planted(miscount_all_together, "PF141", UNREAD),
    ),
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
        Planted(add_words, "PF110 PF111 PF112 PF115", UNREAD),
        Planted(drop_the_words_between, "PF110 PF111", UNREAD, CUT),
        Planted(end_a_sentence_otherwise, "PF110 PF115 PF120 PF123 PF124 PF138", UNREAD),
        Planted(join_requests_otherwise, "PF110", UNREAD, ALIKE),
        Planted(say_a_number_more, "PF107 PF109 PF115"),
        Planted(speak_before_a_call, "PF107"),
        Planted(live_on_another_day, "PF102"),
    ),
    "derivations": (
        Planted(forge_a_derivation, "PF110 PF111 PF112", UNDERIVED, AGAIN),
        Planted(restitch_a_gap, "PF110 PF111 PF112", UNDERIVED),
        Planted(say_it_of_another_call_too, "PF110 PF112", UNDERIVED),
        Planted(keep_shared_words_for_one_call, "PF110 PF112", UNDERIVED),
        Planted(let_a_clause_without_a_verb_say_less, "PF110", UNDERIVED),
        Planted(let_a_text_swallow_what_follows, "PF102", mostly=CUT),
    ),
    "results": (
        Planted(change_a_result, "PF103 PF106"),
        Planted(exchange_two_results, "PF103 PF106"),
        Planted(drop_a_result, "PF106 PF120 PF103"),
        Planted(lengthen_a_list_that_was_counted, "PF106"),
        Planted(take_from_elsewhere, "PF103", mostly="another result may hold the same value"),
        Planted(take_before_there_is_a_result, "PF103"),
        Planted(take_another_element, "PF104"),
        Planted(let_another_element_stand_out, "PF104"),
        Planted(pick_by_something_else, "PF104"),
        Planted(describe_with_other_words, "PF104 PF102"),
        Planted(call_for_some_instead_of_each, "PF104"),
    ),
    "answers": (
        Planted(tell_another_value, "PF102 PF106"),
        Planted(redirect_an_answer, "PF106"),
        Planted(claim_less_of_an_answer, "PF111 PF112 PF110", UNREAD),
        Planted(claim_no_number_of_an_answer, "PF107"),
    ),
    "failures": (
        Planted(let_a_failed_call_go_well, "PF120"),
        Planted(let_a_call_fail, "PF119 PF120 PF106"),
        Planted(drop_what_is_told, "PF110 PF111 PF119 PF120", UNREAD),
        Planted(
            redirect_what_is_told,
            "PF141 PF120 PF123 PF124 PF125 PF110 PF111 PF119 PF106",
            UNREAD,
            ALIKE,
        ),
        Planted(give_another_reason, "PF106"),
        Planted(answer_a_proposal_otherwise, "PF120", UNREAD),
        Planted(do_what_the_user_refused, "PF120"),
        Planted(propose_something_else, "PF106"),
        Planted(change_something_else_before_the_call, "PF123 PF102 PF110", UNREAD),
        Planted(forget_what_was_not_made, "PF101 PF102 PF103 PF106 PF120 PF105", UNREAD),
    ),
    "choices": (Planted(refer_to_something_else, "PF102"),),
    "calls and messages": (
        Planted(make_a_call_twice, "PF108"),
        Planted(add_a_call, "PF101 PF114"),
        Planted(drop_a_call, "PF110 PF109 PF111 PF119", UNREAD),
        Planted(call_another_tool, "PF101 PF102 PF106 PF110 PF111 PF113", ORDERED),
        Planted(give_two_calls_one_id, "PF101"),
        Planted(let_somebody_else_ask, "PF102 PF114 PF115 PF120"),
        Planted(ask_after_the_call, "PF102 PF114 PF115 PF120"),
        Planted(exchange_two_messages_of_the_user, "PF102 PF110 PF114 PF115 PF120", UNREAD),
        Planted(drop_a_message_of_the_user, "PF101 PF114 PF115 PF119 PF120"),
    ),
}
MOST = 5
"""Changes of one kind that are tried in one row, chosen at random."""


class Refused(NamedTuple):
    """What came of the changes of a kind."""

    number: int
    codes: set[str]
    """Those expected codes that were reported."""
    passed: list[str]
    """Changes that were not refused as they must be."""


def planted(change: Kind, each: int = 5, most: int = MOST, *, with_policies: bool = True) -> Iterator[Change]:
    """The changes of a kind in so many rows of each scenario and toolbox."""
    for number, row in enumerate(made(each)):
        if row.scenario == "under_policy" and not with_policies:
            continue
        found = list(change(row))
        yield from random.Random(f"{change.__name__} {number}").sample(found, min(most, len(found)))


def refused(kind: Planted, changes: Iterator[Change]) -> Refused:
    """Check changes of a kind, as rows of phrases and as rows in a model's words."""
    expected, number, seen, passed = set(kind.codes.split()), 0, set(), []
    for number, change in enumerate(changes, 1):  # noqa: B007
        codes, read = change.row.codes(), change.row.codes(phrases=False)
        assert "PF117" not in codes | read, change.what
        seen |= codes & expected
        if not codes & expected or not (read or kind.only_phrases):
            passed.append(change.what)
    return Refused(number, seen, passed)


def main() -> None:
    """Print the table."""
    sys.stdout.write(f"{'':58}{'planted':>8}{'refused':>9}{'read only':>11}\n")
    whole = [0, 0, 0]
    for title, kinds in KINDS.items():
        sys.stdout.write(f"{title}\n")
        for kind in kinds:
            rows = [change.row for change in planted(kind.change)]
            counts = [
                len(rows),
                *[sum(bool(row.findings(phrases=phrases)) for row in rows) for phrases in (True, False)],
            ]
            whole = [one + other for one, other in zip(whole, counts, strict=True)]
            name = kind.change.__name__.replace("_", " ")
            sys.stdout.write(f"  {name:56}{counts[0]:8}{counts[1]:9}{counts[2]:11}\n")
    sys.stdout.write(f"{'all':58}{whole[0]:8}{whole[1]:9}{whole[2]:11}\n")


if __name__ == "__main__":
    main()
