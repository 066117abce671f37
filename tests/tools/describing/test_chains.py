"""Chains of tools that nobody described: from what is found to what is done with it."""

from pathlib import Path

from generator.recipe import ToolFile
from generator.run.prepared import derive_pieces
from generator.scenarios.affordances import Toolkit
from generator.tools.specs import load_toolbox

SHIPPED = Path(__file__).parents[3] / "tool_specs" / "mcp" / "fieldworks.json"


def test_chains_lead_from_what_is_found_to_what_is_done_with_it():
    toolbox = load_toolbox([ToolFile(file=SHIPPED)], derive=derive_pieces)
    chains = [
        chain for ends in Toolkit(toolbox, (2, 3), (2, 3)).chains.values() for found in ends.values() for chain in found
    ]
    links = {
        (edge.source.removeprefix("fieldworks_"), edge.target.removeprefix("fieldworks_"))
        for chain in chains
        for edge in chain
    }
    assert {
        ("list_jobs", "cancel_job"),
        ("list_technicians", "get_technician_schedule"),
        ("search_customers", "update_customer_contact"),
    } <= links
