"""Runs: one row (`row.py`, `stages`), many rows (`engine`), what changes finished rows (`overlays`), worlds and scripts by a model (`authoring`).

It may import every room but `cli`. Start reading at row.py: the story of one row; then engine/run.py. `api.py` is what `from generator import …` gives.
"""
