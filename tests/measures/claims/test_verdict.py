import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_eval_pipeline.measures.claims import verdict as module
from rag_eval_pipeline.measures.claims.claim import Claim
from rag_eval_pipeline.measures.claims.finding import REASONS
from rag_eval_pipeline.measures.claims.statements import parse
from rag_eval_pipeline.measures.claims.verdict import Verdict, judge, verdict

WRONG_WHEN_DECIDED = 0.03
DECIDED = 0.60


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


ROWS = _rows(Path(__file__).with_name("claims.jsonl"))
DECIDED_ROWS = [
    row
    for row in ROWS
    if row["label"] != "undecided" and "question" not in row and len(row["answer"]) < 60
]


def judged(row: dict[str, Any]) -> Verdict:
    return verdict(Claim(row["claim"], row["claim_kind"]), row["answer"], row.get("question"))


def _shares(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], float]:
    labels = [(row, judged(row).label) for row in rows]
    decided = [(row, label) for row, label in labels if label != "undecided"]
    wrong = [{**row, "got": label} for row, label in decided if label != row["label"]]
    return wrong, len(decided) / len(rows)


def test_of_the_table_no_row_is_decided_wrongly() -> None:
    wrong, decided = _shares(ROWS)
    assert wrong == []
    assert decided >= DECIDED


@pytest.mark.real_sets
@pytest.mark.skipif("RAG_EVAL_TEXT_CASES" not in os.environ, reason="RAG_EVAL_TEXT_CASES not set")
def test_published_cases() -> None:
    rows = _rows(Path(os.environ["RAG_EVAL_TEXT_CASES"]) / "claims.jsonl")
    wrong, decided = _shares(rows)
    assert len(wrong) <= WRONG_WHEN_DECIDED * decided * len(rows)
    assert decided >= DECIDED


