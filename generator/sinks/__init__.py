"""Containers that finished records are written to. A format says what a record looks like, a sink where it goes."""

from generator.sinks.disk import sync_folder, write_whole, writing
from generator.sinks.folder import OutputFolder
from generator.sinks.growing import GrowingFile
from generator.sinks.jsonl import encode_line
from generator.sinks.packing import PACKINGS, pack, reading, suffix_of, unpacked_name

__all__ = [
    "PACKINGS",
    "GrowingFile",
    "OutputFolder",
    "encode_line",
    "pack",
    "reading",
    "suffix_of",
    "sync_folder",
    "unpacked_name",
    "write_whole",
    "writing",
]
