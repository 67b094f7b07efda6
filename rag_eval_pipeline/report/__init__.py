"""Reports for people, made from the tables of one dataset version."""
