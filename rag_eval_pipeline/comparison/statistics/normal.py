"""Quantiles of the normal distribution, as literals: the same bits on every platform."""

from __future__ import annotations

# Two-sided 95 %.
Z_95 = 1.959963984540054
# 80 % power.
Z_80 = 0.8416212335729143
