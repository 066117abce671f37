"""What can be withheld and asked for in the tools that are shipped."""

import re
from functools import cache

from nightly import night
from shipped_tools import every_domain, nothing, shop, toolbox, tools_of
from workbench import TOOL_SPECS

from generator.scenarios.policies import read_policies
from generator.scenarios.policies.clauses import Ask

pytestmark = night  # they read the data alone: .ci/run runs them when tool_specs/ changed


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
