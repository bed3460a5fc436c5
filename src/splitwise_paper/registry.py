"""Every item of the reproduction, in the order of the page."""

from __future__ import annotations

from splitwise_paper.batching import fig2
from splitwise_paper.coding_map import fig12
from splitwise_paper.conclusions import conclusions
from splitwise_paper.finding import Item
from splitwise_paper.hardware import table1, table5
from splitwise_paper.insights import insights
from splitwise_paper.load import fig16
from splitwise_paper.machine_figures import fig5, fig6, fig7
from splitwise_paper.occupancy import fig4, fig17
from splitwise_paper.options import options
from splitwise_paper.power import fig8, fig9
from splitwise_paper.requests import fig3, table4
from splitwise_paper.robustness import fig20
from splitwise_paper.saturation import batch
from splitwise_paper.sizes import fig19
from splitwise_paper.slos import table6
from splitwise_paper.throughput import fig18
from splitwise_paper.transfer import fig14, fig15

MEASURED, SIMULATED = "measured", "splitwisesim"
"""How the paper came to its numbers: from machines, or from its simulator."""

TOKEN_TIMES = (
    "the more sequences a batch has the longer an iteration takes (Fig. 5), which SplitwiseSim "
    "leaves out; token machines carry fewer of them within the SLOs on TBT, and the paper's "
    "designs have too few token machines for that"
)

FULL_BATCHES = (
    "batches are full at saturation, where an iteration takes up to twice as long (Fig. 5) as "
    "SplitwiseSim has it"
)

ITEMS = (
    Item("conclusions", "Conclusions", "which of them hold", SIMULATED, conclusions),
    Item("insights", "Insights I to VII", "what the paper learns from one machine", MEASURED,
         insights),
    Item("table1", "Table I", "A100 against H100", MEASURED, table1),
    Item("table4", "Table IV", "requests that run alone, A100 against H100", MEASURED, table4,
         "the published profile is not the data behind the table"),
    Item("table5", "Table V", "cost and power of the designs' machines", SIMULATED, table5,
         "it contradicts Table I and the paper's own figures; SplitwiseSim has one bandwidth"),
    Item("table6", "Table VI", "the nine SLOs", SIMULATED, table6),
    Item("fig2", "Fig. 2", "three ways to batch", MEASURED, fig2),
    Item("fig3", "Fig. 3", "lengths of prompts and outputs", MEASURED, fig3),
    Item("fig4", "Fig. 4", "active tokens of one machine", MEASURED, fig4,
         "its trace is not published; the published profile implies other shares"),
    Item("fig5", "Fig. 5", "TTFT, TBT and E2E of one machine", MEASURED, fig5),
    Item("fig6", "Fig. 6", "throughput of one machine", MEASURED, fig6),
    Item("fig7", "Fig. 7", "memory of one machine", MEASURED, fig7),
    Item("fig8", "Fig. 8", "power against the batch", MEASURED, fig8),
    Item("fig9", "Fig. 9", "latency under a power cap", MEASURED, fig9),
    Item("fig12", "Fig. 12", "every Splitwise-HH for coding at 70 rps", SIMULATED, fig12,
         "the optimum moves with the trace", elsewhere=TOKEN_TIMES),
    Item("fig14", "Fig. 14", "time to move a KV cache", MEASURED, fig14),
    Item("fig15", "Fig. 15", "what moving it adds to a request", MEASURED, fig15),
    Item("fig16", "Fig. 16", "latency against load at equal power", SIMULATED, fig16),
    Item("fig17", "Fig. 17", "batch occupancy at low and high load", SIMULATED, fig17,
         "a steep curve: a few tokens more or less decide", elsewhere=TOKEN_TIMES),
    Item("fig18", "Fig. 18", "throughput at equal power and at equal cost", SIMULATED, fig18,
         "the paper's split of the machines; another split of the same machines does it",
         elsewhere=TOKEN_TIMES),
    Item("fig19", "Fig. 19", "least power and least cost for 70 rps", SIMULATED, fig19,
         "the paper's designs miss TTFT on our traces; those with other pools are the best",
         elsewhere=TOKEN_TIMES),
    Item("fig20", "Fig. 20", "clusters that serve what they were not built for", SIMULATED, fig20,
         "the setback is there, of another size",
         elsewhere=TOKEN_TIMES),
    Item("batch", "Batch", "requests for a dollar at saturation", SIMULATED, batch,
         elsewhere=FULL_BATCHES),
    Item("options", "Text and simulator", "what the rules of the paper's text change", SIMULATED,
         options),
)  # fmt: skip
