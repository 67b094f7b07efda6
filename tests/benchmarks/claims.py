"""Count how many distinct (claim, text) pairs a second one core judges, parsing included.

python tests/benchmarks/claims.py --pairs 20000

`alone` takes a new text for each pair: parsing is most of the work. `matrix` goes through
`claim_verdicts` as a run does: several claims a case, against the answer and a few documents.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import Counter
from itertools import islice
from typing import Any

# One core, as the figure is meant; read by polars when it is imported.
os.environ["POLARS_MAX_THREADS"] = "1"

import polars as pl

from rag_eval_pipeline import tables
from rag_eval_pipeline.measures.claims import matrix
from rag_eval_pipeline.measures.claims.claim import Claim
from rag_eval_pipeline.measures.claims.derived import case_claims
from rag_eval_pipeline.measures.claims.statements import Parsed
from rag_eval_pipeline.measures.claims.verdict import Verdict, verdict

TARGET = 2000
SUBJECTS_JA = (
    "通常配送の送料",
    "会議室の利用料",
    "証明書の発行手数料",
    "駐車場の料金",
    "倉庫の保管料",
    "備品の貸出期間",
    "見積書の有効期間",
    "修理の所要日数",
    "休暇の申請期限",
    "返送の受付期間",
)
SUBJECTS_EN = (
    "the storage fee",
    "the parking charge",
    "the room rental",
    "the repair period",
    "the loan period",
    "the notice period",
    "the late fee",
    "the upload limit",
)
MONEY_JA = (
    "は{n}円です。",
    "は税込{n}円かかります。",
    "として{n}円以上が必要です。",
    "は{n}円まで無料です。",
)
DAYS_JA = ("は{n}日以内です。", "は到着後{n}日までです。", "は{n}営業日ほどかかります。")
ASIDES_JA = (
    "なお、法人契約の場合は対象外となります。",
    "ただし、離島への発送は承っておりません。",
    "詳細は利用規約の該当箇所をご覧ください。",
    "会員の方は手続きが不要です。",
)
MONEY_EN = (" is {n} yen.", " is at least {n} yen.", " costs up to {n} dollars per month.")
DAYS_EN = (" is {n} days.", " ends {n} business days after delivery.", " is at most {n} weeks.")
ASIDES_EN = (
    "It does not apply to corporate accounts.",
    "Members are not required to register.",
    "Please note that remote islands are excluded.",
)
LENGTH = 150


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=20_000)
    arguments = parser.parse_args()
    # Both languages once, so that what is built at first use is not counted.
    for pair in islice(pairs(random.Random(1)), 20):
        verdict(*pair)
    report("alone", *alone(arguments.pairs))
    report("matrix", *through_matrix(arguments.pairs))


def report(name: str, n_pairs: int, seconds: float, labels: Counter[str]) -> None:
    rate = n_pairs / seconds
    shares = ", ".join(f"{label} {n / n_pairs:.0%}" for label, n in labels.most_common())
    print(f"{name:<7} {n_pairs:>8,} distinct pairs {seconds:7.2f} s CPU "
          f"{rate:9,.0f} a second (bar {TARGET:,}): {shares}")  # fmt: skip


def alone(n_pairs: int) -> tuple[int, float, Counter[str]]:
    distinct = list(islice(pairs(random.Random(20260401)), n_pairs))
    labels: Counter[str] = Counter()
    begin = time.process_time()
    for claim, text, question in distinct:
        labels[verdict(claim, text, question).label] += 1
    return len(distinct), time.process_time() - begin, labels


def through_matrix(n_pairs: int) -> tuple[int, float, Counter[str]]:
    chance = random.Random(20260402)
    # About so many pairs come of one case: 4 claims and 4 clauses against 5 documents, and more.
    frames = run(chance, n_cases=max(n_pairs // 60, 1))
    labels: Counter[str] = Counter()
    judge = matrix.judge

    def counted(claim: Claim, text: Parsed, question: Parsed | None = None) -> Verdict:
        found = judge(claim, text, question)
        labels[found.label] += 1
        return found

    matrix.judge = counted
    begin = time.process_time()
    matrix.claim_verdicts(*frames)
    seconds = time.process_time() - begin
    matrix.judge = judge
    return sum(labels.values()), seconds, labels


def pairs(chance: random.Random) -> Any:
    """Claims with texts and questions, no two texts alike."""
    seen: set[str] = set()
    while True:
        japanese = chance.random() < 0.6
        subject = chance.choice(SUBJECTS_JA if japanese else SUBJECTS_EN)
        text = paragraph(chance, subject, japanese=japanese)
        if text not in seen:
            seen.add(text)
            yield (
                Claim(sentence(chance, subject, japanese=japanese)),
                text,
                asked(subject, japanese=japanese),
            )


def asked(subject: str, *, japanese: bool) -> str:
    return f"{subject}を教えてください。" if japanese else f"What is {subject}?"


def sentence(chance: random.Random, subject: str, *, japanese: bool) -> str:
    if japanese:
        forms = DAYS_JA if subject.endswith(("期間", "日数", "期限")) else MONEY_JA
        return subject + chance.choice(forms).format(n=chance.randint(1, 30) * 10)
    forms = DAYS_EN if subject.endswith("period") else MONEY_EN
    return subject.capitalize() + chance.choice(forms).format(n=chance.randint(1, 30) * 10)


def paragraph(chance: random.Random, subject: str, *, japanese: bool) -> str:
    """About `LENGTH` characters: the subject, an aside, other subjects."""
    subjects = SUBJECTS_JA if japanese else SUBJECTS_EN
    parts = [sentence(chance, subject, japanese=japanese),
             chance.choice(ASIDES_JA if japanese else ASIDES_EN)]  # fmt: skip
    while sum(map(len, parts)) < LENGTH:
        parts.append(sentence(chance, chance.choice(subjects), japanese=japanese))
    return ("" if japanese else " ").join(parts)


def run(
    chance: random.Random, *, n_cases: int
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Frames of one run: items, slots, claims, cases."""
    items, slots, claims, cases = [], [], [], []
    for number in range(n_cases):
        japanese = chance.random() < 0.6
        subject = chance.choice(SUBJECTS_JA if japanese else SUBJECTS_EN)
        case = {"case_id": f"q{number}"}
        item = {"run_id": "r", **case, "trial": 1}
        question = asked(subject, japanese=japanese)
        answer = paragraph(chance, subject, japanese=japanese)
        items.append({**item, "question": question, "answer": answer, "status": "answer"})
        cases.append({**case, "reference_answer": sentence(chance, subject, japanese=japanese),
                      "accepted_answers": [], "expected_status": "answer"})  # fmt: skip
        claims += [
            {**case, "claim_id": f"g{n}", "kind": "required", "importance": "vital", "any_of": [],
             "values": [], "not_any_of": [],
             "text": sentence(chance, subject, japanese=japanese)}
            for n in range(4)
        ]  # fmt: skip
        slots += [
            {**item, "position": n, "text": paragraph(chance, subject, japanese=japanese)}
            for n in range(1, 6)
        ]
    keys = ("dataset_version", "dataset_hash", "run_hash", "measure_version")
    measured = pl.DataFrame(items).with_columns(
        *(pl.lit("x").alias(key) for key in keys), not_logged=pl.lit([], pl.List(pl.String))
    )
    approved = pl.DataFrame(cases, schema_overrides={"accepted_answers": pl.List(pl.String)})
    types = tables.columns("case_claims")
    written = pl.DataFrame(claims, schema={name: types[name] for name in claims[0]}, orient="row")
    return measured, pl.DataFrame(slots), case_claims(approved, written), approved


if __name__ == "__main__":
    main()
