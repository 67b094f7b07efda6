-- Items of the headline by the cause named for them; the counts are the headline's.
{{ config(materialized='table') }}

with headline as (
    select *
    from {{ ref('stg_group_rates') }}
    where dimension = 'scope' and value = 'headline' and axis = 'overall'
),

failures as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        items.diagnosis,
        max(items.where_to_mend) as where_to_mend,
        count(*) as n_failed_items,
        count(distinct case_id) as n_failed_cases,
        list(distinct case_id order by case_id) as case_ids
    from {{ ref('stg_item') }} as items
    inner join {{ ref('stg_group_case') }} as scopes
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    where
        scopes.dimension = 'scope'
        and scopes.value = 'headline'
        and items.diagnosis is not null
        -- Held-out items are named too, with the dataset as the place to mend.
        and items.passed is distinct from true
    group by all
)

select
    failures.dataset_version,
    failures.dataset_hash,
    failures.run_id,
    failures.run_hash,
    failures.measure_version,
    failures.rubric_version,
    headline.current,
    headline.n_cases,
    headline.n_measured,
    headline.n_unmeasured,
    headline.n_not_applicable,
    headline.n_held_out,
    headline.n_missing,
    headline.n_items,
    failures.diagnosis,
    failures.where_to_mend,
    -- The same in the four words of practice; null where the cause lies outside of the answer.
    case
        when failures.diagnosis in ('retrieval_miss', 'stale_evidence') then 'retrieval miss'
        when failures.diagnosis in (
            'wrong_answer', 'ungrounded_claim', 'unused_evidence', 'wrong_source'
        ) then 'departure from evidence'
        when failures.diagnosis in (
            'incomplete_answer', 'incomplete_abstention', 'over_refusal', 'needless_clarification'
        ) then 'incomplete answer'
        when failures.diagnosis in (
            'forbidden_claim', 'missed_abstention', 'missed_clarification'
        ) then 'unwarranted assertion'
    end as practice,
    failures.n_failed_items,
    failures.n_failed_cases,
    failures.case_ids
from failures
inner join headline
    using (dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version)
