"""Passes over the whole data set: rows that are like earlier ones, or too many of a kind, are removed.

Blocks are made without knowing of each other, each with a few facts of its rows (`facts.py`). When all are there, the passes
go through the facts in index order and name the rows to remove (`decide.py`); the blocks that hold such rows are made again
without them. So what is removed depends on the rows alone, not on who made them.
"""
