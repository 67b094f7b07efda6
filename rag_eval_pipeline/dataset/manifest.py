"""The manifest of a dataset version, `dataset.yaml`, and finding all versions of a data root."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rag_eval_pipeline.reading import ids, text_file
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.record import Field, Record, shape
from rag_eval_pipeline.reading.yaml_text import read_yaml_mapping

MANIFEST = "dataset.yaml"
DEFAULT_ZONE = "Asia/Tokyo"
PREVIOUS = "previous"

FIELDS = (
    Field("name", "id"),
    Field("version", "id"),
    Field("knowledge", "id"),
    Field("snapshot", "id"),
    Field("dataset_hash"),
    Field("frozen_on", "day"),
    Field("decision"),
    Field("owners", "raw"),
    Field("baseline", "id"),
    Field("rubrics", "id_list", ("rubric",)),
    Field("as_of", "day"),
    Field("language", "text", ("lang",)),
    Field("timezone"),
    Field("targets", "raw"),
    Field("min_measured", "number"),
    Field("test_users", "text_list"),
)


@dataclass(frozen=True, slots=True)
class DatasetVersion:
    """One dataset version of a data root and what its manifest says.

    `rubrics` is empty where the manifest names none: the cases then decide.
    """

    name: str
    version: str
    folder: Path
    manifest_path: str
    zone: ZoneInfo
    knowledge: str | None = None
    snapshot: str | None = None
    dataset_hash: str | None = None
    frozen_on: dt.date | None = None
    decision: str | None = None
    owners: tuple[tuple[str, str], ...] = ()
    baseline: str | None = None
    rubrics: tuple[str, ...] = ()
    as_of: dt.date | None = None
    language: str | None = None
    targets: tuple[tuple[str, int], ...] = ()
    min_measured: float | None = None
    test_users: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    extra_fields: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """`name@version`, the value of `dataset_version` everywhere."""
        return f"{self.name}@{self.version}"

    @property
    def partition_key(self) -> str:
        """The Dagster partition key and file name of the version."""
        return ids.encode_id(self.key)

    @property
    def frozen(self) -> bool:
        """Whether `freeze` wrote the dataset's hash; else it is a draft."""
        return self.dataset_hash is not None


@dataclass(frozen=True, slots=True)
class Discovered:
    """All dataset versions found, by key, and the folders that could not be read."""

    versions: dict[str, DatasetVersion]
    problems: tuple[InputError, ...]


def discover_datasets(data_root: Path) -> Discovered:
    """Find `datasets/<name>/<version>/`; one bad folder never stops the others."""
    versions: dict[str, DatasetVersion] = {}
    problems: list[InputError] = []
    clashes: set[str] = set()
    for folder in _version_folders(data_root):
        try:
            found = read_manifest(data_root, folder)
        except InputError as problem:
            problems.append(problem)
            continue
        if found.key in versions:
            problems.append(_clash(found, versions[found.key]))
            clashes.add(found.key)
            continue
        versions[found.key] = found
    for key in clashes:
        del versions[key]
    return Discovered(dict(sorted(versions.items())), tuple(problems))


def read_manifest(data_root: Path, folder: Path) -> DatasetVersion:
    """Read `dataset.yaml` of a folder; without one the folder names give name and version.

    Raises
    ------
    InputError
        The manifest is unreadable, or a field of it cannot be used.
    """
    path = folder / MANIFEST
    shown = text_file.relative(path, data_root)
    mapping: dict[str, object] = {}
    lines: dict[str, int] = {}
    if path.exists():
        mapping, lines = read_yaml_mapping(text_file.read_bytes(path, file=shown), shown)
    record = shape(mapping, FIELDS, typed=False)
    if record.faults:
        fault = record.faults[0]
        raise fault.error(shown, lines.get(fault.field))
    values = record.values
    name = str(values["name"] or ids.normal_id(folder.parent.name))
    version = str(values["version"] or ids.normal_id(folder.name))
    for field, text in (("name", name), ("version", version)):
        refused = ids.why_refused(text)
        if refused is not None or "@" in text:
            raise InputError(
                code="refused_id",
                file=shown,
                line=lines.get(field),
                field=field,
                found=f"{text!r} ({refused or 'holds @, which separates name and version'})",
                expected="a visible name without @",
                todo=f"rename the folder or set {field} in {MANIFEST}",
            )
    as_of = values["as_of"]
    frozen_on = values["frozen_on"]
    return DatasetVersion(
        name=name,
        version=version,
        folder=folder,
        manifest_path=shown,
        zone=_zone(values["timezone"], shown, lines.get("timezone")),
        knowledge=_knowledge(data_root, values["knowledge"], shown, lines.get("knowledge")),
        snapshot=_optional(values["snapshot"]),
        dataset_hash=_optional(values["dataset_hash"]),
        frozen_on=frozen_on if isinstance(frozen_on, dt.date) else None,
        decision=_optional(values["decision"]),
        owners=_pairs(values["owners"]),
        baseline=_optional(values["baseline"]),
        rubrics=tuple(_texts(values["rubrics"])),
        as_of=as_of if isinstance(as_of, dt.date) else None,
        language=_optional(values["language"]),
        targets=_targets(record, shown, lines),
        min_measured=_share(record, shown, lines.get("min_measured")),
        test_users=tuple(_texts(values["test_users"])),
        flags=tuple(record.flags),
        extra_fields=tuple(sorted(record.extra)),
    )


