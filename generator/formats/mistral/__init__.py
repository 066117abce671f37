"""Mistral's instruction text: its versions, and how it is read; the format is in `texts/mistral_text.py`."""
