"""Conversations with one goal after the other: who wants what and why, what it depends on, and what changes midway."""
