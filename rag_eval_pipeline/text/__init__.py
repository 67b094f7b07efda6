"""Strings → facts; knows no tables."""
