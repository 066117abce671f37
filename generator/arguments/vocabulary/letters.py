"""Names in other letters."""

import unicodedata


def plain_letters(name: str) -> str:
    """A name as it stands in an address: small ASCII letters."""
    letters = unicodedata.normalize("NFKD", name.replace("ß", "ss").replace("ø", "o").replace("Ø", "O"))
    return "".join(letter for letter in letters.lower() if letter.isascii() and letter.isalpha())
