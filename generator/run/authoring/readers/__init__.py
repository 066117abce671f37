"""What readers who are not the writer are asked of each text, and what their readings decide."""
