-- Rows, cases, passed and missing items of each run and rubric of a dataset version.
select
    run_id,
    rubric_version,
    current,
    count(*) as n_rows,
    count(distinct case_id) as n_cases,
    count(*) filter (where passed) as n_passed,
    count(*) filter (where state = 'missing') as n_missing
from case_scores
where dataset_version = $dataset_version
group by all
order by all
