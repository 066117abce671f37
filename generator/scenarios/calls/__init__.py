"""Conversations of one request, its calls and an answer."""
