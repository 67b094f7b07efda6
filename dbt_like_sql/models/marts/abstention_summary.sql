-- How the system answers, abstains and asks back over the headline: each rate beside its n.
-- A case counts once, by the share of its trials. Missing cases count as not done (R8).
{{ config(materialized='table') }}

with headline as (
    select *
    from {{ ref('stg_group_rates') }}
    where dimension = 'scope' and value = 'headline' and axis = 'behavior'
),

-- What a right system does on the cases a run lacks.
missing as (
    select
        axes.dataset_version, axes.dataset_hash, axes.run_id, axes.run_hash,
        axes.measure_version, axes.rubric_version,
        count(*) filter (where cases.expected_status = 'answer') as n_answerable,
        count(*) filter (where cases.expected_status = 'unknown') as n_unanswerable,
        count(*) filter (where cases.expected_status = 'clarify') as n_underspecified
    from {{ ref('stg_case_axis') }} as axes
    inner join {{ ref('stg_group_case') }} as scopes
        using (
            dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
            case_id
        )
    inner join {{ source('rag_eval', 'cases') }} as cases
        using (dataset_version, case_id)
    where
        axes.axis = 'behavior'
        and axes.state = 'missing'
        and scopes.dimension = 'scope'
        and scopes.value = 'headline'
    group by all
),

-- A case first: shares of its trials are counts divided once. Thirds added up over all cases may come
-- to more than the cases they are of.
shares as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        case_id,
        expected_status,
        count(*) filter (
            where expected_status = 'answer' and observed_status = 'answer'
        ) / count(*) as answered,
        count(*) filter (
            where expected_status = 'unknown' and is_right
        ) / count(*) as abstained,
        count(*) filter (
            where expected_status = 'clarify' and is_right
        ) / count(*) as clarified,
        count(*) filter (
            where expected_status = 'answer' and observed_status = 'unknown' and not is_right
        ) / count(*) as over_refused,
        count(*) filter (
            where expected_status = 'unknown' and observed_status = 'answer' and not is_right
        ) / count(*) as not_abstained,
        count(*) filter (
            where expected_status = 'clarify' and observed_status = 'answer' and not is_right
        ) / count(*) as not_clarified,
        count(*) filter (
            where expected_status <> 'clarify' and observed_status = 'clarify' and not is_right
        ) / count(*) as needlessly_clarified,
        count(*) filter (where no_invented_value in ('met', 'unmet')) as n_no_invented_value,
        count(*) filter (where no_invented_value = 'met') as no_invented_value,
        count(*) filter (where names_missing_condition in ('met', 'unmet'))
            as n_names_missing_condition,
        count(*) filter (where names_missing_condition = 'met') as names_missing_condition,
        count(*) filter (where gives_next_action in ('met', 'unmet')) as n_gives_next_action,
        count(*) filter (where gives_next_action = 'met') as gives_next_action,
        count(*) filter (where escalates_as_allowed in ('met', 'unmet'))
            as n_escalates_as_allowed,
        count(*) filter (where escalates_as_allowed = 'met') as escalates_as_allowed
    from {{ ref('stg_case_behavior') }}
    group by all
),

counted as (
    select
        dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
        count(*) filter (where expected_status = 'answer') as n_answerable,
        count(*) filter (where expected_status = 'unknown') as n_unanswerable,
        count(*) filter (where expected_status = 'clarify') as n_underspecified,
        sum(answered order by case_id) as answered,
        sum(abstained order by case_id) as abstained,
        sum(clarified order by case_id) as clarified,
        sum(over_refused order by case_id) as over_refused,
        sum(not_abstained order by case_id) as not_abstained,
        sum(not_clarified order by case_id) as not_clarified,
        sum(needlessly_clarified order by case_id) as needlessly_clarified,
        cast(sum(n_no_invented_value) as bigint) as n_no_invented_value,
        cast(sum(no_invented_value) as bigint) as no_invented_value,
        cast(sum(n_names_missing_condition) as bigint) as n_names_missing_condition,
        cast(sum(names_missing_condition) as bigint) as names_missing_condition,
        cast(sum(n_gives_next_action) as bigint) as n_gives_next_action,
        cast(sum(gives_next_action) as bigint) as gives_next_action,
        cast(sum(n_escalates_as_allowed) as bigint) as n_escalates_as_allowed,
        cast(sum(escalates_as_allowed) as bigint) as escalates_as_allowed
    from shares
    group by all
),

joined as (
    select
        headline.*,
        coalesce(counted.n_answerable, 0) + coalesce(missing.n_answerable, 0) as n_answerable,
        coalesce(counted.n_unanswerable, 0) + coalesce(missing.n_unanswerable, 0)
            as n_unanswerable,
        coalesce(counted.n_underspecified, 0) + coalesce(missing.n_underspecified, 0)
            as n_underspecified,
        coalesce(counted.answered, 0) as answered,
        coalesce(counted.abstained, 0) as abstained,
        coalesce(counted.clarified, 0) as clarified,
        coalesce(counted.over_refused, 0) as over_refused,
        coalesce(counted.not_abstained, 0) as not_abstained,
        coalesce(counted.not_clarified, 0) as not_clarified,
        coalesce(counted.needlessly_clarified, 0) as needlessly_clarified,
        coalesce(counted.n_no_invented_value, 0) as n_no_invented_value,
        counted.no_invented_value,
        coalesce(counted.n_names_missing_condition, 0) as n_names_missing_condition,
        counted.names_missing_condition,
        coalesce(counted.n_gives_next_action, 0) as n_gives_next_action,
        counted.gives_next_action,
        coalesce(counted.n_escalates_as_allowed, 0) as n_escalates_as_allowed,
        counted.escalates_as_allowed
    from headline
    left join counted
        using (dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version)
    left join missing
        using (dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version)
)

select
    dataset_version,
    dataset_hash,
    run_id,
    run_hash,
    measure_version,
    rubric_version,
    current,
    n_cases,
    n_measured,
    n_unmeasured,
    n_not_applicable,
    n_held_out,
    n_missing,
    n_items,
    n_answerable,
    answered / nullif(n_answerable, 0) as answered_rate,
    over_refused / nullif(n_answerable, 0) as over_refusal_rate,
    n_unanswerable,
    abstained / nullif(n_unanswerable, 0) as correct_abstention_rate,
    not_abstained / nullif(n_unanswerable, 0) as missed_abstention_rate,
    n_underspecified,
    clarified / nullif(n_underspecified, 0) as correct_clarification_rate,
    not_clarified / nullif(n_underspecified, 0) as missed_clarification_rate,
    needlessly_clarified / nullif(n_answerable + n_unanswerable, 0)
        as needless_clarification_rate,
    n_no_invented_value,
    no_invented_value / nullif(n_no_invented_value, 0) as no_invented_value_rate,
    n_names_missing_condition,
    names_missing_condition / nullif(n_names_missing_condition, 0)
        as names_missing_condition_rate,
    n_gives_next_action,
    gives_next_action / nullif(n_gives_next_action, 0) as gives_next_action_rate,
    n_escalates_as_allowed,
    escalates_as_allowed / nullif(n_escalates_as_allowed, 0) as escalates_as_allowed_rate
from joined
