"""The exchange of a question or remark that needs no call."""

from generator.core.planning import Chat, Say, Tell
from generator.scenarios.scenario import Events


def exchange(chat: Chat) -> Events:
    """Yield a question or remark that needs no call, and the reply."""
    said = yield Say(chat=chat)
    yield Tell(about=(), to=said.id)
