"""What tools return: of things that are known, and as output schemas of servers say it, with the answers that report it."""
