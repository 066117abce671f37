"""Rows with one value exchanged for another: each is read, or refused with a reason, by everything that reads rows."""

import contextlib
import copy
import random

import pytest
from converted import convert_record
from hostile.cases import places
from hostile.rows import HOSTILE, NAMES, put_if_there, records
from nightly import one_in

from generator.core.errors import CannotCarryError, FormatError
from generator.formats import FORMATS
from generator.formats.files.validate import check_raw
from generator.report.files.convert import Conversion
from generator.report.files.format_of import guessed_format

TARGETS = ("deepfabric", "openai", "anthropic", "xlam", "bfcl", "gemini", "sharegpt")
CHANGES = 60
"""For each format."""


@pytest.mark.parametrize("name", one_in(3, NAMES))
def test_a_row_with_one_hostile_value_is_read_or_refused_with_a_reason(name: str):
    draw = random.Random(name)
    fmt = FORMATS[name]
    for record in records(name):
        everywhere = list(places(record))
        for _ in range(CHANGES):
            changed = copy.deepcopy(record)
            for _ in range(draw.choice((1, 1, 2))):
                put_if_there(changed, draw.choice(everywhere), copy.deepcopy(draw.choice(HOSTILE)))
            check_raw(changed, fmt)
            assert guessed_format(changed) in FORMATS
            for target in draw.sample(TARGETS, 2):
                with contextlib.suppress(FormatError, CannotCarryError):
                    convert_record(changed, fmt, FORMATS[target], Conversion())
