"""Writes docs/measures.md from the docstrings of the measures and the contracts of their tables.

Run by `make docs`. The docstring of a module that measures something is laid out as

    Name: definition, one sentence or two.

    Prose, if wanted.

    Formula: the formula, or a list of `- name = formula`
    Source: where the definition is from, and the rule that decides (R2 and so on)
    Gives: retrieval_measures (ranks, grades); what is computed from them and not stored
    Needs: `case.evidence`, `log.retrieved`
    Absent: `case.evidence`: null; `log.retrieved`: 0; another gap: what the value is then

with each label once, in this order, and an entry under Absent for each field under Needs. `case`,
`log` and `document` are the files a user writes. An entry may name several fields: with commas for
each of them alone, with *and* for all at once. Lists may also be written as lines with a dash.

How well the text rules do is in docs/text_rules.json: one entry a round with counts, null for what
was not measured. `wrong` counts among `decided`, every other count among `n`.
"""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.dataset import cases
from rag_eval_pipeline.dataset.gold import CLAIM_KEYS
from rag_eval_pipeline.knowledge import documents
from rag_eval_pipeline.measures import MEASURE_VERSION
from rag_eval_pipeline.run_log import careful_rows, manifest, retrieved
from rag_eval_pipeline.tables.model import ItemMeasure

ROOT = Path(__file__).resolve().parent.parent
MEASURES = ROOT / "rag_eval_pipeline" / "measures"
PAGE = ROOT / "docs" / "measures.md"
TEXT_RULES = ROOT / "docs" / "text_rules.json"

CHAPTERS = {
    "Retrieval": (
        "retrieval/ranks",
        "retrieval/hit",
        "retrieval/recall",
        "retrieval/precision",
        "retrieval/reciprocal_rank",
        "retrieval/average_precision",
        "retrieval/ndcg",
        "retrieval/coverage",
        "retrieval/evidence_by_text",
        "retrieval/holes",
        "retrieval/stale",
        "retrieval/forbidden_access",
        "retrieval/duplicates",
    ),
    "Claims": ("claims/verdict", "claims/matrix", "claims/ragchecker"),
    "Answers": ("groundedness", "citations", "exact_match", "fields", "tables"),
    "Behavior": ("behavior", "scenarios"),
}
"""Modules that measure something, in the order of the page."""
PLUMBING = frozenset(
    (
        "context",
        "distinct",
        "retrieval/depths",
        "retrieval/facts",
        "retrieval/gold_groups",
        "retrieval/matches",
        "version",
    )
)
"""Modules that prepare or join, and measure nothing by themselves."""
PARTS = ("claims/",)
"""Folders whose other modules are parts of the measures in CHAPTERS."""
TABLES = (
    "retrieval_measures",
    "claim_verdicts",
    "answer_measures",
    "behavior_measures",
    "scenario_measures",
)
FIELDS = {
    "case": {field.name: field.aliases for field in cases.FIELDS}
    | {f"{kind}_claims.{key}": () for kind in ("required", "forbidden") for key in CLAIM_KEYS},
    "log": {field.name: field.aliases for field in (*manifest.FIELDS, *careful_rows.FIELDS)}
    | {f"retrieved.{name}": () for name in retrieved.KNOWN_KEYS},
    "document": {field.name: field.aliases for field in documents.FIELDS},
}
RULES = {
    "R1": "States and open conditions: what is false decides, then what is open.",
    "R2": "The unit of search is the group of gold evidence; levels section and document.",
    "R3": "What is judged where an answer, an abstention or a question back is expected.",
    "R4": "Claims: supported, contradicted or undecided, and whether the text speaks of them.",
    "R5": "Evidence by text, for runs whose ids are not the snapshot's.",
    "R6": "The context of an answer, and values without ground.",
    "R7": "Snapshots, and the day validity is judged on.",
    "R8": "From items to cases to a run: what counts as a failure and what is left out.",
    "R12": "The minimal form read literally; fields a run never carries.",
    "R13": "The one cause that is named for a failed item.",
    "R14": "The matrix of verdicts: which claims are held against which texts.",
    "R15": "When two values are the same, different or not comparable.",
}
"""The scoring rules that docstrings cite by id, a line each."""

