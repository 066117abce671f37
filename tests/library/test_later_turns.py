"""What can be withheld and asked for, and what a second request can change, in the tools that are shipped."""

import re
from functools import cache

import pytest
from nightly import night
from shipped_tools import SCENARIOS, UGLY, every_domain, mask, nothing, shop, toolbox, tools_of
from workbench import TOOL_SPECS, rows

from generator.core.conversation import UserMessage
from generator.run.row import MadeRow
from generator.scenarios.policies import Ask, read_policies

pytestmark = night  # they read the data alone: .ci/run runs them when tool_specs/ changed


@cache
def made(scenario: str) -> tuple[MadeRow, ...]:
    """Two hundred conversations of a kind."""
    return tuple(rows(shop(scenario), 200))


@cache
def asked_in_policies() -> frozenset[tuple[str, str]]:
    """The optional arguments that clauses of shipped policies want asked for, with their tools."""
    policies = read_policies(sorted((TOOL_SPECS / "policies").glob("*.yaml")))
    clauses = [clause for policy in policies for clause in policy.clauses]
    return frozenset([(one.tools[0], one.slot) for one in clauses if isinstance(one, Ask)])


class TestQuestions:
    def test_are_there_for_everything_that_can_be_withheld(self):
        assert len(shop().toolkit.gaps) >= 80
        nothing(f"{name}: {slot}" for name, slot in shop().toolkit.gaps if slot not in toolbox()[name].phrases.ask)

    @every_domain
    def test_are_for_what_is_asked_for_and_read_well(self, domain: str):
        faults, in_policies = [], asked_in_policies()
        for spec in tools_of(domain):
            required = (spec.tool.parameters or {}).get("required", ())
            for slot, questions in spec.phrases.ask.items():
                if (slot not in required and (spec.name, slot) not in in_policies) or len(set(questions)) < 2:
                    faults.append(f"{spec.name}: {slot}: {questions}")
                faults += [f"{spec.name}: {text}" for text in questions if not re.fullmatch(r"[A-Z][^.!?_]*\?", text)]
        nothing(faults)


@pytest.mark.parametrize("scenario", SCENARIOS[1:])
class TestTheSecondMessage:
    def test_seldom_needs_a_second_try(self, scenario: str):
        """Where the second request finds nothing, say."""
        assert sum(bool(one.rejected) for one in made(scenario)) <= len(made(scenario)) / 30

    def test_reads_well(self, scenario: str):
        faults = set()
        for text, masked in second_messages(scenario):
            if not (masked[0] in "◆" or text[0].isupper()) or text[0].islower() or text[-1] not in '.?!"”)':
                faults.add(text)
            faults |= {f"{what}: {text}" for what, pattern in UGLY.items() if re.search(pattern, masked)}
        nothing(sorted(faults))

    def test_is_varied(self, scenario: str):
        kinds = [masked for _, masked in second_messages(scenario)]
        assert len(set(kinds)) > len(kinds) / 8
        assert max(map(kinds.count, kinds)) < len(kinds) / 5


def second_messages(scenario: str) -> list[tuple[str, str]]:
    """What users say after the first answer or question, also without its values."""
    found = []
    for one in made(scenario):
        conversation = one.row.conversation
        at = [index for index, message in enumerate(conversation.messages) if type(message) is UserMessage][1]
        text = conversation.messages[at].content or ""
        spans = [(c.start, c.end) for c in one.row.proof.arguments if c.message == at and c.start is not None]
        found.append((text, mask(text, spans)))
    return found
