"""The files of a recipe from which documents are made."""

import os
from pathlib import Path

from generator.core.documents import Place
from generator.core.errors import RecipeError
from generator.core.files.regular import MOST_BYTES, read_regular
from generator.core.source_texts import DocumentSettings, SourceText
from generator.recipe import Recipe


def read_sources(recipe: Recipe) -> DocumentSettings:
    """Return the files that documents are made from."""
    documents = recipe.documents
    texts, letters = [], 0
    for at, file in enumerate(documents.files):
        texts.append(_read_text(file, recipe, place := ("documents", "files", at)))
        letters += len(texts[-1].text)
        if letters > MOST_BYTES:
            raise RecipeError(f"these files hold more than {MOST_BYTES:,} characters together", place)
    return DocumentSettings(
        texts=tuple(texts),
        cuts=documents.cuts,
        together=documents.together,
        gaps=documents.gaps,
        longest=documents.longest,
    )


def _read_text(file: Path, recipe: Recipe, place: Place) -> SourceText:
    try:
        text = read_regular(file).decode("utf-8")
    except OSError as fault:
        raise RecipeError(f"{file}: cannot be read ({fault.strerror})", place) from None
    except UnicodeDecodeError as fault:
        raise RecipeError(f"{file}: not UTF-8 text (byte {fault.start})", place) from None
    return SourceText(name=Path(os.path.relpath(file, recipe.path.parent)).as_posix(), text=text)
