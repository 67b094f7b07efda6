"""Time `rag-eval backfill` of stored runs: in batches of runs, against once per run.

python tests/benchmarks/backfill.py --runs 100 --cases 1000

A few runs are evaluated, and their rows copied under other run ids until the warehouse holds as
many runs as asked for. Then a rubric that was never used scores them all. Once per run costs what
the same command does with RAG_EVAL_BATCH_ITEMS=1; it is measured on some of the runs, with the
others stored beside them, and taken times the rest. `--whole` also edits the rubric the dataset
lists, so that marts, comparisons and report are made anew too.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from nightly import write_lines

MEASURED = 4
"""Runs that are truly evaluated."""

OF_RUN = ("runs", "run_items", "retrieved", "retrieval_measures", "claim_verdicts",
          "answer_measures", "behavior_measures", "scenario_measures")  # fmt: skip
SCORED = ("search_scores", "evidence_scores", "behavior_scores", "format_scores", "case_scores")
RUBRIC = """
name: {name}
search: {{measure: recall, k: {k}}}
evidence: {{measure: claims, open_claims: fail, echoed: fail}}
behavior: {{measure: abstain_policy, no_invented_value: ignore}}
format: {{measure: logged_fields}}
"""


@dataclass(frozen=True)
class Cost:
    """Processor seconds of a process, and its greatest size in MiB."""

    seconds: float
    peak: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--alone", type=int, default=10, help="runs that are scored one by one")
    parser.add_argument("--whole", action="store_true", help="also edit the listed rubric")
    parser.add_argument("--folder", type=Path, help="keep data and home here, or use what is there")
    arguments = parser.parse_args()
    n_runs, alone = arguments.runs, min(arguments.alone, arguments.runs)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        data, home = folder / "data", folder / "home"
        if not home.exists():
            write_data_root(data, arguments.cases)
            rag_eval(data, home, "nightly")
            copy_runs(home / "warehouse.duckdb", n_runs)
        write_rubric(data, "trial", k=5)
        backfill = ("backfill", "--rubric", "trial", "--yes")
        forget(home / "warehouse.duckdb", n_runs)
        batched = rag_eval(data, home, *backfill)
        fixed = rag_eval(data, home, "backfill", "--rubric", "trial", "--yes")
        forget(home / "warehouse.duckdb", alone)
        some = rag_eval(data, home, *backfill, RAG_EVAL_BATCH_ITEMS="1")
        each = (some.seconds - fixed.seconds) / alone
        one_by_one = fixed.seconds + each * n_runs
        print(f"{n_runs} runs of {arguments.cases} cases, processor seconds and greatest size:")
        print(f"in batches   {batched.seconds:8.1f} s {batched.peak:6.0f} MiB")
        print(f"nothing due  {fixed.seconds:8.1f} s {fixed.peak:6.0f} MiB")
        print(f"once per run {one_by_one:8.1f} s ({each:.2f} s a run, measured on {alone} runs)")
        print(f"ratio        {one_by_one / batched.seconds:8.1f}")
        if arguments.whole:
            write_rubric(data, "claims", k=5)
            whole = rag_eval(data, home, "backfill", "--rubric", "claims", "--yes")
            print(f"listed rubric, marts, comparisons and report too: "
                  f"{whole.seconds:.1f} s {whole.peak:.0f} MiB")  # fmt: skip


def rag_eval(data: Path, home: Path, *command: str, **environment: str) -> Cost:
    """Run a command; its cost, the start of the process included."""
    # A process of its own, so that the greatest size is that of this command.
    arguments = [sys.executable, __file__, "--measured", "--data", data, "--home", home, *command]
    done = subprocess.run(
        list(map(str, arguments)),
        check=True, stdout=subprocess.PIPE, env=os.environ | environment, text=True,
    )  # fmt: skip
    seconds, peak = done.stdout.splitlines()[-1].split()
    return Cost(float(seconds), float(peak))


def measured(arguments: list[str]) -> None:
    """Run the command line in this process, then print what it took."""
    from rag_eval_pipeline import cli

    try:
        cli.main(arguments)
    except SystemExit as ended:
        if ended.code:
            raise
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def copy_runs(warehouse: Path, n_runs: int) -> None:
    """Copy the measured runs under other ids until there are `n_runs`."""
    with duckdb.connect(str(warehouse)) as connection:
        for table in OF_RUN:
            for schema in ("main", "held"):
                connection.execute(
                    f"INSERT INTO {schema}.{table} BY NAME "
                    "SELECT * EXCLUDE (copy) REPLACE (run_id || '-copy-' || copy AS run_id) "
                    f"FROM {schema}.{table}, range(1, {n_runs}) AS copies(copy) "
                    f"WHERE CAST(right(run_id, 1) AS INT) + copy * {MEASURED} < {n_runs}"
                ).fetchall()


def forget(warehouse: Path, n_runs: int) -> None:
    """Forget the scores by the rubric `trial` of the first so many runs."""
    with duckdb.connect(str(warehouse)) as connection:
        runs = f"(SELECT run_id FROM main.runs ORDER BY run_id LIMIT {n_runs})"
        by_rubric = "rubric_version LIKE 'trial@%'"
        hashes = (
            "(SELECT axis_hash FROM main.rubrics WHERE name = 'trial' EXCEPT "
            "SELECT axis_hash FROM main.rubrics WHERE name <> 'trial')"
        )
        for table in SCORED:
            of_trial = by_rubric if table == "case_scores" else f"axis_hash IN {hashes}"
            for schema in ("main", "held"):
                connection.execute(
                    f"DELETE FROM {schema}.{table} WHERE run_id IN {runs} AND {of_trial}"
                ).fetchall()


def write_data_root(data: Path, n_cases: int) -> None:
    """One document a case, two claims each; runs err in about one of ten answers."""
    documents = [
        {"doc_id": f"d{n}", "text": f"項目{n}の料金は{n}円です。支払いは{n % 28 + 1}日以内です。"}
        for n in range(n_cases)
    ]
    cases = [
        {
            "case_id": f"c{n}",
            "question": f"項目{n}の料金と支払い期限を教えてください。",
            "reference_evidence_ids": [f"d{n}"],
            "required_claims": [f"料金は{n}円", f"支払いは{n % 28 + 1}日以内"],
            "expected_status": "answer",
        }
        for n in range(n_cases)
    ]
    write_lines(data / "knowledge" / "bench" / "documents.jsonl", documents)
    write_lines(data / "datasets" / "bench" / "v1" / "cases.jsonl", cases)
    for run in range(MEASURED):
        write_lines(data / "runs" / f"run-{run}.jsonl", answered(f"run-{run}", n_cases))


def answered(run_id: str, n_cases: int) -> Iterator[Mapping[str, Any]]:
    chance = random.Random(run_id)
    for n in range(n_cases):
        wrong = chance.random() < 0.1
        yield {
            "run_id": run_id,
            "system": "bench",
            "kind": "fixture",
            "case_id": f"c{n}",
            "retrieved": [f"d{(n + shift) % n_cases}" for shift in range(wrong, 3)],
            "answer": f"料金は{n + wrong}円です。支払いは{n % 28 + 1}日以内にお願いします。",
            "source": f"d{n}",
            "status": "answer",
        }


def write_rubric(data: Path, name: str, *, k: int) -> None:
    path = data / "rubrics" / f"{name}.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(RUBRIC.format(name=name, k=k), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measured"]:
        measured(sys.argv[2:])
    else:
        main()
