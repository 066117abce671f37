"""`tools describe`, `tools check`, `tools show`."""

import json
from pathlib import Path

import pytest
from command import Command
from nightly import night

from generator.run.described import PLAIN

SERVER = Path(__file__).parents[2] / "tool_specs" / "mcp" / "fieldworks.json"


def test_a_table_of_what_is_known_and_an_overlay_that_says_the_same(cli: Command, tmp_path: Path):
    overlay = tmp_path / "derived.yaml"
    done = cli("tools", "describe", str(SERVER), "--write", str(overlay))
    assert done.code == 0
    assert done.out.splitlines()[0].split()[:2] == ["tool", "level"]
    assert done.out.splitlines()[-3:] == [
        "25 tools: 25 derived",
        f"bare and derived tools have {PLAIN}; `tools author SPEC --model NAME` writes conversations",
        f"written to {overlay}; in a recipe: tools: [{{file: fieldworks.json, overlay: [derived.yaml]}}]",
    ]
    assert overlay.read_text().startswith(
        "# What `tools describe` derived of fieldworks.json.\norigin: derived\nentities:\n"
    )
    again = cli("tools", "show", str(SERVER), "fieldworks_delete_visit", "--overlay", str(overlay))
    assert again.out == cli("tools", "show", str(SERVER), "fieldworks_delete_visit").out


def test_what_is_derived_is_told_as_json(cli: Command):
    done = cli("tools", "describe", str(SERVER), "--json")
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert {line["level"] for line in lines} == {"derived"}
    assert all(line["phrases"] and line["results"] for line in lines)


def test_a_tool_with_its_chains_and_trial_rows(cli: Command):
    done = cli("tools", "show", str(SERVER), "fieldworks_get_job")
    assert done.code == 0
    assert "takes from:\n  job_id from fieldworks_list_jobs#/jobs/*/job_id" in done.out
    assert done.out.count("Trial ") == 5


def test_an_unknown_tool_is_told_with_the_nearest(cli: Command):
    done = cli("tools", "show", str(SERVER), "fieldworks_get_jop")
    assert (done.code, 'did you mean "fieldworks_get_job"?' in done.err) == (2, True)


def test_checks_pass(cli: Command):
    done = cli("tools", "check", str(SERVER), "--rows", "2")
    assert done.code == 0
    *lines, last = done.out.splitlines()
    assert last.startswith("25 tools: 0 faults")
    shown = [line for line in lines if line.startswith("fieldworks_")]
    assert len(shown) == 2 * 25
    assert any(line.startswith('    {job_id: "JOB-') for line in lines)
    assert not any("contradiction" in line for line in lines)


def test_what_contradicts_in_results_stands_under_them(cli: Command, tmp_path: Path):
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        "tools:\n  fieldworks_order_parts:\n    returns: {type: object, properties: {starts_on: {const: 2026-05-02}, ends_on: {const: 2026-05-01}}, required: [starts_on, ends_on]}\n"
    )
    done = cli("tools", "check", str(SERVER), "--overlay", str(overlay), "--rows", "0")
    assert done.code == 1
    lines = done.out.splitlines()
    at = lines.index("    contradiction: starts_on: is 2026-05-02, but ends_on is 2026-05-01")
    assert lines[at - 1].startswith('    {starts_on: "2026-05-02"')
    assert lines[-1].startswith("25 tools: 1 fault")
    told = cli("tools", "check", str(SERVER), "--overlay", str(overlay), "--rows", "0", "--json")
    faults = [json.loads(line) for line in told.out.splitlines()]
    assert [one["piece"] for one in faults if one["check"] == "result" and not one["is_told"]] == ["starts_on"]


