"""Files of rows with faults, for those who read data sets: JSON lines in every row format.

A case is a file of one to three rows. Most have one fault, and the case names the rule that it breaks (codes of
docs/rules.md), so that a reader can be tested on whether it refuses the file (`n`), reads it (`y`), or only survives
it (`i`).
"""

from generator.corpus.rows.line_faults import LINE_FAULTS
from generator.corpus.rows.making import FileMaker, file_makers, make_file, row_formats
from generator.corpus.rows.record_faults import RECORD_FAULTS

__all__ = ["LINE_FAULTS", "RECORD_FAULTS", "FileMaker", "file_makers", "make_file", "row_formats"]
