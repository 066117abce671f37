"""Runs: how one row is made (`row.py`), and how many are (`engine/`). Start at `row.py`."""
