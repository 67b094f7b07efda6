"""A Dagster logger that tells which stage has begun, for the terminal's progress line."""

import logging
from collections.abc import Callable

import dagster as dg

_listeners: list[Callable[[str], None]] = []


def listen(listener: Callable[[str], None]) -> Callable[[], None]:
    """Call `listener` with the name of each step that starts; returns how to stop."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


class _Steps(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        meta = getattr(record, "dagster_meta", None) or {}
        event = meta.get("dagster_event") if isinstance(meta, dict) else None
        if event is not None and event.event_type_value == "STEP_START":
            for listener in _listeners:
                listener(str(event.step_key))


def _logger(_context: dg.InitLoggerContext) -> logging.Logger:
    logger = logging.getLogger("rag_eval_progress")
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    logger.handlers = [_Steps()]
    return logger


progress_logger = dg.logger(
    config_schema={}, description="Names each step as it starts; prints nothing by itself"
)(_logger)
