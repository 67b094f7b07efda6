"""One canonical text for a value, and hashes of it."""

from __future__ import annotations

import hashlib
import json
import math

from rag_eval_pipeline.reading.json_lines import NumberLiteral

_TEXT = json.JSONEncoder(ensure_ascii=False)


def canonical_json(value: object) -> str:
    """JSON of a value in its one canonical form: keys sorted, no spaces, characters as they are.

    Numbers as written in a log (`NumberLiteral`) stay as written: 1.0 and 1 are two values.

    Raises
    ------
    ValueError
        For NaN and infinities, which no JSON holds.
    TypeError
        For keys that are not text and for values JSON does not know.
    """
    if isinstance(value, NumberLiteral):
        return str(value)
    if isinstance(value, str):
        return _TEXT.encode(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no JSON number")
        return float.__repr__(value)
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    if isinstance(value, dict):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"an object's keys are text, not {type(key).__name__}")
        fields = (f"{_TEXT.encode(str(key))}:{canonical_json(value[key])}" for key in sorted(value))
        return "{" + ",".join(fields) + "}"
    raise TypeError(f"JSON knows no {type(value).__name__}")


def sha256_bytes(data: bytes) -> str:
    """sha256 of bytes, 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_text(text: str) -> str:
    """sha256 of a text's UTF-8 bytes, 64 lower-case hex digits."""
    return sha256_bytes(text.encode())


def hash_json(value: object) -> str:
    """sha256 of a value's canonical JSON, 64 lower-case hex digits; raises as `canonical_json`."""
    return sha256_text(canonical_json(value))
