"""Formats whose records are the text that a model's chat template writes, with the spans to be learnt.

Each is an entry of dialects.yaml; openchatml has documents and parts of conversations beside that.
"""
