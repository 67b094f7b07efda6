"""What a user gets who installs the wheel and has no checkout."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command without the checkout on its path; only what is named is added to it."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "RAG_EVAL_"))}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=inherited | {"PYTHONIOENCODING": "utf-8"} | environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    built = run(
        sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", target, cwd=CHECKOUT
    )
    assert built.returncode == 0, built.stderr
    (path,) = target.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site")
    installed = run(
        *(sys.executable, "-m", "uv", "pip", "install", "--offline", "--no-deps"),
        *("--python", sys.executable, "--target", target, wheel),
        cwd=target,
    )
    assert installed.returncode == 0, installed.stderr
    return target


def test_wheel_carries_sample_data_and_sql_models_and_nothing_but_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    shipped = "rag_eval_pipeline/_shipped"
    for dataset in ("shop-faq", "shop-policy"):
        assert f"{shipped}/data/datasets/{dataset}/v1/cases.jsonl" in names
    for rubric in ("strict", "claims"):
        assert f"rag_eval_pipeline/scores/rubrics/{rubric}.yaml" in names
    assert f"{shipped}/dbt_like_sql/dbt_project.yml" in names
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == {
        "rag_eval_pipeline"
    }


def test_installed_package_reads_its_own_sample_and_not_the_checkout(
    site: Path, tmp_path: Path
) -> None:
    code = "from rag_eval_pipeline import shipped; print(shipped.data_root())"
    found = run(sys.executable, "-c", code, cwd=tmp_path, PYTHONPATH=str(site))

    assert found.returncode == 0, found.stderr
    assert Path(found.stdout.strip()) == site / "rag_eval_pipeline" / "_shipped" / "data"


def test_demo_runs_from_the_wheel_in_an_empty_folder(site: Path, tmp_path: Path) -> None:
    demo = run(
        *(sys.executable, "-m", "rag_eval_pipeline.cli", "demo"),
        cwd=tmp_path,
        PYTHONPATH=str(site),
    )

    assert demo.returncode == 0, demo.stderr
    assert "Traceback" not in demo.stderr
    assert re.search(r"10\s*(?:of|/)\s*10", demo.stdout), demo.stdout
    said = {line.rstrip() for line in demo.stdout.splitlines()}
    for readme in ("README.md", "README.ja.md"):
        text = (CHECKOUT / readme).read_text(encoding="utf-8")
        shown = re.search(r"```text\n(.*?)```", text, re.DOTALL)
        assert shown is not None, readme
        assert [line for line in shown[1].splitlines() if line not in said | {""}] == [], readme
