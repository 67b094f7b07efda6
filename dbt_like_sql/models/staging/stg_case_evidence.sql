-- One row per scored case with gold evidence: whether its ranking holds the evidence, at the cut of
-- the rubric and where that is; and whether its answer is right. Its trials decide by the rubric's
-- rule.
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
        list_sort(list(coalesce(depth, 9223372036854775807))) as depths
    from deepest
    group by all
),

ruled as (
    select
        cases.*,
        rules.k as rubric_k,
        -- The depth that as many trials reach as must pass.
        list_extract(
            depths,
            case rules.trials
                when 'all' then n_trials
                when 'any' then 1
                else n_trials // 2 + 1
            end
        ) as depth
    from cases
    left join {{ ref('stg_rubric') }} as rules
        on cases.rubric_version = rules.rubric_version
)

select
    ruled.dataset_version, ruled.dataset_hash, ruled.run_id, ruled.run_hash,
    ruled.measure_version, ruled.rubric_version,
    case_id,
    ruled.k,
    ruled.rubric_k,
    nullif(ruled.depth, 9223372036854775807) as depth,
    case
        when ruled.k is null then ruled.depth < 9223372036854775807
        else ruled.depth <= ruled.k
    end as is_found,
    case when axes.state = 'measured' then axes.passed end as is_right
from ruled
inner join {{ ref('stg_case_axis') }} as axes
    using (
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id
    )
where axes.axis = 'evidence'
