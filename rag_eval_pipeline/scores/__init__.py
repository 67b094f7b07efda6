"""Scores: what a rubric makes of measures, per axis and joined per run item."""
