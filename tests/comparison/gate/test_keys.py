import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag_eval_pipeline.comparison.gate.keys import (
    DEFAULTS,
    LIMITS,
    RUN,
    SECTIONS,
    TOP,
    policy_reference,
    policy_schema,
)
from rag_eval_pipeline.comparison.gate.policy import parse_policy

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "gate.md").read_text("utf-8")


def paths(schema: dict[str, Any], node: dict[str, Any], *above: str) -> Iterator[tuple[str, ...]]:
    """Every key the schema allows; a free name stands for any value of a dimension."""
    if "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    deeper = dict(node.get("properties", {}))
    if isinstance(node.get("additionalProperties"), dict):
        deeper["any value"] = node["additionalProperties"]
    if not deeper:
        yield above
    for name, below in deeper.items():
        yield from paths(schema, below, *above, name)


def test_the_parser_takes_every_key_of_the_schema_and_makes_a_rule_of_it() -> None:
    schema = json.loads(policy_schema())
    leaves = list(paths(schema, schema))
    assert len(leaves) > 100
    for path in leaves:
        value: object = "1"
        if path[-1] in ("must_pass", *(key.name for key in TOP)):
            value = "yes"
        text = json.dumps(value)
        for name in reversed(path):
            text = f"{{{json.dumps(name)}: {text}}}"
        rules = [rule for rule in parse_policy(text.encode(), "gate.yaml").rules if rule.written]
        expected = [] if path[-1] in ("description", *(key.name for key in TOP)) else [path[-1]]
        assert [rule.key for rule in rules] == expected


def test_the_schema_refuses_what_it_does_not_name() -> None:
    schema = json.loads(policy_schema())
    assert schema["additionalProperties"] is False
    assert schema["properties"]["axes"]["additionalProperties"] is False
    assert schema["$defs"]["limits"]["additionalProperties"] is False
    assert set(SECTIONS) <= set(schema["properties"])
    number = schema["$defs"]["limits"]["properties"]["min_measured"]["anyOf"][0]
    assert (number["type"], number["minimum"], number["maximum"]) == ("number", 0, 1)


def test_the_schema_tells_the_defaults() -> None:
    schema = json.loads(policy_schema())
    assert schema["properties"]["axes"]["properties"]["overall"]["default"] == {
        "max_drop": 0,
        "min_measured": 0.9,
    }
    assert schema["properties"]["risk"]["properties"]["high"]["default"] == {"max_new_failures": 0}
    assert "default" not in schema["properties"]["risk"]["properties"]["low"]


def test_the_reference_has_a_row_for_every_key_with_its_default() -> None:
    lines = policy_reference().splitlines()
    for key in (*TOP, *LIMITS, *RUN):
        assert any(f"| `{key.name}` |" in line and key.meaning in line for line in lines)
    assert len({line.count("|") for line in lines}) == 1
    high = next(line for line in lines if line.startswith("| risk") and "max_new" in line)
    assert "| 0 for high, else off |" in high
    drop = next(line for line in lines if line.startswith("| axes") and "max_drop" in line)
    assert "| 0 |" in drop
    assert {path[0] for path in DEFAULTS} <= set(SECTIONS)


def test_the_page_holds_the_reference_and_its_example_is_a_policy() -> None:
    found = re.search("<!-- keys[^>]*-->\n\n(.*)\n<!-- end of keys -->", PAGE, re.DOTALL)
    assert found is not None
    assert found.group(1) == policy_reference()
    example = re.search("```yaml\n(description.*?)```", PAGE, re.DOTALL)
    assert example is not None
    assert sum(rule.written for rule in parse_policy(example.group(1).encode(), "x").rules) == 8


def test_the_sample_policy_can_be_read() -> None:
    policy = parse_policy((ROOT / "data" / "gate.yaml").read_bytes(), "gate.yaml")
    assert sum(rule.written for rule in policy.rules) == 3
