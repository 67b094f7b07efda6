"""How one score came about, from the question to the verdict."""

from __future__ import annotations

import polars as pl

from rag_eval_pipeline import tables, terminal
from rag_eval_pipeline.commands.context import DONE, Context, nearest
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.scores.behavior import CONDITIONS
from rag_eval_pipeline.scores.overrides import slices_hash
from rag_eval_pipeline.scores.stored import stored_rubric
from rag_eval_pipeline.tables.model import AXES
from rag_eval_pipeline.warehouse.duckdb_file import DuckDBFile

MEASURES = ("retrieval_measures", "claim_verdicts", "answer_measures", "behavior_measures")


def explain_item(context: Context, run_id: str, case_id: str) -> int:
    """Show the trace of one case of one run."""
    trace = _trace(context.warehouse(), run_id, case_id)
    if context.json:
        terminal.print_json({name: terminal.rows(frame) for name, frame in trace.items()})
        return DONE
    case = trace["case"].row(0, named=True)
    terminal.say(f"{case['dataset_version']}  run {run_id}  case {case_id}")
    expected = [case["reference_answer"], *case["accepted_answers"]]
    answers = " | ".join(str(each) for each in expected if each is not None)
    terminal.say(f"question  {case['question']}")
    terminal.say(f"expected  {answers or '–'}, status {' or '.join(case['accepted_statuses'])}")
    gold = trace["gold"]
    groups = gold.group_by("group_no", maintain_order=True).agg(pl.col("evidence_id"))
    wanted = " and ".join(" or ".join(group) for group in groups["evidence_id"])
    terminal.say(f"evidence  {wanted or 'none: the knowledge base does not answer this'}")
    for missing in gold.filter(~pl.col("resolved"))["evidence_id"]:
        terminal.say(f"          {missing} is not in the snapshot")
    if trace["items"].is_empty():
        terminal.say("The run has no usable item for this case.")
        unused = trace["quarantine"]
        if unused.height:
            terminal.say("Rows of its file that were not used, one of which may be it:")
            terminal.print_table(unused, columns={"line": "line", "reason": "reason"})
    for item in trace["items"].iter_rows(named=True):
        trial = pl.col("trial") == item["trial"]
        terminal.say()
        terminal.say(
            f"trial {item['trial']}   status {terminal.shown(item['status'])}, "
            f"source {terminal.shown(item['source'])}"
        )
        terminal.say(f"answer    {terminal.shown(item['answer'])}")
        if item["error"] is not None:
            terminal.say(f"error     {item['error']}")
        if item["flags"]:
            terminal.say(f"notes     {', '.join(item['flags'])}")
        slots = trace["retrieved"].filter(trial)
        if slots.is_empty():
            terminal.say("retrieved nothing")
        else:
            names = {"position": "place", "logged_rank": "rank", "evidence_id": "retrieved",
                     "score": "score"}  # fmt: skip
            filled = [name for name in names if slots[name].is_not_null().any()]
            terminal.print_table(slots, columns={name: names[name] for name in filled})
        _tell_measures({name: trace[name].filter(trial) for name in MEASURES})
        axes = trace["axes"].filter(trial)
        if axes["rubric_version"].n_unique() <= 1:
            axes = axes.drop("rubric_version")
        terminal.print_table(axes.drop("trial"))
    for score in trace["scores"].iter_rows(named=True):
        verdict = {True: "passes", False: "fails", None: score["state"]}[score["passed"]]
        terminal.say(f"{score['rubric_version']}, trial {score['trial']}: {verdict}")
        if score["passed"] is not True:
            terminal.say(f"  reason     {score['reason']}")
        if score["diagnosis"] is not None:
            others = [each for each in score["also"] if each != score["diagnosis"]]
            also = f" (also {', '.join(others)})" if others else ""
            terminal.say(f"  diagnosis  {score['diagnosis']}{also}")
            terminal.say(f"  mend       {score['where_to_mend']}")
    return DONE


