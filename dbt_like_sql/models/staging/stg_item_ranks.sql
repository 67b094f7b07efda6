-- One row per run item with gold evidence and a ranking that can be measured: the ranks its rubric
-- goes by. Gold in doubt and system errors give no row.
{{ config(materialized='ephemeral') }}

with cut as (
    select
        rubric_version,
        try_cast(json_extract_string(body, '$.k') as bigint) as k
    from {{ source('rag_eval', 'rubrics') }}
    where axis = 'search'
),

items as (
    select
        scored.dataset_version, scored.dataset_hash, scored.run_id, scored.run_hash,
        scored.measure_version, scored.rubric_version,
        case_id,
        trial,
        cut.k,
        -- Without a cut the rubric pairs ids as R12 says and looks at the whole ranking.
        case when cut.k is null then retrieval.group_ranks else retrieval.ranks end as ranks,
        retrieval.grades,
        retrieval.found_grades
    from {{ ref('stg_item') }} as scored
    inner join {{ source('rag_eval', 'retrieval_measures') }} as retrieval
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, case_id, trial
        )
    inner join cut
        on scored.rubric_version = cut.rubric_version
    where
        scored.state <> 'held_out'
        and not scored.is_error
)

select *
from items
where len(ranks) > 0
