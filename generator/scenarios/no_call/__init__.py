"""Conversations in which no call is right, or not yet."""
