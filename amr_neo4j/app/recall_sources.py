"""What a question reads: its scope, and the readers and dense indexes of videos, of conversations, or of both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from amr_neo4j.domain.arguments import Bounds
from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.errors import InputError, NoSpace

if TYPE_CHECKING:
    from amr_neo4j.recall.sources import Sources
    from amr_neo4j.wiring.parts import Parts


class RecallSources:
    """Chooses the sources of each question by its bounds."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._videos_seen = False

    def of(self, bounds: Bounds) -> Sources:
        """What a question with these bounds reads. Conversations that wait are committed first.

        Raises InputError, NotInMemory: a video that is not there.
        """
        scope = self.scope(**bounds)
        if scope.has_turns:
            self.commit_waiting()
        return self.of_scope(scope)

    def of_scope(self, scope: Scope) -> Sources:
        """As `of`, of a scope; conversations that wait go on waiting.

        Whether the group exists and what embedded it is checked with the vocabulary, in one round trip (Admission).
        """
        from amr_neo4j.recall.sources import CombinedIndex, CombinedReader, Sources  # noqa: PLC0415

        parts, reader, index = self._parts, self._parts.reader, self._parts.index
        if scope.has_turns and scope.has_videos and self.has_videos():
            reader = CombinedReader(reader, parts.turn_reader)
            index = CombinedIndex(index, parts.turn_index)
        elif scope.has_turns:
            reader, index = parts.turn_reader, parts.turn_index
        return Sources(scope, reader, index, parts.question_embedder, parts.language)

    def commit_waiting(self) -> None:
        """Commit the turns that wait on this machine, so that a search finds them."""
        try:
            self._parts.conversations.drain()
        except NoSpace as error:
            self._parts.notify(f"turns that wait on this machine are not searched yet: {error}")

    def scope(
        self,
        videos: Iterable[str] = (),
        persons: Iterable[str] = (),
        user_id: str = "",
        sessions: Iterable[str] = (),
        **moments: Any,
    ) -> Scope:
        """The scope that bounds name; persons by their ids, with those they were merged into."""
        parts = self._parts
        named, user = tuple(videos), user_id or parts.settings.user
        known = parts.reader.recordings(Scope(parts.group_id, named)) if named else dict[str, Video]()
        for video_id in named:
            if video_id not in known:
                parts.admission.admit(parts.embedded_by())  # an empty group is reported as such
                parts.browse.video(video_id)  # raises NotInMemory
        try:
            ids = [parts.language.person_key(name).person_id for name in persons]
            who = tuple(dict.fromkeys(now for each in ids for now in parts.reader.aliases_of(parts.group_id, each)))
            return Scope(parts.group_id, named, who, user_id=user, session_ids=tuple(sessions), **moments)
        except ValueError as error:
            raise InputError(
                str(error), hint="a time is seconds of the video, or a datetime with UTC offset"
            ) from error

    def has_videos(self) -> bool:
        """Whether the group has any: asked until it has, for none is ever removed."""
        if not self._videos_seen:
            group = self._parts.browse.group()
            self._videos_seen = bool(group and group.has_videos)
        return self._videos_seen
