"""How well the models predict what they have not seen, as recorded and as computed again."""

from __future__ import annotations

import pytest
from reference import PERF_MODEL, needs_reference

from splitwise_plan.errors import InputError
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.traces.profile_csv import parse_measurements, read_measurements
from splitwise_plan.models.validation import Accuracy, recorded_validation, validation_table


def table() -> dict[tuple[str, str], Accuracy]:
    return {(row.model, row.held_out): row for row in recorded_validation(Catalog())}


def test_the_models_we_plan_with_are_within_what_the_paper_claims() -> None:
    ours = table()["measured", "random_20_percent"]
    assert ours.prompt_mape_percent <= 3.7
    assert ours.token_mape_percent <= 1.4
    assert ours.mean_percent <= 2.5


def test_token_times_are_predicted_better_than_by_the_simulator() -> None:
    rows = table()
    for held_out in ("random_20_percent", "cell", "batch_tokens"):
        ours, theirs = rows["measured", held_out], rows["splitwisesim", held_out]
        assert ours.token_mape_percent < theirs.token_mape_percent
        assert ours.prompt_mape_percent == theirs.prompt_mape_percent
    assert rows["splitwisesim", "in_use"].token_mape_percent > 10
    assert rows["measured", "in_use"].token_mape_percent < 1e-6


@needs_reference
def test_the_recorded_table_is_what_the_measurements_give() -> None:
    recorded = table()
    computed = validation_table(read_measurements(PERF_MODEL))
    assert len(computed) == len(recorded)
    for row in computed:
        kept = recorded[row.model, row.held_out]
        assert kept.prompt_mape_percent == pytest.approx(row.prompt_mape_percent, abs=1e-3)
        assert kept.token_mape_percent == pytest.approx(row.token_mape_percent, abs=1e-3)


@needs_reference
def test_measurements_as_published() -> None:
    rows = read_measurements(PERF_MODEL)
    assert len(rows) == 1260
    one = rows.of("bloom-176b", "a100-80gb", 8)
    assert len(one) == 105
    assert one.batch_tokens.max() == 32768


HEADER = (
    "model,hardware,prompt_size,batch_size,token_size,peak_power,average_power,prompt_time,"
    "token_time,e2e_time,tensor_parallel"
)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (HEADER, "no measurements"),
        (HEADER.replace("token_time,", ""), "column token_time is missing"),
        (f"{HEADER}\nm,h,512,1,128,0,0,nan,5,5,8\n", "m.csv:2: prompt_time nan must be"),
        (f"{HEADER}\nm,h,512,1,128,0,0,0,5,5,8\n", "m.csv:2: prompt_time 0 must be"),
        (f"{HEADER}\nm,h,512,1.5,128,0,0,9,5,5,8\n", "m.csv:2: batch_size 1.5 must be a whole"),
        (f"{HEADER}\nm,h,512,1,128\n", "m.csv:2: prompt_time is missing"),
        (f"{HEADER}\n" + "m,h,512,1,128,0,0,x,5,5,8\n" * 40, "and 20 more problems"),
    ],
)
def test_faulty_measurements(text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_measurements(text.encode(), "m.csv")
    assert told in str(caught.value)
