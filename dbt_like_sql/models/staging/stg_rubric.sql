-- One row per rubric: what models beside the scores go by. Keys with their default may be left out
-- of what is stored.
{{ config(materialized='ephemeral') }}

select
    rubric_version,
    max(json_extract_string(body, '$.trials')) filter (where axis = 'pass') as trials,
    max(try_cast(json_extract_string(body, '$.k') as bigint)) filter (where axis = 'search') as k
from {{ source('rag_eval', 'rubrics') }}
group by rubric_version
