"""One record in another format."""

from typing import Any

from generator.formats import Format
from generator.report.files.convert import Conversion, converted_records


def convert_record(raw: Any, fmt: Format, to: Format, tally: Conversion) -> dict[str, Any]:
    (record,) = converted_records(raw, fmt, to, tally)
    return record
