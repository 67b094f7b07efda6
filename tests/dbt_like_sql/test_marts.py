"""The marts over small scored runs, with figures worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag_eval_pipeline import tables
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile
from rag_eval_pipeline.warehouse.sql_models import load_models, run_model
from tests.dbt_like_sql.conftest import Row, fill

FOLDER = Path(__file__).parents[2] / "dbt_like_sql"
MODELS = load_models(FOLDER)
MARTS = ("run_summary", "slice_summary", "failure_summary")
AXES = ("search", "evidence", "behavior", "format")
RATES = (
    "mean_score",
    "pass_rate",
    "pass_rate_low",
    "pass_rate_high",
    "answered_only_mean_score",
    "answered_only_pass_rate",
)
VERSION = "d@1"

# State, score and verdict of one axis of one item in a letter.
LETTERS: dict[str, tuple[str, float | None, bool | None]] = {
    "P": ("measured", 1.0, True),
    "F": ("measured", 0.0, False),
    "f": ("measured", None, False),  # failed on one axis while another is open
    "U": ("unmeasured", None, None),
    "N": ("not_applicable", None, None),
    "H": ("held_out", None, None),
    "M": ("missing", None, None),
}


def item(case: str, letters: str, *, trial: int = 1, **values: Any) -> Row:
    """A row of case_scores: letters for the four axes and the item as a whole, e.g. `PFPPF`."""
    row: Row = {
        "dataset_version": VERSION,
        "dataset_hash": "h",
        "run_id": "r",
        "run_hash": "rh",
        "measure_version": "m",
        "rubric_version": "strict@1",
        "case_id": case,
        "trial": trial,
        "draft": False,
    }
    for axis, letter in zip(AXES, letters[:4], strict=True):
        state, score, passed = LETTERS[letter]
        row |= {f"{axis}_state": state, f"{axis}_score": score, f"{axis}_passed": passed}
    row["state"], row["score"], row["passed"] = LETTERS[letters[4]]
    return {**row, **values}


def log_of(score: Row, **values: Any) -> Row:
    """The row of run_items that belongs to a row of case_scores."""
    same = ("dataset_version", "run_id", "run_hash", "case_id", "trial")
    return {**{name: score[name] for name in same}, **values}


def case(name: str, **values: Any) -> Row:
    return {"dataset_version": VERSION, "case_id": name, "category": "direct", **values}


def marts_of(
    warehouse: DuckDBFile,
    scores: list[Row],
    *,
    version: str = VERSION,
    run_ids: tuple[str, ...] = ("r",),
    **rows: list[Row],
) -> dict[str, pl.DataFrame]:
    """The three marts over given rows; each keeps its contract, the identity of R1 included."""
    none: dict[str, list[Row]] = {
        name: [] for name in ("cases", "run_items", "runs", "retrieval_measures")
    }
    fill(warehouse, case_scores=scores, **{**none, **rows})
    made = {name: run_model(warehouse, MODELS[name], MODELS, version, run_ids) for name in MARTS}
    for name, frame in made.items():
        tables.TABLES[name].validate(frame, lazy=True)
    return made


def one(frame: pl.DataFrame, **values: str) -> Row:
    rows = frame.filter(*(pl.col(name) == value for name, value in values.items()))
    return rows.row(0, named=True) if rows.height == 1 else pytest.fail(f"{rows.height} rows")


def figures(row: Row, *names: str) -> list[Any]:
    return [pytest.approx(row[n]) if isinstance(row[n], float) else row[n] for n in names]


# Seven validation cases, one each of what can happen, and one case of each other split.
A = item("a", "PPPPP")
B1 = item("b", "PPPPP", trial=1)
B2 = item("b", "PFPPF", trial=2, score=0.75, diagnosis="wrong_answer", where_to_mend="generation")
C = item("c", "MMMMM")
D = item("d", "FFFFF", diagnosis="system_error", where_to_mend="system", also=["system_error"])
E = item("e", "PUPPU")
F = item("f", "HHHPH", diagnosis="gold_problem", where_to_mend="dataset", also=["gold_problem"])
G = item("g", "NPPPP")
DEVELOPMENT = item("h", "PPPPP")
TEST = item("i", "FFPPF", score=0.5, diagnosis="retrieval_miss", where_to_mend="retrieval")
SCORES = [A, B1, B2, C, D, E, F, G, DEVELOPMENT, TEST]
CASES = [
    *(case(name, split="validation", risk="low") for name in "abcdefg"),
    case("h", split="development", risk="high"),
    case("i", split="test"),
]
CASES[0]["category"] = "paraphrase"
ITEMS = [
    log_of(A, source="s", latency_ms=100.0, input_tokens=10),
    log_of(B1, citations=["s"], latency_ms=200.0, input_tokens=5),
    log_of(B2, latency_ms=300.0),
    log_of(D, error="timeout"),
    log_of(E, latency_ms=400.0),
    log_of(F, latency_ms=500.0),
    log_of(G),
    log_of(DEVELOPMENT, cost_usd=0.25),
    log_of(TEST),
]
RUNS = [{"dataset_version": VERSION, "run_id": "r", "run_hash": "rh", "kind": "fixture"}]


@pytest.fixture
def whole(warehouse: DuckDBFile) -> dict[str, pl.DataFrame]:
    return marts_of(warehouse, SCORES, cases=CASES, run_items=ITEMS, runs=RUNS)


def test_headline_counts_each_case_once_by_its_state(whole: dict[str, pl.DataFrame]) -> None:
    counts = (
        "n_cases",
        "n_measured",
        "n_unmeasured",
        "n_not_applicable",
        "n_held_out",
        "n_missing",
        "n_passed",
        "n_failed",
        "n_items",
    )
    summary = whole["run_summary"].filter(pl.col("scope") == "headline")
    assert [figures(one(summary, axis=axis), *counts) for axis in (*AXES, "overall")] == [
        [7, 4, 0, 1, 1, 1, 3, 1, 7],
        [7, 4, 1, 0, 1, 1, 2, 2, 7],
        [7, 5, 0, 0, 1, 1, 4, 1, 7],
        [7, 6, 0, 0, 0, 1, 5, 1, 7],
        [7, 4, 1, 0, 1, 1, 2, 2, 7],
    ]


def test_missing_and_system_error_count_as_zero_in_the_mean(whole: dict[str, pl.DataFrame]) -> None:
    rates = ("mean_score", "pass_rate", "pass_rate_low", "pass_rate_high")
    summary = whole["run_summary"].filter(pl.col("scope") == "headline")
    assert figures(one(summary, axis="search"), *rates) == [3 / 5, 3 / 5, 3 / 5, 3 / 5]
    assert figures(one(summary, axis="evidence"), *rates) == [2.5 / 5, 2 / 5, 2 / 6, 3 / 6]
    assert figures(one(summary, axis="overall"), *rates) == [2.875 / 5, 2 / 5, 2 / 6, 3 / 6]


def test_answered_only_leaves_out_missing_and_system_error(whole: dict[str, pl.DataFrame]) -> None:
    rates = ("answered_only_mean_score", "answered_only_pass_rate")
    summary = whole["run_summary"].filter(pl.col("scope") == "headline")
    assert figures(one(summary, axis="search"), *rates) == [1, 1]
    assert figures(one(summary, axis="evidence"), *rates) == [2.5 / 3, 2 / 3]


def test_what_the_log_says_stands_in_every_row_of_the_scope(whole: dict[str, pl.DataFrame]) -> None:
    names = (
        "kind",
        "draft",
        "current",
        "latency_p50_ms",
        "latency_p95_ms",
        "n_latency",
        "citation_shown_rate",
        "error_rate",
        "input_tokens",
        "output_tokens",
        "cost_usd",
    )
    summary = whole["run_summary"]
    for axis in (*AXES, "overall"):
        assert figures(one(summary, scope="headline", axis=axis), *names) == [
            *("fixture", False, True, 300.0, None, 5, 2 / 7, 1 / 7, 15, None, None)
        ]
    development = one(summary, scope="development", axis="search")
    assert figures(development, "n_latency", "error_rate", "cost_usd") == [0, 0.0, 0.25]


def test_other_splits_have_their_own_name(whole: dict[str, pl.DataFrame]) -> None:
    summary = whole["run_summary"].filter(pl.col("axis") == "overall")
    assert summary["scope"].to_list() == ["development", "headline", "test"]
    assert figures(one(summary, scope="development"), "n_cases", "pass_rate") == [1, 1.0]
    assert figures(one(summary, scope="test"), "n_cases", "pass_rate", "mean_score") == [1, 0, 0.5]


def test_slices_are_of_the_headline_and_splits_of_all(whole: dict[str, pl.DataFrame]) -> None:
    overall = whole["slice_summary"].filter(pl.col("axis") == "overall")
    assert overall.select("dimension", "slice", "n_cases", "n_passed").rows() == [
        ("category", "direct", 6, 1),
        ("category", "paraphrase", 1, 1),
        ("language", "unclassified", 7, 2),
        ("risk", "low", 7, 2),
        ("split", "development", 1, 1),
        ("split", "test", 1, 0),
        ("split", "validation", 7, 2),
    ]


def test_slice_under_five_cases_shows_counts_and_no_rates(whole: dict[str, pl.DataFrame]) -> None:
    small = one(whole["slice_summary"], slice="paraphrase", axis="search")
    assert {small[name] for name in RATES} == {None}
    large = one(whole["slice_summary"], slice="direct", axis="search")
    assert figures(large, "mean_score", "answered_only_pass_rate") == [2 / 4, 1.0]


@pytest.mark.parametrize(("n", "rate"), [(4, None), (5, 1.0)])
def test_five_cases_are_enough_for_a_rate(
    warehouse: DuckDBFile, n: int, rate: float | None
) -> None:
    scores = [item(str(number), "PPPPP") for number in range(n)]
    cases = [case(str(number), risk="low") for number in range(n)]
    slices = marts_of(warehouse, scores, cases=cases)["slice_summary"]
    row = one(slices, dimension="risk", axis="search")
    assert {row[name] for name in RATES} == {rate}
    assert (row["n_cases"], row["n_passed"]) == (n, n)


def test_failures_are_counted_by_cause_within_the_headline(whole: dict[str, pl.DataFrame]) -> None:
    failures = whole["failure_summary"]
    assert failures.select(
        "diagnosis", "where_to_mend", "n_failed_items", "n_failed_cases", "case_ids", "n_cases"
    ).rows() == [
        ("gold_problem", "dataset", 1, 1, ["f"], 7),
        ("system_error", "system", 1, 1, ["d"], 7),
        ("wrong_answer", "generation", 1, 1, ["b"], 7),
    ]


@pytest.mark.parametrize(
    ("trials", "state", "passed", "low_and_high"),
    [
        ("P", "measured", True, (1, 1)),
        ("PPF", "measured", True, (1, 1)),
        ("PF", "measured", False, (0, 0)),
        ("PFF", "measured", False, (0, 0)),
        ("PU", "measured", None, (0, 1)),
        ("PPU", "measured", True, (1, 1)),
        ("PFU", "measured", None, (0, 1)),
        ("FU", "measured", False, (0, 0)),
        ("U", "unmeasured", None, (0, 1)),
        ("UH", "unmeasured", None, (0, 1)),
        ("HM", "held_out", None, (None, None)),
        ("MN", "missing", None, (0, 0)),
        ("N", "not_applicable", None, (None, None)),
        ("PN", "measured", True, (1, 1)),
        ("PH", "measured", True, (1, 1)),
    ],
)
def test_trials_make_one_result_of_a_case(
    warehouse: DuckDBFile,
    trials: str,
    state: str,
    passed: bool | None,
    low_and_high: tuple[int | None, int | None],
) -> None:
    scores = [item("a", f"{t}PPPP", trial=n) for n, t in enumerate(trials, start=1)]
    row = one(marts_of(warehouse, scores)["run_summary"], axis="search")
    assert row[f"n_{state}"] == row["n_cases"] == 1
    assert (row["n_passed"], row["n_failed"]) == (int(passed is True), int(passed is False))
    assert (row["pass_rate_low"], row["pass_rate_high"]) == low_and_high


def test_run_value_is_a_mean_over_cases_and_not_over_items(warehouse: DuckDBFile) -> None:
    scores = [item("a", "FFFFF"), *(item("b", "PPPPP", trial=n) for n in (1, 2, 3))]
    row = one(marts_of(warehouse, scores)["run_summary"], axis="search")
    assert figures(row, "mean_score", "pass_rate", "n_items") == [0.5, 0.5, 4]


def test_nothing_applicable_gives_null_and_no_division(warehouse: DuckDBFile) -> None:
    made = marts_of(warehouse, [item("a", "NPPPP"), item("b", "NPPPP")])
    row = one(made["run_summary"], axis="search")
    assert {row[name] for name in RATES} == {None}


def test_item_decided_without_a_score_counts_for_passing_only(warehouse: DuckDBFile) -> None:
    scores = [item("a", "FUPPf"), item("b", "PPPPP")]
    row = one(marts_of(warehouse, scores)["run_summary"], axis="overall")
    assert figures(row, "n_measured", "n_failed", "pass_rate", "mean_score") == [2, 1, 0.5, 1.0]


def test_case_with_one_answer_among_errors_is_no_system_error(warehouse: DuckDBFile) -> None:
    scores = [item("a", "FFFFF", trial=1), item("a", "PPPPP", trial=2), item("b", "FFFFF")]
    items = [log_of(scores[0], error="x"), log_of(scores[1]), log_of(scores[2], error="x")]
    row = one(marts_of(warehouse, scores, run_items=items)["run_summary"], axis="search")
    assert figures(row, "answered_only_mean_score", "error_rate") == [0.5, 2 / 3]


def test_without_validation_cases_the_headline_is_of_all_but_development(
    warehouse: DuckDBFile,
) -> None:
    scores = [item("a", "PPPPP"), item("b", "FFFFF"), item("c", "PPPPP")]
    cases = [case("a", split="development"), case("b", split="test"), case("c")]
    summary = marts_of(warehouse, scores, cases=cases)["run_summary"]
    search = summary.filter(pl.col("axis") == "search").select("scope", "n_cases", "n_passed")
    assert search.rows() == [("development", 1, 1), ("headline", 2, 1), ("test", 1, 0)]


@pytest.mark.parametrize("split", ["development", "test", "validation", None])
def test_a_single_split_is_not_said_twice_and_development_is_no_headline(
    warehouse: DuckDBFile, split: str | None
) -> None:
    cases = [case("a", split=split), case("b", split=split)]
    scores = [item("a", "PPPPP"), item("b", "PPPPP")]
    summary = marts_of(warehouse, scores, cases=cases)["run_summary"]
    expected = "development" if split == "development" else "headline"
    assert summary["scope"].unique().to_list() == [expected]


@pytest.mark.parametrize(("n", "p95"), [(19, None), (20, 19.05)])
def test_p95_needs_twenty_latencies(warehouse: DuckDBFile, n: int, p95: float | None) -> None:
    scores = [item(str(number), "PPPPP") for number in range(1, n + 1)]
    items = [log_of(score, latency_ms=float(score["case_id"])) for score in scores]
    row = one(marts_of(warehouse, scores, run_items=items)["run_summary"], axis="search")
    assert figures(row, "latency_p95_ms", "n_latency") == [p95, n]


def test_runs_and_dataset_versions_do_not_mix(warehouse: DuckDBFile) -> None:
    other_run, other_version = {"run_id": "s"}, {"dataset_version": "d@2"}
    scores = [
        item("a", "PPPPP"),
        item("a", "FFFFF", **other_run),
        item("a", "FFFFF", **other_version),
        item("b", "FFFFF", **other_version),
    ]
    # Its split is that of its own version.
    cases = [case("a", split="test"), case("a", split="development", **other_version)]
    made = marts_of(warehouse, scores, cases=cases)
    assert made["run_summary"].select("dataset_version", "run_id", "n_cases").unique().rows() == [
        (VERSION, "r", 1)
    ]
    both = marts_of(warehouse, scores, cases=cases, run_ids=("r", "s"))["run_summary"]
    search = both.filter(pl.col("axis") == "search")
    assert search.select("run_id", "scope", "pass_rate").rows() == [
        ("r", "headline", 1.0),
        ("s", "headline", 0.0),
    ]
    second = marts_of(warehouse, scores, cases=cases, version="d@2")["run_summary"]
    search = second.filter(pl.col("axis") == "search")
    assert search.select("scope", "n_cases").rows() == [("development", 1), ("headline", 1)]


def test_earlier_scores_stay_apart_and_take_nothing_from_the_log_of_today(
    warehouse: DuckDBFile,
) -> None:
    earlier = item("a", "FFFFF", run_hash="old", current=False, also=["system_error"])
    today = item("a", "PPPPP")
    made = marts_of(
        warehouse,
        [earlier, today],
        run_items=[log_of(today, source="s", latency_ms=1.0)],
        runs=RUNS,
    )
    names = ("current", "pass_rate", "n_latency", "citation_shown_rate", "error_rate", "kind")
    search = made["run_summary"].filter(pl.col("axis") == "search")
    assert figures(one(search, run_hash="old"), *names) == [False, 0, 0, None, 1, "fixture"]
    assert figures(one(search, run_hash="rh"), *names) == [True, 1, 1, 1, 0, "fixture"]


def test_no_scores_make_no_rows(warehouse: DuckDBFile) -> None:
    assert all(frame.is_empty() for frame in marts_of(warehouse, []).values())
    asked_for_none = marts_of(warehouse, [item("a", "PPPPP")], run_ids=())
    assert all(frame.is_empty() for frame in asked_for_none.values())


def test_hostile_ids_are_only_text(warehouse: DuckDBFile) -> None:
    name = "'; DROP TABLE cases; -- {{ ref('x') }} $run_ids"
    cause = {"diagnosis": name, "where_to_mend": "system"}
    scores = [item(name, "FFFFF", run_id=name, dataset_version=name, **cause)]
    made = marts_of(warehouse, scores, version=name, run_ids=(name,))
    assert made["failure_summary"]["case_ids"].to_list() == [[name]]
    assert made["run_summary"]["run_id"].unique().to_list() == [name]


def test_every_row_carries_the_hash_of_its_sql(whole: dict[str, pl.DataFrame]) -> None:
    for name, frame in whole.items():
        assert frame["model_hash"].unique().to_list() == [MODELS[name].hash]


# Filling the warehouse is what takes time, so that an example is several runs.
RUN_IDS = ("r", "s", "t", "u", "v")
scored_items = st.lists(
    st.tuples(
        st.sampled_from("abcdefg"),
        st.integers(1, 4),
        st.text("PFUNHM", min_size=4, max_size=4),
        st.sampled_from("PFfUNHM"),
        st.floats(0, 1),
        st.booleans(),
        st.sampled_from(RUN_IDS),
    ),
    unique_by=lambda row: (row[0], row[1], row[6]),
    min_size=20,
    max_size=60,
)


@settings(
    max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=scored_items,
    splits=st.lists(
        st.sampled_from(["validation", "development", "test", None]), min_size=7, max_size=7
    ),
)
def test_any_scores_keep_the_contracts(
    warehouse: DuckDBFile, rows: list[tuple[Any, ...]], splits: list[str | None]
) -> None:
    scores, items = [], []
    for name, trial, axes, whole_item, number, error, run in rows:
        score = item(name, axes + whole_item, trial=trial, run_id=run)
        for part in (*(f"{axis}_score" for axis in AXES), "score"):
            score[part] = score[part] and number
        if score["passed"] is False:
            score |= {"diagnosis": "wrong_answer", "where_to_mend": "generation"}
        scores.append(score)
        items.append(log_of(score, error="x" if error else None, latency_ms=number))
    made = marts_of(
        warehouse,
        scores,
        run_ids=RUN_IDS,
        run_items=items,
        cases=[case(name, split=split) for name, split in zip("abcdefg", splits, strict=True)],
    )
    for frame in made.values():
        numbers = frame.select(pl.col(pl.Float64))
        assert not any(column.is_nan().any() for column in numbers)
    for row in (made["run_summary"].to_dicts(), made["slice_summary"].to_dicts()):
        for figure in row:
            assert figure["n_passed"] + figure["n_failed"] <= figure["n_measured"]
            if figure["pass_rate"] is not None:
                assert figure["pass_rate_low"] <= figure["pass_rate"] <= figure["pass_rate_high"]
    expected = {(score["run_id"], score["case_id"]) for score in scores}
    split_rows = made["slice_summary"].filter(dimension="split", axis="overall")
    assert split_rows["n_cases"].sum() == len(expected)


@pytest.mark.filterwarnings("ignore")  # those of dbt are not ours
def test_dbt_makes_the_same_rows(
    warehouse: DuckDBFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dbt = pytest.importorskip("dbt.cli.main", reason="dbt-duckdb is not installed")
    pytest.importorskip("dbt.adapters.duckdb", reason="dbt-duckdb is not installed")
    made = marts_of(warehouse, SCORES, cases=CASES, run_items=ITEMS, runs=RUNS)
    published, built = tmp_path / "published.duckdb", tmp_path / "marts.duckdb"
    warehouse.publish(published)
    (tmp_path / "profiles.yml").write_text(
        f"""
