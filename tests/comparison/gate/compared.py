"""Comparisons of our own for the tests of the gate."""

import json
from typing import Any

from rag_eval_pipeline.comparison.gate.decide import Decision, decide
from rag_eval_pipeline.comparison.gate.facts import CaseFacts, GateFacts, SliceFacts
from rag_eval_pipeline.comparison.gate.policy import parse_policy
from rag_eval_pipeline.tables.model import AXES, RISKS

KNOWN = frozenset(
    {
        *(("risk", risk) for risk in RISKS),
        ("category", "direct"),
        ("language", "ja"),
    }
)
HOSTILE = (
    "\n::set-env name=PATH::/tmp",
    "##[add-mask]x",
    "</testcase><script>alert(1)</script>",
    "a|b`c` [x](javascript:alert(1)) <img src=x onerror=alert(1)> @team www.x.invalid",
    "100%25, 1:2\r\n\x00\x1b[31m\u202e\ufffe\ud800",
    "]]>&amp;\"'",
    "日本語🙂\u2028次の行",
    "",
    " ",
)
"""Ids and answers that some format acts on."""


def row(axis: str = "overall", verdict: str | None = "within_noise", **given: Any) -> SliceFacts:
    values = {"dimension": "all", "slice": "all", "n_core": 50, "n_pairs": 50, "difference": 0.0}
    return SliceFacts(axis=axis, verdict=verdict, **(values | given))


def case(
    case_id: str = "q1",
    axis: str = "overall",
    *,
    change: str | None = "regressed",
    sides: tuple[str, bool | None, str, bool | None] = ("measured", True, "measured", False),
    risk: str = "low",
    reason: str = "",
) -> CaseFacts:
    return CaseFacts(case_id, axis, {"risk": risk, "category": "direct"}, change, *sides, reason)


UNMEASURED = ("measured", True, "unmeasured", None)


def facts(
    *rows: SliceFacts, cases: tuple[CaseFacts, ...] = (), state: str = "compared", **given: Any
) -> GateFacts:
    """Facts in which nothing moved but what is given."""
    own = {(each.dimension, each.slice, each.axis) for each in rows}
    still = [each for each in map(row, ("overall", *AXES)) if ("all", "all", each.axis) not in own]
    values: dict[str, Any] = {
        "candidate_run": "tonight",
        "baseline_run": "yesterday",
        "n_cases": 50,
        "n_core": 50,
        "known_slices": KNOWN,
    }
    return GateFacts(state=state, slices=(*rows, *still), cases=cases, **(values | given))


def decision_of(text: str, *, policy: str = "gate.yaml") -> Decision:
    """A decision in which a text stands everywhere one can."""
    cases = (
        case(text, risk="high", reason=text),
        case(text + "2", change="unmeasured", sides=UNMEASURED, risk=text, reason=text),
        case(text + "3", "search", reason=text),
    )
    worse = row("search", "worse", difference=-0.1, low=-0.2, high=-0.05, p_value=0.01, told=text)
    given = facts(
        worse,
        row("format", "inconclusive"),
        cases=cases,
        candidate_run=text,
        baseline_run=text,
        reason=text,
        known_slices=KNOWN | {("category", text)},
        dataset_version=text,
        rubric_version=text,
        differences=(text,),
        notes=(text,),
        left_out=(("gold changed", (text,)),),
    )
    name = json.dumps(text or "x")
    wanted = f"""
axes: {{overall: {{max_new_failures: 1}}, evidence: {{max_new_failures: 0}}}}
slices: {{category: {{{name}: {{max_new_failures: 0}}}}}}
"""
    return decide(parse_policy(wanted.encode("utf-8", "surrogatepass"), policy), given)
