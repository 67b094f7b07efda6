"""From a run log to six retrieval metrics, against pytrec_eval with its dict building.

python tests/benchmarks/ingest.py --rows 1000000

Every side is a process of its own. Ours reads the log with the reader that quarantines, makes
ranks from the ids and metrics from the ranks; theirs loads each line with json, builds the dicts
and evaluates. Both take the gold from one parquet file. Printed are CPU seconds (all threads, start
included), peak memory, and the ratios of pytrec_eval's to ours; values are checked to be equal
before. `--written objects` logs slots as objects with id, rank and score. pandas is hidden from
both sides: neither needs it, and pandera takes two seconds to load it where a tool brought it.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import polars as pl

METRICS = ("success_10", "recall_10", "P_10", "recip_rank", "map", "ndcg_cut_10")
SLOTS = 10
N_DOCUMENTS = 100_000
MIB = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--written", choices=("ids", "objects"), default="ids")
    parser.add_argument("--side", choices=SIDES)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    if arguments.side:
        sys.meta_path.insert(0, WithoutPandas())
        SIDES[arguments.side](arguments.folder)
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps([used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_log(folder, arguments.rows, objects=arguments.written == "objects")
        measured = {side: run(side, folder) for side in SIDES}
        check_equal(folder)
        seconds, peak = measured["ours"]
        for side, (cpu, memory) in measured.items():
            print(
                f"{side:<12} {arguments.rows} x {SLOTS}  {cpu:7.2f} s CPU  "
                f"{memory / MIB:7.0f} MiB  {cpu / seconds:5.2f} x the CPU of ours  "
                f"{memory / peak:5.2f} x the memory"
            )


class WithoutPandas:
    """Imports as in an installation of the locked dependencies, which pandas is none of."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError("No module named 'pandas'", name=name)


def run(side: str, folder: Path) -> tuple[float, float]:
    command = [sys.executable, __file__, "--side", side, "--folder", str(folder)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds, peak = json.loads(printed.stdout)
    return seconds, peak


def check_equal(folder: Path) -> None:
    ours, theirs = (
        pl.read_parquet(folder / f"{side}.parquet").sort("case_id")
        for side in ("ours", "pytrec_eval")
    )
    assert ours["case_id"].equals(theirs["case_id"])
    for metric in METRICS:
        assert (ours[metric] - theirs[metric]).abs().max() <= 1e-9, metric


def write_log(folder: Path, n_rows: int, *, objects: bool) -> None:
    """One run: 10 distinct ids a row, and one to three graded gold ids, most of them retrieved."""
    chance = random.Random(20261101)
    gold: dict[str, list[object]] = {"case_id": [], "group_no": [], "evidence_id": [], "grade": []}
    with (folder / "night.jsonl").open("w", encoding="utf-8") as log:
        for n in range(n_rows):
            documents = chance.sample(range(N_DOCUMENTS), SLOTS + 4)
            ids = [f"doc-{each}" for each in documents]
            slots: list[object] = list(ids[:SLOTS])
            if objects:
                slots = [
                    {"id": each, "rank": rank, "score": 1.0 / rank}
                    for rank, each in enumerate(ids[:SLOTS], start=1)
                ]
            answer = f"The fee is {n} yen."
            row = {"case_id": f"q{n}", "retrieved": slots, "answer": answer, "status": "answer"}
            log.write(json.dumps(row) + "\n")
            for group, evidence_id in enumerate(chance.sample(ids, chance.randint(1, 3)), start=1):
                for name, value in zip(
                    gold, (f"q{n}", group, evidence_id, chance.randint(1, 3)), strict=True
                ):
                    gold[name].append(value)
    pl.DataFrame(gold).write_parquet(folder / "gold.parquet")


def ours(folder: Path) -> None:
    from rag_eval_pipeline.dataset.manifest import DatasetVersion
    from rag_eval_pipeline.knowledge.evidence_ids import KnownIds
    from rag_eval_pipeline.measures.retrieval.ranks import list_ranks
    from rag_eval_pipeline.run_log.case_index import CaseIndex
    from rag_eval_pipeline.run_log.discover import RunSource
    from rag_eval_pipeline.run_log.items import read_run

    evidence = pl.read_parquet(folder / "gold.parquet").with_columns(
        doc_id="evidence_id", section_id=pl.lit(None, pl.String)
    )
    cases = evidence.select(pl.col("case_id").unique())
    known = KnownIds(
        frozenset(f"doc-{each}" for each in range(N_DOCUMENTS)), frozenset(), held=True
    )
    log = folder / "night.jsonl"
    read = read_run(
        RunSource(log.name, log, None, "night"),
        folder,
        DatasetVersion("bench", "v1", folder, "dataset.yaml", ZoneInfo("Asia/Tokyo")),
        CaseIndex.of(cases.with_columns(question="case_id")),
        known,
        against="",
        now=dt.datetime(2026, 11, 1, tzinfo=dt.UTC),
    )
    assert read.quarantine.is_empty()
    ranks = list_ranks(read.slots.lists(), evidence)
    six_metrics(ranks).write_parquet(folder / "ours.parquet")


def six_metrics(ranks: pl.DataFrame) -> pl.DataFrame:
    from rag_eval_pipeline.measures.retrieval.average_precision import average_precision
    from rag_eval_pipeline.measures.retrieval.hit import hit
    from rag_eval_pipeline.measures.retrieval.ndcg import ndcg
    from rag_eval_pipeline.measures.retrieval.precision import precision
    from rag_eval_pipeline.measures.retrieval.recall import recall
    from rag_eval_pipeline.measures.retrieval.reciprocal_rank import reciprocal_rank

    positions = pl.col("ranks")
    return ranks.select(
        "case_id",
        success_10=hit(positions, 10),
        recall_10=recall(positions, 10),
        P_10=precision(positions, 10),
        recip_rank=reciprocal_rank(positions),
        map=average_precision(positions),
        ndcg_cut_10=ndcg(positions, pl.col("grades"), pl.col("found_grades"), 10),
    )


def theirs(folder: Path) -> None:
    import pytrec_eval

    gold = pl.read_parquet(folder / "gold.parquet")
    qrels: dict[str, dict[str, int]] = {}
    for case_id, evidence_id, grade in gold.select("case_id", "evidence_id", "grade").iter_rows():
        qrels.setdefault(case_id, {})[evidence_id] = grade
    rankings: dict[str, dict[str, float]] = {}
    with (folder / "night.jsonl").open("rb") as log:
        for line in log:
            row = json.loads(line)
            ids = [each if isinstance(each, str) else each["id"] for each in row["retrieved"]]
            rankings[row["case_id"]] = {
                each: float(SLOTS - place) for place, each in enumerate(ids)
            }
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"success.10", "recall.10", "P.10", "recip_rank", "map", "ndcg_cut.10"}
    )
    scored = evaluator.evaluate(rankings)
    pl.DataFrame(
        {"case_id": list(scored)}
        | {metric: [row[metric] for row in scored.values()] for metric in METRICS}
    ).write_parquet(folder / "pytrec_eval.parquet")


SIDES: dict[str, Callable[[Path], None]] = {"pytrec_eval": theirs, "ours": ours}


if __name__ == "__main__":
    main()
