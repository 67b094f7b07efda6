"""Dataset versions: their manifest, their cases with gold, freezing and identity."""
