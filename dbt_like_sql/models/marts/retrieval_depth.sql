-- What another cut of the ranking would have caught: one row per k, from the stored ranks.
{{ config(materialized='table') }}

with headline as (
    select *
    from {{ ref('stg_group_rates') }}
    where dimension = 'scope' and value = 'headline' and axis = 'search'
),

ranked as (
    select evidence.*
    from {{ ref('stg_case_evidence') }} as evidence
    inner join {{ ref('stg_group_case') }} as scopes
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    where scopes.dimension = 'scope' and scopes.value = 'headline'
),

cuts as (
    select unnest(generate_series(1, 20)) as k
),

counted as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        cuts.k,
        max(ranked.k) as rubric_k,
        count(*) as n_ranked,
        count(*) filter (where ranked.depth <= cuts.k) as n_covered,
        count(*) filter (where not ranked.is_found) as n_missed,
        count(*) filter (where not ranked.is_found and ranked.depth <= cuts.k) as n_caught
    from ranked
    cross join cuts
    group by all
)

select
    counted.dataset_version,
    counted.dataset_hash,
    counted.run_id,
    counted.run_hash,
    counted.measure_version,
    counted.rubric_version,
    headline.current,
    headline.n_cases,
    headline.n_measured,
    headline.n_unmeasured,
    headline.n_not_applicable,
    headline.n_held_out,
    headline.n_missing,
    headline.n_items,
    counted.k,
    counted.rubric_k,
    counted.n_ranked,
    counted.n_covered,
    counted.n_missed,
    counted.n_caught
from counted
inner join headline
    using (dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version)
