"""Trial rows and whole conversations before a judge, and what follows from its verdicts."""
