-- One row per scored item and axis. The item as a whole is the axis `overall`.
{{ config(materialized='ephemeral') }}

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    case_id, trial, current, draft,
    'search' as axis,
    search_score as score,
    search_passed as passed,
    search_state as state
from {{ source('rag_eval', 'case_scores') }}

union all

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    case_id, trial, current, draft,
    'evidence' as axis,
    evidence_score as score,
    evidence_passed as passed,
    evidence_state as state
from {{ source('rag_eval', 'case_scores') }}

union all

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    case_id, trial, current, draft,
    'behavior' as axis,
    behavior_score as score,
    behavior_passed as passed,
    behavior_state as state
from {{ source('rag_eval', 'case_scores') }}

union all

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    case_id, trial, current, draft,
    'format' as axis,
    format_score as score,
    format_passed as passed,
    format_state as state
from {{ source('rag_eval', 'case_scores') }}

union all

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    case_id, trial, current, draft,
    'overall' as axis,
    score,
    passed,
    state
from {{ source('rag_eval', 'case_scores') }}
