"""Cases for clients: streams of providers as server-sent events, answers in JSON, and JSON that ends early.

A provider's events are written by a file of its own (openai_chat.py, …), framed by turn.py, and read back by reading.py,
which shares no code with either, before a case is written. hazards.yaml names what is hard, generation.py makes the cases,
checking.py serves them on this machine and judges clients.
"""

from collections.abc import Iterator

from generator.corpus.case import Case
from generator.corpus.clients.anthropic_messages import ANTHROPIC_MESSAGES
from generator.corpus.clients.gemini_stream import GEMINI_STREAM
from generator.corpus.clients.generation import StreamMaker, grid_streams, make_stream
from generator.corpus.clients.json_cases import answer_grid, make_answer, make_prefix, partial_grid
from generator.corpus.clients.openai_chat import OPENAI_CHAT
from generator.corpus.clients.openai_responses import OPENAI_RESPONSES
from generator.corpus.clients.turn import Provider
from generator.corpus.toolbox import Usable
from generator.recipe.corpus import CorpusRecipe

PROVIDERS: dict[str, Provider] = {
    provider.name: provider for provider in (OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES, GEMINI_STREAM)
}
"""APIs whose streams are written, by the name of their format."""
CLIENT_FORMATS: dict[str, str] = {
    **{name: one.about for name, one in PROVIDERS.items()},
    "partial_json": "JSON that ends early",
    "json_answers": "answers in JSON, with fences and prose around",
}
"""Formats for clients, and what each is."""


def client_cases(recipe: CorpusRecipe, name: str, tools: dict[str, Usable]) -> Iterator[Case]:
    """Yield the cases of a recipe in one format."""
    if name in PROVIDERS:
        maker = StreamMaker(PROVIDERS[name], tools, recipe.seed, recipe.mix)
        yield from grid_streams(maker) if recipe.grid else ()
        yield from (make_stream(maker, index) for index in range(recipe.cases))
        return
    grid, make = (partial_grid, make_prefix) if name == "partial_json" else (answer_grid, make_answer)
    yield from grid() if recipe.grid else ()
    usable_tools = list(tools.values())
    yield from (make(usable_tools, recipe.seed, index) for index in range(recipe.cases))
