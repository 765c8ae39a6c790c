"""Reads what people in videos say about themselves: what they like, and what they plan.

These facts belong to the group: their user_id is empty, and their subject is the speaker.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from amr_neo4j.domain.belief import HeardTurn, NewTalk, SeenFact
from amr_neo4j.domain.event import speaker_and_words
from amr_neo4j.domain.fact import FactChange
from amr_neo4j.domain.ports import Notify
from amr_neo4j.domain.relations import PLANS, relation_kind
from amr_neo4j.errors import AmrError
from amr_neo4j.language.languages import Language
from amr_neo4j.language.stems import words_in

if TYPE_CHECKING:
    from amr_neo4j.app.fact_reading import RuleReader
    from amr_neo4j.store.write.fact_upkeep import FactUpkeep

# Events per transaction.
_EVENTS_PER_READ = 500
# Talk that was cut into subtitles states little else so plainly that it may be believed.
_CATEGORIES = frozenset({"taste", relation_kind(PLANS).category})
# A shorter line states nothing.
_LEAST_WORDS = 3


@dataclass(frozen=True, kw_only=True)
class GroupTalk:
    """Reads the talk of videos that was not read yet.

    store: group_id -> the facts of the group.
    reader: reads a line by rules.
    """

    store: Callable[[str], FactUpkeep]
    reader: RuleReader
    language: Language
    notify: Notify

    def read(self, group_id: str) -> None:
        """Write the facts that new talk states. What another process reads now is left to it.

        An error is reported and not raised: the videos are in memory, and the next call goes on from here.
        """
        store = self.store(group_id)
        try:
            if self.reader.languages and store.take(is_dead) == "":
                try:
                    self._read(store)
                finally:
                    # A lease that cannot be released expires by itself.
                    with suppress(AmrError):
                        store.release()
        except AmrError as error:
            self.notify(f"what people say in these videos is not read yet: {error}")

    def _read(self, store: FactUpkeep) -> None:
        after = store.seen_to()
        while page := store.new_talk(after, _EVENTS_PER_READ):
            after = page[-1].node_id
            facts = [fact for change in self._changes(page) for fact in [_seen(*change)]]
            stated = [fact for fact, is_dropped in facts if not is_dropped]
            dropped = [fact for fact, is_dropped in facts if is_dropped and fact.triple.relation == PLANS]
            store.hear(stated, dropped, after)

    def _changes(self, page: Sequence[NewTalk]) -> Iterator[tuple[FactChange, NewTalk]]:
        read = set[tuple[str, str]]()
        for talk in page:
            for line in talk.said:
                speaker, words = speaker_and_words(line)
                # Each event that a line overlaps has it.
                known = (talk.video_id, line) in read
                read.add((talk.video_id, line))
                if known or not speaker or speaker == self.language.codes.someone:
                    continue
                for change in self._stated(talk, speaker, words):
                    if relation_kind(change.triple.relation).category in _CATEGORIES:
                        yield change, talk

    def _stated(self, talk: NewTalk, speaker: str, line: str) -> tuple[FactChange, ...]:
        """Return what a line states. One that may state neither a taste nor a plan is not read, to be fast."""
        words = frozenset(words_in(line))
        may_taste = self._may_state_taste(words)
        if len(words) < _LEAST_WORDS or not (may_taste or self._may_state_plan(line)):
            return ()
        turn = HeardTurn(
            number=talk.node_id,
            episode_id="",
            session_id="",
            actor=speaker,
            actor_id="",
            text=line,
            at=talk.at,
            states=False,
        )
        if not may_taste:
            # Only the rules find plans, and a network would take most of the time.
            changes = self.reader.changes(turn, "", by_rules=True)
            if all(change.triple.relation == PLANS for change in changes):
                return changes
        return self.reader.changes(turn, "")

    def _may_state_taste(self, words: frozenset[str]) -> bool:
        rules, bullets = self.language.facts, self.language.bullets
        # "Me gusta" has no subject.
        of_speaker = (rules and rules.drops_subject) or not words.isdisjoint(bullets.asking.speaker)
        return bool(of_speaker) and not words.isdisjoint(self._taste_words)

    def _may_state_plan(self, line: str) -> bool:
        return any(self.language.plans.read(sentence) for sentence in self.language.sentences(line))

    @cached_property
    def _taste_words(self) -> frozenset[str]:
        cues = self.language.relation_words.cues
        tastes = [words for relation, words in cues.items() if relation_kind(relation).category == "taste"]
        return frozenset(word for words in tastes for word in words)


def _seen(change: FactChange, talk: NewTalk) -> tuple[SeenFact, bool]:
    """Return (the fact as said in a video, whether it is dropped)."""
    ends_at = datetime.fromtimestamp(change.ends, UTC) if change.ends and not change.retracted else None
    fact = SeenFact(
        triple=change.triple,
        text=change.text,
        language=change.language,
        confidence=change.confidence,
        at=talk.at,
        node_ids=(talk.node_id,),
        ends_at=ends_at,
    )
    return fact, change.retracted


def is_dead(holder: str) -> bool:
    """Return whether the lease's holder is a process of this machine that no longer runs."""
    host, process, *_ = holder.split()
    if host != socket.gethostname():
        return False
    try:
        # Signal 0 is not delivered; it only checks that the process exists.
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