RULES = [
    ("equal", "required", "窓口は3階にある", "窓口は３階にある。", None, "supported"),
    ("absent", "required", "窓口は3階にある", "お電話ありがとうございます。", None, "undecided"),
    (
        "absent",
        "forbidden",
        "窓口は3階にある",
        "お電話ありがとうございます。",
        None,
        "contradicted",
    ),
    ("question", "required", "印鑑が必要", "印鑑は必要ですか？", None, "undecided"),
    (
        "not_known",
        "required",
        "印鑑が必要",
        "印鑑が必要かどうかは分かりません。",
        None,
        "undecided",
    ),
    (
        "not_known",
        "forbidden",
        "A stamp is required",
        "I could not find whether a stamp is required.",
        None,
        "contradicted",
    ),
    (
        "referral",
        "required",
        "返却の窓口は総務課",
        "返却の窓口については総務課へお問い合わせください。",
        None,
        "undecided",
    ),
    ("part", "required", "新入社員の研修は必須", "研修があります。", None, "undecided"),
    ("polarity", "required", "研修は必須", "研修の受講は任意です。", None, "contradicted"),
    ("polarity", "required", "研修は必須", "研修を受けなければなりません。", None, "supported"),
    (
        "member",
        "required",
        "受け取りは店頭またはコンビニ",
        "コンビニでの受け取りはできません。",
        None,
        "contradicted",
    ),
    (
        "only",
        "required",
        "受け取りは店頭またはコンビニ",
        "受け取りは店頭のみです。",
        None,
        "contradicted",
    ),
    ("roles", "required", "講師が学生を評価する", "学生が講師を評価します。", None, "undecided"),
    (
        "roles",
        "required",
        "The tutor grades the student",
        "The student grades the tutor.",
        None,
        "undecided",
    ),
    (
        "quoted",
        "required",
        "研修は必須である",
        "「研修は必須である」という声をいただきました。",
        None,
        "undecided",
    ),
    (
        "denied",
        "forbidden",
        "研修は必須である",
        "「研修は必須である」という説明は誤りです。",
        None,
        "contradicted",
    ),
    (
        "denied",
        "forbidden",
        "The course is required",
        "It is not true that the course is required.",
        None,
        "contradicted",
    ),
    ("values", "required", "会議室は8名まで", "会議室の定員は八名です。", None, "supported"),
    ("values", "required", "会議室は8名まで", "会議室は12名まで入れます。", None, "contradicted"),
    (
        "complement",
        "required",
        "貸出は14日以内",
        "14日を過ぎると貸出は延長できません。",
        None,
        "supported",
    ),
    (
        "values_open",
        "required",
        "貸出は受け取りから14日以内",
        "貸出は14日以内です。",
        None,
        "undecided",
    ),
    ("value_missing", "required", "貸出は14日以内", "貸出は無料です。", None, "undecided"),
    (
        "values_and_polarity",
        "required",
        "会議室は8名まで利用できる",
        "会議室は12名までは利用できません。",
        None,
        "undecided",
    ),
    ("sense_open", "required", "研修は有料", "研修は必須です。", None, "undecided"),
    ("hedged", "required", "研修は必須", "研修は必須かもしれません。", None, "undecided"),
    (
        "sometimes",
        "required",
        "会費は返金される",
        "会費は返金されることがあります。",
        None,
        "undecided",
    ),
    (
        "universal",
        "forbidden",
        "会費は必ず返金される",
        "会費は返金されないことがあります。",
        None,
        "contradicted",
    ),
    (
        "universal_open",
        "required",
        "会費は必ず返金される",
        "会費は返金されます。",
        None,
        "undecided",
    ),
    ("only_open", "required", "会員のみ入館できる", "会員は入館できます。", None, "undecided"),
    (
        "exception",
        "required",
        "離島への配送は可能",
        "離島を除き配送は可能です。",
        None,
        "contradicted",
    ),
    (
        "exception_follows",
        "required",
        "駐車場は無料",
        "駐車場は無料です。ただし、休日は除きます。",
        None,
        "undecided",
    ),
    (
        "either",
        "required",
        "入館には社員証と予約が必要",
        "入館には社員証または予約が必要です。",
        None,
        "undecided",
    ),
    (
        "narrower",
        "required",
        "駐車場は無料",
        "3時間以内の駐車場は無料です。",
        None,
        "undecided",
    ),
    (
        "enumeration",
        "required",
        "持ち物は筆記用具と受験票と時計",
        "持ち物は次のとおりです。\n- 筆記用具\n- 受験票\n- 時計",
        None,
        "supported",
    ),
    ("yes_no", "required", "研修は必須", "はい。", "研修は必須ですか？", "supported"),
    (
        "yes_no",
        "required",
        "The course is required",
        "No.",
        "Is the course required?",
        "contradicted",
    ),
    ("both", "required", "研修は必須", "研修は必須です。研修は任意です。", None, "undecided"),
]


@pytest.mark.parametrize(("rule", "kind", "claim", "text", "question", "label"), RULES)
def test_each_rule_decides_its_case(
    rule: str, kind: Any, claim: str, text: str, question: str | None, label: str
) -> None:
    told = verdict(Claim(claim, kind), text, question)
    assert (told.rule, told.label) == (rule, label)


def test_every_rule_is_documented_and_shown() -> None:
    shown = {rule for rule, *_ in RULES} | {"hint", "hint_missing", "hint_not"}
    assert shown == set(REASONS)
    documented = module.__doc__ or ""
    assert [rule for rule in REASONS if f"`{rule}`" not in documented] == []


@pytest.mark.parametrize(
    ("text", "violated"),
    [
        ("入館証は不要であるため、そのままお入りください。", True),
        ("入館証が不要であるわけではありません。必ずお持ちください。", False),
        ("「入館証が不要である」という案内は誤りです。", False),
        ("入館証をお持ちいただく必要があります。", False),
        ("「入館証は不要」とは書かれていません。", False),
        ("入館証が不要とは限りません。", False),
    ],
)
def test_forbidden_words_denied_or_quoted_are_no_violation(text: str, violated: bool) -> None:
    told = verdict(Claim("入館証が不要である", "forbidden"), text)
    assert (told.label == "supported") is violated


