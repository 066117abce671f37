"""A model, or anybody who answers its prompts, writes the world of a server and scripts for its tools; the engine proves and multiplies them.

Read author.py first: the steps. world.py and scripts.py have what is asked in each, and what is done with the answers; asking.py who is
asked; prompts.yaml every word that they are told.
"""
