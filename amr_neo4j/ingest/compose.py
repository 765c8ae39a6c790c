"""Event nodes from an analysis (AdaptiveEventNode, seed 000, part 3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from amr_neo4j.domain.analysis import AnalysedEvent, ClipAnalysis, SpeakerTurn
from amr_neo4j.domain.event import Action, ComposedClip, EventDraft, Evidence, Involvement, Role, Use
from amr_neo4j.domain.video import AnalysedClip, Video
from amr_neo4j.ingest.local_ids import is_local_id
from amr_neo4j.ingest.person_resolution import Cast, Someone
from amr_neo4j.ingest.voice_attribution import carries, confidence
from amr_neo4j.language.en.content import words_of
from amr_neo4j.language.en.objects import object_key
from amr_neo4j.language.en.persons import mentioned_names
from amr_neo4j.language.en.verbs import lemma, transition


def compose(clip: AnalysedClip) -> ComposedClip:
    """The clip with its events, in order of start."""
    cast = Cast(clip.analysis, clip.video.video_id)
    ordered = sorted(clip.analysis.events, key=lambda event: (event.time_start, event.time_end))
    told = _told_of_clip(clip.analysis, cast)
    events = tuple(_Composer(clip, cast, event, told).draft(n) for n, event in enumerate(ordered))
    return ComposedClip(clip, events)


def embedding_text(summary_text: str, dialogue_snippets: Sequence[str]) -> str:
    """What of an event is embedded: its summary and what was said, with the speakers' names."""
    return "\n".join([summary_text, *dialogue_snippets])


def _told_of_clip(analysis: ClipAnalysis, cast: Cast) -> tuple[str, ...]:
    """Names that only the clip's summary mentions: they belong to every event of it."""
    own = " ".join(text for event in analysis.events for text in (event.summary, *event.dialogue))
    known = [someone.name for someone in cast.all()]
    in_events = set(mentioned_names(own, known))
    return tuple(name for name in mentioned_names(analysis.clip_summary, known) if name not in in_events)


@dataclass(frozen=True)
class _Part:
    """What somebody is in an event; of one who is heard, how that is known."""

    someone: Someone
    role: Role
    evidence: Evidence | None = None

    @property
    def involvement(self) -> Involvement:
        who, evidence = self.someone, self.evidence
        sure = confidence(evidence) if evidence else None
        return Involvement(who.person_id, self.role, who.scope, who.name, evidence, sure)


