"""What one value is to another that it may be taken from."""

from __future__ import annotations

import pytest

from rag_eval_pipeline.text.value_grounds import ground
from rag_eval_pipeline.text.values import Value


def value(written: str) -> Value:
    """`kind unit cmp n`, then `qual=…` or `anchor=…`; `-` for no unit."""
    kind, unit, cmp, n, *named = written.split(" ")
    other = dict(each.split("=") for each in named)
    return Value(
        kind=kind,
        unit="" if unit == "-" else unit,
        cmp=cmp,
        n=n,
        anchor=other.get("anchor"),
        qual=other.get("qual"),
        counted_from=None,
        start=0,
        end=0,
        quote=other.get("quote", ""),
        rule="",
    )


@pytest.mark.parametrize(
    ("said", "found", "expected"),
    [
        ("money JPY eq 300", "money JPY eq 300", "found"),
        ("money JPY eq 300", "money JPY eq 301", "none"),
        ("money JPY eq 300", "duration day eq 300", "none"),
        # Comparator, anchor and qualifier may be left open.
        ("money JPY eq 300", "money JPY le 300", "found"),
        ("duration day eq 7 anchor=delivery", "duration day eq 7", "found"),
        ("money JPY eq 300 qual=tax_excl", "money JPY eq 300", "found"),
        # What lies beyond a span is told of the same number.
        ("duration month gt 12", "duration month eq 12", "found"),
        ("duration day gt 30 anchor=delivery", "duration day le 30 anchor=delivery", "found"),
        ("duration day gt 30", "duration day le 14", "none"),
        ("money JPY gt 300", "money JPY le 300", "none"),
        # An approximate number is from one near it.
        ("duration day approx 3", "duration day le 30", "none"),
        ("duration day approx 30", "duration day le 31", "maybe"),
        # But not differ.
        ("duration day eq 7 anchor=delivery", "duration day eq 7 anchor=purchase", "none"),
        ("money JPY eq 300 qual=tax_excl", "money JPY eq 300 qual=tax_incl", "none"),
        # Units that convert.
        ("duration minute eq 90", "duration hour eq 1.5", "found"),
        ("quantity kg eq 2", "quantity g eq 2000", "found"),
        # Ranges and their bounds.
        ("duration day eq 10", "duration day range 10~20", "found"),
        ("duration day le 20", "duration day range 10~20", "found"),
        ("duration day eq 15", "duration day range 10~20", "none"),
        ("duration week eq 2", "duration range range 2week~1month", "found"),
        ("duration day range 10~20", "duration day eq 10", "low"),
        ("duration day range 10~20", "duration day le 20", "high"),
        ("time - eq 17:00", "time - range 09:00~17:00", "found"),
        ("time - range 09:00~17:00", "time - eq 09:00", "low"),
        # Another unit, where it may be the same span.
        ("duration month eq 1", "duration day eq 30", "maybe"),
        ("duration month eq 1", "duration day eq 45", "none"),
        ("duration day eq 7", "duration business_day eq 5", "maybe"),
        ("duration day eq 3", "duration business_day eq 5", "none"),
        ("duration hour eq 48", "duration day eq 2", "maybe"),
        ("duration hour eq 3", "duration day eq 2", "none"),
        ("duration hour approx 50", "duration day eq 2", "maybe"),
        ("duration day range 14~20", "duration month eq 1", "none"),
        # Another precision.
        ("money JPY approx 5000", "money JPY eq 4980", "maybe"),
        ("money JPY approx 5000", "money JPY eq 8000", "none"),
        ("date - eq 2026-04-01", "date - eq --04-01", "maybe"),
        ("date - eq --04-01", "date - eq 2026-04-01", "found"),
        ("date - eq 2026-04-01", "date - eq 2026-05-01", "none"),
        # Tax may lie between two prices, a rate of exchange is in no context.
        ("money JPY eq 1100 qual=tax_incl", "money JPY eq 1000 qual=tax_excl", "maybe"),
        ("money JPY eq 9000 qual=tax_incl", "money JPY eq 1000 qual=tax_excl", "none"),
        ("money USD eq 10", "money JPY eq 1500", "none"),
        # Things counted otherwise.
        ("count 個 eq 3", "count 点 eq 3", "maybe"),
        ("count 個 eq 3", "count 点 eq 4", "none"),
        ("quantity kg eq 5", "quantity cm eq 30", "none"),
        ("quantity kg eq 5 quote=5キロ", "quantity km eq 5", "maybe"),
    ],
)
def test_grounds(said: str, found: str, expected: str) -> None:
    assert ground(value(said), value(found)) == expected


def test_where_a_deadline_is_spoken_of_a_bare_duration_is_no_later() -> None:
    said, found = value("duration day eq 30"), value("deadline day le 30 anchor=delivery")
    assert ground(said, found, deadline=True) == "found"
