"""Conversations under a written policy: what must happen follows from its clauses and the world."""
