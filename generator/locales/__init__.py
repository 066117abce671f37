"""Languages: English, whose words stand beside the modules that use them, and packs of words for others.

The pack of a language is a folder here, `de/`: `pack.yaml` says what it covers, and each other file has the words of the English
file of the same path: `de/acts/ask.yaml` those of `generator/acts/ask.yaml`. How values are said and read stands in
`wording/verbalizers` and `validation/readers`; how tools are asked for, beside the tools: `tool_specs/locales/de/shop.yaml`.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from generator.files.regular import read_regular
from generator.yaml_values import own_data, read_yaml

Made = TypeVar("Made")
ENGLISH = "en"
_PACKS = Path(__file__).parent
_PACKAGE = _PACKS.parent


class Pack(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the words of a language suffice for."""

    name: str
    scenarios: tuple[str, ...] = ()
    """The scenarios that can be told in it; none: all."""
    acts: tuple[str, ...] | None = None
    """The sentences of their own (`acts`) that it has words for; None: all."""

    def has(self, act: str) -> bool:
        """Whether it has words for a sentence of its own."""
        return self.acts is None or act in self.acts


LANGUAGES = tuple(sorted(path.parent.name for path in _PACKS.glob("*/pack.yaml")))


@cache
def pack_of(language: str) -> Pack:
    """Return what a language covers; raises KeyError where there is no pack of it."""
    if language not in LANGUAGES:
        raise KeyError(language)
    return msgspec.convert(_read(_PACKS / language / "pack.yaml"), Pack)


class InLanguages(dict[str, Made], Generic[Made]):
    """What is made of a module's words, by language, each when it is first asked for.

    Args:
        module: `__file__` of the module; its English words are in the YAML file of its name.
        make: What to make of the tables in such a file.
    """

    def __init__(self, module: str, make: Callable[[Any], Made]) -> None:
        super().__init__()
        self._module = module
        self._make = make

    def __missing__(self, language: str) -> Made:
        if language == ENGLISH:
            tables = own_data(self._module)
        else:
            tables = _read(_PACKS / language / Path(self._module).with_suffix(".yaml").relative_to(_PACKAGE))
        self[language] = made = self._make(tables)
        return made


def _read(path: Path) -> Any:
    return read_yaml(read_regular(path).decode())[0]
