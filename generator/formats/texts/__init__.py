"""Formats whose records are the text that a model's chat template writes, with the spans to be learnt.

Most are rows of the table in `generator.formats.dialect`. Four have a writer and a reader of their own, because the text
around a result depends on the call that it answers, which the table does not know: kimi_k2 and mistral_text write its
id there and number or keep ids, harmony and openchatml its name. More than that sets them apart: harmony has a message
for each call and shows tools as TypeScript, the versions of mistral_text move tools and the system message about, and
openchatml has thoughts, documents and frames around turns.
"""
