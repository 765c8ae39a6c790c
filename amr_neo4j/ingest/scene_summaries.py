"""Summarises scenes by a chat model: one call for each scene of the top level, some minutes of a video."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass

from amr_neo4j.domain.chat import ModelCall, Usage
from amr_neo4j.domain.ports import ChatModel, Notify, SceneStore
from amr_neo4j.domain.replies import SceneSummary
from amr_neo4j.domain.scene import SceneTold
from amr_neo4j.errors import ModelError, ReplyCut, RequestModerated, UnusableReply
from amr_neo4j.ingest.summaries import refusal
from amr_neo4j.language.languages import Language
from amr_neo4j.prompts.library import Plain, prompt, prompt_version

# Of more lines, some are left out at even distances. Five minutes with a caption a second have about 20,000.
_MOST_CHARACTERS = 24_000


@dataclass(frozen=True, kw_only=True)
class SceneSummaries:
    """Has a model summarise the scenes of a group that it has not summarised yet.

    counting: context manager that collects the model calls of this thread.
    """

    model: ChatModel
    store: SceneStore
    language: Language
    counting: Callable[[], AbstractContextManager[list[ModelCall]]]
    notify: Notify

    def write(self, group_id: str) -> None:
        """Write the summaries that are missing, each as soon as it is there. So a kill loses at most one call.

        A scene whose summary is refused keeps its captions, and no further call is made for it. If the model is away,
        or what calls may cost is spent, the scenes that are left wait for the next ingest.
        """
        by = f"{self.model.model}, prompt {prompt_version('scene')}"
        while scenes := self.store.untold_scenes(group_id):
            for scene in scenes:
                try:
                    with self.counting() as calls:
                        summary = self._summary(scene.text)
                except ModelError as error:
                    self.notify(f"not all scenes are summarised: {error.message}; the next ingest goes on with them")
                    return
                self.store.tell_scene(group_id, scene, SceneTold(summary, by, Usage.of(calls)))

    def _summary(self, text: str) -> str:
        """Return the summary; empty if it is refused. Raises ModelError: it may fail for other scenes, too."""
        lines = [line for line in dict.fromkeys(text.splitlines()) if line.strip()]
        shown, written_in = _shortened(lines), Plain(self.language.written)
        asked = prompt("scene", events="\n".join(shown), count=len(shown), language=written_in)
        try:
            reply, _ = self.model.ask(asked, SceneSummary)
        except (RequestModerated, ReplyCut, UnusableReply):  # of these lines alone
            return ""
        summary = reply.summary.strip()
        return "" if refusal(summary, lines, self.language) else summary


def _shortened(lines: list[str]) -> list[str]:
    """Return the lines, or as many at even distances as are allowed together."""
    step = 1 + sum(map(len, lines)) // _MOST_CHARACTERS
    return [line[:_MOST_CHARACTERS] for line in lines[::step]]
