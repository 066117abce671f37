"""What the folder of a finished run holds beside its rows: manifest, dataset card, advice for trainers."""
