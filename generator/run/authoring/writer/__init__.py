"""What a writer is asked of a server and its tools, how its answers are taken, and what it is told of those that cannot be used."""