rag_eval:
  target: local
  outputs:
    local:
      type: duckdb
      path: '{built}'
      attach: [{{path: '{published}', alias: rag_eval, read_only: true}}]
"""
    )
    monkeypatch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
    result = dbt.dbtRunner().invoke(
        [
            *("build", "--project-dir", str(FOLDER), "--profiles-dir", str(tmp_path)),
            *("--target-path", str(tmp_path / "target"), "--log-path", str(tmp_path / "logs")),
        ]
    )
    assert result.success, result.exception or result.result
    connection = duckdb.connect(str(built))
    try:
        connection.execute("SET TimeZone = 'UTC'")
        for name, frame in made.items():
            rows = connection.sql(f'SELECT * FROM "{name}"').pl()
            ours = frame.drop("model_hash")
            assert rows.columns == ours.columns
            order = [n for n in tables.TABLES[name].to_schema().unique or [] if n in ours.columns]
            assert rows.sort(order).rows() == ours.sort(order).rows()
    finally:
        connection.close()


def test_shares_of_the_ranking_are_means_of_cases(warehouse: DuckDBFile) -> None:
    scores = [item("a", "PPPPP"), item("a", "PPPPP", trial=2), item("b", "PPPPP")]
    same = {name: scores[0][name] for name in (
        "dataset_version", "dataset_hash", "run_id", "run_hash", "measure_version")}  # fmt: skip
    slots = {"n_retrieved": 4, "n_unresolved": 0, "n_duplicates": 0}
    ranking = [
        {**same, **slots, "case_id": "a", "trial": 1, "n_unresolved": 2, "n_duplicates": 1},
        {**same, **slots, "case_id": "a", "trial": 2},
        {**same, **slots, "case_id": "b", "trial": 1, "n_unresolved": 4, "n_forbidden": 1},
    ]
    summary = marts_of(
        warehouse,
        scores,
        cases=[case("a"), case("b")],
        run_items=[log_of(each) for each in scores],
        runs=RUNS,
        retrieval_measures=ranking,
    )["run_summary"]
    names = ("n_rankings", "hole_share", "stale_share", "forbidden_share", "duplicate_share")
    assert figures(one(summary, axis="search"), *names) == [2, 0.625, None, 0.25, 0.0625]
