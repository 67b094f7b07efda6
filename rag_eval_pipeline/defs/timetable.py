"""When the nightly runs and by when its report should be there.

The zone and hour can be set for a deployment: RAG_EVAL_TIMEZONE and RAG_EVAL_NIGHTLY (cron).
"""

import os

ZONE = os.environ.get("RAG_EVAL_TIMEZONE", "Asia/Tokyo")
NIGHTLY = os.environ.get("RAG_EVAL_NIGHTLY", "0 2 * * *")
DEADLINE = "0 8 * * *"
