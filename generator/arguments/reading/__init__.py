"""JSON Schemas read into a few kinds of nodes, or refused with a JSON pointer and a reason."""