LABELS = ("Formula", "Source", "Gives", "Needs", "Absent")
_LABEL = re.compile(rf"^({'|'.join(LABELS)}):(?= |$)", re.MULTILINE)
_FIELD = re.compile(r"`((?:case|log|document)\.[a-z_.]+)`")
_ALONE = re.compile(rf"{_FIELD.pattern}(?:, {_FIELD.pattern})*")
_COLUMNS = re.compile(r"^([a-z_]+) \(([a-z0-9_, ]+)\)$")
_RULE = re.compile(r"\bR[0-9]+\b")
_TYPES = {
    pl.String(): "text",
    pl.Int64(): "integer",
    pl.Float64(): "number",
    pl.Boolean(): "true or false",
    pl.List(pl.String): "list of texts",
    pl.List(pl.Int64): "list of integers",
}
_Z = 1.959963984540054  # 97.5 % point of the normal distribution


class LayoutError(Exception):
    """A docstring, or the file of measured figures, is not laid out as the page needs it."""


@dataclass(frozen=True, slots=True)
class Measure:
    """What the docstring of a module says of the measure it makes.

    `stored` holds (table, column) pairs, `computed` what is not stored, `absent` what is missing
    and the value there is then.
    """

    module: str
    name: str
    definition: str
    prose: str
    formula: tuple[str, ...]
    source: str
    stored: tuple[tuple[str, str], ...]
    computed: tuple[str, ...]
    needs: tuple[str, ...]
    absent: tuple[tuple[str, str], ...]


def measure_of(module: str, docstring: str) -> Measure:
    """Read a docstring laid out as told at the top.

    Raises
    ------
    LayoutError
        A label is missing, out of order or empty, a field or column is unknown, or a field under
        Needs has no entry under Absent or the reverse.
    """
    texts = _LABEL.split(docstring.strip())
    labels, bodies = tuple(texts[1::2]), [text.strip() for text in texts[2::2]]
    if labels != LABELS:
        raise LayoutError(f"{module}: labels {', '.join(labels)}; expected {', '.join(LABELS)}")
    said = dict(zip(LABELS, bodies, strict=True))
    for label, body in said.items():
        if not body or "\n\n" in body:
            raise LayoutError(f"{module}: {label} is empty or more than one paragraph")
    summary, _, prose = texts[0].partition("\n\n")
    name, colon, definition = _one_line(summary).partition(": ")
    if not colon:
        raise LayoutError(f"{module}: the first sentence is not `Name: definition`")
    stored, computed = _given(module, _items(said["Gives"]))
    return Measure(
        module=module,
        name=name,
        definition=definition[0].upper() + definition[1:],
        prose=prose.strip(),
        formula=tuple(_items(said["Formula"], listed_only=True)),
        source=_one_line(said["Source"]),
        stored=stored,
        computed=computed,
        needs=_fields(module, said["Needs"]),
        absent=_absent(module, said["Absent"], _fields(module, said["Needs"])),
    )


def measures(folder: Path = MEASURES) -> dict[str, tuple[Measure, ...]]:
    """The measures of each chapter.

    Raises
    ------
    LayoutError
        A module is neither in a chapter nor plumbing nor a part, or its docstring cannot be read.
    """
    modules = {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for path in sorted(folder.rglob("*.py"))
        if path.name != "__init__.py"
    }
    listed = [module for chapter in CHAPTERS.values() for module in chapter]
    for module in modules:
        if module not in {*listed, *PLUMBING} and not module.startswith(PARTS):
            raise LayoutError(
                f"{module}: add it to CHAPTERS, or to PLUMBING if it measures nothing"
            )
    for module in {*listed, *PLUMBING} - modules.keys():
        raise LayoutError(f"{module}: no such module; take it out of CHAPTERS or PLUMBING")
    return {
        chapter: tuple(
            measure_of(
                module, ast.get_docstring(ast.parse(modules[module].read_text("utf-8"))) or ""
            )
            for module in names
        )
        for chapter, names in CHAPTERS.items()
    }


