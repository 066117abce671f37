"""The part of a result function that makes an object, property by property."""

from generator.written import Code, indented


class ObjectWriter:
    """Properties whose values are plain expressions are put in together, the others one by one.

    Values are made in the order of the properties, and when a value needs statements the object holds all before it:
    they may read it.
    """

    def __init__(self, made: str) -> None:
        self.made = made
        self.sure: set[str] = set()
        """Properties that are there whatever happens."""
        self._lines: list[str] = []
        self._waiting: list[tuple[str, str]] = []

    def add(self, key: str, value: Code, *, is_sure: bool) -> None:
        """Write a property; one that is not sure is there in three of four objects."""
        if is_sure:
            self.sure.add(key)
        if is_sure and not value.lines:
            self._waiting.append((key, value.value))
            return
        self._put_in()
        lines = [*value.lines, f"{self.made}[{key!r}] = {value.value}"]
        self._lines += lines if is_sure else ["if rand() < 0.75:", *indented(lines)]

    def finish(self) -> Code:
        """All of it."""
        self._put_in()
        return Code(self._lines, self.made)

    def _put_in(self) -> None:
        if not self._lines:
            items = ", ".join([f"{key!r}: {value}" for key, value in self._waiting])
            self._lines.append(f"{self.made} = {{{items}}}")
        else:
            self._lines += [f"{self.made}[{key!r}] = {value}" for key, value in self._waiting]
        self._waiting.clear()
