"""The user tells what is asked for and no more."""

import pytest
from played import begun, rows_of

from generator.core.conversation import AssistantMessage, UserMessage
from generator.dialogue.acts.ask import question as word_question
from generator.episodes import Task
from generator.episodes.episode import Episode
from generator.episodes.user import AGAIN, MOST_BESIDE, YES

ROWS, SERVICE = 150, 80


def _asking() -> list[Task]:
    """Rows whose assistant asks for a value first."""
    return [task for task in rows_of("service", SERVICE) if _first_question(task)]


def _first_question(task: Task) -> bool:
    """Whether the first thing that the row's assistant says is a question for a value."""
    messages = task.row.conversation.messages
    first = next(at for at, message in enumerate(messages) if isinstance(message, AssistantMessage))
    return any(ask.message == first for ask in task.opening.proof.asks)


def _first(task: Task, recipe: str = "service") -> Episode:
    return begun(recipe, task.row.index)


def _reply(task: Task) -> str:
    users = [message.content for message in task.row.conversation.messages if isinstance(message, UserMessage)]
    return users[1]


def test_a_question_that_names_nothing_earns_nothing() -> None:
    for task in _asking():
        for text in ("Hm?", "Could you say more?", "What?", "Can you clarify?"):
            assert _first(task).say(text) == AGAIN, text


def test_a_question_for_the_missing_value_in_other_words_earns_it() -> None:
    """The slot's name in a sentence of a kind that the wording does not have."""
    earned = [
        _first(task).say(
            f"Before I go on I need to know the {ask.pointer.strip('/').split('/')[0].replace('_', ' ')}, what should it be?"
        )
        == _reply(task)
        for task in _asking()
        for ask in task.opening.proof.asks[:1]
        if not task.row.renamed
    ]
    assert len(earned) >= 2
    assert all(earned)


def test_every_question_of_the_tools_is_understood() -> None:
    """Questions of the phrase book for the slot, other than the row's own, earn the reply in nine of ten."""
    from datetime import date

    from generator.core.seeds import Draw

    results = []
    for task in _asking():
        ask = task.opening.proof.asks[0]
        tool = {wish.call_id: wish.tool for wish in task.opening.proof.wishes}[ask.call_id]
        for seed in range(3):
            question, start = word_question(task.toolbox[tool], ask.pointer[1:], Draw(seed, date.min))
            results.append(_first(task).say(question[start:]) == _reply(task))
    assert len(results) > 8
    assert sum(results) / len(results) >= 0.9


def test_who_asks_nothing_where_something_is_missing_is_left() -> None:
    for task in _asking():
        episode = _first(task)
        assert episode.say("I'll do that.") is None
        assert episode.done
        assert episode.score().parts["finished"] == 0.0


_PLAIN = {"single", "multiple", "sequential"}


def test_known_facts_are_told_again_and_a_needless_question_gets_a_yes() -> None:
    told = 0
    for task in rows_of("phrases", ROWS):
        claims = [
            claim
            for claim in task.opening.proof.arguments
            if claim.source == "user" and claim.pointer.count("/") == 1 and claim.verbalizer == "literal"
        ]
        claims = [claim for claim in claims if claim.message == _first(task, "phrases")._user.opening() - 1]
        if len(claims) != 1 or task.row.renamed or task.opening.proof.asks or task.row.scenario not in _PLAIN:
            continue
        assert _first(task, "phrases").say("Shall I go ahead?") == YES
        slot = claims[0].pointer[1:].replace("_", " ")
        text = str(task.row.conversation.messages[claims[0].message or 0].content)
        told += text[claims[0].start : claims[0].end] in str(_first(task, "phrases").say(f"What is the {slot}?"))
    assert told >= 3


@pytest.mark.parametrize("text", ["Hm?", "Shall I?", "OK.", "", "What is the weather like where you are?"])
def test_every_conversation_with_a_user_ends(text: str) -> None:
    for task in rows_of("phrases", 40):
        episode = _first(task, "phrases")
        users = sum(isinstance(message, UserMessage) for message in task.row.conversation.messages)
        said = 0
        while not episode.done:
            episode.say(text)
            said += 1
        assert said <= (MOST_BESIDE + 1) * users + 1


def test_a_polite_question_at_the_end_is_no_question() -> None:
    for task in [task for task in rows_of("phrases", ROWS) if task.row.scenario == "single"]:
        episode = _first(task, "phrases")
        assert episode.say("Done. Is there anything else I can help you with?") is None
