"""Does a text assert a claim? Verdicts by documented rules, no model (R4)."""
