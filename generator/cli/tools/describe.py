"""`tools describe`, `tools check`, `tools show`: what is known of tools beside their functions; `tools check` of files of scripts."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import FILE, in_order
from generator.cli.screen.terminal import count, on_one_line, printable
from generator.cli.tools import cut_to, kind_option, on_illegal_option, print_counted, source_of_path
from generator.core.errors import SpecError

if TYPE_CHECKING:
    from generator.core.toolbox import LeftOut, ToolSpec
    from generator.recipe import OnIllegal, ToolFile
    from generator.run.described import DescribedTool
    from generator.scenarios.scripts.trial import Fault
    from generator.tools.describing.checks import ToolFault

_LONGEST = 120
_TRIALS = 5

_source_options = in_order(
    (
        click.option(
            "--overlay", "overlays", multiple=True, type=FILE, metavar="FILE", help="An overlay; later ones win."
        ),
        kind_option,
        on_illegal_option,
    )
)
"""How the tools of a SPEC are read."""


@click.command(short_help="Derive values, words and results for tools that have none.")
@click.argument("spec", metavar="SPEC")
@_source_options
@click.option("--write", "target", type=FILE, metavar="FILE", help="Save what was derived as an overlay.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each tool.")
def describe(spec: str, target: Path | None, as_json: bool, **how: Any) -> int:
    """Derive what can be known of the tools of SPEC from their names, descriptions and schemas; no model is asked.

    Prints a table: tool, level (bare, derived, authored, written), how much there is of values, phrases, results and
    links, and what is missing and why. Overlays that are given stand above what is derived.
    """
    from generator.formats.sinks import write_whole
    from generator.run.described import PLAIN, derived_entities, describe_source, shipped_for
    from generator.tools.specs.overlay_files import check_overlay_ending, overlay_text

    if target is not None:
        check_overlay_ending(target)
    source = source_of(spec, **how)
    tools = describe_source(source, _warn)
    (_print_json if as_json else _print_table)(tools)
    if not as_json and any(tool.level in ("bare", "derived") for tool in tools):
        click.echo(f"bare and derived tools have {PLAIN}; `tools author SPEC --model NAME` writes conversations")
    for package, names in () if as_json else shipped_for(source).items():
        click.echo(f"{len(names):,} of them are described by the overlay for {package}, which comes with the program")
    if target is not None:
        derived = [(tool.spec, tool.derived) for tool in tools if tool.derived]
        title = f"What `tools describe` derived of {Path(spec).name}."
        entities = derived_entities(source) if derived else None
        write_whole(target, [overlay_text(derived, "derived", title, entities).encode()])
        if not as_json:
            of_recipe = f"tools: [{{file: {Path(spec).name}, overlay: [{target.name}]}}]"
            click.echo(f"written to {target}; in a recipe: {of_recipe}")
    return 0


@click.command(short_help="Check what is said of tools, and show results.")
@click.argument("specs", nargs=-1, required=True, metavar="SPEC...")
@_source_options
@click.option("--rows", type=click.IntRange(min=0), default=40, show_default=True, help="Trial rows of each tool.")
@click.option(
    "--told", is_flag=True, help="Print also what is no fault, such as derived words that an author could mend."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line for each fault.")
def check(specs: tuple[str, ...], rows: int, told: bool, as_json: bool, **how: Any) -> int:
    """Check what is said of the tools of each SPEC, by its own file, by overlays and by what is derived; or a file of scripts.

    Two results of each tool are shown, and under them what in them contradicts; what may be meant is a hint and no fault.

    Exits 0 when nothing is wrong, 1 when there are faults, 2 when a SPEC cannot be read.
    """
    from generator.run.described import describe_source, faults_of_tools
    from generator.tools.describing.checks import ToolFault
    from generator.tools.sampled import sampled_lines, sampled_tools

    specs, faults = check_scripts(specs)
    number = remarks = 0
    for spec in specs:
        left_out: list[LeftOut] = []
        tools = describe_source(source_of(spec, **how), left_out.append)
        number += len(tools) + len(left_out)
        found = [
            ToolFault(tool=one.name, check="loading", piece="", message=one.why, is_told=one.what == "refused tool")
            for one in left_out
        ]
        found += faults_of_tools(tools, rows)
        for sampled in sampled_tools({tool.spec.name: tool.spec for tool in tools}):
            found += sampled.faults
            for line in () if as_json else sampled_lines(sampled):
                click.echo(on_one_line(line))
        faults += sum(not fault.is_told for fault in found)
        remarks += sum(fault.is_told and fault.check != "result" for fault in found)
        for fault in found:
            _print_fault(spec, fault, told, as_json)
    if not as_json and specs:
        more = f"; {count(remarks, 'remark', 'remarks')} (--told prints them)" if remarks and not told else ""
        click.echo(f"{count(number, 'tool', 'tools')}: {count(faults, 'fault', 'faults')}{more}")
    return int(bool(faults))


def _print_fault(spec: str, fault: "ToolFault", told: bool, as_json: bool) -> None:
    """Print a fault on one line, unless it is only told, or stands beneath results."""
    import msgspec

    if as_json:
        click.echo(json.dumps({"spec": spec, **msgspec.to_builtins(fault)}))
    elif fault.check != "result" and (told or not fault.is_told):
        parts = (fault.tool, fault.check, fault.piece, fault.message)
        click.echo(on_one_line("  ".join(filter(None, parts))))


@click.command(short_help="Print one tool with all that is known of it, and trial rows.")
@click.argument("spec", metavar="SPEC")
@click.argument("name", metavar="NAME")
@_source_options
def show(spec: str, name: str, **how: Any) -> None:
    """Print the tool NAME of SPEC: what is known of it and from whom, where it can stand in chains, and five trial rows."""
    from generator.cli.screen.page import print_row
    from generator.core.documents import nearest
    from generator.formats.run_folder.proof_line import proof_line
    from generator.report.files.show import show_row
    from generator.run.described import describe_source
    from generator.run.usable import try_tool

    tools = {tool.spec.name: tool for tool in describe_source(source_of(spec, **how), _warn)}
    if name not in tools:
        raise SpecError(f"{spec}: there is no tool {name!r}{nearest(name, tools)}")
    tool = tools[name]
    _print_tool(tool, [other.spec for other in tools.values()])
    for number, row in enumerate(try_tool(tool.spec, _TRIALS).rows, start=1):
        click.echo("")
        print_row(f"Trial {number}", show_row(row.conversation, proof_line(row)))


def source_of(spec: str, kind: str | None, on_illegal: "OnIllegal", overlays: tuple[Path, ...]) -> "ToolFile":
    """Return the source that a command line names."""
    import msgspec

    return msgspec.structs.replace(source_of_path(spec, kind, on_illegal), overlays=overlays)


def _warn(left_out: "LeftOut") -> None:
    """Name a tool that is left out."""
    click.echo(on_one_line(f"warning: {left_out}"), err=True)


def _counts(spec: "ToolSpec") -> dict[str, int]:
    """How much there is of everything."""
    phrases = spec.phrases
    return {
        "values": len({*spec.examples, *spec.kinds, *spec.patterns}),
        "phrases": len(phrases.request) + len(phrases.question) + len(phrases.want),
        "frames": len(phrases.slots),
        "answers": len(phrases.answer),
        "results": len((spec.returns or {}).get("properties", {})),
        "links": len(spec.links),
    }


def _print_table(tools: "list[DescribedTool]") -> None:
    """Print a line for each tool: its level, how much is known of it, what is missing."""
    titles = ("tool", "level", "values", "phrases", "frames", "answers", "results", "links", "needs an author")
    rows: list[tuple[str, ...]] = [titles]
    for tool in tools:
        missing = "; ".join((*tool.missing, *[f"{piece} dropped: {why}" for piece, why in tool.dropped]))
        rows.append((tool.spec.name, tool.level, *map(str, _counts(tool.spec).values()), cut_to(missing, _LONGEST)))
    print_counted(rows, [tool.level for tool in tools])


def _print_json(tools: "list[DescribedTool]") -> None:
    """Print a line of JSON for each tool."""
    for tool in tools:
        line = {
            "tool": tool.spec.name,
            "level": tool.level,
            **_counts(tool.spec),
            "missing": list(tool.missing),
            "dropped": [{"piece": piece, "why": why} for piece, why in tool.dropped],
        }
        click.echo(json.dumps(line))


def _print_tool(tool: "DescribedTool", others: "list[ToolSpec]") -> None:
    """Print all that is known of a tool."""
    from generator.tools.specs.overlay_files import pieces_text

    spec = tool.spec
    click.echo(printable(f"{spec.name} ({spec.where}), level: {tool.level}"))
    click.echo(printable(spec.tool.description or "(no description)"))
    click.echo("")
    click.echo(printable(pieces_text(spec)).rstrip())
    users = [(other.name, link) for other in others for link in other.links if link.tool == spec.name]
    for title, lines in (
        ("takes from", [f"{link.argument} from {link.tool}#/{link.result}" for link in spec.links]),
        ("gives to", [f"{user}: {link.argument} from {link.result}" for user, link in users]),
        ("needs an author", list(tool.missing)),
        ("dropped", [f"{piece}: {why}" for piece, why in tool.dropped]),
    ):
        if lines:
            click.echo(f"\n{title}:")
            for line in lines:
                click.echo(printable(f"  {line}"))


_LONGEST_LINE = 160


def check_scripts(specs: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """Print the scripts of those files that hold some; return the other files, and how many scripts have a fault."""
    from generator.run.usable import holds_scripts

    held = [spec for spec in specs if holds_scripts(Path(spec))]
    return tuple([spec for spec in specs if spec not in held]), sum([_check_file(Path(spec)) for spec in held])


def _check_file(path: Path) -> int:
    """Print each script with what is wrong with it; return how many are refused or lose a wording."""
    from generator.run.usable import try_scripts

    tried = faulty = 0
    for trial in try_scripts(path):
        tried, faulty = tried + 1, faulty + bool(trial.faults)
        if trial.script is not None:
            kept = "some wordings are left out" if trial.faults else "fine"
            worlds = f"{trial.rows} rows proven, {trial.worlds:.1f} worlds a row"
            click.echo(f"{trial.name}  {trial.script.shape}  {kept}: {worlds}")
        elif trial.name:
            click.echo(f"{trial.name}  refused")
        for fault in trial.faults:
            _print_script_fault(fault)
    click.echo(f"{count(tried, 'script', 'scripts')}: {count(faulty, 'with a fault', 'with faults')}")
    return faulty


def _print_script_fault(fault: "Fault") -> None:
    """Print what is wrong with a script, and the row that shows it."""
    from generator.core.conversation import Conversation
    from generator.report.files.show import lines_of

    click.echo(f"  {on_one_line(fault.text)}")
    for line in lines_of(Conversation(fault.row), _LONGEST_LINE):
        click.echo(f"    {on_one_line(line)[:_LONGEST]}")
