"""Real tokenizers, for chunk plans that cut where a server's tokens end.

Two kinds of files are read: `tokenizer.json` (with the library `tokenizers`) and SentencePiece models (with the optional
extra `sentencepiece`). The special tokens of a wire format stay whole, whether the file knows them or not.
"""

import json
import re
from collections.abc import Callable
from itertools import accumulate, pairwise
from pathlib import Path

from generator.core.errors import RecipeError, installing
from generator.core.exact_json import loads
from generator.core.files.regular import read_regular

SplitTokens = Callable[[str], list[bytes]]
"""A text → the bytes of its tokens, in order."""
_BYTE = re.compile("<0x[0-9A-F]{2}>")
"""A token for one byte, where a vocabulary does not have the character."""


def load_tokenizer(path: Path) -> SplitTokens:
    """Return the tokenizer of a file.

    Raises:
        RecipeError: the file cannot be read, or the library for it is not installed.
    """
    try:
        data = read_regular(path)
        return _tokenizers(data) if data.lstrip()[:1] == b"{" else _sentencepiece(data)
    except ModuleNotFoundError as fault:
        raise RecipeError(f"{path}: needs the package {fault.name!r}: {installing('sentencepiece')}") from None
    except Exception as fault:  # the libraries raise bare exceptions
        raise RecipeError(f"{path}: is no tokenizer: {fault}") from None


def tokens_of(split: SplitTokens, text: str, special: tuple[str, ...]) -> list[bytes] | None:
    """Return the bytes of the text's tokens, special tokens of the format whole; None where a tokenizer changes the text."""
    known = sorted(map(re.escape, special), key=len, reverse=True)
    parts = re.split(f"({'|'.join(known)})", text) if known else [text]
    found = [piece for part in parts if part for piece in ([part.encode()] if part in special else split(part))]
    pieces = [piece for piece in found if piece]  # some tokens stand for nothing
    return pieces if b"".join(pieces) == text.encode() else None


def _tokenizers(data: bytes) -> SplitTokens:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(data)
    added = {token.content for token in tokenizer.get_added_tokens_decoder().values()}
    one_letter_a_byte = '"ByteLevel"' in json.dumps(loads(data).get("decoder"))

    def split(text: str) -> list[bytes]:
        tokens = tokenizer.encode(text, add_special_tokens=False).tokens
        if one_letter_a_byte:
            return _cut(text.encode(), [len(token.encode()) if token in added else len(token) for token in tokens])
        return _without_marks(text, tokens)

    return split


def _sentencepiece(data: bytes) -> SplitTokens:
    from sentencepiece import SentencePieceProcessor

    processor = SentencePieceProcessor(model_proto=data)

    def split(text: str) -> list[bytes]:
        return _without_marks(text, processor.encode(text, out_type=str))

    return split


def _cut(data: bytes, lengths: list[int]) -> list[bytes]:
    ends = [0, *accumulate(lengths)]
    return [data[start:end] for start, end in pairwise(ends)]


def _without_marks(text: str, tokens: list[str]) -> list[bytes]:
    """Return tokens as SentencePiece writes them: U+2581 is a space, one is put before the text, `<0xE3>` is a byte."""
    pieces = [
        bytes([int(token[3:5], 16)]) if _BYTE.fullmatch(token) else token.replace("\u2581", " ").encode()
        for token in tokens
    ]
    if b"".join(pieces) == b" " + text.encode():
        pieces[0] = pieces[0][1:]
    return [piece for piece in pieces if piece]
