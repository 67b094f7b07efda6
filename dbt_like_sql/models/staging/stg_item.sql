-- One row per run item, without the rows that stand for missing cases, with what its log says.
-- The log holds a run as it was last sent: scores of an earlier sending find nothing there.
{{ config(materialized='ephemeral') }}

select
    scores.dataset_version, scores.dataset_hash, scores.run_id, scores.run_hash,
    scores.measure_version, scores.rubric_version,
    scores.case_id,
    scores.trial,
    scores.state,
    scores.passed,
    scores.diagnosis,
    scores.where_to_mend,
    items.case_id is not null as is_logged,
    items.error is not null or list_contains(scores.also, 'system_error') as is_error,
    items.source is not null or len(items.citations) > 0 as is_cited,
    items.latency_ms,
    items.input_tokens,
    items.output_tokens,
    items.cost_usd
from {{ source('rag_eval', 'case_scores') }} as scores
left join {{ source('rag_eval', 'run_items') }} as items
    using (dataset_version, run_id, run_hash, case_id, trial)
where
    scores.state <> 'missing'
    -- A case the run lacks has a row and no item, also where it is held out or nothing applies.
    and (scores.state not in ('held_out', 'not_applicable') or items.case_id is not null)
