-- The headline of a run, and its development and test cases under their own name.
{{ config(materialized='table') }}

with rates as (
    select * exclude (dimension, value), value as scope
    from {{ ref('stg_group_rates') }}
    where dimension = 'scope'
),

-- What the log says of the items in a scope; it is the same for every axis.
logged as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        scopes.value as scope,
        count(*) filter (where is_cited) / nullif(count(*) filter (where is_logged), 0)
            as citation_shown_rate,
        quantile_cont(latency_ms, 0.5) as latency_p50_ms,
        case when count(latency_ms) >= 20 then quantile_cont(latency_ms, 0.95) end
            as latency_p95_ms,
        count(latency_ms) as n_latency,
        count(*) filter (where is_error) / count(*) as error_rate,
        cast(sum(input_tokens) as bigint) as input_tokens,
        cast(sum(output_tokens) as bigint) as output_tokens,
        sum(cost_usd order by case_id, trial) as cost_usd
    from {{ ref('stg_item') }}
    inner join {{ ref('stg_group_case') }} as scopes
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    where scopes.dimension = 'scope'
    group by all
),

-- What the rankings hold beside the gold: a case counts by the mean of its trials.
ranking_cases as (
    select
        items.dataset_version, items.dataset_hash, items.run_id, items.run_hash,
        items.measure_version, items.rubric_version,
        scopes.value as scope,
        case_id,
        avg(ranking.n_unresolved / ranking.n_retrieved order by trial) as hole_share,
        avg(ranking.n_stale / ranking.n_retrieved order by trial) as stale_share,
        avg(ranking.n_forbidden / ranking.n_retrieved order by trial) as forbidden_share,
        avg(ranking.n_duplicates / ranking.n_retrieved order by trial) as duplicate_share
    from {{ ref('stg_item') }} as items
    inner join {{ ref('stg_group_case') }} as scopes
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    inner join {{ source('rag_eval', 'retrieval_measures') }} as ranking
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, case_id, trial
        )
    where scopes.dimension = 'scope' and ranking.n_retrieved > 0
    group by all
),

rankings as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        scope,
        count(*) as n_rankings,
        avg(hole_share order by case_id) as hole_share,
        avg(stale_share order by case_id) as stale_share,
        avg(forbidden_share order by case_id) as forbidden_share,
        avg(duplicate_share order by case_id) as duplicate_share
    from ranking_cases
    group by all
)

select
    rates.dataset_version,
    rates.dataset_hash,
    rates.run_id,
    rates.run_hash,
    rates.measure_version,
    rates.rubric_version,
    rates.current,
    rates.n_cases,
    rates.n_measured,
    rates.n_unmeasured,
    rates.n_not_applicable,
    rates.n_held_out,
    rates.n_missing,
    rates.n_items,
    rates.axis,
    rates.n_passed,
    rates.n_failed,
    rates.mean_score,
    rates.pass_rate,
    rates.pass_rate_low,
    rates.pass_rate_high,
    rates.answered_only_mean_score,
    rates.answered_only_pass_rate,
    rates.scope,
    runs.kind,
    rates.draft,
    runs.started_at,
    logged.citation_shown_rate,
    logged.latency_p50_ms,
    logged.latency_p95_ms,
    coalesce(logged.n_latency, 0) as n_latency,
    logged.error_rate,
    logged.input_tokens,
    logged.output_tokens,
    logged.cost_usd,
    coalesce(rankings.n_rankings, 0) as n_rankings,
    rankings.hole_share,
    rankings.stale_share,
    rankings.forbidden_share,
    rankings.duplicate_share
from rates
left join logged
    using (
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version, scope
    )
left join rankings
    using (
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version, scope
    )
left join {{ source('rag_eval', 'runs') }} as runs
    using (dataset_version, run_id)