@pytest.mark.parametrize(
    ("claim", "text", "mention"),
    [
        ("駐車場は1時間300円", "駐車場は1時間400円です。", "full"),
        ("駐車場は1時間300円", "駐車場があります。", "partial"),
        ("駐車場は1時間300円", "入場料は500円です。", "partial"),
        ("駐車場は1時間300円", "図書室は静かです。", "none"),
    ],
)
def test_mention_tells_topic_and_kind_of_value(claim: str, text: str, mention: str) -> None:
    assert verdict(Claim(claim), text).mention == mention


def test_a_clause_without_topic_takes_the_questions() -> None:
    claim = Claim("駐車場は1時間300円")
    assert verdict(claim, "1時間300円です。").label == "undecided"
    assert verdict(claim, "1時間300円です。", "駐車場の料金は？").label == "supported"
    assert verdict(claim, "入場料は1時間300円です。", "駐車場の料金は？").label != "supported"


def test_citation_marks_do_not_count_and_spans_are_of_the_text_given() -> None:
    text = "ご案内します[1]。駐車場は1時間300円です[2][doc#s1]。"
    told = verdict(Claim("駐車場は1時間300円"), text)
    assert told.label == "supported"
    assert told.start is not None
    assert text[told.start : told.end] == told.quote
    assert told.quote is not None
    assert "駐車場" in told.quote


@pytest.mark.parametrize(
    ("claim", "text", "label"),
    [
        # Before and after.
        ("開始後は払い戻しできない", "開始前は払い戻しできます。", "undecided"),
        ("You can cancel after the start", "You cannot cancel before the start.", "undecided"),
        # A term and what happens at its end.
        ("定期券の有効期限は6か月", "定期券は半年で失効します。", "supported"),
        ("定期券の有効期限は6か月", "定期券は3か月で失効します。", "contradicted"),
        ("定期券は6か月で失効する", "定期券の有効期限は6か月です。", "supported"),
        ("定期券の有効期限は6か月", "定期券は6か月では失効しません。", "contradicted"),
        # Not the one but the other.
        ("入場料は800円", "入場料は500円ではなく800円です。", "supported"),
        ("入場料は500円", "入場料は500円ではなく800円です。", "contradicted"),
        ("The fee is $8", "The fee is $8, not $5.", "supported"),
        ("The fee is $5", "The fee is $8, not $5.", "contradicted"),
        # The limit and what is refused beyond it.
        ("写真は5MB以下", "5MBを超える写真は送れません。", "supported"),
        # The standard kind and another one.
        ("Standard parking costs $8", "Express parking costs $8.", "undecided"),
        ("通常の入場料は500円", "夜間の入場料は500円です。", "undecided"),
        # Turned into the passive, and with the roles changed.
        ("部長が申請を承認する", "申請は部長に承認される。", "supported"),
        ("係が客に案内される", "係が客を案内する。", "undecided"),
        # "However" before a sentence of its own.
        ("延滞本は対象外", "ただし、延滞本は対象外です。", "supported"),
        # As far as both limit themselves to the same.
        (
            "春の催しは、学生に限り全席が2割引です。",
            "春の催しでは、学生に限り、全席を2割引で販売します。",
            "supported",
        ),
        # The noun between a span and what it is counted from.
        (
            "The bag has a warranty of one year from purchase",
            "The bag has a 12-month guarantee and a one-year warranty from the date of purchase.",
            "supported",
        ),
    ],
)
def test_ways_of_saying(claim: str, text: str, label: str) -> None:
    assert verdict(Claim(claim), text).label == label


