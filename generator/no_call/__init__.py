"""What conversations without a call consist of: texts, and which tool could do the work of which."""
