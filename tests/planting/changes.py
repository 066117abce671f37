"""What all kinds of changes yield."""

from collections.abc import Iterator

from changed_rows import Change

Changes = Iterator[Change]
