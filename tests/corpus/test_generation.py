"""Cases: pure, labelled by what can be justified, cut where they say."""

import collections

import pytest
from corpora import SOME

from generator.corpus.check.judge import same_calls
from generator.corpus.chunks import cut, tokenizer_plan
from generator.corpus.generation import make_case
from generator.corpus.mutations import MUTATIONS
from generator.formats.wire.arguments import representable
from generator.formats.wire.completions import read
from generator.formats.wire.format import properties_of

EACH = 40


@pytest.mark.parametrize("name", SOME)
class TestEachFormat:
    def test_a_case_depends_on_its_index_alone(self, shops, name):
        forwards = [make_case(shops[name], index) for index in range(8)]
        backwards = [make_case(shops[name], index) for index in reversed(range(8))]
        assert forwards == backwards[::-1]

    def test_valid_cases_have_one_meaning(self, shops, name):
        shop = shops[name]
        valid = [case for index in range(EACH) if (case := make_case(shop, index)).verdict == "y"]
        assert len(valid) > EACH / 4
        for case in valid:
            found = read(shop.fmt, case.chars, shop.schemas)
            assert same_calls(found.calls, case.oracle.tool_calls, strict_numbers=True)
            assert not case.allowed
            assert {call.name for call in case.oracle.tool_calls} <= set(case.tools)
            for call in case.oracle.tool_calls:
                schemas = properties_of(shop.schemas[call.name])
                assert all(
                    representable(shop.fmt, value, schemas.get(key, {})) for key, value in call.arguments.items()
                )

    def test_text_that_must_not_be_a_call_is_none_to_the_most_lenient_reader(self, shops, name):
        shop = shops[name]
        cases = [case for index in range(2 * EACH) if (case := make_case(shop, index)).verdict == "n"]
        assert cases
        for case in cases:
            assert read(shop.fmt, case.chars, shop.schemas, lenient=True) is None
            assert case.oracle.tool_calls == ()

    def test_plans_cut_the_bytes_where_they_say(self, shops, name):
        for index in range(EACH // 2):
            case = make_case(shops[name], index)
            for plan in case.plans:
                pieces = cut(case.text, plan)
                assert b"".join(pieces) == case.text
                assert all(pieces)
                assert plan.utf8_safe == all(_is_text(piece) for piece in pieces)
                whole = sum(case.text.count(token.encode()) for token in shops[name].fmt.special)
                if not plan.splits_special_token:
                    assert (
                        sum(piece.count(token.encode()) for piece in pieces for token in shops[name].fmt.special)
                        == whole
                    )
                if plan.kind in ("whole", "tokens"):
                    assert not plan.splits_special_token


def _is_text(piece: bytes) -> bool:
    try:
        piece.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.fixture(scope="module")
def many(shops):
    return [make_case(shops["hermes"], index) for index in range(1500)]


def test_every_mutation_that_a_format_admits_is_applied(many):
    applied = {mutation.op for case in many for mutation in case.mutations}
    assert set(MUTATIONS) <= applied | {"fenced"}


def test_values_that_hurt_stand_in_valid_cases(many):
    tags = collections.Counter(tag for case in many if case.verdict == "y" for tag in case.tags)
    for tag in (
        "empty_arguments",
        "same_function",
        "looks_like_json",
        "delimiters",
        "marker",
        "white_space",
        "unicode",
        "integer",
        "number",
        "array",
        "object",
        "null",
        "boolean",
        "long",
        "deep",
    ):
        assert tags[tag] >= 3, tag


def test_calls_without_arguments_stand_at_every_place(many):
    calls = [case.oracle.tool_calls for case in many if case.verdict == "y" and len(case.oracle.tool_calls) == 3]
    empty = {tuple(not call.arguments for call in three) for three in calls}
    assert {(True, False, False), (False, True, False), (False, False, True)} <= empty


def test_up_to_sixteen_calls_are_made(many):
    assert {1, 2, 3, 16} <= {len(case.oracle.tool_calls) for case in many if case.verdict == "y"}


def test_a_broken_case_is_never_said_to_be_valid(many):
    for case in many:
        if any(mutation.op in MUTATIONS for mutation in case.mutations):
            assert case.verdict == "i"


def test_texts_are_cut_off_at_many_places(many):
    places = [mutation.at for case in many for mutation in case.mutations if mutation.op == "truncate"]
    assert len(set(places)) > len(places) / 2 > 3


def test_an_ambiguous_value_lists_its_readings(shops):
    found = [
        case
        for index in range(800)
        for case in [make_case(shops["qwen3_coder"], index)]
        if case.id.startswith("ambiguous")
    ]
    assert any(len(case.allowed) >= 2 for case in found)
    for case in found:
        assert not case.allowed or any(
            same_calls(reading.tool_calls, case.oracle.tool_calls) for reading in case.allowed
        )


def test_tokens_of_a_real_tokenizer_make_a_plan():
    """Mistral's tokenizer, which cuts inside characters."""
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    tokenizer = MistralTokenizer.v3(is_tekken=True).instruct_tokenizer.tokenizer
    text = '[TOOL_CALLS] [{"name": "f", "arguments": {"x": "日本語 👩‍👩‍👧 é"}}]'
    pieces = [tokenizer.id_to_byte_piece(token) for token in tokenizer.encode(text, bos=False, eos=False)]
    plan = tokenizer_plan("tekken", text, pieces, ("[TOOL_CALLS]",))
    assert b"".join(cut(text.encode(), plan)) == text.encode()
    assert len(plan.sizes) > 10
    assert not plan.utf8_safe
