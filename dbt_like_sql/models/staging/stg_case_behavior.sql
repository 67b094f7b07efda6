-- One row per trial of a headline case: what was expected, and what the system did (R3, R8).
-- A trial whose gold is in doubt is in no denominator.
{{ config(materialized='ephemeral') }}

with items as (
    select
        scored.dataset_version, scored.dataset_hash, scored.run_id, scored.run_hash,
        scored.measure_version, scored.rubric_version,
        case_id,
        trial,
        behavior.expected_status,
        case
            when scored.is_error then 'error'
            else coalesce(behavior.observed_status, 'none')
        end as observed_status,
        behavior.status_match and not scored.is_error as is_right,
        behavior.no_invented_value,
        behavior.names_missing_condition,
        behavior.gives_next_action,
        behavior.escalates_as_allowed
    from {{ ref('stg_item') }} as scored
    inner join {{ source('rag_eval', 'behavior_measures') }} as behavior
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, case_id, trial
        )
    inner join {{ ref('stg_group_case') }} as scopes
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    where
        scopes.dimension = 'scope'
        and scopes.value = 'headline'
        and scored.state <> 'held_out'
)

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    case_id,
    trial,
    expected_status,
    observed_status,
    is_right,
    no_invented_value,
    names_missing_condition,
    gives_next_action,
    escalates_as_allowed
from items
