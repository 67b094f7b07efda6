-- Which groups a case counts in: the scopes of the run and the slices of each dimension.
{{ config(materialized='ephemeral') }}

with membership as (
    select *, 'scope' as dimension, 'headline' as value
    from {{ ref('stg_case') }}
    where is_headline

    union all

    -- Splits under their own name, unless they are what the headline already speaks of.
    select *, 'scope' as dimension, split as value
    from {{ ref('stg_case') }}
    where split = 'development' or (split = 'test' and not has_one_split)

    union all

    select *, 'category' as dimension, coalesce(category, 'unclassified') as value
    from {{ ref('stg_case') }}
    where is_headline

    union all

    -- The only dimension over all cases: within the headline it would often be one split.
    select *, 'split' as dimension, coalesce(split, 'unclassified') as value
    from {{ ref('stg_case') }}

    union all

    select *, 'risk' as dimension, coalesce(risk, 'unclassified') as value
    from {{ ref('stg_case') }}
    where is_headline

    union all

    select *, 'language' as dimension, coalesce(language, 'unclassified') as value
    from {{ ref('stg_case') }}
    where is_headline
)

select
    dataset_version, dataset_hash, run_id, run_hash, measure_version, rubric_version,
    dimension,
    value,
    case_id,
    n_items,
    is_system_error
from membership
