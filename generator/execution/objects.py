"""The part of a result function that makes an object, property by property."""

from generator.written import Code, Function, indented


class ObjectWriter:
    """Values are made in the order of the properties, and put together at the end.

    When a value needs statements, those before it are made first and have names: it may read them. From the first
    property on that need not be there, the object is there and gets one property after the other.
    """

    def __init__(self, function: Function) -> None:
        self._function = function
        self._made = ""
        """The name of the object, as soon as it is there."""
        self._lines: list[str] = []
        self._values: dict[str, str] = {}
        """The sources of values that are made."""
        self._waiting: dict[str, str] = {}
        """Expressions of values that are not."""

    def add(self, key: str, value: Code, *, is_sure: bool) -> None:
        """Write a property; one that is not sure is there in three of four objects."""
        if is_sure and not value.lines:
            self._waiting[key] = value.value
            return
        self.settle()
        if is_sure:
            self._lines += value.lines
            self._name(key, value.value)
            return
        if not self._made:
            self._made = self._function.name("made")
            self._lines.append(f"{self._made} = {self._display()}")
        put = [*value.lines, f"{self._made}[{key!r}] = {value.value}"]
        self._lines += [f"if {self._function.rand} < 0.75:", *indented(put)]

    def settle(self) -> None:
        """Make all values that wait."""
        for key, expression in self._waiting.items():
            self._name(key, expression)
        self._waiting.clear()

    def source_of(self, key: str) -> str | None:
        """The source of a value that is there for sure, and made."""
        return self._values.get(key)

    def looked_up(self, key: str, otherwise: str) -> str:
        """The source of a value that may be there."""
        return f"({self._made}[{key!r}] if {key!r} in {self._made} else {otherwise})" if self._made else otherwise

    def names(self) -> str:
        """The source of all values that are made, by their names."""
        return self._made or self._display()

    def finish(self) -> Code:
        """All of it."""
        if self._made:
            self.settle()
            return Code(self._lines, self._made)
        self._values |= self._waiting
        return Code(self._lines, self._display())

    def _display(self) -> str:
        return f"{{{', '.join([f'{key!r}: {value}' for key, value in self._values.items()])}}}"

    def _name(self, key: str, expression: str) -> None:
        if not expression.isidentifier():
            name = self._function.name("value")
            self._lines.append(f"{name} = {expression}")
            expression = name
        self._values[key] = expression
        if self._made:
            self._lines.append(f"{self._made}[{key!r}] = {expression}")
