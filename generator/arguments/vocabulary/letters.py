"""Names written in ASCII letters."""

import unicodedata


def plain_letters(name: str) -> str:
    """Return a name as it stands in an email address: lower-case ASCII letters only."""
    letters = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ø", "o").replace("Ø", "O"))
    return "".join(letter for letter in letters.lower() if letter.isascii() and letter.isalpha())
