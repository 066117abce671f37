"""Cases for clients: streams of providers as server-sent events, answers in JSON, and JSON that ends early.

A provider's events are written by a file of its own (openai_chat.py, …), framed by framing.py, and read back by reading.py,
which shares no code with either, before a case is written. hazards.yaml names what is hard, making.py makes the cases,
serving.py serves them on this machine, checking.py judges clients.
"""

from generator.corpus.clients.anthropic_messages import ANTHROPIC_MESSAGES
from generator.corpus.clients.gemini_stream import GEMINI_STREAM
from generator.corpus.clients.openai_chat import OPENAI_CHAT
from generator.corpus.clients.openai_responses import OPENAI_RESPONSES
from generator.corpus.clients.turn import Provider

PROVIDERS: dict[str, Provider] = {
    provider.name: provider for provider in (OPENAI_CHAT, OPENAI_RESPONSES, ANTHROPIC_MESSAGES, GEMINI_STREAM)
}
"""APIs whose streams are written, by the name of their format."""
