from xml.etree import ElementTree as ET

from hypothesis import given, settings
from hypothesis import strategies as st

from rag_eval_pipeline.comparison.gate.decide import decide
from rag_eval_pipeline.comparison.gate.junit import junit_xml
from rag_eval_pipeline.comparison.gate.policy import default_policy
from tests.comparison.gate.compared import HOSTILE, UNMEASURED, case, decision_of, facts, row


def parsed(text: str) -> ET.Element:
    # A file is bytes: what cannot be encoded cannot be written.
    root = ET.fromstring(text.encode())
    suite = root.find("testsuite")
    assert suite is not None
    return suite


def test_each_outcome_has_its_element_and_is_counted() -> None:
    given_facts = facts(
        row("search", "worse", difference=-0.1),
        row("evidence", "insufficient_data"),
        row("behavior", "inconclusive"),
        row("format", "insufficient_data", n_core=0, n_pairs=0),
        cases=(
            case("a", "search", reason="gold p1 at no rank"),
            case("b", change="unmeasured", sides=UNMEASURED),
            case("c"),
        ),
    )
    suite = parsed(junit_xml(decide(default_policy(), given_facts)))
    tests = {(each.get("classname"), each.get("name")): each for each in suite.iter("testcase")}
    assert suite.get("tests") == str(len(tests)) == "12"
    assert (suite.get("failures"), suite.get("errors"), suite.get("skipped")) == ("2", "1", "1")
    failure = tests["gate.cases", "a"].find("failure")
    assert failure is not None
    assert failure.get("message") == "passed before, fails now (search)"
    assert failure.text == "risk: low\ngold p1 at no rank\nmax_drop of search"
    assert len(tests["gate.rules", "complete"].findall("system-out")) == 1
    assert tests["gate.rules", "max_drop of evidence"].find("error") is not None
    assert tests["gate.rules", "max_drop of format"].find("skipped") is not None
    assert len(tests["gate.rules", "max_drop of overall"]) == 0
    told = tests["gate.rules", "max_drop of behavior"].findtext("system-out")
    assert told is not None
    assert told.startswith("warning: inconclusive")
    told = tests["gate.cases", "c"].findtext("system-out")
    assert told is not None
    assert "passed before, fails now" in told


def storable(text: str) -> str:
    """What XML can hold of it, written out here by the standard's own list."""
    ranges = ((0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
    return "".join(
        char
        if char in "\t\n\r" or any(low <= ord(char) <= high for low, high in ranges)
        else "\ufffd"
        for char in text
    )


@settings(deadline=None)
@given(
    st.one_of(
        st.sampled_from(HOSTILE),
        st.text(
            st.characters() | st.sampled_from("\x00\x0b\x1f\ud800\udfff\ufffe\uffff\n\r\t<&>\"'"),
            max_size=30,
        ),
    )
)
def test_any_text_comes_back_as_it_was_but_for_what_xml_cannot_hold(text: str) -> None:
    suite = parsed(junit_xml(decision_of(text)))
    assert {each.tag for each in suite.iter()} <= {
        "testsuite", "properties", "property", "testcase", "failure", "error", "skipped",
        "system-out",
    }  # fmt: skip
    names = {each.get("name") for each in suite.iter("testcase")}
    assert storable(text) in names
    assert storable(text + "3") in names
    candidate = suite.find("properties/property[@name='candidate']")
    assert candidate is not None
    assert candidate.get("value") == storable(text)


def test_the_same_decision_gives_the_same_text() -> None:
    assert junit_xml(decision_of("q")) == junit_xml(decision_of("q"))


def test_each_decision_is_a_suite_and_the_sums_are_right() -> None:
    first = decide(default_policy(), facts(dataset_version="a@v1", rubric_version="strict@1"))
    second = decide(
        default_policy(), facts(dataset_version="b@v1", cases=(case("q", risk="high"),))
    )
    root = ET.fromstring(junit_xml(second, first).encode())
    assert [suite.get("name") for suite in root] == [
        "b@v1: tonight against yesterday",
        "a@v1: tonight against yesterday",
    ]
    for name in ("tests", "failures", "errors", "skipped"):
        assert int(root.get(name, "")) == sum(int(suite.get(name, "")) for suite in root)
    assert root.get("failures") == "2"
    for suite in root:
        tags = [each.tag for each in suite]
        # What readers of JUnit expect, in this order.
        assert tags == ["properties", *["testcase"] * (len(tags) - 2), "system-out"]
        assert int(suite.get("tests", "")) == tags.count("testcase")
        for test in suite.iter("testcase"):
            assert test.get("classname")
            assert test.get("name")
            assert len(test) <= 1


def test_no_decision_is_an_empty_set_of_suites() -> None:
    root = ET.fromstring(junit_xml().encode())
    assert (root.tag, root.get("tests"), len(root)) == ("testsuites", "0", 0)
