"""Editions of the grid that others take into their repositories: numbered, with texts inline, the same bytes for ever."""
