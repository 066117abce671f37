"""Rows that are played: a world that answers calls, a user who answers texts, a score; `rewards` compares completions with rows.

It may import the rooms from `scenarios` down; `generator.run.episodes` opens those of a recipe. Start reading at episode.py.
"""
