"""The phrases of a tool, compiled into functions when the tools are loaded: `tool_phrases.py` has all that can be said about one tool."""
