"""Units of values on their measuring lines: what converts into what, exactly (R15).

A line is a set of units that convert into each other by a fixed factor: seconds, minutes and
hours; days and weeks; months and years; grams and kilograms. Units on different lines (hour and
day, day and month, day and business day) have no exact rate, so they never compare.
"""

from __future__ import annotations

import re
from fractions import Fraction

from rag_eval_pipeline.text.fold import fold_width

# Sources: SI prefixes; IEC 80000-13 for KiB and its kind; the international yard and pound (1959).
_LINES: dict[str, dict[str, Fraction]] = {
    "clock": {
        "millisecond": Fraction(1, 1000),
        "second": Fraction(1),
        "minute": Fraction(60),
        "hour": Fraction(3600),
    },
    "day": {"day": Fraction(1), "week": Fraction(7)},
    "month": {"month": Fraction(1), "quarter": Fraction(3), "year": Fraction(12)},
    "mass": {
        "mg": Fraction(1, 1000),
        "g": Fraction(1),
        "kg": Fraction(1000),
        "t": Fraction(1_000_000),
        "oz": Fraction(45359237, 1_600_000),
        "lb": Fraction(45359237, 100_000),
    },
    "length": {
        "mm": Fraction(1, 1000),
        "cm": Fraction(1, 100),
        "m": Fraction(1),
        "km": Fraction(1000),
        "inch": Fraction(254, 10_000),
        "ft": Fraction(3048, 10_000),
        "mile": Fraction(1_609_344, 1000),
    },
    "area": {
        "mm2": Fraction(1, 1_000_000),
        "cm2": Fraction(1, 10_000),
        "m2": Fraction(1),
        "ha": Fraction(10_000),
        "km2": Fraction(1_000_000),
    },
    "volume": {
        "mL": Fraction(1),
        "cc": Fraction(1),
        "cm3": Fraction(1),
        "dL": Fraction(100),
        "L": Fraction(1000),
        "kL": Fraction(1_000_000),
        "m3": Fraction(1_000_000),
    },
    "data": {
        "B": Fraction(1),
        **{f"{p}B": Fraction(1000) ** n for n, p in enumerate("KMGTP", start=1)},
        **{f"{p}iB": Fraction(1024) ** n for n, p in enumerate("KMGTP", start=1)},
    },
    "bit_rate": {
        "bps": Fraction(1),
        **{f"{p}bps": Fraction(1000) ** n for n, p in enumerate("KMGT", start=1)},
    },
    "byte_rate": {f"{p}B/s": Fraction(1000) ** n for n, p in enumerate("KMGT", start=1)},
    "speed": {"m/s": Fraction(1), "km/h": Fraction(5, 18)},
    "pressure": {
        "Pa": Fraction(1),
        "hPa": Fraction(100),
        "kPa": Fraction(1000),
        "MPa": Fraction(1_000_000),
    },
    "power": {"W": Fraction(1), "kW": Fraction(1000), "MW": Fraction(1_000_000)},
    "energy": {"Wh": Fraction(1), "kWh": Fraction(1000), "MWh": Fraction(1_000_000)},
    "voltage": {"mV": Fraction(1, 1000), "V": Fraction(1), "kV": Fraction(1000)},
    "current": {"mA": Fraction(1, 1000), "A": Fraction(1)},
    "charge": {"mAh": Fraction(1, 1000), "Ah": Fraction(1)},
    "frequency": {
        "Hz": Fraction(1),
        "kHz": Fraction(1000),
        "MHz": Fraction(1_000_000),
        "GHz": Fraction(1_000_000_000),
    },
}
_SPELLINGS = {
    "ms": "millisecond",
    "kB": "KB",
    "kbps": "Kbps",
    "l": "L",
    "ℓ": "L",
    "ml": "mL",
    "mℓ": "mL",
    "dl": "dL",
    "kl": "kL",
    "㎡": "m2",
    "m²": "m2",
    "㎠": "cm2",
    "cm²": "cm2",
    "㎢": "km2",
    "km²": "km2",
    "㎥": "m3",
    "m³": "m3",
    "cm³": "cm3",
    "mi": "mile",
    "in": "inch",
    "byte": "B",
    "kB/s": "KB/s",
    "°C": "℃",
}
_PLACES = {unit: (line, factor) for line, units in _LINES.items() for unit, factor in units.items()}
# Without a smaller coin in use, under 5,000 yen is at most 4,999 yen.
_WHOLE_CURRENCIES = frozenset({"JPY", "KRW"})
# A bare キロ is written kg, though it may be a distance: it compares with nothing but itself.
_BARE_KILO = re.compile("(?:キロ|㌔)(?![ァ-ヺー])")


def place(kind: str, unit: str) -> tuple[str, Fraction]:
    """The line a unit lies on and how many of the line's base units it holds.

    A unit that converts into nothing is a line of its own, named by kind and unit.
    """
    unit = _SPELLINGS.get(unit, unit)
    if kind == "ratio":
        # 2倍 is 200 %; percentage points stay apart.
        return ("ratio", Fraction(1)) if unit in {"", "倍"} else (f"ratio {unit}", Fraction(1))
    if kind in {"duration", "quantity"} and unit in _PLACES:
        return _PLACES[unit]
    return f"{kind} {unit}", Fraction(1)


def comes_in_wholes(kind: str, unit: str) -> bool:
    """Is there nothing between one whole number of this unit and the next? Counted things, yen."""
    return kind == "count" or (kind == "money" and unit in _WHOLE_CURRENCIES)


def is_bare_kilo(quote: str) -> bool:
    """Does the quote say キロ without telling whether grams or metres are meant?"""
    return _BARE_KILO.search(fold_width(quote)) is not None


def binary_unit(unit: str) -> str:
    """The unit of data as powers of 1,024: MB as MiB; any other unit as it is."""
    unit = _SPELLINGS.get(unit, unit)
    return f"{unit[0]}iB" if len(unit) == 2 and unit[0] in "KMGTP" and unit[1] == "B" else unit
