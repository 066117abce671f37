"""Locales: people and places of the languages that a recipe names, letters kept, the same for the same seed."""

import re

import pytest
from arguments.making import arguments_of, faults, tool
from nightly import one_in

from generator.arguments import check_locale, compile_value
from generator.arguments.vocabulary.pools import FAKED, local_fake_pool
from generator.core.errors import RecipeError

TEXT = {"type": "string"}
SPEC = tool(
    dict.fromkeys(("full_name", "street", "company", "city", "phone"), TEXT)
    | {"email": {"type": "string", "format": "email"}}
)
SCRIPTS = {"ja_JP": "[぀-ヿ一-鿿]", "ru_RU": "[Ѐ-ӿ]", "el_GR": "[Ͱ-Ͽ]", "ko_KR": "[가-힯]", "de_DE": "[A-Za-zÄÖÜäöüß]"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_names_streets_companies_and_cities_are_of_the_locale(name):
    made = arguments_of(SPEC, 60, locale=((name, 1.0),))
    for key in ("full_name", "street", "company", "city"):
        assert all(re.search(SCRIPTS[name], row[key]) for row in made), key
    assert all(faults(SPEC.tool.parameters, row) == [] and row["email"].isascii() for row in made)


def test_family_names_stand_first_where_they_do():
    family = {text.split(" ")[0] for text in local_fake_pool("person_name", 1, (("ja_JP", 1.0),))}
    assert family <= set(local_fake_pool("last_name", 2, (("ja_JP", 1.0),))) | family
    assert len(family & set(local_fake_pool("last_name", 2, (("ja_JP", 1.0),)))) > 20


def test_weights_are_shares():
    pool = local_fake_pool("person_name", 1, (("de_DE", 3.0), ("ru_RU", 1.0)))
    assert sum(bool(re.search("[Ѐ-ӿ]", text)) for text in pool) == len(pool) / 4


def test_other_seeds_other_people():
    locale = (("sv_SE", 1.0),)
    assert (
        local_fake_pool("person_name", 1, locale)
        == local_fake_pool("person_name", 1, locale)
        != local_fake_pool("person_name", 2, locale)
    )


@pytest.mark.parametrize("name", ["es_CL", "en_PH", "fr_QC", "ar_SA", "zh_CN", "th_TH", "zu_ZA"])
@pytest.mark.parametrize("kind", one_in(3, [*FAKED, "city"]))
def test_every_kind_has_values_in_every_locale(kind, name, capsys):
    """These are the locales in which Faker lacks something, prints, warns, or gives empty text."""
    assert all(local_fake_pool(kind, 1, ((name, 1.0),)))
    assert capsys.readouterr().out == ""


def test_results_are_of_the_locale_too():
    from datetime import date

    from generator.core.seeds import Draw

    make = compile_value(TEXT, "customer_name", 1, locale=(("el_GR", 1.0),))
    assert re.search("[Ͱ-Ͽ]", make(Draw(1, date(2026, 3, 1))))


@pytest.mark.parametrize(("name", "near"), [("de_ED", "de_DE"), ("de-AT", "de_AT"), ("jp_JP", "ja_JP")])
def test_unknown_locales_are_refused_with_the_nearest(name, near):
    with pytest.raises(RecipeError, match=f"unknown locale '{name}' .did you mean \"{near}\"") as caught:
        check_locale(((name, 1.0),))
    assert caught.value.place == ("locale",)
