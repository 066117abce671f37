"""Words: phrases of tools compiled, requests, answers and values in words, with a span for every value that is said."""

from generator.dialogue.wording.phrases.tool_phrases import ToolPhrases, phrases_of_tools

__all__ = ["ToolPhrases", "phrases_of_tools"]