def _tell_measures(measures: dict[str, pl.DataFrame]) -> None:
    """What was measured of an item, as far as there is something to tell."""
    claims = measures["claim_verdicts"]
    if claims.height:
        names = {"claim_id": "claim", "kind": "kind", "claim": "says", "verdict": "verdict",
                 "mention": "mention", "rule": "rule", "quote": "quote"}  # fmt: skip
        terminal.print_table(claims, columns=names)
    for found in measures["answer_measures"].iter_rows(named=True):
        listed = {
            "without ground": found["ungrounded_values"],
            "not found, a text is unknown": found["open_values"],
            "from the question": found["echoed_values"],
            "right, not in the context": found["self_knowledge_values"],
            "only in outdated documents": found["stale_values"],
        }
        for label, values in listed.items():
            if values:
                terminal.say(f"values    {label}: {', '.join(values)}")
        listed = {
            "neither retrieved nor known": found["cited_unresolved"],
            "not retrieved": found["cited_not_retrieved"],
            "not gold": found["cited_not_gold"],
        }
        for label, ids in listed.items():
            if ids:
                terminal.say(f"cited     {label}: {', '.join(ids)}")
    for found in measures["behavior_measures"].iter_rows(named=True):
        if found["status_from"] == "pattern":
            terminal.say(f"status    {found['observed_status']}, told by the answer's wording")
        elif found["pattern_status"] not in (None, found["observed_status"]):
            terminal.say(f"status    the answer's wording tells {found['pattern_status']}")
        asked = {name: found[name] for name in CONDITIONS if found[name] is not None}
        for name, state in asked.items():
            terminal.say(f"policy    {name}: {state}")


def _trace(warehouse: DuckDBFile, run_id: str, case_id: str) -> dict[str, pl.DataFrame]:
    """Frames that tell how one case of one run was scored."""
    with warehouse.reading():
        run = warehouse.read("runs").filter(pl.col("run_id") == run_id)
        versions = run.select("dataset_version")
        item = {"dataset_version": pl.col("dataset_version"), "run_id": pl.lit(run_id)}

        def of_item(table: str) -> pl.DataFrame:
            rows = warehouse.read(table, versions.select(**item))
            kept = rows.filter(pl.col("case_id") == case_id)
            return kept.filter(pl.col("current")) if "current" in kept.columns else kept

        def of_case(table: str) -> pl.DataFrame:
            return warehouse.read(table, versions).filter(pl.col("case_id") == case_id)

        if run.is_empty():
            known = warehouse.read("runs", columns=["run_id"])["run_id"].sort().to_list()
            raise _unknown("RUN", run_id, "SELECT DISTINCT run_id FROM runs", known)
        case = of_case("cases")
        if case.is_empty():
            known = warehouse.read("cases", versions)["case_id"].sort().to_list()
            raise _unknown("CASE", case_id, "SELECT dataset_version, case_id FROM cases", known)
        scores = of_item("case_scores")
        rubrics = warehouse.read("rubrics").filter(
            pl.col("rubric_version").is_in(scores["rubric_version"].implode())
        )
        sections = _with_slices(rubrics, warehouse.read("cases", versions))
        scored = ["dataset_hash", "run_hash", "measure_version", "rubric_version", "trial"]
        axes = pl.concat(
            of_item(f"{axis}_scores")
            .join(sections.filter(pl.col("axis") == axis), on=["axis_hash", "slices_hash"])
            .join(scores, on=scored, how="semi")
            .select("rubric_version", "trial", "axis", "state", "score", "passed", "reason")
            for axis in AXES
        )
        measured = [*tables.keys("answer_measures"), "case_id"]
        measures = {
            table: of_item(table).join(scores, on=measured, how="semi", nulls_equal=True)
            for table in MEASURES
        }
        on_answer = (pl.col("origin") == "gold") & (pl.col("target") == "answer")
        measures["claim_verdicts"] = measures["claim_verdicts"].filter(on_answer)
        return {
            "case": case,
            "gold": of_case("case_evidence"),
            "items": of_item("run_items"),
            "retrieved": of_item("retrieved"),
            **measures,
            "axes": axes,
            "scores": scores,
            "quarantine": warehouse.read("quarantine", versions).filter(pl.col("run_id") == run_id),
        }


def _with_slices(rubrics: pl.DataFrame, cases: pl.DataFrame) -> pl.DataFrame:
    """Rows of the table `rubrics` with the hash of the cases that their overrides concern."""
    hashes = [
        (version, axis, slices_hash(cases, stored_rubric(rows), axis))
        for (version,), rows in rubrics.group_by("rubric_version", maintain_order=True)
        for axis in AXES
    ]
    names = dict.fromkeys(("rubric_version", "axis", "slices_hash"), pl.String)
    return rubrics.join(
        pl.DataFrame(hashes, schema=names, orient="row"), on=["rubric_version", "axis"]
    )


def _unknown(field: str, wanted: str, query: str, known: list[str]) -> InputError:
    return InputError(
        code=f"unknown_{field.lower()}",
        field=field,
        found=repr(wanted),
        expected=f"one of {terminal.listed(known)}",
        todo=f'correct it; `rag-eval sql "{query}"` lists all{nearest(wanted, known)}',
    )
