"""Texts like the examples of the OpenChatML specification: its structure and data, in words of our own."""

GOALS = """\
[BOS]<|im_start|>system name=Coach
You help people to reach what they have set out to do.
<|im_end|>
<|im_start|>user name=Alice
I want to run ten kilometres. Where do I begin?
<|im_end|>
<|im_start|>assistant name=Trainer
Begin small:

Monday: walk for half an hour
Thursday: run for ten minutes

Write down how it went.
<|im_end|>
<|im_start|>user name=Bob
I could not help overhearing. May I join?
<|im_end|>
<|im_start|>assistant name=Trainer
Of course, Bob!
<|im_end|>[EOS]"""
"""Like the example with named speakers in section 9."""

BOX = """\
[BOS]<|im_start|>system
You are a careful helper.<|reflect|><|introspect|><|reason|><|im_end|>
<|im_start|>user
This box says "Tea". What is in it?<|im_end|>
<|im_start|>assistant
<|start_reflect|>They ask a plain question and want a plain answer.<|end_reflect|>
<|start_introspect|>I want to help and have no stake in it.<|end_introspect|>
<|start_reason|>Boxes hold what their label says, as a rule.<|end_reason|>
Most likely tea.<|im_end|>[EOS]"""
"""Like the example of section 4."""

GAP = "<|fim_prefix|>The capital of Norway is <|fim_middle|><|fim_suffix|>, a town by the sea."
CODE_GAP = """\
<|fim_prefix|>def double(n):
if n == 0:
return 0
<|fim_middle|><|fim_suffix|>
return n + n

# Try it
print(double(4))
"""
CODE_FILLED = CODE_GAP.replace("<|fim_middle|>", "<|fim_middle|>if n < 0:\nreturn -double(-n)\n")
FILES = """\
This is in the first file.
<|file_separator|>
This is in the second file.
And this as well.
<|file_separator|>
And this in the third.
"""
FILES_AND_GAP = """\
<|file_separator|>
A whale is a mammal.
<|file_separator|>
Whales breathe air.
<|file_separator|>
<|fim_prefix|><|fim_middle|><|fim_suffix|> Some of them dive for an hour."""
