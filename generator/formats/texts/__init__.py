"""Formats whose records are the text that a model's chat template writes, with the spans to be learnt.

Most are rows of the table in `generator.formats.dialect`. Two have a writer and a reader of their own: the versions of
mistral_text move tools and the system message about, and openchatml has thoughts, documents and frames around turns.
"""