def columns(table: str) -> dict[str, str]:
    """Columns of a table but for its keys, with what each means."""
    return {
        name: meaning
        for name, meaning in tables.describe(table).items()
        if name not in ItemMeasure.to_schema().columns
    }


def page(chapters: Mapping[str, Sequence[Measure]], text_rules: Mapping[str, object]) -> str:
    """The whole page as Markdown.

    Raises
    ------
    LayoutError
        A column is given by no measure or by two, a rule is unknown, or a figure is impossible.
    """
    every = [each for chapter in chapters.values() for each in chapter]
    parts = [
        INTRODUCTION.format(version=MEASURE_VERSION, marker=MARKER),
        _at_a_glance(chapters),
        *(part for chapter, its in chapters.items() for part in _chapter(chapter, its)),
        _tables(every),
        _input_fields(every),
        _figures(text_rules),
    ]
    text = "\n\n".join(parts)
    return f"{text}\n\n{_rules(text)}\n"


def build() -> str:
    """The page from what lies in the checkout."""
    return page(measures(), json.loads(TEXT_RULES.read_text("utf-8")))


MARKER = "<!-- Written by docs/build_measures.py from docstrings: edit those, then `make docs`. -->"

INTRODUCTION = """\
# Measures

{marker}

A measure is a fact about one answer of one run: at which place the gold evidence was retrieved,
which claims the answer meets, which of its values stand in the retrieved text. Measures know no
threshold and no weight. What counts as good enough is said by a rubric, which turns measures into
the scores of the four axes. No language model takes part: the same log and the same gold give the
same numbers every time. This page describes version {version} of the measuring rules.

## Reading a number

- **Null is not zero.** A value that cannot be known is null: the case has no gold, the run does not
  log the field, or the rules cannot decide. A null is left out of a mean and counted apart. Zero
  says that the system was measured and failed.
- **What is not there has a rule too.** Each measure below names the fields it needs and its value
  where one is absent. *Absent* means missing or null. An empty list is a statement: nothing was
  retrieved. A field that no item of a run has is not logged: the axes that need it do not apply to
  that run (R12).
- **Items are measured, cases are counted.** A case asked three times counts once, by the mean of
  its trials (R8). A case the run lacks, and an item in which the system failed, count as zero on
  every axis that applies, whatever else is logged. They have no part in comparisons pair by pair.
- **A number needs its n.** 1.00 over three cases says little. Every aggregate shows how many cases
  stand behind it and how many are open.
- **Undecided is not wrong.** Where a rule is not sure about a claim or a value, it says so and
  leaves it to a reviewer. The aggregates show what the score would be with everything open counted
  as failed, and as met.

## Words

- A **slot** is one entry of the ranking `retrieved`. Its place is counted from 1.
- A **gold group** is one piece of evidence the answer needs: one id, or several of which one is
  enough. All groups of a case are needed. A slot **earns** when it covers a group that no earlier
  slot covers.
- A **claim** is something an answer has to say (required) or must not say (forbidden).
- A **value** is an amount, share, span, date, time, count or quantity in a text.
- **k** is the depth down to which slots count.

Fields are named after the file they are written in: `case` is a line of the cases file, `log` a
line of the run log, `document` a line of the knowledge base. Where there is no knowledge base at
all, `document.doc_id` is absent and with it the rest. Gold evidence may be written as
`evidence` or, with alternatives, as `evidence_groups`. The scoring rules, cited as R2 and so on,
are listed at the end."""


def _at_a_glance(chapters: Mapping[str, Sequence[Measure]]) -> str:
    rows = [
        (_link(each.name), each.definition, _codes(each.needs))
        for chapter in chapters.values()
        for each in chapter
    ]
    return "## At a glance\n\n" + _table(("measure", "says", "needs"), rows)


def _chapter(chapter: str, its: Sequence[Measure]) -> Iterable[str]:
    yield f"## {chapter}"
    for each in its:
        formula = each.formula[0] if len(each.formula) == 1 else "\n\n" + _bullets(each.formula)
        given = [f"{_codes([c for t, c in each.stored if t == table])} in "
                 f"[`{table}`](#{_anchor(table)})"
                 for table in dict.fromkeys(table for table, _ in each.stored)]  # fmt: skip
        yield f"### {each.name}\n\n{each.definition}"
        if each.prose:
            yield each.prose
        yield f"**Formula**: {formula}" if len(each.formula) == 1 else f"**Formula**{formula}"
        yield f"**Source**: {each.source}"
        yield f"**Gives**: {'; '.join([*given, *each.computed])}"
        yield _table(("absent", "value then"), each.absent)


