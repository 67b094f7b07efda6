-- Variants of one question side by side: the worst of them, and values that contradict each other.
{{ config(materialized='table') }}

with variants as (
    select
        axes.dataset_version, axes.dataset_hash, axes.run_id, axes.run_hash,
        axes.measure_version, axes.rubric_version,
        cases.scenario_id,
        bool_and(axes.current) as current,
        count(*) as n_cases,
        count(*) filter (where axes.state = 'measured') as n_measured,
        count(*) filter (where axes.state = 'unmeasured') as n_unmeasured,
        count(*) filter (where axes.state = 'not_applicable') as n_not_applicable,
        count(*) filter (where axes.state = 'held_out') as n_held_out,
        count(*) filter (where axes.state = 'missing') as n_missing,
        count(*) filter (where axes.passed) as n_passed,
        count(*) filter (where not axes.passed or axes.state = 'missing') as n_failed,
        min(case when axes.state = 'missing' then 0.0 else axes.score end) as worst_score,
        list(case_id order by case_id) as case_ids,
        list(case_id order by case_id) filter (where not axes.passed or axes.state = 'missing')
            as failed_case_ids
    from {{ ref('stg_case_axis') }} as axes
    inner join {{ source('rag_eval', 'cases') }} as cases
        using (dataset_version, case_id)
    where axes.axis = 'overall' and cases.scenario_id is not null
    group by all
),

answered as (
    select
        counted.dataset_version, counted.dataset_hash, counted.run_id, counted.run_hash,
        counted.measure_version, counted.rubric_version,
        cases.scenario_id,
        cast(sum(counted.n_items) as bigint) as n_items
    from {{ ref('stg_case') }} as counted
    inner join {{ source('rag_eval', 'cases') }} as cases
        using (dataset_version, case_id)
    where cases.scenario_id is not null
    group by all
)

select
    variants.dataset_version,
    variants.dataset_hash,
    variants.run_id,
    variants.run_hash,
    variants.measure_version,
    variants.rubric_version,
    variants.current,
    variants.n_cases,
    variants.n_measured,
    variants.n_unmeasured,
    variants.n_not_applicable,
    variants.n_held_out,
    variants.n_missing,
    coalesce(answered.n_items, 0) as n_items,
    variants.scenario_id,
    variants.n_passed,
    variants.n_failed,
    -- The worst variant decides; open ones leave it open unless another one fails.
    case
        when variants.n_failed > 0 then false
        when variants.n_unmeasured > 0 or variants.n_measured = 0 then null
        else true
    end as all_pass,
    variants.n_passed > 0 and variants.n_failed > 0 as is_split,
    variants.worst_score,
    variants.case_ids,
    coalesce(variants.failed_case_ids, []) as failed_case_ids,
    coalesce(measured.contradicting_values, []) as contradicting_values
from variants
left join answered
    using (
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        scenario_id
    )
left join {{ source('rag_eval', 'scenario_measures') }} as measured
    using (
        dataset_version, dataset_hash, run_id, run_hash, measure_version, scenario_id
    )