class _Composer:
    """One event, part by part."""

    def __init__(self, clip: AnalysedClip, cast: Cast, event: AnalysedEvent, told: tuple[str, ...]) -> None:
        self._clip = clip
        self._cast = cast
        self._event = event
        self._told = told
        self._turns = [turn for turn in clip.analysis.speaker_turns if carries(event, turn)]

    def draft(self, ordinal: int) -> EventDraft:
        event, analysis = self._event, self._clip.analysis
        people = self._people()
        return EventDraft(
            ordinal=ordinal,
            time_start=event.time_start,
            time_end=event.time_end,
            summary_text=event.summary,
            dialogue_snippets=self._dialogue(),
            persons=_distinct(part.someone.name for part in people),
            objects=_distinct([*(thing.name for thing in event.objects), *(a.object for a in event.actions)]),
            scene_type=analysis.scene_type,
            actions=tuple(self._actions()),
            at=_wall_clock(self._clip.video, event.time_start),
            involvements=_involvements(people),
            uses=tuple(self._uses()),
            heard=event.heard,
        )

    def _people(self) -> list[_Part]:
        """Actors, speakers and names mentioned, in this order."""
        actors = [*self._event.actors, *(action.actor for action in self._event.actions if action.actor)]
        heard: Evidence | None = "name" if self._event.heard else None
        voices = [voice for turn in self._turns if (voice := self._cast.voice(turn))]
        return [
            *(_Part(someone, "actor", heard) for actor in actors for someone in self._cast.find_all(actor)),
            *(_Part(voice.someone, "speaker", voice.evidence) for voice in voices),
            *(_Part(someone, "mentioned") for name in self._mentioned() if (someone := self._cast.find(name))),
        ]

    def _mentioned(self) -> Iterable[str]:
        known = [someone.name for someone in self._cast.all()]
        words = " ".join([self._event.summary, *self._event.dialogue, *(turn.utterance for turn in self._turns)])
        return [*mentioned_names(words, known), *self._told]

    def _dialogue(self) -> tuple[str, ...]:
        """The overlapping turns with their speakers, then the event's own lines that no turn carries."""
        said = [self._line(turn) for turn in self._turns if turn.utterance.strip()]
        heard = _as_heard([*said, *(turn.utterance for turn in self._turns)])
        own = [line for line in map(self._with_name, self._event.dialogue) if _as_heard([line]) not in heard]
        return _distinct([*said, *own])

    def _line(self, turn: SpeakerTurn) -> str:
        name, words = self._cast.speaker_name(turn), turn.utterance.strip()
        return words if words.casefold().startswith(f"{name}:".casefold()) else f"{name}: {words}"

    def _with_name(self, line: str) -> str:
        """A line of the event's own, with a name for the local id before it, as turns have it."""
        speaker, _, words = line.partition(":")
        if not (words and is_local_id(speaker.strip())):
            return line
        start, end = self._event.time_start, self._event.time_end
        turn = SpeakerTurn(speaker_id=speaker.strip(), utterance=words, time_start=start, time_end=end)
        return self._line(turn)

    def _actions(self) -> Iterable[Action]:
        for action in self._event.actions:
            actor = self._cast.find(action.actor) if action.actor else None
            yield Action(actor.person_id if actor else "", action.verb, action.object, action.spatial_relation)

    def _uses(self) -> Iterable[Use]:
        """One per action on an object, then one for each object that was merely there."""
        where: dict[str, str] = {}
        written: dict[str, str] = {}
        for thing in self._event.objects:
            if thing.name.strip():
                name = object_key(thing.name)
                where[name] = where.get(name) or thing.spatial_description
                written[name] = thing.name.strip()
        acted = [action for action in self._actions() if action.object.strip()]
        for seq, action in enumerate(acted):
            yield _use(seq, action, where.get(object_key(action.object), ""))
        merely_there = [name for name in where if name not in {object_key(action.object) for action in acted}]
        for seq, name in enumerate(merely_there, start=len(acted)):
            yield Use(seq, name, spatial_description=where[name], words=written[name])


def _use(seq: int, action: Action, spatial_description: str) -> Use:
    name = object_key(action.object)
    change = transition(action.verb, name, action.spatial_relation)
    return Use(
        seq=seq,
        name=name,
        verb=change.lemma if change else lemma(action.verb),
        actor=action.actor,
        from_state=change.from_state if change else None,
        to_state=change.to_state if change else None,
        state_kind=change.kind if change else None,
        moves=change.moves if change else None,
        spatial_relation=action.spatial_relation,
        spatial_description=spatial_description,
        words=action.object.strip(),
    )


def _involvements(people: Iterable[_Part]) -> tuple[Involvement, ...]:
    """One per person and role, the surest of several; a mention of somebody who acts or speaks there adds nothing."""
    found: dict[tuple[str, str, Role], Involvement] = {}
    present: set[tuple[str, str]] = set()
    for part in people:
        identity = (part.someone.scope, part.someone.person_id)
        if part.role == "mentioned" and identity in present:
            continue
        present.add(identity)
        key: tuple[str, str, Role] = (*identity, part.role)
        one = part.involvement
        if key not in found or (one.confidence or 0) > (found[key].confidence or 0):
            found[key] = one
    return tuple(found.values())


def _wall_clock(video: Video, seconds: float) -> datetime | None:
    if video.recorded_at is None:
        return None
    return (video.recorded_at + timedelta(seconds=seconds)).astimezone(timezone.utc)


def _as_heard(lines: Iterable[str]) -> str:
    """Words without case and punctuation, which tell no two lines apart; text without a word stays as it is."""
    text = " ".join(lines)
    return f" {' '.join(words_of(text)) or text} "


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))
