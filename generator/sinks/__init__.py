"""Containers that finished records are written to. A format says what a record looks like, a sink where it goes."""

from generator.sinks.folder import OutputFolder
from generator.sinks.jsonl import JsonlSink, encode_line

__all__ = ["JsonlSink", "OutputFolder", "encode_line"]
