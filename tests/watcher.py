"""An analyser that asks a chat model about each clip by its name, over a real socket; no picture is sent.

    python -m tests.watcher ingest film.mp4

is `amr` with it in the place of the local analyser, and one vector for all words.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from unittest.mock import patch

from amr_neo4j.cli.main import main
from amr_neo4j.clients.chat_models import open_chat
from amr_neo4j.clients.ledger import Ledger
from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.chat import Message, Prompt
from amr_neo4j.domain.video import AnalysedClip, Clip, FailedClip, Video, content_sha256
from amr_neo4j.errors import ModelFailed
from amr_neo4j.ingest.normalise import on_video_time
from amr_neo4j.memory import Memory
from amr_neo4j.settings import Settings
from tests.counting_embedder import CountingEmbedder


class Watcher:
    """An Analyser of domain/ports.py by the settings' text role."""

    name = "watcher"

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.model = settings.text.model

    def watch(self, video: Video, clips: Iterable[Clip]) -> Iterator[AnalysedClip | FailedClip]:
        for clip in clips:
            yield self._watch(video, clip)

    def _watch(self, video: Video, clip: Clip) -> AnalysedClip | FailedClip:
        ledger = Ledger(lambda line: None)
        chat = open_chat(self._settings, "text", ledger, sleep=lambda seconds: None)
        assert chat
        sha = content_sha256(video, clip)
        try:
            said = chat.ask(Prompt((Message("user", f"What is in {clip.clip_id}?"),)), ClipAnalysis)
        except ModelFailed as error:
            reply = f"{error.message} " + "and so on " * 3_000
            return FailedClip(video, clip, self.name, sha, error.message, self.model, reply, ledger.usage())
        placed, analysis, notes = on_video_time(clip, said, "clip")
        return AnalysedClip(video, placed, analysis, self.name, sha, self.model, notes, ledger.usage())


def watched_by(memory: Memory) -> Memory:
    """The memory with this analyser, and an embedder without a model."""
    memory.__dict__.update(_analyser=Watcher(memory.settings), _embedder=CountingEmbedder())
    return memory


if __name__ == "__main__":
    opening = Memory.open.__func__
    opened = classmethod(lambda cls, *args, **kwargs: watched_by(opening(cls, *args, **kwargs)))
    with patch.object(Memory, "open", opened):
        main(sys.argv[1:])
