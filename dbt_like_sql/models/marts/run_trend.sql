-- The headline of every run with its verdict, and which runs may be drawn as one line.
{{ config(materialized='table') }}

with snapshots as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        max(snapshot_id) as snapshot_id
    from {{ source('rag_eval', 'case_scores') }}
    group by all
),

-- The comparison each run has by the rule that gives its baseline; pairs asked for say nothing here.
standing as (
    select
        dataset_version,
        candidate_dataset_hash as dataset_hash,
        candidate_run as run_id,
        candidate_run_hash as run_hash,
        rubric_version,
        comparison_id,
        baseline_run,
        state
    from {{ source('rag_eval', 'comparisons') }}
    where superseded_at is null and baseline_rule not in ('asked', 'asked_identical')
),

verdicts as (
    select
        dataset_version, comparison_id, axis,
        verdict, difference, interval_low, interval_high, n_pairs
    from {{ source('rag_eval', 'comparison_summary') }}
    where dimension = 'all'
)

select
    rates.dataset_version,
    rates.dataset_hash,
    rates.run_id,
    rates.run_hash,
    rates.measure_version,
    rates.rubric_version,
    rates.current,
    rates.n_cases,
    rates.n_measured,
    rates.n_unmeasured,
    rates.n_not_applicable,
    rates.n_held_out,
    rates.n_missing,
    rates.n_items,
    rates.axis,
    rates.n_passed,
    rates.n_failed,
    rates.mean_score,
    rates.pass_rate,
    rates.pass_rate_low,
    rates.pass_rate_high,
    rates.answered_only_mean_score,
    rates.answered_only_pass_rate,
    split_part(rates.dataset_version, '@', 1) as dataset,
    runs.system,
    runs.kind,
    rates.draft,
    runs.started_at,
    snapshots.snapshot_id,
    runs.indexed_snapshot,
    left(
        sha256(
            concat_ws(
                chr(10),
                rates.dataset_version,
                rates.dataset_hash,
                coalesce(snapshots.snapshot_id, ''),
                rates.rubric_version,
                -- The rules alone: after a plus stand snapshots, and another index breaks no line.
                split_part(rates.measure_version, '+', 1)
            )
        ),
        8
    ) as series,
    standing.comparison_id,
    standing.baseline_run,
    standing.state as comparison_state,
    verdicts.verdict,
    verdicts.difference,
    verdicts.interval_low,
    verdicts.interval_high,
    verdicts.n_pairs
from {{ ref('stg_group_rates') }} as rates
left join snapshots
    using (dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version)
left join {{ source('rag_eval', 'runs') }} as runs
    using (dataset_version, run_id)
left join standing
    using (dataset_version, dataset_hash, run_id, run_hash, rubric_version)
left join verdicts
    on rates.dataset_version = verdicts.dataset_version
    and standing.comparison_id = verdicts.comparison_id
    and rates.axis = verdicts.axis
where rates.dimension = 'scope' and rates.value = 'headline'