def _tables(every: Sequence[Measure]) -> str:
    parts = [ABOUT_TABLES]
    for table in TABLES:
        contract = tables.TABLES[table]
        types = tables.columns(table)
        schema = contract.to_schema().columns
        rows = []
        for name, meaning in columns(table).items():
            by = [each for each in every if (table, name) in each.stored]
            if len(by) != 1:
                told = ", ".join(each.module for each in by) or "none"
                raise LayoutError(f"{table}.{name}: given by {told}; expected one measure")
            kind = _TYPES[types[name]] + (", or null" if schema[name].nullable else "")
            rows.append((f"`{name}`", kind, meaning, _link(by[0].name)))
        parts.append(f"### {table}\n\n{_one_paragraph(contract.__doc__ or '')}")
        parts.append(_table(("column", "holds", "meaning", "measure"), rows))
    return "\n\n".join(parts)


ABOUT_TABLES = """\
## Tables

Every row also bears the keys of what was measured against what: `dataset_version`, `dataset_hash`,
`run_id`, `run_hash`, `measure_version`, and of an item `case_id` and `trial`."""


def _input_fields(every: Sequence[Measure]) -> str:
    rows = []
    for field in sorted({field for each in every for field in each.needs}):
        others = _other_names(field)
        shown = f"`{field}`" + (f" (also written {_codes(others)})" if others else "")
        for each in every:
            for missing, value in each.absent:
                if field in _FIELD.findall(missing):
                    alone = _ALONE.fullmatch(missing)
                    told = value if alone else f"{missing}: {value}"
                    rows.append((shown, _link(each.name), told))
                    shown = ""
    return f"{ABOUT_FIELDS}\n\n" + _table(("field", "measure", "when it is absent"), rows)


ABOUT_FIELDS = """\
## When a field is absent

The same by field, to see what a log or a cases file can do without. What stands before a colon has
to hold as well, such as another field being absent too."""


def _figures(text_rules: Mapping[str, object]) -> str:
    rounds = text_rules["rounds"]
    if not isinstance(rounds, list):
        raise LayoutError("text_rules.json: rounds is a list")
    rows = []
    for number, each in enumerate(rounds, start=1):
        for subject, (what, target) in FIGURES.items():
            for part, words in what.items():
                right, n = _count(each, number, subject, part), _count(each, number, subject, "n")
                if part == "wrong":
                    n = _count(each, number, subject, "decided")
                rows.append((str(number), subject, words, _share(right, n), target[part]))
    return f"{ABOUT_FIGURES}\n\n" + _table(("round", "rules for", "figure", "result", "aim"), rows)


ABOUT_FIGURES = """\
## How well do the text rules do

Values, claims and statuses are read from free text by rules, and rules meet wordings that nobody
thought of. So they are tried on rows written by somebody who has not seen them, once, before anyone
looks at what went wrong. Only this first try tells how the rules do on your texts; afterwards the
rows serve to mend the rules, and the next round needs new ones. The range is the 95 % interval
(Wilson) that n allows.

`values` is right when every field of every value of the text is, and nothing else was found;
`pairs` when two values are rightly called the same, different or undecided; `status` when answer,
abstention and question back are told apart. A claim may be left undecided: what counts is how many
are decided, and how many of those wrongly."""

FIGURES: Mapping[str, tuple[Mapping[str, str], Mapping[str, str]]] = {
    "values": ({"right": "right"}, {"right": "at least 85 %"}),
    "pairs": ({"right": "right"}, {"right": "at least 85 %"}),
    "claims": (
        {"decided": "decided", "wrong": "wrong, of those decided"},
        {"decided": "at least 60 %", "wrong": "at most 3 %"},
    ),
    "status": ({"right": "right"}, {"right": "at least 95 %"}),
}
"""What is counted of each kind of rule: parts with their wording, and what is aimed at."""


