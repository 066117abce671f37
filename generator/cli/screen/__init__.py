"""What commands print: tables, progress, faults, rows as pages."""
