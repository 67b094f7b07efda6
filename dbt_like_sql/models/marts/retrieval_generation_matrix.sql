-- Evidence in the top k against answer right, for the headline and each slice: what better
-- retrieval and what better generation could mend at most.
{{ config(materialized='table') }}

with slices as (
    select
        *,
        case when dimension = 'scope' then 'all' else dimension end as shown_dimension,
        case when dimension = 'scope' then 'headline' else value end as shown_value
    from {{ ref('stg_group_rates') }}
    where axis = 'evidence' and (dimension <> 'scope' or value = 'headline')
),

cells as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        groups.dimension,
        groups.value,
        evidence.rubric_k as k,
        evidence.is_found as evidence_found,
        evidence.is_right as answer_right,
        count(*) as n_cell,
        list(case_id order by case_id) as case_ids
    from {{ ref('stg_case_evidence') }} as evidence
    inner join {{ ref('stg_group_case') }} as groups
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    where evidence.is_right is not null
    group by all
)

select
    cells.dataset_version,
    cells.dataset_hash,
    cells.run_id,
    cells.run_hash,
    cells.measure_version,
    cells.rubric_version,
    slices.current,
    slices.n_cases,
    slices.n_measured,
    slices.n_unmeasured,
    slices.n_not_applicable,
    slices.n_held_out,
    slices.n_missing,
    slices.n_items,
    slices.shown_dimension as dimension,
    slices.shown_value as slice,
    cells.k,
    cells.evidence_found,
    cells.answer_right,
    case
        when cells.answer_right then 'nothing'
        when cells.evidence_found then 'generation'
        else 'retrieval'
    end as mendable_by,
    cells.n_cell,
    cast(
        sum(cells.n_cell) over (
            partition by
                cells.dataset_version, cells.dataset_hash, cells.run_id, cells.run_hash,
                cells.measure_version, cells.rubric_version, cells.dimension, cells.value
        ) as bigint
    ) as n_crossed,
    cells.case_ids
from cells
inner join slices
    using (
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        dimension, value
    )