def knowledge_bases(data_root: Path) -> list[str]:
    """Names of the live knowledge bases."""
    folder = data_root / "knowledge"
    if not folder.is_dir():
        return []
    return sorted(
        ids.normal_id(each.name)
        for each in folder.iterdir()
        if each.is_dir() and not each.name.startswith(".")
    )


def _version_folders(data_root: Path) -> list[Path]:
    root = data_root / "datasets"
    if not root.is_dir():
        return []
    return sorted(
        version
        for name in root.iterdir()
        if name.is_dir() and not name.name.startswith(".")
        for version in name.iterdir()
        if version.is_dir() and not version.name.startswith(".")
    )


def _clash(found: DatasetVersion, earlier: DatasetVersion) -> InputError:
    return InputError(
        code="duplicate_dataset_version",
        file=found.manifest_path,
        field="name, version",
        found=f"{found.key!r}, which {earlier.manifest_path} also says",
        expected="one folder a dataset version (names are compared in NFC)",
        todo="give one of them another version",
    )


def _optional(value: object) -> str | None:
    return None if value is None else str(value)


def _texts(value: object) -> list[str]:
    return [str(each) for each in value] if isinstance(value, list) else []


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, dict):
        return ()
    return tuple((str(key), str(item)) for key, item in value.items() if item is not None)


def _zone(value: object, file: str, line: int | None) -> ZoneInfo:
    name = str(value or DEFAULT_ZONE)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InputError(
            code="unknown_timezone",
            file=file,
            line=line,
            field="timezone",
            found=repr(name),
            expected=f"an IANA zone such as {DEFAULT_ZONE} or Europe/Berlin",
            todo="correct the name",
        ) from error


def _knowledge(data_root: Path, value: object, file: str, line: int | None) -> str | None:
    names = knowledge_bases(data_root)
    if value is None:
        if len(names) > 1:
            raise InputError(
                code="ambiguous_knowledge",
                file=file,
                field="knowledge",
                found="no knowledge base named",
                expected=f"one of {', '.join(names)}",
                todo=f"set knowledge in {MANIFEST}",
            )
        return names[0] if names else None
    snapshots = data_root / "snapshots" / ids.encode_id(str(value))
    if str(value) not in names and not snapshots.is_dir():
        raise InputError(
            code="unknown_knowledge",
            file=file,
            line=line,
            field="knowledge",
            found=repr(str(value)),
            expected=f"one of {', '.join(names) or 'the folders of knowledge/ (there is none)'}",
            todo="correct the name or add the folder",
        )
    return str(value)


def _targets(record: Record, file: str, lines: dict[str, int]) -> tuple[tuple[str, int], ...]:
    targets: list[tuple[str, int]] = []
    for category, text in _pairs(record.values["targets"]):
        if not text.isascii() or not text.isdigit():
            raise InputError(
                code="not_an_integer",
                file=file,
                line=lines.get("targets"),
                field=f"targets.{category}",
                found=repr(text),
                expected="a number of cases",
                todo="write a whole number",
            )
        targets.append((category, int(text)))
    return tuple(targets)


def _share(record: Record, file: str, line: int | None) -> float | None:
    value = record.values["min_measured"]
    given = record.raw["min_measured"]
    if isinstance(value, float) and 0.0 <= value <= 1.0:
        return value
    if value is None and not any(flag.startswith("min_measured:") for flag in record.flags):
        return None
    raise InputError(
        code="not_a_share",
        file=file,
        line=line,
        field="min_measured",
        found=repr(given),
        expected="a share between 0 and 1",
        todo="write for example 0.9",
    )
