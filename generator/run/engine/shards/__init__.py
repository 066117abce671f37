"""A run in shares: each shard is made by a command of its own, and the last one merges them."""
