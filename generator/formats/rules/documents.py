"""Documents, compared with the files that they are made from."""

from collections.abc import Iterable

from generator.core.conversation import FileSequence, FillIn, Violation

CODE = "DC101"
STATEMENT = "Every file of a document, with its gap filled, stands word for word in the file that it is taken from."


def check_document(document: FileSequence, sources: Iterable[str]) -> list[Violation]:
    """Return violations for files of a document that stand in none of the sources, and for empty gaps."""
    texts = tuple(sources)
    found = []
    for i, file in enumerate(document.files):
        whole = file if isinstance(file, str) else f"{file.prefix}{file.middle or ''}{file.suffix}"
        if isinstance(file, FillIn) and not (file.middle or "").strip():
            found.append(Violation(CODE, f"$.files[{i}]", "nothing belongs into the gap"))
        elif not any(whole in text for text in texts):
            found.append(Violation(CODE, f"$.files[{i}]", "stands in none of the files that the recipe names"))
    return found
