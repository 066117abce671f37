"""Asking a large language model.

Start reading at session.py: one callable, `await session.complete(messages, schema=..., nth=...)`, behind which stand the
cache (cache.py), the budget and prices (asking.py, providers.py), and the way to the server (providers.py, batches.py).
Rows are made by synchronous code: it asks through asking.py.

This room imports nothing slow: litellm is imported where a session is opened. It may import `recipe` and `core`.
"""

from generator.llm.asking import Asker, Estimate, ModelAnswer, PromptMessage, Request

__all__ = ["Asker", "Estimate", "ModelAnswer", "PromptMessage", "Request"]
