"""Text formats as data: a `Dialect` says how a family of models writes a conversation; one writer and one reader do it."""
