"""Run logs: finding the files, reading their rows into runs, items and retrieved slots."""
