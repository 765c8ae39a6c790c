"""Reports receipts as progress: counts each one, then passes it to the caller."""

from __future__ import annotations

from collections.abc import Iterable

from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch


def counting(report: IngestReport, watch: Watch) -> Watch:
    """Returns a Watch that counts each receipt in the report and then calls `watch`."""

    def count(progress: Progress) -> None:
        report.add(progress.receipt, progress.source)
        watch(progress)

    return count


def watch_each(receipts: Iterable[Receipt], source: str, watch: Watch, total_s: float | None = None) -> None:
    """Call `watch` for each receipt as it comes. total_s: how many seconds of video are to be done, if known."""
    done_s = 0.0
    for receipt in receipts:
        done_s += receipt.t_end - receipt.t_start
        watch(Progress(source, receipt, done_s, total_s))
