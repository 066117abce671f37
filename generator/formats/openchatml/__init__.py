"""Parts of the format `openchatml`: its tokens and reader of conversations, and its documents."""
