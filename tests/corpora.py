"""Small corpora."""

from pathlib import Path

from nightly import one_in

from generator.corpus.clients import CLIENT_FORMATS
from generator.corpus.mutations import AMBIGUOUS, MUTATIONS
from generator.corpus.rows import row_formats
from generator.formats.wire.format import wire_formats
from generator.recipe.corpus import CorpusRecipe, load_corpus

RECIPE = "kind: corpus\nname: tiny\nseed: 5\ncases: 60\nprefixes: 0\ngrid: false\nformats: [hermes, qwen3_coder, llama_pythonic, gemma4]\n"


ONE_OF_EACH = tuple({row.arguments: name for name, row in wire_formats().items()}.values())
"""One wire format of each way to write arguments."""
SOME = one_in(5, wire_formats(), ONE_OF_EACH)
"""Wire formats for tests of each of them: some in each run, all at night."""


def recipe_of(folder: Path, text: str = RECIPE) -> CorpusRecipe:
    """The recipe of a corpus, through a file."""
    path = folder / "recipe.yaml"
    path.write_text(text)
    return load_corpus(
        path, wire=wire_formats(), rows=row_formats(), mutations=(*MUTATIONS, AMBIGUOUS), clients=CLIENT_FORMATS
    )
