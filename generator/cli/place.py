"""Arguments that name a path of this machine, or a place in an object store by its URL."""

from pathlib import Path
from typing import Any

import click


class FolderOrStore(click.ParamType[Path]):
    """A path, or `s3://bucket/prefix` and the like."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The place that is named; a URL is looked at by generator/stores.py."""
        if not isinstance(value, str):
            return Path(value)
        if "://" not in value:
            return Path(value)
        from generator.stores import place

        return place(value)


PLACE = FolderOrStore()
