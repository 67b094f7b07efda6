-- Counts and rates per group of cases and axis (R1, R8). A rate without a denominator is null.
{{ config(materialized='ephemeral') }}

with counted as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        dimension,
        value,
        axis,
        bool_and(current) as current,
        bool_or(draft) as draft,
        count(*) as n_cases,
        count(*) filter (where state = 'measured') as n_measured,
        count(*) filter (where state = 'unmeasured') as n_unmeasured,
        count(*) filter (where state = 'not_applicable') as n_not_applicable,
        count(*) filter (where state = 'held_out') as n_held_out,
        count(*) filter (where state = 'missing') as n_missing,
        cast(sum(n_items) as bigint) as n_items,
        count(*) filter (where passed) as n_passed,
        count(*) filter (where not passed) as n_failed,
        count(*) filter (
            where state = 'unmeasured' or (state = 'measured' and passed is null)
        ) as n_open,
        -- An item that failed on one axis while another is open is measured but has no score.
        count(score) as n_scored,
        -- In the order of ids, so that a sum of floats is the same every time.
        sum(score order by case_id) as total_score,
        count(score) filter (where not is_system_error) as n_answered_scored,
        sum(score order by case_id) filter (where not is_system_error) as answered_total_score,
        count(*) filter (where state = 'measured' and not is_system_error) as n_answered,
        count(*) filter (where passed and not is_system_error) as n_answered_passed
    from {{ ref('stg_case_axis') }}
    inner join {{ ref('stg_group_case') }}
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    group by all
)

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    dimension,
    value,
    axis,
    current,
    draft,
    n_cases,
    n_measured,
    n_unmeasured,
    n_not_applicable,
    n_held_out,
    n_missing,
    n_items,
    n_passed,
    n_failed,
    coalesce(total_score, 0) / nullif(n_scored + n_missing, 0) as mean_score,
    n_passed / nullif(n_measured + n_missing, 0) as pass_rate,
    n_passed / nullif(n_measured + n_unmeasured + n_missing, 0) as pass_rate_low,
    (n_passed + n_open) / nullif(n_measured + n_unmeasured + n_missing, 0) as pass_rate_high,
    answered_total_score / nullif(n_answered_scored, 0) as answered_only_mean_score,
    n_answered_passed / nullif(n_answered, 0) as answered_only_pass_rate
from counted