def test_who_names_the_topic_is_heard_before_who_borrows_it() -> None:
    question = "店長は何％まで値引きできますか。"
    text = "係は5%まで、店長は20%まで値引きできます。"
    assert verdict(Claim("店長は20%まで値引きできる"), text, question).label == "supported"
    assert verdict(Claim("店長は5%まで値引きできる"), text, question).label == "contradicted"


def test_a_use_for_one_thing_is_none_for_another() -> None:
    claim = Claim("会費の支払いに回数券は使えない")
    text = "回数券は入場料には使えますが、会費の支払いには使えません。"
    assert verdict(claim, text, "会費の支払いに回数券は使えますか。").label == "supported"


def test_a_claim_of_two_sentences_needs_both() -> None:
    claim = Claim("駐車場は無料。入館証が必要。")
    assert verdict(claim, "駐車場は無料です。入館証が必要です。").label == "supported"
    assert verdict(claim, "駐車場は無料です。").label == "undecided"
    assert verdict(claim, "駐車場は無料です。入館証は不要です。").label == "contradicted"


@pytest.mark.parametrize("row", DECIDED_ROWS[::6], ids=lambda row: row["answer"])
@pytest.mark.parametrize("beside", ["本日の天気は晴れです。", "The weather is sunny today."])
def test_an_unrelated_sentence_changes_no_decided_verdict(row: dict[str, Any], beside: str) -> None:
    before = judged(row).label
    if before == "undecided":
        return
    for text in (f"{beside} {row['answer']}", f"{row['answer']}\n{beside}"):
        assert judged({**row, "answer": text}).label == before


@pytest.mark.parametrize("kind", ["required", "forbidden"])
def test_an_unrelated_text_says_nothing(kind: Any) -> None:
    for row in ROWS[::9]:
        told = verdict(Claim(row["claim"], kind), "紅葉が美しく、鳥の声が聞こえる。")
        label = "undecided" if kind == "required" else "contradicted"
        assert (told.label, told.mention, told.quote) == (label, "none", None), row["claim"]


def test_a_claim_quoted_and_denied_is_never_supported() -> None:
    for row in ROWS[::3]:
        claim = row["claim"].rstrip("。.")
        if row["claim_kind"] == "forbidden":
            continue
        japanese = not claim.isascii()
        text = f"「{claim}」というのは誤りです。" if japanese else f'The claim "{claim}" is false.'
        assert verdict(Claim(claim), text).label != "supported", text


@given(st.text(max_size=60), st.text(max_size=80), st.none() | st.text(max_size=30))
def test_any_strings_get_a_verdict(claim: str, text: str, question: str | None) -> None:
    for kind in ("required", "forbidden"):
        told = verdict(Claim(claim, kind), text, question)  # type: ignore[arg-type]
        assert told.label in {"supported", "contradicted", "undecided"}
        if told.start is not None:
            assert text[told.start : told.end] == told.quote


_WORDS = (
    "送料 返品 無料 不要 必要 です ません 500円 30日以内 場合 と 、 。 「 」 ただし のみ はい "
    "must not free refund is no without unless , . ? yes [1] ｶﾞ ٣"
)
_PARTS = st.sampled_from([*_WORDS.split(), '"', "\ud800", "\U0001f468\u200d\U0001f469"])


@given(st.lists(_PARTS, max_size=14), st.lists(_PARTS, max_size=20))
def test_words_of_the_rules_in_any_order_get_a_verdict(claim: list[str], text: list[str]) -> None:
    joined = "".join(text)
    told = verdict(Claim(" ".join(claim), "forbidden"), joined, joined)
    assert told.label in {"supported", "contradicted", "undecided"}


@pytest.mark.parametrize(
    "part", ["不要", "必要な場合、", "「", "not ", "ない", "500円", "a", "と、"]
)
def test_a_long_text_without_a_stop_is_read_in_linear_time(part: str) -> None:
    text = part * (40_000 // len(part))
    assert judge(Claim("送料は500円である"), parse(text)).label != "supported"
