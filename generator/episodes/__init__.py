"""Rows that are played: a world that answers calls, a user who answers texts, and a score. Start reading at episode.py.

Nothing here makes rows: `generator.run.episodes` opens those of a recipe.
"""
