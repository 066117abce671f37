"""Words for plans that have been run: the messages of a conversation, with a claim and a span for every value that is said."""

from generator.wording.phrases.phrasebook import Books
from generator.wording.word import compile_books, word

__all__ = ["Books", "compile_books", "word"]
