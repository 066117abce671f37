"""Pages of the documents that are made from the code: `python -m generator.cli.pages.NAME > docs/NAME.md`."""
