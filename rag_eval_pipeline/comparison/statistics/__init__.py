"""What the difference of two runs is worth: interval, test, power and verdict (R8, R9).

Pure functions of paired values. A number that cannot be told is None, never NaN; the same input
gives the same result on every platform.
"""