@pytest.mark.parametrize(
    ("pieces", "check", "told"),
    [
        ("request: ['please list jobs', 'show me jobs']", "wording", "courtesy"),
        ("request: ['List jobs', 'show me jobs']", "wording", "begins with a capital"),
        ("request: ['list jobs.', 'show me jobs']", "wording", "ends like a sentence"),
        ("request: ['list jobs', 'show me {job}']", "loading", "there is no 'job'"),
        (
            "request: ['list open jobs of {technician_id}', 'the jobs of {technician_id}']",
            "coverage",
            "required arguments alone",
        ),
        ("request: ['list jobs', 'show me jobs for {limit:quoted}']", "wording", "quoted cannot say"),
        (
            "slots: {from_date: ['in the time of {from_date}'], to_date: ['in the time of {to_date}']}",
            "loading",
            "same words",
        ),
        ("slots: {status: null}", "coverage", "said by its name"),
    ],
)
def test_mistakes_of_an_overlay_are_found(cli: Command, tmp_path: Path, pieces: str, check: str, told: str):
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(f"tools:\n  fieldworks_list_jobs:\n    phrases:\n      {pieces}\n")
    done = cli("tools", "check", str(SERVER), "--overlay", str(overlay), "--rows", "0", "--json")
    faults = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 1
    assert any(
        fault["check"] == check and told in fault["message"]
        for fault in faults
        if fault["tool"] == "fieldworks_list_jobs"
    )


def test_a_link_between_different_things_is_found(cli: Command, tmp_path: Path):
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        "tools:\n  fieldworks_get_job:\n    links: {job_id: 'fieldworks_search_customers#/customers/*/customer_id'}\n"
    )
    done = cli("tools", "check", str(SERVER), "--overlay", str(overlay), "--rows", "0")
    assert done.code == 1
    assert (
        "fieldworks_get_job  links  links.job_id  fieldworks_search_customers#/customers/*/customer_id names one customer, the argument one job"
        in done.out
    )


def test_a_tool_of_which_no_row_is_accepted_is_found(cli: Command, tmp_path: Path):
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        'tools:\n  fieldworks_get_job:\n    effect: {get: job, needs: [{that: "1 > 2", error: broken}]}\n'
    )
    done = cli("tools", "check", str(SERVER), "--overlay", str(overlay), "--rows", "2")
    assert (done.code, "fieldworks_get_job" in done.out) == (1, True)


def test_an_overlay_is_yaml(cli: Command, tmp_path: Path):
    assert cli("tools", "describe", str(SERVER), "--write", str(tmp_path / "x.json")).code == 2


@pytest.mark.parametrize("every", [10, pytest.param(1, marks=night)])
def test_the_shipped_tools_pass(cli: Command, every: int):
    """One file in ten in each run: tests/library tries what is said of all of them."""
    folder = SERVER.parents[1]
    files = [*sorted(folder.glob("*.yaml")), *sorted(folder.glob("*.json"))][::every]
    done = cli("tools", "check", *files, "--rows", "0")
    assert done.code == 0
    number, _, found = done.out.splitlines()[-1].partition(";")[0].partition(" ")
    assert (int(number) > 190 / every / 2, found) == (True, "tools: 0 faults")


def test_results_are_what_was_worked_out_by_hand(cli: Command, tmp_path: Path):
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        "tools:\n  fieldworks_order_parts:\n    returns: {type: object, properties: {pieces: {type: integer, x-compute: args.quantity * 2}}, required: [pieces]}\n"
        "    worked:\n"
        "    - {arguments: {job_id: JOB-1, part_number: PN-1, quantity: 3}, result: {pieces: 6}}\n"
        "    - {arguments: {job_id: JOB-1, part_number: PN-1, quantity: 4}, result: {pieces: 9}}\n"
    )
    done = cli("tools", "check", str(SERVER), "--overlay", str(overlay), "--rows", "0")
    assert done.code == 1
    assert [line for line in done.out.splitlines() if "worked" in line] == [
        'fieldworks_order_parts  worked  worked.1  {"job_id": "JOB-1", "part_number": "PN-1", "quantity": 4} gives pieces 8, not 9'
    ]
