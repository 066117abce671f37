"""What is said: messages from events (`acts`, `wording`), values as text and back (`values`), the proof of a finished row (`proof`), thoughts.

It may import the rooms from `tools` down. Start reading at acts/word.py (a row is worded) and acts/check.py (a row is proven).
"""
