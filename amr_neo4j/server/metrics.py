"""What a server tells Prometheus: requests, stages of recall, jobs, waiting turns, models. No user, group or text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress

from amr_neo4j.errors import AmrError
from amr_neo4j.extras import needs
from amr_neo4j.server.service import Service
from amr_neo4j.spool import TURNS_FILE
from amr_neo4j.spool.turns import waiting_turns

with needs("serve"):
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
    from prometheus_client.registry import Collector

MEDIA_TYPE = CONTENT_TYPE_LATEST
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
_ROLES = ("role", "model")
_METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"})


class Metrics:
    """The counters of one server. Thread-safe."""

    def __init__(self, service: Service) -> None:
        self._registry = CollectorRegistry()
        self._requests = Histogram(
            "amr_request_seconds",
            "Requests, by method, path of the API's document and status.",
            ("method", "path", "status"),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._stages = Histogram(
            "amr_recall_stage_seconds",
            "Stages of answering a question.",
            ("stage",),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._registry.register(_Held(service))

    def request(self, method: str, path: str, status: int, seconds: float) -> None:
        """Count a request. path: with its parameters by name; empty for one that no call took."""
        # A client may send any word as its method, and each would be a series that stays.
        known = method if method in _METHODS else "other"
        self._requests.labels(known, path, str(status)).observe(seconds)

    def answered(self, stages: Mapping[str, float]) -> None:
        """Count the seconds of each stage of an answer."""
        for stage, seconds in stages.items():
            self._stages.labels(stage).observe(seconds)

    def text(self) -> bytes:
        """Return all, in the text format of Prometheus."""
        return generate_latest(self._registry)


class _Held(Collector):
    """What the server and its disk hold at the moment of a look."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        yield self._jobs()
        file = self._service.memory.settings.data_dir.expanduser() / TURNS_FILE
        waiting = waiting_turns(file) if file.exists() else 0
        yield GaugeMetricFamily("amr_turns_waiting", "Turns on disk that the graph does not have yet.", value=waiting)
        with suppress(AmrError):  # a file that cannot be read hides no other number
            yield self._ingest_lag()
        with suppress(AmrError):  # while the database is away, nobody knows it
            yield self._index_lag()
        yield from self._models()

    def _ingest_lag(self) -> Metric:
        return GaugeMetricFamily(
            "amr_ingest_lag_seconds",
            "The longest time that an accepted job has not ended, or that a live source is behind.",
            value=self._service.lag_s(),
        )

    def _index_lag(self) -> Metric:
        lag = GaugeMetricFamily("amr_index_lag", "Vectors that no search has read yet, by kind.", labels=("kind",))
        self._service.check_database()
        for kind, unread in self._service.memory.index_lag().items():
            lag.add_metric((kind,), unread)
        return lag

    def _jobs(self) -> Metric:
        jobs = GaugeMetricFamily("amr_jobs", "Jobs, by state.", labels=("state",))
        for state, number in self._service.jobs.count().items():
            jobs.add_metric((state,), number)
        return jobs

    def _models(self) -> Iterator[Metric]:
        calls = CounterMetricFamily("amr_model_calls", "Calls to models.", labels=(*_ROLES, "failed"))
        tokens = CounterMetricFamily("amr_model_tokens", "Tokens of models.", labels=(*_ROLES, "direction"))
        dollars = CounterMetricFamily("amr_model_dollars", "Known cost of models, in US dollars.", labels=_ROLES)
        made, used, cost = Counter[tuple[str, ...]](), Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
        for (role, model, failed), usage in self._service.memory.ledger.sums.items():
            made[role, model, failed] += usage.calls
            used[role, model, "in"] += usage.tokens_in
            used[role, model, "out"] += usage.tokens_out
            cost[role, model] += usage.cost_usd  # pyright: ignore[reportArgumentType]
        for family, counted in ((calls, made), (tokens, used), (dollars, cost)):
            for labels, number in counted.items():
                family.add_metric(labels, number)
            yield family
