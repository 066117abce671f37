"""Conversations in which calls fail or find nothing."""
