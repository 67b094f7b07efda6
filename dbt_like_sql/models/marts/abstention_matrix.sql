-- Expected against observed status over the headline. Missing cases are counted in n_missing.
{{ config(materialized='table') }}

with headline as (
    select *
    from {{ ref('stg_group_rates') }}
    where dimension = 'scope' and value = 'headline' and axis = 'behavior'
),

cells as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        expected_status,
        observed_status,
        bool_and(is_right) as is_right,
        count(*) as n_pairs,
        count(distinct case_id) as n_pair_cases,
        list(distinct case_id order by case_id) as case_ids
    from {{ ref('stg_case_behavior') }}
    group by all
)

select
    cells.dataset_version,
    cells.dataset_hash,
    cells.run_id,
    cells.run_hash,
    cells.measure_version,
    cells.rubric_version,
    headline.current,
    headline.n_cases,
    headline.n_measured,
    headline.n_unmeasured,
    headline.n_not_applicable,
    headline.n_held_out,
    headline.n_missing,
    headline.n_items,
    cells.expected_status,
    cells.observed_status,
    cells.is_right,
    cells.n_pairs,
    cells.n_pair_cases,
    cells.case_ids
from cells
inner join headline
    using (dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version)
