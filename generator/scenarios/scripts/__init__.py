"""Scripts: whole conversations written once, with references instead of values; docs/scripts.md teaches the format.

Read script.py first (what a script is), then worlds.py (the world that it wants), play.py (its turns), text.py (its texts).
check.py and trial.py look at scripts before their first row; choosing.py decides which rows are of which script.
"""

from generator.scenarios.scripts.choosing import (
    ALSO,
    ATTEMPTS_A_SCRIPT,
    SCRIPTED,
    ChosenScripts,
    LoadedScripts,
    ScriptRows,
    WrittenScripts,
    check_share,
    kinds_in_words,
    load_scripts,
    script_files,
    scripts_of,
    served_by,
)
from generator.scenarios.scripts.play import Performed, Speakers, perform
from generator.scenarios.scripts.script import Script, ScriptsOfFile, read_scripts, scripts_in, scripts_schema
from generator.scenarios.scripts.worlds import ScriptTools, check_day, script_tools

__all__ = [
    "ALSO",
    "ATTEMPTS_A_SCRIPT",
    "SCRIPTED",
    "ChosenScripts",
    "LoadedScripts",
    "Performed",
    "Script",
    "ScriptRows",
    "ScriptTools",
    "ScriptsOfFile",
    "Speakers",
    "WrittenScripts",
    "check_day",
    "check_share",
    "kinds_in_words",
    "load_scripts",
    "perform",
    "read_scripts",
    "script_files",
    "script_tools",
    "scripts_in",
    "scripts_of",
    "scripts_schema",
    "served_by",
]
