"""The plots: time against size for one long piece, and what each claim costs over drawing its cases."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.corpora import PIECES
from benchmarks.measure import median
from benchmarks.suite import Cost
from benchmarks.tables import SIZES, Growth


def _figures() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    return plt


def growth(found: Growth, path: Path) -> None:
    """A panel for each piece, training above and encoding below; a line ends where a call failed."""
    plt = _figures()
    figure, axes = plt.subplots(2, len(PIECES), figsize=(3 * len(PIECES), 6.5), sharex=True, sharey=True)
    names = list(dict.fromkeys(who for _, _, who in found))
    for (what, piece, who), by_size in found.items():
        panel = axes[0 if what == "train" else 1][list(PIECES).index(piece)]
        good = [results for results in by_size if not results[-1].failed]
        times = [max(median(results), 1e-3) for results in good]
        style = {"linewidth": 2.4 if who == "heap" else 1.2, "color": f"C{names.index(who)}"}
        panel.loglog(SIZES[: len(good)], times, marker="o", markersize=4, label=who, **style)
        if len(good) < len(by_size) and good:
            panel.loglog(SIZES[len(good) - 1], times[-1], marker="x", markersize=10, color=style["color"])
    for row, what in enumerate(("training", "encoding")):
        axes[row][0].set_ylabel(f"{what}: CPU s")
        for panel, piece in zip(axes[row], PIECES, strict=True):
            panel.set_title(piece if row == 0 else "")
            panel.grid(alpha=0.3)
            panel.plot(SIZES, [1e-3 * size / SIZES[0] for size in SIZES], ":", color="grey", linewidth=1)
    for panel in axes[1]:
        panel.set_xlabel("length")
    handles: dict[str, Any] = {}
    for panel in axes.flat:
        handles |= dict(zip(*reversed(panel.get_legend_handles_labels()), strict=True))
    figure.legend(handles.values(), handles.keys(), loc="upper center", ncols=len(handles), frameon=False)
    figure.text(0.5, 0.01, "dotted: linear; a cross: the next size failed or took more than 10 s", ha="center")
    figure.tight_layout(rect=(0, 0.03, 1, 0.94))
    figure.savefig(path, dpi=110)
    plt.close(figure)


def suite(found: Iterable[Cost], path: Path) -> None:
    """Two bars for each claim that draws: what its cases take, and what drawing alone takes."""
    plt = _figures()
    drawn = sorted((cost for cost in found if cost.drawn), key=lambda cost: cost.full)
    figure, panel = plt.subplots(figsize=(8, 0.19 * len(drawn) + 1))
    places = range(len(drawn))
    panel.barh(places, [cost.full for cost in drawn], color="C0", label="the claim")
    panel.barh(places, [cost.empty for cost in drawn], color="C1", height=0.45, label="drawing alone")
    panel.set_yticks(places, [cost.id for cost in drawn], fontsize=7)
    panel.set_xlabel("CPU s at the default budget")
    panel.margins(y=0.01)
    panel.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
