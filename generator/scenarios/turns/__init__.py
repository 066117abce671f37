"""Conversations of several requests that belong together."""
