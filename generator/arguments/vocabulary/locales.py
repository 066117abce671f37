"""Locales of Faker, as a recipe wants them."""

from generator.core.documents import nearest
from generator.core.errors import RecipeError

Locale = tuple[tuple[str, float], ...]
"""(name, weight) pairs; empty: the usual mix of English-speaking and European ones."""


def check_locale(locale: Locale) -> None:
    """Raise RecipeError for a locale that Faker does not offer."""
    if not locale:
        return
    from faker.config import AVAILABLE_LOCALES  # Faker only where it is wanted

    known = sorted(AVAILABLE_LOCALES)
    for name, _ in locale:
        if name not in known:
            near = nearest(name.replace("-", "_"), known)
            raise RecipeError(f"unknown locale {name!r}{near}", ("locale",))
