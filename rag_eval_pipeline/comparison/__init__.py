"""Comparing a candidate run with its baseline, paired by case on the unchanged core."""
