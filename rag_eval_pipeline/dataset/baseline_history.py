"""Who set the baseline of a dataset version, when and why: `baselines.jsonl` in its folder.

The manifest's `baseline` says which run it is; this record says how it came about. It is no part
of the cases, so that a frozen version stays what was frozen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rag_eval_pipeline.dataset.manifest import PREVIOUS, DatasetVersion
from rag_eval_pipeline.dataset.manifest_lines import set_keys
from rag_eval_pipeline.reading import text_file
from rag_eval_pipeline.reading.fingerprint import canonical_json
from rag_eval_pipeline.reading.json_lines import Row, read_json_lines

HISTORY = "baselines.jsonl"


@dataclass(frozen=True, slots=True)
class Entry:
    """One decision: the baseline since then (`previous` where it was cleared) and the one before.

    `at` is an instant in ISO form.
    """

    at: str
    by: str
    baseline: str
    previous: str
    reason: str

    @property
    def told(self) -> str:
        """One sentence for people."""
        return f"pinned by {self.by} on {self.at[:10]}: {self.reason}"


def history(dataset: DatasetVersion) -> list[Entry]:
    """The decisions in the order they were made; a line that is none is left out."""
    path = dataset.folder / HISTORY
    if not path.exists():
        return []
    rows = read_json_lines(text_file.read_bytes(path), HISTORY).rows
    return [entry for entry in map(_entry, rows) if entry is not None]


def decide(dataset: DatasetVersion, entry: Entry) -> None:
    """Write the baseline into the manifest and the decision into the record.

    Raises
    ------
    InputError
        The manifest is laid out in a way in which the key cannot be set.
    """
    set_keys(dataset, {"baseline": entry.baseline})
    path = dataset.folder / HISTORY
    before = text_file.read_bytes(path) if path.exists() else b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    text_file.write_atomic(path, before + f"{canonical_json(asdict(entry))}\n".encode())


def pin_told(dataset: DatasetVersion, entries: Sequence[Entry] | None = None) -> str:
    """Who pinned today's baseline, when and why; empty where none is pinned."""
    if dataset.baseline is None or dataset.baseline == PREVIOUS:
        return ""
    made = history(dataset) if entries is None else entries
    if made and made[-1].baseline == dataset.baseline:
        return made[-1].told
    return "pinned in dataset.yaml; who did it and why is not recorded"


def _entry(row: Row) -> Entry | None:
    values = [row.fields.get(name) for name in Entry.__dataclass_fields__]
    if not all(isinstance(value, str) for value in values):
        return None
    return Entry(*map(str, values))
