import csv
import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.errors import InputError
from rag_eval_pipeline.reading.json_lines import NumberLiteral, RowFile
from rag_eval_pipeline.reading.sheet import cell_list, read_sheet


def sheet(text: str, delimiter: str = ",") -> RowFile:
    return read_sheet(text.encode(), "cases.csv", delimiter=delimiter)


def rows(read: RowFile) -> list[tuple[int, list[object]]]:
    return [(row.line, list(row.fields.values())) for row in read.rows]


def faults(read: RowFile) -> list[tuple[int | None, str]]:
    return [(fault.line, fault.code) for fault in read.rejected]


def test_cells_are_text_and_empty_cells_are_none() -> None:
    read = sheet('case_id,a,b,c\n007,1e5,,TRUE\n2026-01-02,null,"",NA\n')
    assert [row.fields for row in read.rows] == [
        {"case_id": "007", "a": "1e5", "b": None, "c": "TRUE"},
        {"case_id": "2026-01-02", "a": "null", "b": None, "c": "NA"},
    ]
    assert read.n_rows == 2


def test_quotes_newlines_and_separators_inside_a_cell_are_kept() -> None:
    read = sheet(
        "id,question,claims\r\n"
        'q1,"送料は？\r\n（国内）","[""国内送料は500円"",""a;b|c""]"\r\n'
        'q2,"""無料""と言えますか、はい/いいえ","[]"\r\n'
        "\r\n"
        "q3,x,y"
    )
    assert rows(read) == [
        (2, ["q1", "送料は？\n（国内）", '["国内送料は500円","a;b|c"]']),
        (4, ["q2", '"無料"と言えますか、はい/いいえ', "[]"]),
        (6, ["q3", "x", "y"]),
    ]
    assert read.n_rows == 3
    assert read.rejected == []


def test_a_cell_may_be_very_long() -> None:
    read = sheet("id,a\nq1," + "長" * 200_000 + '\nq2,"' + "長\n" * 100_000 + '"\nq3,z\n')
    assert len(str(read.rows[0].fields["a"])) == 200_000
    assert len(str(read.rows[1].fields["a"])) == 200_000
    assert read.rows[2].line == 100_004


def test_names_are_stripped_and_in_nfc_and_a_mark_is_no_part_of_them() -> None:
    read = read_sheet(b"\xef\xbb\xbf" + " id ,\u30ab\u3099\n1,2\n".encode(), "x", delimiter=",")
    assert list(read.rows[0].fields) == ["id", "\u30ac"]
    assert read.encoding == "utf-8-sig"
    assert list(sheet("\ufeff\ufeffid,a\n1,2\n").rows[0].fields) == ["id", "a"]


def test_a_tab_separated_utf16_sheet_is_read() -> None:
    data = "id\tq\n1\t送料, 国内\n".encode("utf-16")
    read = read_sheet(data, "x.tsv", delimiter="\t")
    assert read.rows[0].fields == {"id": "1", "q": "送料, 国内"}


def test_an_excel_sheet_in_cp932_is_read() -> None:
    data = "id,q\r\nq1,㈱髙橋①の表示ソフトの送料は？\r\n".encode("cp932")
    read = read_sheet(data, "x", delimiter=",")
    assert read.rows[0].fields["q"] == "㈱髙橋①の表示ソフトの送料は？"
    assert read.encoding == "cp932"


def test_carriage_returns_alone_end_lines_where_there_is_no_line_feed() -> None:
    assert rows(sheet("id,a\r1,2\r3,4\r")) == [(2, ["1", "2"]), (3, ["3", "4"])]


def test_a_wrong_number_of_cells_rejects_the_record_with_both_numbers() -> None:
    read = sheet('id,a,b\n1,2\n3,4,5\n6,7,8,9\n"x\ny",z\n')
    assert rows(read) == [(3, ["3", "4", "5"])]
    assert faults(read) == [(line, "wrong_number_of_cells") for line in (2, 4, 5)]
    assert "found 2 cells, expected 3" in read.rejected[0].reason
    assert "found 4 cells, expected 3" in read.rejected[1].reason


def test_columns_without_any_content_are_tolerated_at_the_end_only() -> None:
    read = sheet("id,a,,\n1,2,,\n3,4\n5,6,7,\n,,,\n , ,\n")
    assert rows(read) == [(2, ["1", "2"]), (3, ["3", "4"])]
    assert faults(read) == [(4, "wrong_number_of_cells")]
    assert read.n_rows == 3


def test_an_unclosed_quote_rejects_its_line_only() -> None:
    read = sheet('id,a\nq1,"open\nq2,fine\nq3,"also ""fine"""\nq4,last\n')
    assert rows(read) == [(3, ["q2", "fine"]), (4, ["q3", 'also "fine"']), (5, ["q4", "last"])]
    assert faults(read) == [(2, "unclosed_quote")]
    assert read.n_rows == 4


def test_an_unclosed_quote_at_the_end_of_the_file_rejects_its_line_only() -> None:
    read = sheet('id,a\nq1,"open\nq2,fine\nq3,fine')
    assert rows(read) == [(3, ["q2", "fine"]), (4, ["q3", "fine"])]
    assert faults(read) == [(2, "unclosed_quote")]


