"""JSON Lines: one record a line, UTF-8, a line feed at the end of each."""

import json
from typing import Any

import orjson


def encode_line(record: Any) -> bytes:
    """One record as compact JSON with its newline."""
    try:
        return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # whole numbers over 64 bits, which JSON may hold
        return json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"
