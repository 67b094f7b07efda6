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

-- Numbers stand for the long keys of runs, cases and items wherever there is a row for each cut.
items as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        dense_rank() over (
            order by
                dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version
        ) as run_no,
        row_number() over (
            order by
                dataset_version, dataset_hash, run_id, run_hash, measure_version,
                rubric_version, case_id, trial
        ) as item_no,
        dense_rank() over (
            order by
                dataset_version, dataset_hash, run_id, run_hash, measure_version,
                rubric_version, case_id
        ) as case_no,
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
        item_no,
        unnest(ranks) as position,
        unnest(found_grades) as found_grade,
        unnest(grades) as grade
    from items
),

-- A slot earns once, by the highest grade it covers (R2).
covering as (
    select
        item_no,
        position,
        count(*) as n_covered,
        max(found_grade) as gain
    from groups
    where position is not null
    group by all
),

placed as (
    select
        *,
        row_number() over (partition by item_no order by position) as place
    from covering
),

-- Of each item the slots that earn, in their order.
slots as (
    select
        item_no,
        list(
            struct_pack("position" := position, place := place, gain := gain, n := n_covered)
            order by position
        ) as earning
    from placed
    group by all
),

-- Of each item its groups, best first: no ranking can earn more than they give in this order.
best_first as (
    select
        item_no,
        row_number() over (partition by item_no order by grade desc) as place,
        grade
    from groups
),

gold as (
    select
        item_no,
        list(struct_pack(grade := grade, place := place) order by place) as best
    from best_first
    group by all
),

shown as (
    select
        item_no,
        cuts.k,
        [slot for slot in slots.earning if slot.position <= cuts.k] as earned,
        [one for one in gold.best if one.place <= cuts.k] as ideal,
        len(gold.best) as n_groups
    from gold
    left join slots using (item_no)
    cross join cuts
),

figures as (
    select
        item_no,
        k,
        if(len(earned) > 0, 1.0, 0.0) as hit,
        coalesce(list_sum([slot.n for slot in earned]), 0) / n_groups as recall,
        coalesce(len(earned), 0) / k as precision,
        least(k, n_groups) / k as precision_ceiling,
        coalesce(1.0 / list_min([slot.position for slot in earned]), 0) as reciprocal_rank,
        coalesce(list_sum([slot.place / slot.position for slot in earned]), 0) / n_groups
            as average_precision,
        coalesce(list_sum([slot.gain / log2(slot.position + 1) for slot in earned]), 0)
            / list_sum([one.grade / log2(one.place + 1) for one in ideal]) as ndcg
    from shown
),

-- Added up in order, so that the sums are the same bits each time. All figures are put in order at
-- once: an ordered sum of each would take ten times the memory.
tried as (
    select
        run_no,
        case_no,
        k,
        list(
            struct_pack(
                hit := hit,
                recall := recall,
                "precision" := figures.precision,
                precision_ceiling := precision_ceiling,
                reciprocal_rank := reciprocal_rank,
                average_precision := average_precision,
                ndcg := ndcg
            )
            order by item_no
        ) as trials
    from figures
    inner join items using (item_no)
    group by all
),

-- A case first, then the run: sums of thirds may come to more than the cases they are of.
listed as (
    select
        run_no,
        k,
        list(
            struct_pack(
                hit := list_sum([trial.hit for trial in trials]) / len(trials),
                recall := list_sum([trial.recall for trial in trials]) / len(trials),
                "precision" := list_sum([trial.precision for trial in trials]) / len(trials),
                precision_ceiling := list_sum([trial.precision_ceiling for trial in trials]) / len(trials),
                reciprocal_rank := list_sum([trial.reciprocal_rank for trial in trials]) / len(trials),
                average_precision := list_sum([trial.average_precision for trial in trials]) / len(trials),
                ndcg := list_sum([trial.ndcg for trial in trials]) / len(trials)
            )
            order by case_no
        ) as each_case
    from tried
    group by all
),

measured as (
    select
        runs.*,
        listed.k,
        list_sum([one.hit for one in listed.each_case]) as hit,
        list_sum([one.recall for one in listed.each_case]) as recall,
        list_sum([one.precision for one in listed.each_case]) as precision,
        list_sum([one.precision_ceiling for one in listed.each_case]) as precision_ceiling,
        list_sum([one.reciprocal_rank for one in listed.each_case]) as reciprocal_rank,
        list_sum([one.average_precision for one in listed.each_case]) as average_precision,
        list_sum([one.ndcg for one in listed.each_case]) as ndcg
    from listed
    inner join (
        select distinct
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            run_no
        from items
    ) as runs
        using (run_no)
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