def _count(figures: object, number: int, subject: str, part: str) -> int | None:
    try:
        count = figures[subject][part]  # type: ignore[index]
    except (KeyError, TypeError):
        raise LayoutError(f"text_rules.json: round {number} has no {subject}.{part}") from None
    if count is not None and (type(count) is not int or count < 0):
        raise LayoutError(f"text_rules.json: round {number}, {subject}.{part} is no count")
    return count


def _share(part: int | None, n: int | None) -> str:
    """The share with its n and 95 % interval."""
    if part is None or not n:
        return "not measured yet" + (f" (n = {n})" if n else "")
    if part > n:
        raise LayoutError(f"text_rules.json: {part} of {n}")
    share = part / n
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * math.sqrt(share * (1 - share) / n + (_Z / (2 * n)) ** 2) / (1 + _Z**2 / n)
    low, high = max(0.0, middle - half), min(1.0, middle + half)
    return f"{share:.0%} ({part} of n = {n}; {low:.0%} to {high:.0%})".replace("%", " %")


def _rules(text: str) -> str:
    cited = sorted(set(_RULE.findall(text)), key=lambda each: int(each[1:]))
    unknown = [each for each in cited if each not in RULES]
    if unknown:
        raise LayoutError(f"rule {unknown[0]} is cited and has no line in RULES")
    return "## Rules cited\n\n" + _table(("rule", "about"), [(each, RULES[each]) for each in cited])


def _given(
    module: str, items: Iterable[str]
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    stored: list[tuple[str, str]] = []
    computed = []
    for item in items:
        found = _COLUMNS.match(item)
        if found is None or found[1] not in TABLES:
            computed.append(item)
            continue
        for name in found[2].split(", "):
            if name not in columns(found[1]):
                raise LayoutError(f"{module}: {found[1]} has no column {name}")
            stored.append((found[1], name))
    return tuple(stored), tuple(computed)


def _fields(module: str, text: str) -> tuple[str, ...]:
    found = tuple(dict.fromkeys(_FIELD.findall(text)))
    for each in found:
        if _written(each) is None:
            raise LayoutError(f"{module}: {each} is no field of that file")
    return found


def _absent(module: str, text: str, needs: Sequence[str]) -> tuple[tuple[str, str], ...]:
    entries = []
    for item in _items(text):
        missing, colon, value = item.partition(": ")
        if not colon:
            raise LayoutError(f"{module}: Absent says {item!r}; expected `what is absent: value`")
        entries.append((missing, value))
    told = {field for missing, _ in entries for field in _FIELD.findall(missing)}
    if told != set(needs):
        odd = ", ".join(sorted(told ^ set(needs)))
        raise LayoutError(f"{module}: {odd} is under only one of Needs and Absent")
    return tuple(entries)


def _written(field: str) -> tuple[str, tuple[str, ...]] | None:
    """Name and other names of a field; None where the file has no such field."""
    file, _, name = field.partition(".")
    for canonical, others in FIELDS[file].items():
        if name == canonical or name in others:
            return canonical, others
    return None


def _other_names(field: str) -> list[str]:
    written = _written(field)
    name = field.partition(".")[2]
    return [] if written is None else [each for each in (written[0], *written[1]) if each != name]


def _items(text: str, *, listed_only: bool = False) -> list[str]:
    """Lines with a dash; else, unless only those count, what `;` divides."""
    if text.startswith("- "):
        return [_one_line(each) for each in re.split(r"^- ", text, flags=re.MULTILINE)[1:]]
    whole = _one_line(text)
    return [whole] if listed_only else whole.rstrip(".").split("; ")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _one_paragraph(docstring: str) -> str:
    return "\n\n".join(_one_line(part) for part in docstring.strip().split("\n\n"))


def _anchor(heading: str) -> str:
    """The anchor that Markdown viewers make of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _link(heading: str) -> str:
    return f"[{heading}](#{_anchor(heading)})"


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _bullets(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *([_cell(each) for each in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    """Text that neither ends a cell nor opens a tag."""
    return text.replace("|", "\\|").replace("<", "\\<")


if __name__ == "__main__":
    PAGE.write_text(build(), "utf-8")
