"""Records of anybody's files: read one by one, checked by the rules, their lengths counted."""
