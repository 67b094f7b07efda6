"""Time `rag-eval nightly` over generated data: the first pass, and one in which nothing is new.

python tests/benchmarks/nightly.py --cases 200 --runs 5
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        data, home = Path(folder, "data"), Path(folder, "home")
        write_data_root(data, n_cases=arguments.cases, n_runs=arguments.runs)
        for occasion in ("first", "again"):
            seconds = nightly(data, home)
            print(f"{occasion:<6} {arguments.cases} cases x {arguments.runs} runs {seconds:7.1f} s")


def nightly(data: Path, home: Path) -> float:
    """Wall-clock seconds of one nightly, the start of the process included."""
    begin = time.perf_counter()
    command = [sys.executable, "-m", "rag_eval_pipeline.cli", "--data", data, "--home", home]
    subprocess.run([*command, "nightly"], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def write_data_root(data: Path, *, n_cases: int, n_runs: int) -> None:
    """One document a case; each run errs in about one of ten answers, always the same ones."""
    chance = random.Random(20260401)
    documents = [
        {"doc_id": f"d{n}", "title": f"文書{n}", "text": f"項目{n}の料金は{n}円です。"}
        for n in range(n_cases)
    ]
    cases = [
        {
            "id": f"c{n}",
            "question": f"項目{n}の料金はいくらですか。",
            "expected": f"{n}円",
            "evidence": f"d{n}",
            "status": "answer",
        }
        for n in range(n_cases)
    ]
    write_lines(data / "knowledge" / "bench" / "documents.jsonl", documents)
    write_lines(data / "datasets" / "bench" / "v1" / "cases.jsonl", cases)
    for run in range(n_runs):
        items = (answered(f"run-{run:04}", case, chance) for case in cases)
        write_lines(data / "runs" / f"run-{run:04}.jsonl", items)


def answered(run_id: str, case: dict[str, str], chance: random.Random) -> dict[str, Any]:
    evidence = "d0" if chance.random() < 0.1 else case["evidence"]
    return {
        "run_id": run_id,
        "system": "bench",
        "kind": "fixture",
        "case_id": case["id"],
        "retrieved": [evidence],
        "answer": case["expected"],
        "source": evidence,
        "status": "answer",
    }


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


if __name__ == "__main__":
    main()
