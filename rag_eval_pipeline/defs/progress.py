"""What has been done, for the terminal's progress line: stages by a Dagster logger, and batches."""

import logging
from collections.abc import Callable
from dataclasses import dataclass

import dagster as dg

_listeners: list[Callable[[str], None]] = []
_batch_listeners: list[Callable[["Batches"], None]] = []


@dataclass(frozen=True, slots=True)
class Batches:
    """How far a stage is: batches and run items done, and how many there are of each."""

    done: int
    of: int
    items_done: int
    items: int


def listen(listener: Callable[[str], None]) -> Callable[[], None]:
    """Call `listener` with the name of each step that starts; returns how to stop."""
    _listeners.append(listener)
    return lambda: _listeners.remove(listener)


def listen_to_batches(listener: Callable[[Batches], None]) -> Callable[[], None]:
    """Call `listener` when a stage begins a series of batches and after each; returns how to stop.

    Only stages of this process are heard.
    """
    _batch_listeners.append(listener)
    return lambda: _batch_listeners.remove(listener)


def tell_batches(batches: Batches) -> None:
    """Tell the listeners how far a stage is."""
    for listener in _batch_listeners:
        listener(batches)


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
