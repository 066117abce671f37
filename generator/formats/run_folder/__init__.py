"""The files of a finished run besides its rows: manifest, dataset card, advice for trainers."""
