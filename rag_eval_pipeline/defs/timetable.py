"""When the nightly runs and by when its report should be there.

The zone and hour can be set for a deployment: RAG_EVAL_TIMEZONE and RAG_EVAL_NIGHTLY (cron).
"""

import dagster as dg

ZONE = dg.EnvVar("RAG_EVAL_TIMEZONE").get_value() or "Asia/Tokyo"
NIGHTLY = dg.EnvVar("RAG_EVAL_NIGHTLY").get_value() or "0 2 * * *"
DEADLINE = "0 8 * * *"
