-- One row per override of a rubric that sets its own k, with the categories and risks it asks for;
-- null asks for none.
{{ config(materialized='ephemeral') }}

with numbered as (
    select
        rubric_version,
        body,
        unnest(range(cast(coalesce(json_array_length(body, '$.overrides'), 0) as bigint)))
            as place
    from {{ source('rag_eval', 'rubrics') }}
    where axis = 'search'
)

select
    rubric_version,
    place,
    try_cast(json_extract_string(body, '$.overrides[' || place || '].k') as bigint) as k,
    cast(json_extract(body, '$.overrides[' || place || '].when.category') as varchar[])
        as categories,
    cast(json_extract(body, '$.overrides[' || place || '].when.risk') as varchar[]) as risks
from numbered
where json_extract(body, '$.overrides[' || place || '].k') is not null
