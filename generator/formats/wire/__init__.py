"""How models write tool calls: one table of wire formats (formats.yaml), and what writes and reads all of them."""
