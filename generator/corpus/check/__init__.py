"""Run somebody's parser over a corpus: in child processes (child.py), judged (judge.py), many at once (run.py)."""
