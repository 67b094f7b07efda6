-- One row per scored case with gold evidence: whether its ranking holds the evidence, at the cut of
-- the rubric and where that is; and whether its answer is right. Its trials decide by majority.
-- A ranking that cannot be measured, and gold in doubt, give no row.
{{ config(materialized='ephemeral') }}

with deepest as (
    select
        *,
        -- The position that covers the last group; null where a group was not retrieved.
        case when list_count(ranks) = len(ranks) then list_max(ranks) end as depth
    from {{ ref('stg_item_ranks') }}
),

cases as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id,
        max(k) as k,
        count(*) as n_trials,
        -- The depth that more than half of the trials reach.
        list_sort(list(coalesce(depth, 9223372036854775807))) as depths
    from deepest
    group by all
)

select
    cases.dataset_version, cases.dataset_hash, cases.run_id, cases.run_hash,
    cases.measure_version, cases.rubric_version,
    case_id,
    cases.k,
    nullif(list_extract(cases.depths, cases.n_trials // 2 + 1), 9223372036854775807) as depth,
    case
        when cases.k is null then
            list_extract(cases.depths, cases.n_trials // 2 + 1) < 9223372036854775807
        else list_extract(cases.depths, cases.n_trials // 2 + 1) <= cases.k
    end as is_found,
    case when axes.state = 'measured' then axes.passed end as is_right
from cases
inner join {{ ref('stg_case_axis') }} as axes
    using (
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id
    )
where axes.axis = 'evidence'
