"""Decisions as JUnit XML, which every CI system shows: one test case a case, then one a rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape

from rag_eval_pipeline.comparison.gate.decide import (
    FAILED,
    NOT_APPLICABLE,
    UNDECIDED,
    WARNED,
    Decision,
)

# What XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LINE_ENDS = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
_NUMBERS = ("tests", "failures", "errors", "skipped")
_ELEMENTS = {FAILED: "failure", UNDECIDED: "error", NOT_APPLICABLE: "skipped"}


def junit_xml(*decisions: Decision) -> str:
    """Each decision as a test suite named by its pair.

    Failed is a failure, undecided an error, not applicable skipped; a warning is a pass with its
    text in system-out. Without times, so that the same decision gives the same text.
    """
    suites = [(decision, _tests(decision), _numbers(decision)) for decision in decisions]
    total = {name: sum(numbers[name] for _, _, numbers in suites) for name in _NUMBERS}
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f"<testsuites {_told(total)}>",
            *(line for suite in suites for line in _suite(*suite)),
            "</testsuites>",
            "",
        ]
    )


def _suite(decision: Decision, tests: list[str], numbers: Mapping[str, int]) -> list[str]:
    properties = (
        ("dataset", decision.dataset_version),
        ("candidate", decision.candidate_run),
        ("baseline", decision.baseline_run or "no baseline"),
        ("rubric", decision.rubric_version),
        ("policy", decision.policy),
        ("exit_code", str(decision.exit_code)),
    )
    return [
        f'<testsuite name="{_attribute(decision.pair)}" {_told(numbers)}>',
        "<properties>",
        *(f'<property name="{name}" value="{_attribute(value)}"/>' for name, value in properties),
        "</properties>",
        *tests,
        f"<system-out>{_text(decision.sentence)}</system-out>",
        "</testsuite>",
    ]


def _numbers(decision: Decision) -> dict[str, int]:
    outcomes = [each.outcome for each in decision.cases]
    outcomes += [each.outcome for each in decision.outcomes]
    counts = (outcomes.count(each) for each in (FAILED, UNDECIDED, NOT_APPLICABLE))
    return dict(zip(_NUMBERS, (len(outcomes), *counts), strict=True))


def _told(numbers: Mapping[str, int]) -> str:
    return " ".join(f'{name}="{n}"' for name, n in numbers.items())


def _tests(decision: Decision) -> list[str]:
    tests = [
        _test(
            "gate.cases",
            case.case_id,
            case.outcome,
            f"{case.said} ({', '.join(case.axes)})",
            "\n".join([f"risk: {case.risk}", *_if(case.reason), *case.rules]),
        )
        for case in decision.cases
    ]
    tests += [
        _test("gate.rules", each.rule, each.outcome, each.reason, "\n".join(each.case_ids))
        for each in decision.outcomes
    ]
    return tests


def _test(kind: str, name: str, outcome: str, message: str, body: str) -> str:
    head = f'<testcase classname="{kind}" name="{_attribute(name)}"'
    element = _ELEMENTS.get(outcome)
    if element is not None:
        told = f'<{element} message="{_attribute(message)}">{_text(body)}</{element}>'
        return f"{head}>{told}</testcase>"
    if outcome == WARNED:
        told = "\n".join(["warning: " + message, *_if(body)])
        return f"{head}><system-out>{_text(told)}</system-out></testcase>"
    return f"{head}/>"


def _if(text: str) -> list[str]:
    return [text] if text else []


def _text(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text)).replace("\r", "&#13;")


def _attribute(text: str) -> str:
    """A parser turns line ends in attributes into spaces unless they are written as numbers."""
    escaped = escape(_NOT_XML.sub("\ufffd", text))
    return "".join(_LINE_ENDS.get(char, char) for char in escaped)
