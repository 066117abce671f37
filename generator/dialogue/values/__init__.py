"""Values of arguments and results as text (`say`), and read again from text (`read`)."""
