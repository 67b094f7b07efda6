"""Where the files lie that come with the software: sample data and SQL models.

In a wheel they travel inside the package, in a checkout they lie beside it.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def data_root() -> Path:
    """Folder of the sample data root.

    Returns
    -------
    Path
        An existing folder laid out as a data root; not to be written to.

    Raises
    ------
    FileNotFoundError
        If the installation holds no sample data.
    """
    return _folder("data", package=_PACKAGE)


def sql_folder() -> Path:
    """Folder of the SQL models, a dbt project.

    Returns
    -------
    Path
        An existing folder with `dbt_project.yml` and `models/`.

    Raises
    ------
    FileNotFoundError
        If the installation holds no SQL models.
    """
    return _folder("dbt_like_sql", package=_PACKAGE)


def _folder(name: str, *, package: Path) -> Path:
    wheel = package / "_shipped" / name
    if wheel.is_dir():
        return wheel
    checkout = package.parent / name
    # site-packages may well hold a `data` folder of somebody else's; a checkout has our pyproject.
    if checkout.is_dir() and (package.parent / "pyproject.toml").is_file():
        return checkout
    raise FileNotFoundError(
        f"The folder `{name}` that comes with rag-eval-pipeline is neither in {wheel.parent} "
        f"(wheel) nor in {package.parent} (checkout). Install the package again from a complete "
        f"wheel, or restore the folder in the checkout."
    )
