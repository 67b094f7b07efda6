"""A real set goes through by the adapter that docs/adapters.md shows; opt-in.

RAG_EVAL_REAL_SETS names the folder the sets lie in; without it these tests are skipped.
"""

import json
import os
import re
from pathlib import Path

import pytest

from rag_eval_pipeline.cli import main
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

ADAPTER = Path(__file__).parents[2] / "docs" / "adapters.md"
SETS = os.environ.get("RAG_EVAL_REAL_SETS")
SET = Path(SETS or "absent") / "azure_northwind_dev"

pytestmark = [
    pytest.mark.real_sets,
    pytest.mark.skipif(not SET.is_dir(), reason="RAG_EVAL_REAL_SETS has no azure_northwind_dev"),
]


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> DuckDBFile:
    folder = tmp_path_factory.mktemp("northwind")
    block = re.search(r"```python\n(.*?)```", ADAPTER.read_text(encoding="utf-8"), re.DOTALL)
    assert block is not None
    names: dict[str, object] = {}
    exec(block[1], names)
    names["adapt"](SET, folder / "data")  # type: ignore[operator]
    command = ["--data", str(folder / "data"), "--home", str(folder / "home"), "nightly"]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 0
    return DuckDBFile(folder / "home" / "warehouse.duckdb")


def test_all_cases_and_both_runs_are_read(warehouse: DuckDBFile) -> None:
    assert warehouse.read("cases").height == 200
    assert dict(warehouse.read("runs").select("run_id", "n_items").iter_rows()) == {
        "baseline": 200,
        "prompt_nomarkdownmention": 200,
    }
    assert warehouse.read("quarantine").is_empty()
    assert warehouse.read("case_evidence")["resolved"].all()


def test_ranks_give_the_published_hit_and_reciprocal_rank(warehouse: DuckDBFile) -> None:
    derived = json.loads((SET / "expected.json").read_text(encoding="utf-8"))["derived"]
    figures = warehouse.sql(
        "SELECT run_id, count(*) AS n, avg((reciprocal_rank > 0)::INT) AS hit, "
        "avg(reciprocal_rank) AS rr FROM retrieval_measures GROUP BY run_id"
    )
    assert figures.height == 2
    for run_id, n, hit, rr in figures.iter_rows():
        assert n == derived[run_id]["n"]
        assert hit == pytest.approx(derived[run_id]["hit_at_3_with_page_mapping"], abs=1e-9)
        assert rr == pytest.approx(derived[run_id]["mrr_at_3_with_page_mapping"], abs=1e-9)


def test_latencies_are_read_in_milliseconds(warehouse: DuckDBFile) -> None:
    derived = json.loads((SET / "expected.json").read_text(encoding="utf-8"))["derived"]
    summary = warehouse.sql("SELECT DISTINCT run_id, latency_p50_ms FROM run_summary")
    for run_id, p50 in summary.iter_rows():
        assert p50 / 1000 == pytest.approx(derived[run_id]["latency_p50"], abs=1e-6)
