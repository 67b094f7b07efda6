"""What the UI calls stale is what is due."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
from dagster._core.definitions.observe import observe as observe_sources

from rag_eval_pipeline.cli import main
from rag_eval_pipeline.definitions import defs
from rag_eval_pipeline.defs.evaluation import Evaluation
from rag_eval_pipeline.defs.measures import TABLES as MEASURES
from rag_eval_pipeline.defs.scores import due_axis_keys
from rag_eval_pipeline.defs.sources import SOURCES
from rag_eval_pipeline.tables.model import AXES

PARTITION = "library@v1"
STALENESS = """
query ($partition: String!, $assets: [AssetKeyInput!]!) {
  assetNodes(assetKeys: $assets) {
    assetKey { path }
    staleStatus(partition: $partition)
    staleCauses(partition: $partition) { key { path } category reason dependency { path } }
  }
}
"""


def staleness(query: Any, place: Any) -> dict[str, list[str]]:
    """Asset → assets whose change made it stale; only those that are not fresh."""
    keys = sorted(defs.resolve_asset_graph().materializable_asset_keys)
    variables = {"partition": PARTITION, "assets": [{"path": list(key.path)} for key in keys]}
    with place.instance() as instance:
        nodes = query(instance, STALENESS, variables)["assetNodes"]
    assert len(nodes) == len(keys)
    return {
        "/".join(node["assetKey"]["path"]): [
            "/".join((cause["dependency"] or cause["key"])["path"]) for cause in node["staleCauses"]
        ]
        for node in nodes
        if node["staleStatus"] != "FRESH"
    }


def observe(place: Any) -> None:
    with place.instance() as instance:
        result = observe_sources(
            [source for source in SOURCES if source.partitions_def is not None],
            instance=instance,
            partition_key=PARTITION,
            resources={"evaluation": Evaluation(data=str(place.data), home=str(place.home))},
        )
    assert result.success


def due(place: Any) -> set[str]:
    evaluation = Evaluation(data=str(place.data), home=str(place.home))
    found = due_axis_keys(evaluation, evaluation.dataset(PARTITION))
    return {axis for axis, keys in found.items() if keys.height}


def test_edit_of_one_axis_makes_exactly_its_scores_stale_and_due(query: Any, place: Any) -> None:
    place.rubric("k: 10", "k: 5")
    observe(place)

    stale = staleness(query, place)

    assert stale == {"search_scores": ["rubric/search"]}
    assert due(place) == {"search"}


def test_nightly_after_the_edit_makes_only_that_axis_and_reverting_makes_nothing(
    query: Any, place: Any
) -> None:
    before = place.everything()
    (old,) = before["case_scores"]["rubric_version"].unique()

    place.rubric("k: 10", "k: 5")
    place.night()

    after = place.everything()
    assert after["search_scores"].height == 2 * before["search_scores"].height
    for table in ("evidence_scores", "behavior_scores", "format_scores", *MEASURES):
        assert after[table].equals(before[table]), table
    flags = after["case_scores"].group_by("rubric_version").agg(pl.col("current").unique())
    assert {
        row["rubric_version"] == old: row["current"] for row in flags.iter_rows(named=True)
    } == {
        True: [False],
        False: [True],
    }
    assert staleness(query, place) == {}

    place.rubric()
    assert due(place) == set()
    place.night()

    back = place.everything()
    assert back["search_scores"].equals(after["search_scores"])
    assert back["case_scores"].filter(pl.col("current"))["rubric_version"].unique().to_list() == [
        old
    ]
    assert back["case_scores"].height == after["case_scores"].height
    assert staleness(query, place) == {}


def test_everything_is_fresh_after_a_nightly_and_one_without_news_changes_no_table(
    query: Any, place: Any
) -> None:
    assert staleness(query, place) == {}
    assert due(place) == set()
    before = place.everything()

    place.night()

    for table, rows in place.everything().items():
        assert rows.equals(before[table]), table
    assert staleness(query, place) == {}


OVERRIDES = """
overrides:
  - when: {category: multi_evidence}
    search: {k: 5}
  - when: {risk: high}
    behavior: {pass_at: 0.5}
"""


def test_an_edited_category_makes_exactly_the_axes_due_whose_keys_it_changes(
    query: Any, place: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """Category and risk are in no hash of a case: the rubric's overrides ask for them."""
    cases = place.data / "datasets" / "library" / "v1" / "cases.jsonl"
    written = cases.read_text("utf-8")
    place.rubric("pass:", f"{OVERRIDES}pass:")
    place.night()
    assert due(place) == set()
    before = place.everything()

    edited = written.replace('"id": "c2"', '"id": "c2", "category": "multi_evidence"')
    assert edited != written
    cases.write_text(edited, "utf-8")
    observe(place)
    assert "search_scores" in staleness(query, place)
    assert not {"evidence_scores", "behavior_scores", "format_scores"} & set(
        staleness(query, place)
    )
    place.night(job="check")
    assert due(place) == {"search"}
    (outcome,) = place.night()
    assert outcome.succeeded, outcome.failures

    after = place.everything()
    assert due(place) == set()
    assert after["search_scores"].height > before["search_scores"].height
    for table in ("evidence_scores", "behavior_scores", "format_scores", *MEASURES):
        assert after[table].equals(before[table]), table
    # An item has one row of a rubric, whatever its slice was.
    item = ["run_id", "case_id", "trial", "rubric_version"]
    assert after["case_scores"].height == before["case_scores"].height
    assert after["case_scores"].select(item).is_unique().all()
    asked = ["--data", str(place.data), "--home", str(place.home), "--json"]
    with pytest.raises(SystemExit, match="0"):
        main([*asked, "explain", "item", "night-1", "c2"])
    told = json.loads(capsys.readouterr().out)["axes"]
    assert [each["axis"] for each in told] == list(AXES)
    observe(place)
    assert staleness(query, place) == {}

    cases.write_text(written, "utf-8")
    place.night(job="check")
    assert due(place) == set()
    place.night()
    assert place.rows("search_scores").equals(after["search_scores"])
    assert (
        place.rows("case_scores").drop("scored_at").equals(before["case_scores"].drop("scored_at"))
    )


def test_an_edit_of_the_pass_section_only_joins_the_axes_again(query: Any, place: Any) -> None:
    before = place.everything()
    place.rubric("min_core: 0.5", "trials: all")
    observe(place)
    assert staleness(query, place) == {"case_scores": ["rubric/pass"]}
    assert due(place) == set()
    place.night()
    for table in ("search_scores", "evidence_scores", "behavior_scores", "format_scores"):
        assert place.rows(table).equals(before[table]), table
    assert place.rows("case_scores").height == 2 * before["case_scores"].height


def test_a_version_text_that_stands_for_other_content_is_a_warning(place: Any) -> None:
    place.rubric("name: claims", "name: claims\nversion: v1")
    (first,) = place.night()
    assert not [each for each in first.warnings if "version" in each]

    text = (place.data / "rubrics" / "claims.yaml").read_text("utf-8")
    (place.data / "rubrics" / "claims.yaml").write_text(text.replace("k: 10", "k: 4"), "utf-8")
    (second,) = place.night()

    assert second.succeeded
    (told,) = [each for each in second.warnings if "v1" in each]
    assert "was the version of claims@" in told
