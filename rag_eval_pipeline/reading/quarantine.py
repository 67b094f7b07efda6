"""Rows that could not be used, and what of them may be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_eval_pipeline.reading.errors import visible

MASK = "***"

_WINDOW = 20_000
_LONGEST_PART = 64
"""Longest start of a secret that is not yet recognised as one."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A row that was left out: `line` from 1 where it starts, and why, for programs and people.

    `excerpt` is the masked start of the row (see `mask_excerpt`).
    """

    line: int | None
    code: str
    field: str | None
    reason: str
    excerpt: str | None


# A value may be quoted plainly, by doubled quotes (a JSON text in a CSV cell) or by escaped ones
# (JSON in JSON), and may be cut by the end of the row. A nested value hides the rest of the row.
_NAMED_VALUE = re.compile(
    r"""(passw(?:or)?d|passphrase|pwd|secret|token(?!s)|api[_-]?key|private[_-]?key|authorization|credential)
        ([\w.-]{0,40}[\\"']{0,3}[ \t]{0,9}[:=][ \t]{0,9})
        (?: ""[^"]*(?:""|$)
          | "(?:[^"\\]|\\.)*(?:"|\\?$)
          | \\+".*?(?:\\+"|$)
          | '[^']*(?:'|$)
          | [\[{].*
          | [^,;}\]\ufffd]+ )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_SECRETS = (
    re.compile(r"\bbearer[ \t]+[^\s\"',;}]+|\bbasic[ \t]+[A-Za-z0-9+/=]{8,}", re.IGNORECASE),
    re.compile(r"(?<![A-Za-z0-9])(?:sk|pk|rk)[-_][A-Za-z0-9_-]{3,}"),
    re.compile(r"(?<![A-Za-z0-9])(?:gh[opusr]|github_pat|glpat|xox[a-z])[-_][A-Za-z0-9_-]+"),
    re.compile(r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]+"),
    re.compile(r"(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]+"),
    re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}"),
    re.compile(r"[A-Za-z0-9._%+-]{1,64}[@＠][A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"),
    re.compile(r"[+＋]?\d(?:[ \u3000()（）./‐‑‒–—−－ー-]{0,2}\d){8,}"),
)


def mask_excerpt(text: str, limit: int = 120) -> str:
    """Start of a row for showing to people: one line, secrets masked, at most `limit` characters.

    Masked are e-mail addresses, runs of nine digits or more (phone, card and account numbers,
    also with separators), bearer and API keys, runs of 24 letters and digits or more, and the
    values of fields named like password, secret, token, api_key or authorization. Control
    characters show as U+FFFD. Too much is masked rather than too little.
    """
    start = text[:_WINDOW].strip()
    line = start if start.isprintable() else "".join(map(visible, start))
    # Masked before cut: a cut secret would no longer look like one.
    line = _NAMED_VALUE.sub(lambda found: f"{found[1]}{found[2]}{MASK}", line)
    for secret in _SECRETS:
        line = secret.sub(MASK, line)
    if len(text) > _WINDOW:
        line = line[:-_LONGEST_PART] + "…"
    return line if len(line) <= limit else line[: limit - 1] + "…"
