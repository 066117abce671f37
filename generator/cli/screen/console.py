"""The console that pages are printed to."""

from typing import NoReturn

from rich.console import Console


class Page(Console):
    """Standard output, for text from data: nothing in it is markup."""

    def __init__(self, width: int | None = None) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, width=width)

    def on_broken_pipe(self) -> NoReturn:
        """Whoever reads has enough (`| head`), which is no fault of the data: `cli.main` ends well then."""
        raise BrokenPipeError
