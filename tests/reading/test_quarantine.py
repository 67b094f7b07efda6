import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.reading.quarantine import mask_excerpt


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("連絡先は taro.yamada+rag@example.co.jp です", "yamada"),
        ("mail me: a@b.example", "a@b"),
        ("電話 03-1234-5678 まで", "1234"),
        ("call +81 90 1234 5678 now", "1234"),
        ("(03) 1234-5678", "5678"),
        ("電話０９０１２３４５６７８", "１２３４"),
        ("card 4111 1111 1111 1111", "1111"),
        ("account 123456789", "123456789"),
        ("Authorization: Bearer abc.def-123", "abc"),
        ("use sk-proj-a1B2c3 here", "a1B2"),
        ("ghp_16C7e42F292c6912E7710c8", "16C7"),
        ("AKIAIOSFODNN7EXAMPLE", "IOSF"),
        ("sha 9f86d081884c7d659a2feaa0c55ad015", "9f86"),
        ("blob QUJDREVGR0hJSktMTU5PUFFSU1RVVg==", "QUJD"),
        ('{"password":"hunter2","x":1}', "hunter2"),
        ('{"db_passwd" : "hunter2"}', "hunter2"),
        ('{"apiKey":"hunter2"}', "hunter2"),
        ('{"x-api-key":"hunter2"}', "hunter2"),
        ('{"client_secret":12345}', "12345"),
        ('{"access_token":"hunter2"}', "hunter2"),
        ('{"authorization":["hunter2","other"]}', "other"),
        ('{"secret":{"a":{"b":"hunter2"}}}', "hunter2"),
        ('{"password":"hun\\"ter2"}', "ter2"),
        ('{"password":"hunter2 and the line ends', "hunter2"),
        ('{"password":"hunter2\\', "hunter2"),
        ('q1,"{""password"":""hunter2""}",x', "hunter2"),
        ('{"raw":"{\\"password\\":\\"hunter2\\"}"}', "hunter2"),
        ("password: hunter2 in two words", "two words"),
        ("PASSWORD='hunter2'", "hunter2"),
    ],
)
def test_secrets_do_not_show(text: str, secret: str) -> None:
    masked = mask_excerpt(text)
    assert secret not in masked
    assert "***" in masked


@pytest.mark.parametrize(
    "text",
    [
        '{"case_id": "q1", "answer": "到着から30日以内", "latency_ms": 1234}',
        '{"input_tokens": 812, "output_tokens": 64}',
        "2026-11-02T02:00:00+09:00",
        "shop-faq@v1",
        "shipping#s1,returns#s2",
    ],
)
def test_ordinary_rows_show_as_they_are(text: str) -> None:
    assert mask_excerpt(text) == text


def test_fields_beside_a_secret_stay_readable() -> None:
    masked = mask_excerpt('{"password":"hunter2","case_id":"q1"}')
    assert masked == '{"password":***,"case_id":"q1"}'


def test_a_secret_across_the_limit_shows_no_half() -> None:
    for start in range(90, 125):
        masked = mask_excerpt("x " * (start // 2) + "taro.yamada@example.com tail")
        assert "taro" not in masked


def test_excerpt_is_one_line_without_controls() -> None:
    assert (
        mask_excerpt("a\nb\x00c\x1b[0m\u2028d\u202ee") == "a\ufffdb\ufffdc\ufffd[0m\ufffdd\ufffde"
    )


def test_long_rows_are_cut_with_a_mark() -> None:
    masked = mask_excerpt("送料 " * 200, limit=20)
    assert len(masked) == 20
    assert masked.endswith("…")


def test_a_huge_row_is_masked_in_time_and_hides_what_its_window_cuts() -> None:
    start = time.perf_counter()
    # A token of the whole window is masked; the start of a telephone number follows it.
    masked = mask_excerpt("A" * 19_990 + " 03-12" + "34-5678" + "z" * 3_000_000)
    assert time.perf_counter() - start < 2
    assert "03-12" not in masked
    mask_excerpt("a." * 100_000 + "語" * 100_000)
    assert time.perf_counter() - start < 4


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_any_text_gives_a_short_line_that_can_be_stored(text: str, limit: int) -> None:
    masked = mask_excerpt(text, limit)
    assert len(masked) <= limit
    masked.encode()
    assert "\n" not in masked
    assert "\x00" not in masked
