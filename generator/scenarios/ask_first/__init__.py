"""Conversations in which the assistant asks before it calls."""
