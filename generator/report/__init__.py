"""What finished rows look like: metrics over any file in our formats, as figures, tables and a page."""

from generator.report.measure import Report, measure, sample
from generator.report.metrics import FIGURES, METRICS
from generator.report.reading import Piece, pieces_of

__all__ = ["FIGURES", "METRICS", "Piece", "Report", "measure", "pieces_of", "sample"]
