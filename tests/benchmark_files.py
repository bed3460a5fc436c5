"""A simulated load, written as the benchmarks of LLM servers write theirs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from splitwise_plan.data.profile.calibration import Server, replay_scenario
from splitwise_plan.facts.catalog import Catalog
from splitwise_plan.facts.design import Design
from splitwise_plan.facts.load_results import LoadResults
from splitwise_plan.facts.requests import Requests
from splitwise_plan.models.scaling import Factors, scaled
from splitwise_plan.scenario.arrivals.process import Arrivals
from splitwise_plan.scenario.sampling import draw_requests
from splitwise_plan.sim.metrics import request_latencies
from splitwise_plan.sim.simulator import Simulator

CLOCK_S = 1_700_000_000.25


def drawn(rate_rps: float, duration_s: float, seed: int = 0) -> Requests:
    lengths = Catalog().workload("conversation").lengths
    arrivals = Arrivals("poisson", rate_rps, duration_s)
    return draw_requests(lengths, arrivals, "joint", np.random.default_rng(seed))


def server(degree: int = 8, instances: int = 1) -> Server:
    catalog = Catalog()
    machine, llm = catalog.machine("dgx-h100"), catalog.llm("llama-3.1-70b")
    profile = catalog.profile("dgx-h100", "llama-3.1-70b", degree)
    return Server(machine, llm, degree, instances, catalog.assumptions("measured"), profile)


def measured(requests: Requests, of: Server, factors: Factors) -> LoadResults:
    """The latencies of a server whose true profile is `factors` times the one that is known."""
    requests = replace(requests, arrival_s=requests.arrival_s - requests.arrival_s[0])
    true = replace(of, profile=scaled(of.profile, factors))
    empty = LoadResults("simulated", requests, np.ones(1), np.ones(1), {})
    scenario = replay_scenario(empty, true)
    simulator = Simulator.of(scenario, requests)
    design = Design(scenario.spaces[0].family, 1)
    found = request_latencies(simulator, simulator.run(design))
    return LoadResults("simulated", requests, found["ttft"], found["e2e"], {})


def vllm(results: LoadResults) -> str:
    """`vllm bench serve --save-result --save-detailed`"""
    requests = results.requests
    itls = [
        [] if o == 1 else [(e - t) / (o - 1)] * (int(o) - 1)
        for t, e, o in zip(results.ttft_s, results.e2e_s, requests.output_tokens, strict=True)
    ]
    document: dict[str, Any] = {
        "date": "20260301-120000",
        "backend": "vllm",
        "duration": float(requests.arrival_s[-1]),
        "completed": len(requests),
        "input_lens": requests.prompt_tokens.tolist(),
        "output_lens": requests.output_tokens.tolist(),
        "ttfts": results.ttft_s.tolist(),
        "itls": itls,
        "start_times": (requests.arrival_s + CLOCK_S).tolist(),
        "errors": [""] * len(requests),
    }
    return json.dumps(document)


def guidellm(results: LoadResults) -> str:
    successful = [
        {
            "request_start_time": arrival + CLOCK_S,
            "prompt_tokens": prompt,
            "output_tokens": output,
            "time_to_first_token_ms": 1e3 * ttft,
            "inter_token_latency_ms": None if output == 1 else 1e3 * (e2e - ttft) / (output - 1),
            "request_latency": e2e,
        }
        for arrival, prompt, output, ttft, e2e in _each(results)
    ]
    requests = {"successful": successful, "errored": [{}], "incomplete": []}
    return json.dumps({"metadata": {"version": 2}, "benchmarks": [{"requests": requests}]})


def aiperf(results: LoadResults) -> str:
    def line(number: int, one: tuple[Any, ...]) -> str:
        arrival, prompt, output, ttft, e2e = one
        metrics = {
            "time_to_first_token": {"value": 1e3 * ttft, "unit": "ms"},
            "request_latency": {"value": 1e3 * e2e, "unit": "ms"},
            "input_sequence_length": {"value": prompt, "unit": "tokens"},
            "output_sequence_length": {"value": output, "unit": "tokens"},
        }
        start_ns = round(1e9 * (arrival + CLOCK_S))
        metadata = {"session_num": number, "request_start_ns": start_ns, "was_cancelled": False}
        return json.dumps({"metadata": metadata, "metrics": metrics, "error": None})

    return "\n".join(line(number, one) for number, one in enumerate(_each(results))) + "\n"


def inference_perf(results: LoadResults) -> str:
    document = [
        {
            "start_time": arrival + 10.0,
            "end_time": arrival + 10.0 + e2e,
            "request": "",
            "response": "",
            "info": {
                "input_tokens": prompt,
                "output_tokens": output,
                "output_token_times": np.linspace(
                    arrival + 10.0 + ttft, arrival + 10.0 + e2e, output
                ).tolist(),
            },
            "error": None,
        }
        for arrival, prompt, output, ttft, e2e in _each(results)
    ]
    return json.dumps(document)


WRITERS = {
    "vLLM bench serve": vllm,
    "GuideLLM": guidellm,
    "AIPerf": aiperf,
    "inference-perf": inference_perf,
}


def _each(results: LoadResults) -> Any:
    requests = results.requests
    arrays = (
        *(requests.arrival_s, requests.prompt_tokens, requests.output_tokens),
        *(results.ttft_s, results.e2e_s),
    )
    return zip(*(array.tolist() for array in arrays), strict=True)
