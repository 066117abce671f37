"""Many rows: blocks, executors, the ledger that a run resumes from, and the files it ends with."""
