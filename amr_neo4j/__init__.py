"""Long-term memory for video and conversation on Neo4j: every answer cites the second it rests on.

`Memory` is the one object to begin with; the other names are what it takes and returns, and the errors it raises.
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from amr_neo4j.async_memory import AsyncChat, AsyncMemory
    from amr_neo4j.conversations.extract import ExtractReport
    from amr_neo4j.domain.alert import Alert, AlertMatch, AlertStatus
    from amr_neo4j.domain.arguments import Bounds, ExploreArguments
    from amr_neo4j.domain.belief import Consolidated, FactLink, FactMeasures, FactTurn, FactView
    from amr_neo4j.domain.chat import Usage
    from amr_neo4j.domain.episode import ChatReport, Episode, EpisodeReceipt, Forgotten, Session
    from amr_neo4j.domain.event import Action, Channel, Edge, Event, Turn
    from amr_neo4j.domain.exploration import Exploration
    from amr_neo4j.domain.fact import EmbeddingState, Fact, Intent, StatedFact, Triple, Understood
    from amr_neo4j.domain.forgotten import ForgottenFootage, ForgottenGroup
    from amr_neo4j.domain.live import ClipReceipt, SourceStatus
    from amr_neo4j.domain.mention import Extracted, Mention, Relation
    from amr_neo4j.domain.page import Page
    from amr_neo4j.domain.recall import (
        Answer,
        Citation,
        ContextLine,
        Hit,
        MemoryContext,
        Moment,
        Path,
        Question,
        QuestionType,
        Recalled,
        Trace,
        TurnCitation,
    )
    from amr_neo4j.domain.receipt import IngestReport, Progress, Receipt, Watch
    from amr_neo4j.domain.transfer import Exported, Imported
    from amr_neo4j.domain.video import Clip, Filmed, Relocated, Video
    from amr_neo4j.domain.views import (
        AnalyticsRow,
        ClipView,
        Count,
        EventView,
        GroupView,
        KnownObject,
        KnownPerson,
        LifecycleStep,
        ObjectView,
        PersonView,
        Said,
        SessionView,
        Stats,
        VideoView,
    )
    from amr_neo4j.errors import (
        AmrError,
        ConfigError,
        CostLimit,
        DatabaseError,
        EmbedderMismatch,
        InputError,
        MigrationError,
        ModelDenied,
        ModelError,
        ModelFailed,
        ModelMissing,
        ModelMoved,
        NoSpace,
        NoSuchFile,
        NoSuchModel,
        NotInMemory,
        SourceLost,
        SpoolReadOnly,
        SpoolUnusable,
        StoreBusy,
        StoreDenied,
        StoreError,
        StoreRefused,
        StoreTooLarge,
        StoreUnavailable,
        ToolError,
    )
    from amr_neo4j.live_chat.retrieve import Hint
    from amr_neo4j.live_chat.session import LiveChat, LiveTurn
    from amr_neo4j.memory import Memory
    from amr_neo4j.server.client import Client
    from amr_neo4j.settings import Settings
    from amr_neo4j.store.read.analytics import Analysis
    from amr_neo4j.store.read.digest import Digest
    from amr_neo4j.store.write.fact_upkeep import FactRun

# onnxruntime 1.29 and newer reads this when it is loaded. Without it, it writes a device id into the home folder and
# contacts an events server. All our code loads this package first, and child processes inherit the variable.
_NO_REPORTS = "ORT_DISABLE_TELEMETRY"
if "onnxruntime" in sys.modules and os.environ.get(_NO_REPORTS, "").lower() not in ("1", "true", "yes", "on", "y"):
    warnings.warn(
        f"onnxruntime was imported before amr_neo4j, without {_NO_REPORTS}=1: it reports this machine to its maker. "
        "Set that variable, or import amr_neo4j first.",
        stacklevel=2,
    )
os.environ[_NO_REPORTS] = "1"

__version__ = "0.1.0"
__all__ = [
    "Action",
    "Alert",
    "AlertMatch",
    "AlertStatus",
    "AmrError",
    "Analysis",
    "AnalyticsRow",
    "Answer",
    "AsyncChat",
    "AsyncMemory",
    "Bounds",
    "Channel",
    "ChatReport",
    "Citation",
    "Client",
    "Clip",
    "ClipReceipt",
    "ClipView",
    "ConfigError",
    "Consolidated",
    "ContextLine",
    "CostLimit",
    "Count",
    "DatabaseError",
    "Digest",
    "Edge",
    "EmbedderMismatch",
    "EmbeddingState",
    "Episode",
    "EpisodeReceipt",
    "Event",
    "EventView",
    "Exploration",
    "ExploreArguments",
    "Exported",
    "ExtractReport",
    "Extracted",
    "Fact",
    "FactLink",
    "FactMeasures",
    "FactRun",
    "FactTurn",
    "FactView",
    "Filmed",
    "Forgotten",
    "ForgottenFootage",
    "ForgottenGroup",
    "GroupView",
    "Hint",
    "Hit",
    "Imported",
    "IngestReport",
    "InputError",
    "Intent",
    "KnownObject",
    "KnownPerson",
    "LifecycleStep",
    "LiveChat",
    "LiveTurn",
    "Memory",
    "MemoryContext",
    "Mention",
    "MigrationError",
    "ModelDenied",
    "ModelError",
    "ModelFailed",
    "ModelMissing",
    "ModelMoved",
    "Moment",
    "NoSpace",
    "NoSuchFile",
    "NoSuchModel",
    "NotInMemory",
    "ObjectView",
    "Page",
    "Path",
    "PersonView",
    "Progress",
    "Question",
    "QuestionType",
    "Recalled",
    "Receipt",
    "Relation",
    "Relocated",
    "Said",
    "Session",
    "SessionView",
    "Settings",
    "SourceLost",
    "SourceStatus",
    "SpoolReadOnly",
    "SpoolUnusable",
    "StatedFact",
    "Stats",
    "StoreBusy",
    "StoreDenied",
    "StoreError",
    "StoreRefused",
    "StoreTooLarge",
    "StoreUnavailable",
    "ToolError",
    "Trace",
    "Triple",
    "Turn",
    "TurnCitation",
    "Understood",
    "Usage",
    "Video",
    "VideoView",
    "Watch",
]

_MODULES = {
    "async_memory": "AsyncChat AsyncMemory",
    "conversations.extract": "ExtractReport",
    "domain.alert": "Alert AlertMatch AlertStatus",
    "domain.belief": "Consolidated FactLink FactMeasures FactTurn FactView",
    "domain.chat": "Usage",
    "domain.episode": "ChatReport Episode EpisodeReceipt Forgotten Session",
    "domain.forgotten": "ForgottenFootage ForgottenGroup",
    "domain.event": "Action Channel Edge Event Turn",
    "domain.page": "Page",
    "domain.transfer": "Exported Imported",
    "domain.fact": "EmbeddingState Fact Intent StatedFact Triple Understood",
    "domain.arguments": "Bounds ExploreArguments",
    "domain.exploration": "Exploration",
    "domain.mention": "Extracted Mention Relation",
    "domain.live": "ClipReceipt SourceStatus",
    "domain.recall": (
        "Answer Citation ContextLine Hit MemoryContext Moment Path Question QuestionType Recalled Trace TurnCitation"
    ),
    "domain.receipt": "IngestReport Progress Receipt Watch",
    "domain.video": "Clip Filmed Relocated Video",
    "domain.views": (
        "AnalyticsRow ClipView Count EventView GroupView KnownObject KnownPerson LifecycleStep ObjectView PersonView "
        "Said SessionView Stats VideoView"
    ),
    "errors": (
        "AmrError ConfigError CostLimit DatabaseError EmbedderMismatch InputError MigrationError "
        "ModelDenied ModelError ModelFailed ModelMissing ModelMoved NoSpace NoSuchFile NoSuchModel NotInMemory "
        "SourceLost SpoolReadOnly SpoolUnusable StoreBusy StoreDenied StoreError StoreRefused StoreTooLarge "
        "StoreUnavailable ToolError"
    ),
    "live_chat.retrieve": "Hint",
    "live_chat.session": "LiveChat LiveTurn",
    "memory": "Memory",
    "server.client": "Client",
    "settings": "Settings",
    "store.read.analytics": "Analysis",
    "store.read.digest": "Digest",
    "store.write.fact_upkeep": "FactRun",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """The public names, loaded when first asked for: `amr --help` needs none of them."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