def test_stray_quotes_reject_the_record() -> None:
    read = sheet('id,a\nq1,5" disk\nq2,"a" b\nq3, "a"\nq4,"a"\n')
    assert faults(read) == [(2, "stray_quote"), (3, "stray_quote"), (4, "stray_quote")]
    assert rows(read) == [(5, ["q4", "a"])]


def test_an_excerpt_of_a_rejected_record_hides_secrets() -> None:
    read = sheet('id,a\nq1,mail taro@example.com,"x"\n')
    assert read.rejected[0].excerpt == 'q1,mail ***,"x"'


def test_text_that_cannot_be_stored_is_replaced_and_flagged() -> None:
    read = sheet('id,a\nq1,500\x00円\nq2,"🚚"\n')
    assert read.rows[0].fields["a"] == "500\ufffd円"
    assert [row.flags for row in read.rows] == [("text_sanitised",), ()]


@pytest.mark.parametrize(
    ("text", "code", "line", "words"),
    [
        ("", "empty_file", None, "names of the columns"),
        ("\n \n", "empty_file", None, "names of the columns"),
        ("\nid,,a\n", "unnamed_column", 2, "column 2"),
        ("id,a, id\n", "duplicate_column", 1, '"id"'),
        ("\u30ab\u3099,\u30ac\n", "duplicate_column", 1, "\u30ac"),
        ('id,"a\n1,2\n', "unclosed_quote", 1, "header"),
        ("id;question\n", "wrong_separator", 1, "semicolon"),
        ("id\tquestion\n", "wrong_separator", 1, "tab"),
    ],
)
def test_a_header_that_cannot_be_used_stops_the_file(
    text: str, code: str, line: int | None, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        sheet(text)
    assert (caught.value.code, caught.value.line) == (code, line)
    assert caught.value.file == "cases.csv"
    assert words in str(caught.value)


def test_commas_in_a_tab_separated_header_are_noticed() -> None:
    with pytest.raises(InputError, match="comma"):
        sheet("id,question\n", delimiter="\t")


def test_a_sheet_of_one_column_or_without_rows_is_read() -> None:
    assert rows(sheet("id\nq1\nq2\n")) == [(2, ["q1"]), (3, ["q2"])]
    assert sheet("id,a\n").n_rows == 0


cells = st.text(alphabet='a"\n,;\t 送', max_size=6)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), max_size=6)
)


@given(tables, st.sampled_from([",", "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_what_a_csv_writer_writes_comes_back(
    table: list[list[str]], delimiter: str, line_end: str
) -> None:
    width = len(table[0]) if table else 1
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=line_end, quoting=csv.QUOTE_ALL)
    writer.writerow([f"c{n}" for n in range(width)])
    writer.writerows(table)
    read = read_sheet(out.getvalue().encode(), "x", delimiter=delimiter)
    expected = [[cell or None for cell in row] for row in table if any(c.strip() for c in row)]
    assert [cells for _, cells in rows(read)] == expected
    assert read.rejected == []


@given(st.text(alphabet='a",\n\r;送 \x00', max_size=60))
def test_any_text_is_read_line_by_line_or_refused(text: str) -> None:
    try:
        read = read_sheet(b"x,y\n" + text.encode(), "x", delimiter=",")
    except InputError:
        return
    assert read.n_rows == len(read.rows) + len(read.rejected)
    starts = [row.line for row in read.rows] + [fault.line or 0 for fault in read.rejected]
    assert len(set(starts)) == len(starts)
    assert all(set(row.fields) == {"x", "y"} for row in read.rows)


def test_many_quote_faults_do_not_make_reading_slow() -> None:
    start = time.perf_counter()
    read = sheet("id,a\n" + 'q,"open ""x""\n' * 20_000)
    assert time.perf_counter() - start < 3
    assert read.n_rows == 20_000


@pytest.mark.parametrize(
    ("cell", "ids", "items"),
    [
        ("", True, []),
        (" \n ", True, []),
        ("[]", True, []),
        ('["a;b", 1.0, null, {"text": "x"}]', False, ["a;b", "1.0", None, {"text": "x"}]),
        ("a\n\n b ", True, ["a", "b"]),
        ("a;b\nc|d", False, ["a;b", "c|d"]),
        ("shipping#s1", True, ["shipping#s1"]),
        ("送料は500円、税込です, はい", False, ["送料は500円、税込です, はい"]),
    ],
)
def test_lists_in_a_cell(cell: str, ids: bool, items: list[object]) -> None:
    assert cell_list(cell, ids=ids) == items


def test_numbers_in_a_cells_array_stay_as_written() -> None:
    assert isinstance(cell_list("[1.0]", ids=False)[0], NumberLiteral)


@pytest.mark.parametrize("cell", ["a;b", "a；b", "a|b", "a,b", "a、b", "a，b", "a\tb"])
def test_one_line_that_may_be_several_ids_is_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="JSON array or one per line"):
        cell_list(cell, ids=True)


@pytest.mark.parametrize("cell", ["[draft] text", "[1,", "[NaN]", '[{"a":1,"a":2}]', '{"a": 1}'])
def test_arrays_that_are_no_strict_json_are_refused(cell: str) -> None:
    with pytest.raises(ValueError, match="write a JSON array"):
        cell_list(cell, ids=False)
