"""Acts: what can be said in a conversation beside requests and results told, each in one file: its forms, saying and checking it."""

from generator.dialogue.acts.word import word

__all__ = ["word"]
