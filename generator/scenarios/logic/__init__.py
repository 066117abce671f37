"""Conversations in which calls depend on what results say."""
