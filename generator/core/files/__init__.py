"""Where files are: in folders, in object stores, and those that come with the program; and how they are opened."""
