"""What comes with the program beside its code, in `recipes/` and `tool_specs/`: in the package once installed, beside it in a checkout."""

from pathlib import Path

_FOLDERS = ("recipes", "tool_specs")


def shipped(folder: str) -> Path:
    """Return a folder that comes with the program."""
    package = Path(__file__).parents[2]
    inside = package / "share"
    return (inside if inside.is_dir() else package.parent) / folder


def is_shipped(where: str) -> bool:
    """Whether a place (`file:line`) is in a file that comes with the program, which its tests have compiled."""
    return Path(where).resolve().is_relative_to(_OWN)


def shipped_recipes() -> list[str]:
    """Return the names of the recipes that come with the program."""
    return sorted(path.stem for path in shipped("recipes").glob("*.yaml"))


_OWN = shipped("tool_specs").resolve()


def here_or_shipped(path: Path) -> Path:
    """Return the path; where nothing is there, the file that comes with the program under that name.

    `parallel` and `recipes/parallel.yaml` are the recipe of that name, `tool_specs/weather.json` is those tools.
    """
    try:
        if path.exists() or not path.parts:
            return path
        first, *rest = path.parts
        named = shipped(first).joinpath(*rest) if first in _FOLDERS else shipped("recipes") / f"{path}.yaml"
        return named if ".." not in path.parts and not path.is_absolute() and named.is_file() else path
    except OSError:  # no name that a file can have
        return path
