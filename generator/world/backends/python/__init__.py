"""Python modules with `TOOLS` and a handler: loaded, checked and called in child processes, never in this one."""
