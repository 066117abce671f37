"""Formats whose records are the text that a model's chat template writes, with the spans to be learnt."""
