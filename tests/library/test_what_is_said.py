"""What is said of each tool that is shipped: proven, varied, and a pleasure to read."""

import re

import msgspec
from changed_rows import Proven
from nightly import night
from shipped_tools import (
    UGLY,
    UNMASKED,
    drawn,
    every_domain,
    has_json,
    make,
    nothing,
    schemas,
    spoken,
    toolbox,
    tools_of,
)
from workbench import tell

from generator.core.conversation import ToolMessage

pytestmark = night  # they read the data alone: .ci/run runs them when tool_specs/ changed

ENDS = (".", "?", "!", '"', "”", ")", ":")
LINES = re.compile(r":\n+((?:- |1\. |\| ).*(?:\n(?:- |\d+\. |\|).*)*)")


def paragraphs(text: str) -> list[str]:
    """What is said before, between and behind lists and tables: their lines need no stop, but all else does."""
    lists = [match.span(1) for match in LINES.finditer(text)]
    starts = [0, *[end for _, end in lists]]
    ends = [*[start for start, _ in lists], len(text)]
    told = [text[start:end].strip() for start, end in zip(starts, ends, strict=True)]
    return [part for part in told if part]


@every_domain
class TestWhatIsSaid:
    def test_is_proven(self, domain: str):
        nothing((s.user, s.answer, s.faults) for spec in tools_of(domain) for s in spoken(spec.name) if s.faults)

    def test_reads_well(self, domain: str):
        found = {
            f"{what}: {spec.name}: {text}"
            for spec in tools_of(domain)
            for said in spoken(spec.name)
            for text, masked in zip((said.user, said.answer), said.masked, strict=True)
            for what, pattern in UGLY.items()
            if re.search(pattern, text if what in UNMASKED else masked)
        }
        nothing(sorted(found))

    def test_begins_with_a_capital_and_ends_with_a_stop(self, domain: str):
        found = [
            text
            for spec in tools_of(domain)
            for said in spoken(spec.name)
            for text, masked in zip((said.user, said.answer), said.masked, strict=True)
            for part in paragraphs(text)
            if not (masked[0] in "◆-" or text[0].isupper())
            or part[-1] not in ENDS
            or text[-1] == ":"
            or re.search(r"(?<!◆)[.?!] [a-z]", masked)
        ]
        nothing(found)

    def test_needs_no_json(self, domain: str):
        """Every argument has words of its own, and so has what the answers tell."""
        said = [said for spec in tools_of(domain) for said in spoken(spec.name)]
        nothing((one.user, one.answer) for one in said if has_json(one))

    def test_is_varied(self, domain: str):
        for part, least in ((0, 8), (1, 2)):
            kinds = {spec.name: {said.masked[part] for said in spoken(spec.name)} for spec in tools_of(domain)}
            assert {name: texts for name, texts in kinds.items() if len(texts) < least} == {}

    def test_answers_with_a_phrase(self, domain: str):
        """Not with the names and values of whatever the result holds."""
        assert [
            said.answer
            for spec in tools_of(domain)
            for said in spoken(spec.name)
            if said.answer.startswith(f"{spec.name.replace('_', ' ').capitalize()}: ")
        ] == []


SEEN_AT_A_PLACE = {"city", "destination"}
OF_SELLERS = {"travel"}
"""Whose prices are in one currency wherever the thing is, as their descriptions say."""


def test_amounts_are_said_in_the_currency_of_their_place():
    at_home = set()
    for spec in toolbox().values():
        phrases = spec.phrases
        told = [answer.say for answer in phrases.answer] + [text for texts in phrases.each.values() for text in texts]
        said = set(re.findall(r"\{[\w./]+:(usd|eur|gbp|money)\}", " ".join(told)))
        fields = {place.rpartition("/")[2] for place, _ in schemas(spec.returns or {})}
        if said and spec.domain not in OF_SELLERS and fields & SEEN_AT_A_PLACE:
            assert said == {"money"}, spec.name
        if "currency" in fields:
            assert said <= {"money"}, spec.name
        elif spec.domain not in {*OF_SELLERS, "maps"}:  # whose streets and stations are British
            at_home |= said
    assert at_home == {"usd"}  # accounts, pay, orders and bills of one person


def test_an_amount_in_another_currency_than_its_result_is_refused():
    for name in ("find_restaurants", "get_menu", "find_concerts"):
        call = make(name, drawn(name)[0])
        told = tell((call,), seed=1)
        row = Proven(told.talk, told.proof, "single", {name: call.spec})
        texts = {message.content for message in told.talk.messages if isinstance(message, ToolMessage)}
        (content,) = [text for text in texts if text]
        others = re.sub(r'("currency": ?)"[A-Z]{3}"', r'\1"XTS"', content)
        changed = [
            msgspec.structs.replace(one, content=others) if isinstance(one, ToolMessage) else one
            for one in told.talk.messages
        ]
        is_said = any(claim.verbalizer == "money" for claim in told.proof.answers)
        again = row._replace(talk=msgspec.structs.replace(told.talk, messages=tuple(changed)))
        assert not told.faults
        assert again.codes() == ({"PF106"} if is_said else set())
