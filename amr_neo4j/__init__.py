"""Long-term memory for video and conversation on Neo4j: every answer cites the second it rests on.

`Memory` is the one object to begin with; the other names are what it takes and returns, and the errors it raises.
"""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING

from amr_neo4j.version import __version__ as __version__

if TYPE_CHECKING:
    # Each has its name as an alias, by which type checkers take it for public.
    # isort: off
    from amr_neo4j.async_memory import AsyncChat as AsyncChat, AsyncMemory as AsyncMemory
    from amr_neo4j.conversations.extract import ExtractReport as ExtractReport
    from amr_neo4j.domain.alert import Alert as Alert, AlertMatch as AlertMatch, AlertStatus as AlertStatus
    from amr_neo4j.domain.arguments import Bounds as Bounds, ExploreArguments as ExploreArguments
    from amr_neo4j.domain.belief import (
        Consolidated as Consolidated,
        FactLink as FactLink,
        FactMeasures as FactMeasures,
        FactTurn as FactTurn,
        FactView as FactView,
    )
    from amr_neo4j.domain.chat import Usage as Usage
    from amr_neo4j.domain.episode import (
        ChatReport as ChatReport,
        Episode as Episode,
        EpisodeReceipt as EpisodeReceipt,
        Forgotten as Forgotten,
        Session as Session,
    )
    from amr_neo4j.domain.event import (
        Action as Action,
        Channel as Channel,
        Edge as Edge,
        Event as Event,
        Turn as Turn,
    )
    from amr_neo4j.domain.exploration import Exploration as Exploration
    from amr_neo4j.domain.fact import (
        EmbeddingState as EmbeddingState,
        Fact as Fact,
        Intent as Intent,
        StatedFact as StatedFact,
        Triple as Triple,
        Understood as Understood,
    )
    from amr_neo4j.domain.forgotten import ForgottenFootage as ForgottenFootage, ForgottenGroup as ForgottenGroup
    from amr_neo4j.domain.live import ClipReceipt as ClipReceipt, SourceStatus as SourceStatus
    from amr_neo4j.domain.mention import Extracted as Extracted, Mention as Mention, Relation as Relation
    from amr_neo4j.domain.page import Page as Page
    from amr_neo4j.domain.recall import (
        Answer as Answer,
        Citation as Citation,
        ContextLine as ContextLine,
        Hit as Hit,
        MemoryContext as MemoryContext,
        Moment as Moment,
        Path as Path,
        Question as Question,
        QuestionType as QuestionType,
        Recalled as Recalled,
        Trace as Trace,
        TurnCitation as TurnCitation,
    )
    from amr_neo4j.domain.receipt import (
        IngestReport as IngestReport,
        Progress as Progress,
        Receipt as Receipt,
        Watch as Watch,
    )
    from amr_neo4j.domain.transfer import Exported as Exported, Imported as Imported
    from amr_neo4j.domain.video import Clip as Clip, Filmed as Filmed, Relocated as Relocated, Video as Video
    from amr_neo4j.domain.views import (
        AnalyticsRow as AnalyticsRow,
        ClipView as ClipView,
        Count as Count,
        EventView as EventView,
        GroupView as GroupView,
        KnownObject as KnownObject,
        KnownPerson as KnownPerson,
        LifecycleStep as LifecycleStep,
        ObjectView as ObjectView,
        PersonView as PersonView,
        Said as Said,
        SessionView as SessionView,
        Stats as Stats,
        VideoView as VideoView,
    )
    from amr_neo4j.errors import (
        AmrError as AmrError,
        ConfigError as ConfigError,
        CostLimit as CostLimit,
        DatabaseError as DatabaseError,
        EmbedderMismatch as EmbedderMismatch,
        InputError as InputError,
        MigrationError as MigrationError,
        ModelDenied as ModelDenied,
        ModelError as ModelError,
        ModelFailed as ModelFailed,
        ModelMissing as ModelMissing,
        ModelMoved as ModelMoved,
        NoSpace as NoSpace,
        NoSuchFile as NoSuchFile,
        NoSuchModel as NoSuchModel,
        NotInMemory as NotInMemory,
        SourceLost as SourceLost,
        SpoolReadOnly as SpoolReadOnly,
        SpoolUnusable as SpoolUnusable,
        StoreBusy as StoreBusy,
        StoreDenied as StoreDenied,
        StoreError as StoreError,
        StoreRefused as StoreRefused,
        StoreTooLarge as StoreTooLarge,
        StoreUnavailable as StoreUnavailable,
        ToolError as ToolError,
    )
    from amr_neo4j.live_chat.retrieve import Hint as Hint
    from amr_neo4j.live_chat.session import LiveChat as LiveChat, LiveTurn as LiveTurn
    from amr_neo4j.memory import Memory as Memory
    from amr_neo4j.server.client import Client as Client
    from amr_neo4j.settings import Settings as Settings
    from amr_neo4j.store.read.analytics import Analysis as Analysis
    from amr_neo4j.store.read.digest import Digest as Digest
    from amr_neo4j.store.write.fact_upkeep import FactRun as FactRun

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

# {module: its public names}
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
__all__ = sorted(_HOME)  # noqa: PLE0605 # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """The public names, loaded when first asked for: `amr --help` needs none of them."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
