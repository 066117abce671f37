"""Values of arguments and results as text (`say`), read again from text (`read`), and found again in other words."""
