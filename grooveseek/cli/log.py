"""Logging to stderr, its levels from ``GROOVE_LOG``.

``GROOVE_LOG=debug`` sets groove's own level, ``GROOVE_LOG=store=debug,mcp=info`` those of single modules, groove's
(without ``grooveseek.``) or a library's. The two can be mixed. Without it groove says ``info`` and above, and libraries
say warnings.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping

VARIABLE = "GROOVE_LOG"

_OURS = "grooveseek"
_LEVELS = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warning": logging.WARNING,
    "warn": logging.WARNING,
    "error": logging.ERROR,
    "off": logging.CRITICAL + 1,
}


def set_up_logging(environ: Mapping[str, str]) -> None:
    """Send every log record to stderr. A level that is not understood is warned about and left out."""
    root = logging.getLogger()
    for handler in [handler for handler in root.handlers if isinstance(handler, _StderrHandler)]:
        root.removeHandler(handler)
    root.addHandler(_StderrHandler())
    root.setLevel(logging.WARNING)
    levels, unknown = parse_levels(environ.get(VARIABLE, ""))
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
    for part in unknown:
        logging.getLogger(_OURS).warning(
            "%s: %r is not understood and left out. Write a level (%s) or MODULE=LEVEL, with commas between.",
            VARIABLE,
            part,
            ", ".join(name for name in _LEVELS if name != "warn"),
        )


def parse_levels(text: str) -> tuple[dict[str, int], list[str]]:
    """The level of each logger by name, and the parts that make no sense. A later part wins over an earlier one."""
    levels = {_OURS: logging.INFO}
    unknown = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        module, equals, word = part.rpartition("=")
        level = _LEVELS.get(word.strip().lower())
        if level is None or (equals and not module.strip()):
            unknown.append(part)
        else:
            levels |= dict.fromkeys(_loggers(module.strip()), level)
    return levels, unknown


def _loggers(module: str) -> list[str]:
    """``store`` may be groove's own module or a library's: the name alone does not tell, so both are meant."""
    if not module:
        return [_OURS]
    return [module] if module.split(".")[0] == _OURS else [module, f"{_OURS}.{module}"]


class _StderrHandler(logging.Handler):
    """Writes to whatever ``sys.stderr`` is at that moment, so that a progress bar may stand in for it."""

    def __init__(self) -> None:
        super().__init__()
        self.setFormatter(_Formatter())

    def emit(self, record: logging.LogRecord) -> None:
        try:
            if sys.stderr is not None:
                sys.stderr.write(self.format(record) + "\n")
                sys.stderr.flush()
        except Exception:  # noqa: BLE001 - logging's own rule: a record that cannot be written ends no program
            self.handleError(record)


class _Formatter(logging.Formatter):
    """``warning: text``; the logger's name only where someone is debugging, or for a library."""

    def format(self, record: logging.LogRecord) -> str:
        plain = record.levelno > logging.DEBUG and record.name.split(".")[0] == _OURS
        where = "" if plain else f" {record.name}"
        text = f"{record.levelname.lower()}{where}: {record.getMessage()}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text
