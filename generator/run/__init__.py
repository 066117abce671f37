"""Runs: one row's story, the loop over rows, and checks of files. Start at `row.py`."""
