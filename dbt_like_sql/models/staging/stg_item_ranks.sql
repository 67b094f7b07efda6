-- One row per run item with gold evidence and a ranking that can be measured: the ranks its rubric
-- goes by. Gold in doubt and system errors give no row.
{{ config(materialized='ephemeral') }}

-- Of several overrides that concern a case the first to have a cut decides it.
with own_cut as (
    select
        cases.dataset_version,
        cases.case_id,
        overrides.rubric_version,
        arg_min(overrides.k, overrides.place) as k
    from {{ source('rag_eval', 'cases') }} as cases
    inner join {{ ref('stg_override') }} as overrides
        on
            (
                overrides.categories is null
                or list_contains(overrides.categories, cases.category)
            )
            and (
                overrides.risks is null
                or list_contains(overrides.risks, coalesce(cases.risk, 'unclassified'))
            )
    group by all
),

cut as (
    select
        scored.*,
        coalesce(own_cut.k, rules.k) as k
    from {{ ref('stg_item') }} as scored
    inner join {{ ref('stg_rubric') }} as rules
        on scored.rubric_version = rules.rubric_version
    left join own_cut
        on
            scored.dataset_version = own_cut.dataset_version
            and scored.case_id = own_cut.case_id
            and scored.rubric_version = own_cut.rubric_version
),

items as (
    select
        cut.dataset_version, cut.dataset_hash, cut.run_id, cut.run_hash,
        cut.measure_version, cut.rubric_version,
        case_id,
        trial,
        cut.k,
        -- Without a cut the rubric pairs ids as R12 says and looks at the whole ranking.
        case when cut.k is null then retrieval.group_ranks else retrieval.ranks end as ranks,
        retrieval.grades,
        retrieval.found_grades
    from cut
    inner join {{ source('rag_eval', 'retrieval_measures') }} as retrieval
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, case_id, trial
        )
    where
        cut.state <> 'held_out'
        and not cut.is_error
)

select *
from items
where len(ranks) > 0
