import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.tables.contract import violations

COUNTS = {
    "n_cases": 10,
    "n_measured": 5,
    "n_unmeasured": 2,
    "n_not_applicable": 1,
    "n_held_out": 1,
    "n_missing": 1,
}


def summary(**changes: object) -> pl.DataFrame:
    zero = {pl.String: "x", pl.Int64: 1, pl.Float64: 0.5, pl.Boolean: True}
    row = {name: zero.get(kind) for name, kind in tables.columns("run_summary").items()}
    return pl.DataFrame([row | COUNTS | changes], schema=tables.columns("run_summary"))


def broken_rules(frame: pl.DataFrame) -> set[str]:
    return {each.rule for each in violations("run_summary", frame)}


def test_the_parts_of_an_aggregate_must_add_up_to_its_cases() -> None:
    assert "r1_identity" not in broken_rules(summary())
    for part in COUNTS:
        assert "r1_identity" in broken_rules(summary(**{part: COUNTS[part] + 1})), part


def test_a_share_lies_between_0_and_1() -> None:
    rates = [name for name, kind in tables.columns("run_summary").items() if name.endswith("_rate")]
    assert rates
    for name in rates:
        assert any("at most" in rule for rule in broken_rules(summary(**{name: 1.5})))
        assert any("at least" in rule for rule in broken_rules(summary(**{name: -0.1})))
