"""Six retrieval metrics from stored tables, against pytrec_eval with its dict building.

python tests/benchmarks/retrieval.py --items 1000000

Every side is a process of its own that reads what it needs from one DuckDB file. Printed are CPU
seconds (all threads, start included), peak memory, and the ratios of pytrec_eval's to ours; values
are checked to be equal before.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb
import polars as pl

METRICS = ("success_10", "recall_10", "P_10", "recip_rank", "map", "ndcg_cut_10")
SLOTS = 10
MIB = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--side", choices=("store", *SIDES), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.side == "store":
        store(arguments.folder, items=arguments.items)
    elif arguments.side:
        SIDES[arguments.side](arguments.folder)
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
    else:
        compare(arguments.items)


def compare(items: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([*command("store", folder), "--items", str(items)], check=True)
        measured = {side: run(side, folder) for side in SIDES}
        check_equal(folder, "ranks")
        check_equal(folder, "ids")
    theirs = measured["pytrec_eval"]
    for side, (seconds, peak) in measured.items():
        print(
            f"{side:<12} {items} x {SLOTS}  {seconds:7.2f} s CPU  {peak / MIB:6.0f} MiB  "
            f"{theirs[0] / seconds:5.1f} x less CPU  {theirs[1] / peak:5.1f} x less memory"
        )


def command(side: str, folder: Path) -> list[str]:
    return [sys.executable, __file__, "--side", side, "--folder", str(folder)]


def run(side: str, folder: Path) -> tuple[float, float]:
    printed = subprocess.run(command(side, folder), check=True, stdout=subprocess.PIPE, text=True)
    seconds, peak = json.loads(printed.stdout)
    return seconds, peak


def check_equal(folder: Path, side: str) -> None:
    ours, theirs = (
        pl.read_parquet(folder / f"{name}.parquet").sort("case_id")
        for name in (side, "pytrec_eval")
    )
    assert ours["case_id"].equals(theirs["case_id"])
    for metric in METRICS:
        assert (ours[metric] - theirs[metric]).abs().max() <= 1e-9, metric


def store(folder: Path, *, items: int) -> None:
    """One run: rankings of 10 distinct ids, 1 to 3 graded gold groups, some of them retrieved."""
    with duckdb.connect(folder / "tables.duckdb") as tables:
        tables.execute(
            """
            CREATE TABLE retrieved AS
            SELECT 'night' AS run_id, 'case-' || lpad(c::VARCHAR, 8, '0') AS case_id,
                   1::BIGINT AS trial, p::BIGINT AS position,
                   'doc-' || ((hash(c) % 100000 + p * 7919) % 100003)::VARCHAR AS evidence_id,
                   evidence_id AS doc_id, NULL::VARCHAR AS section_id
            FROM range($items) items(c), range(1, 11) places(p) ORDER BY c, p;
            """,
            {"items": items},
        ).fetchall()
        # Gold g is the slot at a place from 1 to 14; beyond the tenth there is none.
        tables.execute(
            """
            CREATE TABLE case_evidence AS
            SELECT 'case-' || lpad(c::VARCHAR, 8, '0') AS case_id, g::BIGINT AS group_no,
                   'doc-' || ((hash(c) % 100000 + (1 + (hash(c + 1) + g * 5) % 14) * 7919) % 100003)
                       ::VARCHAR AS evidence_id,
                   evidence_id AS doc_id, NULL::VARCHAR AS section_id,
                   (1 + hash(c * 3 + g) % 3)::BIGINT AS grade
            FROM range($items) items(c), range(1, 4) groups(g) WHERE g <= 1 + hash(c + 2) % 3
            ORDER BY c, g;
            """,
            {"items": items},
        ).fetchall()
        tables.register("measures", from_ids(tables).to_arrow())
        tables.execute("CREATE TABLE retrieval_measures AS SELECT * FROM measures").fetchall()


def from_ids(tables: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    from rag_eval_pipeline.measures.retrieval.ranks import group_ranks

    retrieved = tables.sql("SELECT * FROM retrieved").pl()
    evidence = tables.sql("SELECT * FROM case_evidence").pl()
    items = tables.sql("SELECT DISTINCT run_id, case_id, trial FROM retrieved ORDER BY ALL").pl()
    return group_ranks(items, retrieved, evidence)


def write_metrics(ranks: pl.DataFrame, file: Path) -> None:
    from rag_eval_pipeline.measures.retrieval.average_precision import average_precision
    from rag_eval_pipeline.measures.retrieval.hit import hit
    from rag_eval_pipeline.measures.retrieval.ndcg import ndcg
    from rag_eval_pipeline.measures.retrieval.precision import precision
    from rag_eval_pipeline.measures.retrieval.recall import recall
    from rag_eval_pipeline.measures.retrieval.reciprocal_rank import reciprocal_rank

    positions = pl.col("ranks")
    ranks.select(
        "case_id",
        success_10=hit(positions, 10),
        recall_10=recall(positions, 10),
        P_10=precision(positions, 10),
        recip_rank=reciprocal_rank(positions),
        map=average_precision(positions),
        ndcg_cut_10=ndcg(positions, pl.col("grades"), pl.col("found_grades"), 10),
    ).write_parquet(file)


def ranks(folder: Path) -> None:
    with duckdb.connect(folder / "tables.duckdb", read_only=True) as tables:
        stored = tables.sql(
            "SELECT case_id, ranks, grades, found_grades FROM retrieval_measures"
        ).pl()
    write_metrics(stored, folder / "ranks.parquet")


def ids(folder: Path) -> None:
    with duckdb.connect(folder / "tables.duckdb", read_only=True) as tables:
        measured = from_ids(tables)
    write_metrics(measured, folder / "ids.parquet")


def trec(folder: Path) -> None:
    import pytrec_eval

    qrels: dict[str, dict[str, int]] = {}
    rankings: dict[str, dict[str, float]] = {}
    with duckdb.connect(folder / "tables.duckdb", read_only=True) as tables:
        gold = tables.sql("SELECT case_id, evidence_id, grade FROM case_evidence").pl()
        slots = tables.sql("SELECT case_id, evidence_id, position FROM retrieved").pl()
    for case_id, evidence_id, grade in zip(*gold, strict=True):
        qrels.setdefault(case_id, {})[evidence_id] = grade
    for case_id, evidence_id, position in zip(*slots, strict=True):
        rankings.setdefault(case_id, {})[evidence_id] = float(SLOTS + 1 - position)
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"success.10", "recall.10", "P.10", "recip_rank", "map", "ndcg_cut.10"}
    )
    scored = evaluator.evaluate(rankings)
    pl.DataFrame(
        {"case_id": list(scored)}
        | {metric: [row[metric] for row in scored.values()] for metric in METRICS}
    ).write_parquet(folder / "pytrec_eval.parquet")


SIDES: dict[str, Callable[[Path], None]] = {
    "pytrec_eval": trec,
    "ids": ids,
    "ranks": ranks,
}


if __name__ == "__main__":
    main()
