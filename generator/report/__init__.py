"""What finished rows look like: metrics over any file in our formats, as figures, tables and a page."""

from generator.report.measure import Report, measure_files, sample
from generator.report.metrics import FIGURES, METRICS
from generator.report.reading import Piece, files_to_measure

__all__ = ["FIGURES", "METRICS", "Piece", "Report", "files_to_measure", "measure_files", "sample"]
