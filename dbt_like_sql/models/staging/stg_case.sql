-- One row per scored case: its items, its slices and whether it is in the headline.
{{ config(materialized='ephemeral') }}

with scored as (
    select distinct
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id
    from {{ source('rag_eval', 'case_scores') }}
),

items as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id,
        count(*) as n_items,
        bool_and(is_error) as is_system_error
    from {{ ref('stg_item') }}
    group by all
),

described as (
    select
        scored.*,
        coalesce(items.n_items, 0) as n_items,
        coalesce(items.is_system_error, false) as is_system_error,
        cases.category,
        cases.split,
        cases.risk,
        cases.language,
        bool_or(coalesce(cases.split = 'validation', false)) over same_scores as has_validation,
        count(distinct coalesce(cases.split, '')) over same_scores = 1 as has_one_split
    from scored
    left join items
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    left join {{ source('rag_eval', 'cases') }} as cases
        using (dataset_version, case_id)
    window same_scores as (
        partition by
            scored.dataset_version, scored.dataset_hash, scored.run_id, scored.run_hash,
            scored.measure_version, scored.rubric_version
    )
)

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    case_id,
    n_items,
    is_system_error,
    category,
    split,
    risk,
    language,
    -- R8: validation cases if there are any, else all; development cases are never pooled in.
    case
        when has_validation then coalesce(split = 'validation', false)
        else coalesce(split <> 'development', true)
    end as is_headline,
    has_one_split
from described
