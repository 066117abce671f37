"""What requests take from results: one element of a list, several, or a value that is computed from them."""
