"""Finished files: measures of rows and the page (`measure.py`), and work on files: convert, show, verify, mix, split (`files`).

It may import the rooms from `episodes` down. Start reading at measure.py, and at files/convert.py.
"""

from generator.report.measure import Piece, Report, files_to_measure, measure_files, sample
from generator.report.metrics import FIGURES, METRICS

__all__ = ["FIGURES", "METRICS", "Piece", "Report", "files_to_measure", "measure_files", "sample"]
