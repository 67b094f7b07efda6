"""Time `rag-eval nightly` that takes in one run more, where few and where many runs are stored.

python tests/benchmarks/nightly_at_scale.py --cases 50 --runs 10 1000

Prints, per number of stored runs, the processor seconds of the first nightly (all files at once),
of one that takes in one run more, and of one with nothing new; and the ratio of the second ones.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from nightly import write_data_root

OCCASIONS = ("all at once", "one more", "nothing new")


@dataclass(frozen=True)
class Cost:
    """Processor seconds, and the most memory in MiB any process of this series took so far."""

    seconds: float
    peak: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=50)
    parser.add_argument("--runs", type=int, nargs="+", default=[10, 1000])
    arguments = parser.parse_args()
    costs = {}
    for n_runs in sorted(arguments.runs):
        with tempfile.TemporaryDirectory() as folder:
            costs[n_runs] = measure(Path(folder), arguments.cases, n_runs)
        for occasion, cost in costs[n_runs].items():
            print(
                f"{n_runs:>6} stored runs of {arguments.cases} cases, {occasion:<12}"
                f"{cost.seconds:8.2f} s of processor{cost.peak:8.0f} MiB at most so far",
                flush=True,
            )
    few, many = min(costs), max(costs)
    ratio = costs[many]["one more"].seconds / costs[few]["one more"].seconds
    print(f"one more run at {many} stored runs costs {ratio:.2f} times as much as at {few}")


def measure(folder: Path, n_cases: int, n_runs: int) -> dict[str, Cost]:
    """The cost of a nightly on each occasion, by occasion."""
    data, home = folder / "data", folder / "home"
    write_data_root(data, n_cases=n_cases, n_runs=n_runs + 1)
    last = data / "runs" / f"run-{n_runs:04}.jsonl"
    kept = last.rename(folder / last.name)
    costs = {"all at once": nightly(data, home)}
    kept.rename(last)
    return costs | {occasion: nightly(data, home) for occasion in OCCASIONS[1:]}


def nightly(data: Path, home: Path) -> Cost:
    """The cost of one nightly, the start of the process included."""
    before = _seconds()
    command = [sys.executable, "-m", "rag_eval_pipeline.cli", "--data", data, "--home", home]
    subprocess.run([*command, "nightly"], check=True, stdout=subprocess.DEVNULL)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return Cost(_seconds() - before, peak)


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
