"""`python -m generator`."""

import sys

if __name__ == "__main__":
    try:
        from generator.cli import main
    except KeyboardInterrupt:  # while the command line is loaded
        sys.stderr.write("Interrupted.\n")
        sys.exit(130)
    main()
