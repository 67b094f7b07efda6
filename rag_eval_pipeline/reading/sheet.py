"""Sheets: CSV and TSV after RFC 4180, every cell a text, bad records set aside one by one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from rag_eval_pipeline.reading.errors import InputError, shown, shown_char
from rag_eval_pipeline.reading.json_lines import JsonFaultError, Row, RowFile, parse_json
from rag_eval_pipeline.reading.quarantine import Rejected, mask_excerpt
from rag_eval_pipeline.reading.sanitise import SANITISED, sanitise_text, unstorable
from rag_eval_pipeline.reading.text_file import decode

_SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a vertical bar"}
_AMBIGUOUS = ";；|"
_AMBIGUOUS_BETWEEN_IDS = ",、，\t"


@dataclass(frozen=True, slots=True)
class _Record:
    line: int
    cells: list[str]
    raw: str


class _QuoteFaultError(ValueError):
    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def read_sheet(data: bytes, file: str, *, delimiter: str) -> RowFile:
    """Rows of a CSV or TSV file (`delimiter` a comma or a tab) with a header record.

    Parameters
    ----------
    data
        The file's bytes, unpacked.
    file
        Its name, for messages.
    delimiter
        One character between cells.

    Returns
    -------
    RowFile
        Fields by column name, each a text or None for an empty cell; `line` is the line a record
        starts on. Line ends inside a cell are LF. Records without any content are nothing;
        cells beyond the named columns are tolerated while they are empty, as Excel writes them.
        Rejected: `wrong_number_of_cells`, `stray_quote`, `unclosed_quote` (its first line only;
        reading goes on at the next).

    Raises
    ------
    InputError
        `unknown_encoding`, `empty_file`, `unnamed_column`, `duplicate_column`,
        `wrong_separator`, or a quote fault in the header.
    """
    text, encoding = decode(data, file)
    if "\n" not in text:
        text = text.replace("\r", "\n")
    result = RowFile(encoding)
    records = _records(text, delimiter)
    names = _header(next(records, None), file, delimiter)
    for record in records:
        if isinstance(record, Rejected):
            result.add(record)
        elif any(cell and not cell.isspace() for cell in record.cells):
            result.add(_row(record, names))
    return result


def cell_list(cell: str, *, ids: bool) -> list[object]:
    """Items of a list written into one cell.

    A cell that begins with `[` is a strict JSON array (numbers as NumberLiteral); else several
    lines hold one item each; else the cell is one item. An empty cell is an empty list.

    Parameters
    ----------
    cell
        Content of the cell.
    ids
        Whether the items are ids, which commas and tabs may separate.

    Raises
    ------
    ValueError
        If the array is no JSON, or one line could be read as one item or as several.
    """
    text = cell.strip()
    if text.startswith("["):
        try:
            items, _ = parse_json(text)
        except JsonFaultError as fault:
            raise ValueError(
                f"found [ but no JSON array: {fault.reason}; write a JSON array or one per line"
            ) from None
        assert isinstance(items, list)  # noqa: S101  what begins with [ and parses is an array
        return items
    if text.startswith("{"):
        raise ValueError("found an object without an array; write a JSON array: [ {…}, {…} ]")
    if "\n" in text:
        return [line.strip() for line in text.split("\n") if line.strip()]
    for char in _AMBIGUOUS + (_AMBIGUOUS_BETWEEN_IDS if ids else ""):
        if char in text:
            raise ValueError(
                f"found {shown_char(char)}, which may separate items or belong to one; "
                "write a JSON array or one per line"
            )
    return [text] if text else []


def _records(text: str, delimiter: str) -> Iterator[_Record | Rejected]:
    at, line = 0, 1
    while at < len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        first = text[at:line_end]
        end, next_line = line_end, line + 1
        if first and not first.isspace():
            if '"' not in first:
                first = first.removesuffix("\r")
                yield _Record(line, first.split(delimiter), first)
            else:
                try:
                    cells, end = _quoted_record(text, at, delimiter)
                except _QuoteFaultError as fault:
                    yield Rejected(line, fault.code, None, fault.reason, mask_excerpt(first))
                else:
                    next_line = line + text.count("\n", at, end) + 1
                    yield _Record(line, cells, text[at:end].removesuffix("\r"))
        at, line = end + 1, next_line


def _quoted_record(text: str, at: int, delimiter: str) -> tuple[list[str], int]:
    """Cells of the record that starts at `at`, and where its last line ends."""
    start = at
    cells: list[str] = []
    while True:
        if text.startswith('"', at):
            cell, at = _quoted_cell(text, at)
        else:
            cell, at = _plain_cell(text, at, delimiter)
        cells.append(cell)
        if text.startswith(delimiter, at):
            at += 1
        elif at >= len(text) or text[at] == "\n":
            return cells, at
        elif text[at] == "\r" and text[at + 1 : at + 2] in {"", "\n"}:
            return cells, at + 1
        elif "\n" in text[start:at]:
            # The quote that seemed to close the cell is most likely the next one's opening.
            raise _unclosed()
        else:
            raise _QuoteFaultError(
                "stray_quote",
                f"found {shown_char(text[at])} after the closing quote of cell {len(cells)}; "
                'write a quote inside a quoted cell twice: ""',
            )


def _quoted_cell(text: str, at: int) -> tuple[str, int]:
    begin = at + 1
    close = text.find('"', begin)
    while close >= 0 and text.startswith('"', close + 1):
        close = text.find('"', close + 2)
    if close < 0:
        raise _unclosed()
    return text[begin:close].replace('""', '"').replace("\r\n", "\n"), close + 1


def _plain_cell(text: str, at: int, delimiter: str) -> tuple[str, int]:
    line_end = text.find("\n", at)
    line_end = len(text) if line_end < 0 else line_end
    end = text.find(delimiter, at, line_end)
    if end < 0:
        end = line_end - 1 if text[at:line_end].endswith("\r") else line_end
    cell = text[at:end]
    if '"' in cell:
        raise _QuoteFaultError(
            "stray_quote",
            "found a quote inside a cell that does not begin with one; "
            'put the whole cell in quotes and write the quote twice: ""',
        )
    return cell, end


def _unclosed() -> _QuoteFaultError:
    return _QuoteFaultError(
        "unclosed_quote",
        "found an opening quote without its closing one; close it, "
        'and write a quote inside the cell twice: ""',
    )


def _header(record: _Record | Rejected | None, file: str, delimiter: str) -> list[str]:
    if record is None:
        raise InputError(
            "empty_file",
            file=file,
            found="nothing but blank lines",
            expected="a first line with the names of the columns",
            todo="write the header and the rows",
        )
    if isinstance(record, Rejected):
        raise InputError(
            record.code,
            file=file,
            line=record.line,
            found=f"a header that cannot be read ({record.reason})",
            expected="the names of the columns",
            todo="mend the quotes of the header",
        )
    names = [
        sanitise_text(unicodedata.normalize("NFC", name.strip().strip("\ufeff")))
        for name in record.cells
    ]
    while len(names) > 1 and not names[-1]:
        names.pop()
    if len(names) == 1:
        _refuse_other_separator(names[0], record.line, file, delimiter)
    unnamed = [str(place) for place, name in enumerate(names, start=1) if not name]
    if unnamed:
        raise InputError(
            "unnamed_column",
            file=file,
            line=record.line,
            found=f"no name for column {', '.join(unnamed)}",
            expected="a name for each column",
            todo="name the column or delete it",
        )
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            "duplicate_column",
            file=file,
            line=record.line,
            found=f"more than one column named {', '.join(map(shown, twice))}",
            expected="each column name once",
            todo="rename or delete the second one",
        )
    return names


def _refuse_other_separator(name: str, line: int, file: str, delimiter: str) -> None:
    for char, word in _SEPARATORS.items():
        if char != delimiter and char in name:
            raise InputError(
                "wrong_separator",
                file=file,
                line=line,
                found=f"{word} between the column names",
                expected=f"{_SEPARATORS.get(delimiter, shown(delimiter))} between them",
                todo="save the sheet with that separator, or name the file .csv for commas "
                "and .tsv for tabs",
            )


def _row(record: _Record, names: list[str]) -> Row | Rejected:
    cells = record.cells
    if len(cells) < len(names) or any(cells[len(names) :]):
        reason = (
            f"found {len(cells)} cells, expected {len(names)} ({', '.join(map(shown, names[:8]))}"
            f"{', …' if len(names) > 8 else ''}); put cells that hold a separator in quotes"
        )
        return Rejected(
            record.line, "wrong_number_of_cells", None, reason, mask_excerpt(record.raw)
        )
    flags: tuple[str, ...] = ()
    if unstorable(record.raw):
        cells = [sanitise_text(cell) for cell in cells]
        flags = (SANITISED,)
    # Cells beyond the names are empty here.
    fields: dict[str, object] = {
        name: cell or None for name, cell in zip(names, cells, strict=False)
    }
    return Row(record.line, fields, flags, record.raw)
