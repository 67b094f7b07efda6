"""The demo on the shipped sample, and the Dagster UI."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from rag_eval_pipeline import launch, shipped, terminal
from rag_eval_pipeline.commands.context import DONE, Context
from rag_eval_pipeline.commands.overview import nightly
from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.text_file import write_atomic

DEMO_MARK = "demo"


def demo(context: Context) -> int:
    """Run the nightly on the shipped sample into a fresh home, and say where to look next."""
    mark = context.home / DEMO_MARK
    if context.home.exists() and any(context.home.iterdir()):
        if not mark.exists():
            raise InputError(
                code="home_in_use",
                file=str(context.home),
                found="a home with results of your own",
                expected="a fresh home, or one an earlier demo made",
                todo="name another: rag-eval --home .rag_eval_demo demo",
            )
        shutil.rmtree(context.home)
    write_atomic(mark, b"made by rag-eval demo; replaced by the next one\n")
    sample = Context(shipped.data_root(), context.home, context.json)
    if not context.json:
        terminal.say(f"Sample data: {sample.data}")
    code = nightly(sample, cases=True)
    if not context.json:
        terminal.say(f"Why:     rag-eval {context.again}explain item faulty q10")
        terminal.say(f"Moved:   rag-eval {context.again}why policy-candidate policy-new-index")
        terminal.say(f"UI:      rag-eval {context.again}ui   (make ui)")
    return code


def ui(context: Context, host: str, port: int) -> int:
    """Serve the Dagster UI on the home until it is stopped."""
    remembered = None if context.data_given else launch.data_root_of(context.home)
    data = remembered or context.data
    launch.check_data_root(data)
    launch.prepare_home(context.home, data)
    environment = os.environ | {
        "DAGSTER_HOME": str(context.home),
        "RAG_EVAL_HOME": str(context.home),
        "RAG_EVAL_DATA": str(data),
        # Dagster's successor of `dagster dev` wants a project layout of its own.
        "PYTHONWARNINGS": "ignore:Function `dev_command` is superseded",
    }
    url = f"http://{host}:{port}"
    if context.json:
        terminal.print_json({"url": url, "home": str(context.home), "data": str(data)})
    else:
        terminal.say(f"Dagster UI: {url}   (stop with Ctrl-C)")
    sys.stdout.flush()
    command = [sys.executable, "-m", "dagster", "dev", "-m", "rag_eval_pipeline.definitions"]
    command += ["--host", host, "--port", str(port)]
    try:
        return subprocess.call(command, env=environment)  # noqa: S603
    except KeyboardInterrupt:
        return DONE
