"""`dataset_info.json`, by which LLaMA-Factory finds the files of a run: the output folder is then its `dataset_dir`."""

import json

from generator.formats import FORMATS
from generator.formats.run_folder.files import Layout, planned_files
from generator.recipe import Recipe


def dataset_info(recipe: Recipe, layout: Layout) -> str:
    """Return the file's text: an entry for each file of a format that LLaMA-Factory reads, `<recipe>_<format>[_<split>]`."""
    entries = {
        "_".join([recipe.name, planned.format, *([planned.split] if planned.split else [])]): {
            "file_name": planned.name,
            **(FORMATS[planned.format].dataset_info or {}),
        }
        for planned in planned_files(recipe, layout)
        if planned.format and planned.sink == "jsonl" and FORMATS[planned.format].dataset_info
    }
    return json.dumps(entries, indent=2) + "\n"
