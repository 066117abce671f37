"""What all rooms share: plain data, errors, random streams, documents, files, and the sandbox for foreign code.

Conversations, claims, plans and toolboxes are frozen structs. This room imports no other room. Start reading at conversation.py, then planning.py.
"""
