"""Work on finished files, ours or anybody's: convert, validate, show, verify. No row is made here."""
