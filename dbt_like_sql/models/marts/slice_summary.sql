-- The headline per slice; the splits are slices of all cases. Under 5 cases a rate says nothing.
{{ config(materialized='table') }}

select
    dataset_version,
    dataset_hash,
    run_id,
    run_hash,
    measure_version,
    rubric_version,
    current,
    n_cases,
    n_measured,
    n_unmeasured,
    n_not_applicable,
    n_held_out,
    n_missing,
    n_items,
    axis,
    n_passed,
    n_failed,
    case when n_cases >= 5 then mean_score end as mean_score,
    case when n_cases >= 5 then pass_rate end as pass_rate,
    case when n_cases >= 5 then pass_rate_low end as pass_rate_low,
    case when n_cases >= 5 then pass_rate_high end as pass_rate_high,
    case when n_cases >= 5 then answered_only_mean_score end as answered_only_mean_score,
    case when n_cases >= 5 then answered_only_pass_rate end as answered_only_pass_rate,
    dimension,
    value as slice
from {{ ref('stg_group_rates') }}
where dimension <> 'scope'
