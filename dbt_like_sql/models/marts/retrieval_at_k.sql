-- Rank measures of the headline at each cut k, and what another cut than the rubric's would have
-- caught, all from the stored ranks. A case counts by the mean of its trials; missing cases and
-- system errors count as 0 where the case has gold (R8).
{{ config(materialized='table') }}

with headline as (
    select *
    from {{ ref('stg_group_rates') }}
    where dimension = 'scope' and value = 'headline' and axis = 'search'
),

headline_cases as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id
    from {{ ref('stg_group_case') }}
    where dimension = 'scope' and value = 'headline'
),

cuts as (
    select unnest(generate_series(1, 20)) as k
),

ranked as (
    select *
    from {{ ref('stg_case_evidence') }}
    inner join headline_cases
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
),

-- Cases with gold of which the run holds no item, or only system errors.
unanswered as (
    select
        axes.dataset_version, axes.dataset_hash, axes.run_id, axes.run_hash,
        axes.measure_version, axes.rubric_version,
        count(distinct axes.case_id) as n_unanswered
    from {{ ref('stg_case_axis') }} as axes
    inner join headline_cases
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    inner join {{ source('rag_eval', 'case_evidence') }} as gold
        using (dataset_version, case_id)
    left join ranked
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    inner join {{ ref('stg_case') }} as described
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    where
        axes.axis = 'search'
        and ranked.case_id is null
        and (axes.state = 'missing' or (described.is_system_error and axes.state <> 'held_out'))
    group by all
),

items as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id,
        trial,
        ranks,
        grades,
        found_grades
    from {{ ref('stg_item_ranks') }}
    inner join headline_cases
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
),

groups as (
    select
        * exclude (ranks, grades, found_grades),
        unnest(ranks) as position,
        unnest(found_grades) as found_grade,
        unnest(grades) as grade
    from items
),

-- A slot earns once, by the highest grade it covers (R2).
covering as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id,
        trial,
        position,
        count(*) as n_covered,
        max(found_grade) as gain
    from groups
    where position is not null
    group by all
),

slots as (
    select
        *,
        row_number() over (
            partition by
                dataset_version, dataset_hash, run_id, run_hash, measure_version,
                rubric_version, case_id, trial
            order by position
        ) as place
    from covering
),

placed as (
    select
        *,
        count(*) over item as n_groups,
        row_number() over (item order by grade desc) as place
    from groups
    window item as (
        partition by
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id, trial
    )
),

earned as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id,
        trial,
        cuts.k,
        sum(n_covered) as n_groups_covered,
        count(*) as n_earning,
        1.0 / min(position) as reciprocal_rank,
        sum(place / position order by position) as precisions,
        sum(gain / log2(position + 1) order by position) as gained
    from slots
    inner join cuts on slots.position <= cuts.k
    group by all
),

ideal as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id,
        trial,
        cuts.k,
        max(n_groups) as n_groups,
        sum(grade / log2(place + 1) order by place) filter (where place <= cuts.k) as best
    from placed
    cross join cuts
    group by all
),

cases as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id,
        k,
        avg(case when earned.n_earning > 0 then 1.0 else 0.0 end) as hit,
        avg(coalesce(earned.n_groups_covered, 0) / ideal.n_groups order by trial) as recall,
        avg(coalesce(earned.n_earning, 0) / k order by trial) as precision,
        avg(least(k, ideal.n_groups) / k order by trial) as precision_ceiling,
        avg(coalesce(earned.reciprocal_rank, 0) order by trial) as reciprocal_rank,
        avg(coalesce(earned.precisions, 0) / ideal.n_groups order by trial) as average_precision,
        avg(coalesce(earned.gained, 0) / ideal.best order by trial) as ndcg
    from ideal
    left join earned
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id, trial, k
        )
    group by all
),

measured as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        k,
        sum(hit order by case_id) as hit,
        sum(recall order by case_id) as recall,
        sum(precision order by case_id) as precision,
        sum(precision_ceiling order by case_id) as precision_ceiling,
        sum(reciprocal_rank order by case_id) as reciprocal_rank,
        sum(average_precision order by case_id) as average_precision,
        sum(ndcg order by case_id) as ndcg
    from cases
    group by all
),

counted as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        cuts.k,
        max(ranked.rubric_k) as rubric_k,
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
    coalesce(unanswered.n_unanswered, 0) as n_unanswered,
    measured.hit / (counted.n_ranked + coalesce(unanswered.n_unanswered, 0)) as hit,
    measured.recall / (counted.n_ranked + coalesce(unanswered.n_unanswered, 0)) as recall,
    measured.precision / (counted.n_ranked + coalesce(unanswered.n_unanswered, 0)) as precision,
    measured.precision_ceiling / counted.n_ranked as precision_ceiling,
    measured.reciprocal_rank / (counted.n_ranked + coalesce(unanswered.n_unanswered, 0))
        as reciprocal_rank,
    measured.average_precision / (counted.n_ranked + coalesce(unanswered.n_unanswered, 0))
        as average_precision,
    measured.ndcg / (counted.n_ranked + coalesce(unanswered.n_unanswered, 0)) as ndcg,
    counted.n_covered,
    counted.n_missed,
    counted.n_caught
from counted
inner join measured
    using (
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version, k
    )
inner join headline
    using (dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version)
left join unanswered
    using (dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version)
