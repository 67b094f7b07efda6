"""Data roots for whole modules: a nightly costs seconds, so its tests share it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.end_to_end.data_root import Root

MakeRoot = Callable[[str], Root]


@pytest.fixture(scope="session")
def make_root(tmp_path_factory: pytest.TempPathFactory) -> MakeRoot:
    """Make an empty data root of a given name."""
    return lambda name: Root(tmp_path_factory.mktemp(name))
