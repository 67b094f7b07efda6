from __future__ import annotations

from pathlib import Path

import pytest

from rag_eval_pipeline import shipped


def installed(root: Path) -> Path:
    package = root / "rag_eval_pipeline"
    package.mkdir()
    return package


def test_checkout_has_sample_data_and_sql_models() -> None:
    assert (shipped.data_root() / "datasets" / "shop-faq" / "v1" / "dataset.yaml").is_file()
    assert (shipped.sql_folder() / "dbt_project.yml").is_file()


def test_wheel_folder_wins_over_a_folder_beside_the_package(tmp_path: Path) -> None:
    package = installed(tmp_path)
    (package / "_shipped" / "data").mkdir(parents=True)
    (tmp_path / "data").mkdir()
    (tmp_path / "pyproject.toml").touch()

    assert shipped._folder("data", package=package) == package / "_shipped" / "data"


def test_folder_beside_the_package_counts_in_a_checkout(tmp_path: Path) -> None:
    package = installed(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "pyproject.toml").touch()

    assert shipped._folder("data", package=package) == tmp_path / "data"


def test_foreign_data_folder_in_site_packages_is_not_taken_for_ours(tmp_path: Path) -> None:
    package = installed(tmp_path)
    (tmp_path / "data").mkdir()

    with pytest.raises(FileNotFoundError, match=r"`data`.*Install the package again"):
        shipped._folder("data", package=package)
