"""Derive the files under `hardware/profiles` and `workloads/lengths` from the published raw data.

    python tools/derive_facts.py profiles perf_model.csv      SplitwiseSim's data/perf_model.csv
    python tools/derive_facts.py validation perf_model.csv
    python tools/derive_facts.py lengths coding AzureLLMInferenceTrace_code.csv
    python tools/derive_facts.py lengths conversation AzureLLMInferenceTrace_conv.csv

Files are written below `--out` (default: this repository). The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
from pathlib import Path

from length_cells import compress_lengths

from splitwise_plan.data.profile import profile_file
from splitwise_plan.facts.measurements import Measurements
from splitwise_plan.facts.traces.profile_csv import read_measurements
from splitwise_plan.facts.traces.read import read_trace
from splitwise_plan.models.fitting import power_curves, split_batch, time_curves
from splitwise_plan.models.validation import validation_table

MACHINES = {"dgx-a100": "a100-80gb", "dgx-h100": "h100-80gb", "dgx-h100-cap70": "h100-80gb-pcap"}
LLMS = ("bloom-176b", "llama2-70b")
POWER_HARDWARE = "a100-80gb"
CELLS = 3600

SOURCE = "SplitwiseSim at 8f99e7d (github.com/Mutinifni/splitwise-sim, MIT), data/perf_model.csv"
AZURE = "AzurePublicDataset (CC-BY; cite Patel et al. 2024), {file}"
AZURE_FILES = {
    "coding": "AzureLLMInferenceTrace_code.csv",
    "conversation": "AzureLLMInferenceTrace_conv.csv",
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path(__file__).resolve().parents[1])
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("profiles").add_argument("raw", type=Path)
    commands.add_parser("validation").add_argument("raw", type=Path)
    lengths = commands.add_parser("lengths")
    lengths.add_argument("workload", choices=sorted(AZURE_FILES))
    lengths.add_argument("raw", type=Path)
    options = parser.parse_args()
    if options.command == "profiles":
        files = profiles(options.raw)
    elif options.command == "validation":
        files = validation(options.raw)
    else:
        files = lengths_table(options.workload, options.raw)
    for relative, text in files.items():
        path = options.out / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def profiles(raw: Path) -> dict[str, str]:
    """Return the text of each profile file, by its path."""
    measurements = read_measurements(raw)
    digest = sha256(raw)
    return {
        f"hardware/profiles/{machine}__{llm}.csv": profile_text(measurements, machine, llm, digest)
        for machine in MACHINES
        for llm in LLMS
    }


def profile_text(measurements: Measurements, machine: str, llm: str, digest: str) -> str:
    curves, left_out = {}, []
    for degree in (2, 4, 8):
        rows = measurements.of(llm, MACHINES[machine], degree)
        if not len(rows):
            continue
        split = split_batch(rows)
        if split is not None:
            rows = rows.select(rows.batch_size != split)
            left_out = [
                f"left out: tensor_parallel {degree}, batch {split}: faster than half of it",
                "  (it did not fit into memory and was split), which no extrapolation survives",
            ]
        power = power_curves(measurements.of(llm, POWER_HARDWARE, degree))
        curves[degree] = time_curves(rows) | power
    head = (
        f"{llm} on {machine}: medians of measurements",
        f"source: {SOURCE}, rows of {MACHINES[machine]}; sha256 {digest}",
        "derived by: python tools/derive_facts.py profiles perf_model.csv",
    )
    return profile_file.profile_text(head, curves, [*assumed(machine), *left_out])


def assumed(machine: str) -> list[str]:
    lines = []
    if machine != "dgx-a100":
        lines += [
            "assumed: prompt_power and token_power are those of the A100, as fractions of TDP;",
            "  the source has no power measurements of the H100",
        ]
    if MACHINES[machine].endswith("pcap"):
        lines += [
            "assumed: the source's capped rows are its H100 rows with prompt times x 1.3 and",
            "  token times unchanged, not measurements",
        ]
    return lines


def validation(raw: Path) -> dict[str, str]:
    """Return the accuracy of the performance models on held-out rows."""
    table = validation_table(read_measurements(raw))
    lines = ["model,held_out,prompt_mape_percent,token_mape_percent,mean_percent"]
    lines += [
        f"{row.model},{row.held_out},{row.prompt_mape_percent:.4f},{row.token_mape_percent:.4f},"
        f"{row.mean_percent:.4f}"
        for row in table
    ]
    text = (
        "# Mean absolute percentage error of the performance models on unseen measurements\n"
        f"# source: {SOURCE}; sha256 {sha256(raw)}\n"
        "# derived by: python tools/derive_facts.py validation perf_model.csv\n"
        "# units: percent; mean over both LLMs on dgx-a100 and dgx-h100 at tensor parallelism 8\n"
        "# random_20_percent: random 80:20 splits of the rows, mean of 100 seeds\n"
        "# cell: each (prompt, batch) cell in turn; batch_tokens: each value of prompt x batch;\n"
        "#   the outermost ones and the shared (512, 1) are not held out\n"
        "# in_use: nothing held out; token times of batches 1 to 64 at 512-token prompts looked\n"
        "#   up by number of sequences, as a simulation does, against medians; prompt: in sample\n"
    )
    return {"hardware/profiles/validation.csv": text + "\n".join(lines) + "\n"}


def lengths_table(workload: str, raw: Path) -> dict[str, str]:
    """Return the length table of a trace."""
    requests = read_trace(raw).requests
    cells = compress_lengths(requests.prompt_tokens, requests.output_tokens, CELLS)
    source = AZURE.format(file=AZURE_FILES[workload])
    size = f"{len(requests):,} requests of a trace, in {len(cells):,} groups of similar ones"
    text = (
        f"# Lengths of the {size}\n"
        f"# source: {source}; sha256 {sha256(raw)}\n"
        f"# derived by: python tools/derive_facts.py lengths {workload} {AZURE_FILES[workload]}\n"
        "# units: tokens (means of a group, rounded); count: requests\n"
        "prompt_tokens,output_tokens,count\n"
    )
    text += "".join(f"{prompt},{output},{count}\n" for prompt, output, count in cells)
    return {f"workloads/lengths/{workload}.csv": text}


def sha256(path: Path) -> str:
    """The hash of a file as published: of its content, where our copy is gzip."""
    data = path.read_bytes()
    return hashlib.sha256(gzip.decompress(data) if path.suffix == ".gz" else data).hexdigest()


if __name__ == "__main__":
    main()
