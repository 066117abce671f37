"""Material for conversations without a call: their texts, and which tool could do the work of another."""
