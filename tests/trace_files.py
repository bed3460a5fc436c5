"""Small traces in every format: the same three requests, at 0, 0.5 and 0.5 s."""

from __future__ import annotations

import json
from typing import Any

EXPECTED = ([0.0, 0.5, 0.5], [100, 200, 7], [5, 1, 2])
"""Arrivals in seconds, prompt and output tokens."""

START_S = 1_700_000_000


def lines(*objects: Any) -> str:
    return "".join(json.dumps(one) + "\n" for one in objects)


def mooncake(timestamp: float, prompt: int, output: int, **more: Any) -> dict[str, Any]:
    blocks = {"hash_ids": list(range(-(-prompt // 512)))}
    return {"timestamp": timestamp, "input_length": prompt, "output_length": output} | blocks | more


def aiperf(start_ns: int, prompt: Any, output: Any, **more: Any) -> dict[str, Any]:
    metrics = {
        "input_sequence_length": {"value": prompt, "unit": "tokens"},
        "output_sequence_length": {"value": output, "unit": "tokens"},
    }
    metadata = {"request_start_ns": start_ns, "was_cancelled": False}
    return {"metadata": metadata, "metrics": metrics, "error": None} | more


def guidellm(start_s: float | None, prompt: int | None, output: int | None) -> dict[str, Any]:
    return {"request_start_time": start_s, "prompt_tokens": prompt, "output_tokens": output}


def inference_perf(start_s: float, prompt: int, output: int) -> dict[str, Any]:
    info = {
        "request_metrics": {"text": {"input_tokens": prompt}},
        "response_metrics": {"output_tokens": output},
        "input_tokens": prompt,
    }
    return {"start_time": start_s, "end_time": start_s + 1, "info": info, "error": None}


VLLM = {
    "duration": 3.0,
    "horizon": "window",
    "completed": 3,
    "input_lens": [100, 200, 7, 9],
    "output_lens": [5, 1, 2, 0],
    "start_times": [77.25, 77.75, 77.75, 78.0],
    "errors": ["", "", "", "connection reset"],
}
GUIDELLM = {
    "metadata": {"version": 2},
    "benchmarks": [
        {
            "metrics": {},
            "requests": {
                # as they end
                "successful": [
                    guidellm(START_S + 0.5, 200, 1),
                    guidellm(START_S, 100, 5),
                    guidellm(START_S + 0.5, 7, 2),
                ],
                "errored": [guidellm(START_S + 0.6, 7, None)],
                "incomplete": [guidellm(START_S + 0.7, 7, 3)],
            },
        }
    ],
}

GOOD = {
    "splitwise-plan": "arrival_s,prompt_tokens,output_tokens\n0,100,5\n0.5,200,1\n0.5,7,2\n",
    "azure": "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-12 00:00:00+00:00,100,5\n"
    "2024-05-12 00:00:00.500000+00:00,200,1\n2024-05-12 00:00:00.500000+00:00,7,2\n",
    "azure-multimodal": "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
    "2024-10-15T12:00:00.000Z,0,100,5\n2024-10-15T12:00:00.500Z,3,200,1\n"
    "2024-10-15T12:00:00.500Z,1,7,2\n",
    "burstgpt": "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,"
    "Total tokens,Log Type\n0,,,ChatGPT,100,5,105,API log\n0.2,,,GPT-4,50,0,50,API log\n"
    "0.5,x,3.5,ChatGPT,200,1,201,Conversation log\n0.5,x,3.5,GPT-4,7,2,9,API log\n",
    "splitwisesim": "request_id,request_type,application_id,arrival_timestamp,batch_size,"
    "prompt_size,token_size\n0,2,0,0.0,1,100,5\n1,2,0,0.5,1,200,1\n2,2,0,0.5,1,7,2\n",
    "vidur": "arrived_at,num_prefill_tokens,num_decode_tokens\n0,100,5\n0.5,200,1\n0.5,7,2\n",
    "mooncake": lines(mooncake(0, 100, 5), mooncake(500, 200, 1), mooncake(500, 7, 2)),
    "bailian": lines(
        *(
            mooncake(at, prompt, output, hash_ids=list(range(-(-prompt // 16))), chat_id=1)
            for at, prompt, output in zip(*EXPECTED, strict=True)
        )
    ),
    "vllm-bench": json.dumps(VLLM),
    "guidellm": json.dumps(GUIDELLM, indent=2),
    "aiperf": lines(
        aiperf(START_S * 10**9 + 500_000_000, 200, 1),
        aiperf(START_S * 10**9, 100, 5),
        aiperf(START_S * 10**9, 100, 5, error={"code": 500, "message": "no"}),
        aiperf(START_S * 10**9 + 500_000_000, 7, 2),
    ),
    "inference-perf": json.dumps(
        [inference_perf(9.5, 200, 1), inference_perf(9.0, 100, 5), inference_perf(9.5, 7, 2)]
    ),
}
"""By the id of the format."""

DROPPED = {"burstgpt": 1, "vllm-bench": 1, "guidellm": 2, "aiperf": 1}
"""Requests that the format marks as failed, cancelled or cut off."""
