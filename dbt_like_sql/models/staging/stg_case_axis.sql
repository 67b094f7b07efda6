-- One row per case and axis: the trials of a case made one result by the rubric's rule (R8).
{{ config(materialized='ephemeral') }}

with counted as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id,
        axis,
        bool_and(current) as current,
        bool_or(draft) as draft,
        case
            when bool_or(state = 'measured') then 'measured'
            when bool_or(state = 'unmeasured') then 'unmeasured'
            when bool_or(state = 'held_out') then 'held_out'
            when bool_or(state = 'missing') then 'missing'
            else 'not_applicable'
        end as state,
        -- In the order of trials, so that a sum of floats is the same every time.
        avg(score order by trial) filter (where state = 'measured') as score,
        -- Trials that count: those held out or not applicable are in no denominator.
        count(*) filter (where state in ('measured', 'unmeasured', 'missing')) as n_trials,
        count(*) filter (where state = 'measured' and passed) as n_trials_passed,
        count(*) filter (
            where state = 'unmeasured' or (state = 'measured' and passed is null)
        ) as n_trials_open
    from {{ ref('stg_item_axis') }}
    group by all
),

-- How many trials must pass: more than half of them, so that a tie fails, or all, or any.
ruled as (
    select
        counted.*,
        case rules.trials
            when 'all' then n_trials
            when 'any' then 1
            else n_trials // 2 + 1
        end as n_trials_needed
    from counted
    left join {{ ref('stg_rubric') }} as rules
        on counted.rubric_version = rules.rubric_version
)

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    case_id,
    axis,
    current,
    draft,
    state,
    score,
    -- Null while open trials could decide it.
    case
        when state <> 'measured' then null
        when n_trials_passed >= n_trials_needed then true
        when n_trials_passed + n_trials_open < n_trials_needed then false
    end as passed
from ruled
