"""Composes event nodes from an analysis (AdaptiveEventNode, specification 000 I.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property

from amr_neo4j.domain.analysis import AnalysedEvent, SpeakerTurn
from amr_neo4j.domain.event import Action, ComposedClip, EventDraft, Evidence, Involvement, Role, Use
from amr_neo4j.domain.video import AnalysedClip, Video
from amr_neo4j.ingest.local_ids import is_local_id
from amr_neo4j.ingest.person_resolution import PersonResolver, ResolvedPerson
from amr_neo4j.ingest.voice_attribution import carries, confidence
from amr_neo4j.language.languages import Language

# A name and the evidence that it is a person's, as in Involvement.
_Named = tuple[str, Evidence | None]


def compose(clip: AnalysedClip, language: Language) -> ComposedClip:
    """Return the clip with its events, in order of start."""
    people = PersonResolver(clip.analysis, clip.video.video_id, language)
    ordered = sorted(clip.analysis.events, key=lambda event: (event.time_start, event.time_end))
    told = _told_by_summary(clip, ordered, people, language)
    composers = [_Composer(clip, people, event, language, names) for event, names in zip(ordered, told, strict=True)]
    parts = [composer.parts() for composer in composers]
    of_clip = _named_by_clip_alone(clip, people, parts, language)
    events = (c.draft(n, [*of_event, *of_clip]) for n, (c, of_event) in enumerate(zip(composers, parts, strict=True)))
    return ComposedClip(clip, tuple(events))


def _told_by_summary(
    clip: AnalysedClip, events: Sequence[AnalysedEvent], people: PersonResolver, language: Language
) -> list[list[_Named]]:
    """Return for each event the persons whom only the clip's summary names, in a sentence about that event.

    "Anna carries a box." is about the event "A woman carries a box out of the van", if about no other: one of the two
    has all words of the other, names and words for persons left out.
    """
    told: list[list[_Named]] = [[] for _ in events]
    known = [person.name for person in people.all()]
    written = "\n".join(event.summary for event in events)
    for sentence in () if clip.tracked else language.sentences(clip.analysis.clip_summary):
        named = language.persons_named(sentence, known, caption=True)
        names: list[_Named] = [(name, evidence) for name, evidence in named.items() if name not in written]
        if names:
            said = _deed_words(sentence, [name for name, _ in names], language)
            words = (_deed_words(event.summary, (), language) for event in events)
            about = [place for place, other in enumerate(words) if _are_one_deed(said, other)]
            if len(about) == 1:
                told[about[0]] += names
    return told


def _deed_words(sentence: str, names: Iterable[str], language: Language) -> list[frozenset[str]]:
    """Return the forms of each content word of a sentence, without names and words for persons."""
    of_names = language.all_forms(" ".join(names))
    words = (word for word in language.content_words(sentence) if not (word.describes_person or word.vague))
    return [word.forms for word in words if word.forms.isdisjoint(of_names)]


def _are_one_deed(one: Sequence[frozenset[str]], other: Sequence[frozenset[str]]) -> bool:
    fewer, more = sorted((one, other), key=len)
    among = frozenset[str]().union(*more)
    # A single word, such as "waves", says too little.
    return len(fewer) > 1 and not any(forms.isdisjoint(among) for forms in fewer)


def embedding_text(summary_text: str, dialogue_snippets: Sequence[str]) -> str:
    """Return the text of an event that is embedded: its summary and its dialogue, with the speakers' names."""
    return "\n".join([summary_text, *dialogue_snippets])


@dataclass(frozen=True)
class _Participation:
    """The role of a person in an event. evidence: as in Involvement."""

    person: ResolvedPerson
    role: Role
    evidence: Evidence | None = None

    @property
    def involvement(self) -> Involvement:
        who, evidence = self.person, self.evidence
        certainty = confidence(evidence) if evidence else None
        return Involvement(
            person_id=who.person_id,
            role=self.role,
            scope=who.scope,
            name=who.name,
            evidence=evidence,
            confidence=certainty,
        )


def _named_by_clip_alone(
    clip: AnalysedClip, people: PersonResolver, parts: Iterable[list[_Participation]], language: Language
) -> list[_Participation]:
    """Return mentions of the persons whom a vision model's summary of the clip names and no event has.

    That summary belongs to no single event, so each gets them.
    """
    if not clip.is_in_own_words:
        return []
    there = {part.person.identity for of_event in parts for part in of_event}
    summary, known = clip.analysis.clip_summary, [person.name for person in people.all()]
    names = language.persons_named(summary, known, caption=True)
    names |= dict[str, Evidence | None].fromkeys(language.roles_named(summary))
    found: list[_Participation] = []
    for name, evidence in names.items():
        who = people.find(name)
        if who and who.identity not in there:
            found.append(_Participation(who, "mentioned", evidence))
    return found


@dataclass(frozen=True)
class _Composer:
    """Composes one event. told: the persons whom a sentence about the event in the clip's summary names."""

    clip: AnalysedClip
    people: PersonResolver
    event: AnalysedEvent
    language: Language
    told: Sequence[_Named]

    @cached_property
    def _turns(self) -> list[SpeakerTurn]:
        return [turn for turn in self.clip.analysis.speaker_turns if carries(self.event, turn)]

    def draft(self, ordinal: int, people: Sequence[_Participation]) -> EventDraft:
        """Return the event. people: its actors, speakers and mentioned people."""
        event, analysis = self.event, self.clip.analysis
        return EventDraft(
            ordinal=ordinal,
            time_start=event.time_start,
            time_end=event.time_end,
            summary_text=event.summary,
            dialogue_snippets=self._dialogue(),
            persons=_names(people),
            objects=_distinct([*(thing.name for thing in event.objects), *(a.object for a in event.actions)]),
            scene_type=analysis.scene_type,
            actions=tuple(self._actions()),
            at=_wall_clock(self.clip.video, event.time_start),
            involvements=_involvements(people),
            uses=tuple(self._uses()),
            heard=event.heard,
            derived=event.derived,
            spatial_descriptions=self._spatial_descriptions(),
            boxes=event.boxes,
        )

    def parts(self) -> list[_Participation]:
        """Actors, speakers and mentioned people, in this order."""
        actors = [*self.event.actors, *(action.actor for action in self.event.actions if action.actor)]
        acting = [person for actor in actors for person in self.people.find_all(actor)]
        # The actor of a sound is known by name only: nobody sees who makes it.
        heard: Evidence | None = "name" if self.event.heard else None
        voices = [voice for turn in self._turns if (voice := self.people.voice(turn))]
        listed = {person.identity for person in self.people.all()}
        return [
            *(_Participation(person, "actor", heard) for person in acting),
            *(_Participation(voice.person, "speaker", voice.evidence) for voice in voices),
            *(
                _Participation(person, "speaker", "in_view")
                for turn in self._turns
                if turn.in_view and (person := self.people.find(turn.in_view))
            ),
            *(
                _Participation(person, "mentioned", None if person.identity in listed else evidence)
                for name, evidence in self._mentioned(acting)
                if (person := self.people.find(name))
            ),
        ]

    def _mentioned(self, acting: Iterable[ResolvedPerson]) -> Iterator[_Named]:
        """Yield the names that the event mentions. acting: its actors, whom the analysis may not list."""
        # A camera system lists who is seen. Words with a capital in its sentences are plates, carriers or cars.
        if self.clip.tracked:
            return
        known = [person.name for person in (*self.people.all(), *acting)]
        wearer, told = self.clip.video.wearer, self.language.first_person
        # "My hair" and "hands me" are the wearer's, in what they see and not in what is said.
        of_wearer = wearer and not self.event.heard and told.concerns(self.event.summary)
        said = "\n".join([*self.event.dialogue, *(turn.utterance for turn in self._turns)])
        for summary in (self.event.summary, self.event.own_summary):
            yield from self.language.persons_named(summary, known, caption=True).items()
        yield from self.language.persons_named(said, known, caption=False).items()
        seen = f"{self.event.summary}\n{self.event.own_summary}"
        if self.clip.is_in_own_words:
            for role in self.language.roles_named(seen):
                yield role, None
            for role in self.language.roles_named(said):
                yield role, "told"
        texts = (self.event.summary, self.event.own_summary, self.clip.analysis.clip_summary)
        seen_words = [self._words(self.language.unquoted(text)) for text in texts]
        for name in self.event.mentioned:
            yield name, None if any(self._words(name) in words for words in seen_words) else "told"
        yield from self.told
        if of_wearer:
            yield wearer, None

    def _words(self, text: str) -> str:
        return f" {' '.join(self.language.words_of(text))} "

    def _dialogue(self) -> tuple[str, ...]:
        """Return the turns with their speakers, then the event's own lines that no turn has."""
        said = [self._line(turn) for turn in self._turns if turn.utterance.strip()]
        heard = self._plain([*said, *(turn.utterance for turn in self._turns)])
        own = [line for line in map(self._with_name, self.event.dialogue) if self._plain([line]) not in heard]
        return _distinct([*said, *own])

    def _line(self, turn: SpeakerTurn) -> str:
        name, words = self.people.speaker_name(turn), turn.utterance.strip()
        # Some transcripts and models put the speaker's name into the line themselves.
        return words if words.casefold().startswith(f"{name}:".casefold()) else f"{name}: {words}"

    def _with_name(self, line: str) -> str:
        """Return a line of the event's own, with a local id replaced by a name, as in turns."""
        speaker, _, words = line.partition(":")
        if not (words and is_local_id(speaker.strip())):
            return line
        # An event's own line has no time. The time of the event is enough to find whose voice it is.
        start, end = self.event.time_start, self.event.time_end
        turn = SpeakerTurn(speaker_id=speaker.strip(), utterance=words, time_start=start, time_end=end)
        return self._line(turn)

    def _spatial_descriptions(self) -> tuple[str, ...]:
        """Return lines "thing: place". A colon in a thing's name becomes a space, because the first colon ends the
        name.
        """
        described = (
            thing for thing in self.event.objects if thing.name.strip() and thing.spatial_description.strip()
        )
        return _distinct(
            f"{' '.join(thing.name.replace(':', ' ').split())}: {thing.spatial_description.strip()}"
            for thing in described
        )

    def _actions(self) -> Iterable[Action]:
        for action in self.event.actions:
            actor = self.people.find(action.actor) if action.actor else None
            yield Action(actor.person_id if actor else "", action.verb, action.object, action.spatial_relation)

    def _uses(self) -> Iterable[Use]:
        """Yield one use per action on an object, then one for each object that is merely present."""
        where: dict[str, str] = {}
        written: dict[str, str] = {}
        sure: dict[str, float | None] = {}
        object_key = self.language.object_key
        for thing in self.event.objects:
            if thing.name.strip():
                name = object_key(thing.name)
                # An analysis may list a thing twice. The first stated place and the highest confidence are kept.
                where[name] = where.get(name) or thing.spatial_description
                written[name] = thing.name.strip()
                sure[name] = max(filter(None, [sure.get(name), thing.confidence]), default=None)
        acted = [action for action in self._actions() if action.object.strip()]
        for seq, action in enumerate(acted):
            name = object_key(action.object)
            yield self._use(seq, action, spatial_description=where.get(name, ""), confidence=sure.get(name))
        # A thing that was acted on is present anyway, so it gets no second use.
        acted_on = {object_key(action.object) for action in acted}
        merely_present = [name for name in where if name not in acted_on]
        for seq, name in enumerate(merely_present, start=len(acted)):
            yield Use(seq, name, spatial_description=where[name], words=written[name], confidence=sure[name])

    def _use(self, seq: int, action: Action, *, spatial_description: str, confidence: float | None) -> Use:
        name = self.language.object_key(action.object)
        change = self.language.effect(action.verb, name, action.spatial_relation)
        return Use(
            seq=seq,
            name=name,
            verb=change.lemma if change else self.language.lemma(action.verb),
            actor=action.actor,
            from_state=change.from_state if change else None,
            to_state=change.to_state if change else None,
            state_kind=change.kind if change else None,
            moves=change.moves if change else None,
            spatial_relation=action.spatial_relation,
            spatial_description=spatial_description,
            words=action.object.strip(),
            confidence=confidence,
        )

    def _plain(self, lines: Iterable[str]) -> str:
        """Return the words of the lines without case and punctuation, to compare them.

        Wordless text stays as it is.
        """
        text = " ".join(lines)
        # The spaces around it make "in" a search for whole words.
        return f" {' '.join(self.language.words_of(text)) or text} "


def _names(people: Iterable[_Participation]) -> tuple[str, ...]:
    """Return one name for each person, as written first: not "Dr Smith" and "Dr. Smith"."""
    names: dict[tuple[str, str], str] = {}
    for part in people:
        names.setdefault(part.person.identity, part.person.name)
    return _distinct(names.values())


def _involvements(people: Iterable[_Participation]) -> tuple[Involvement, ...]:
    """Return the most certain involvement per person and role.

    A mention of somebody who acts or speaks is dropped.
    """
    found: dict[tuple[str, str, Role], Involvement] = {}
    present: set[tuple[str, str]] = set()
    for part in people:
        identity = part.person.identity
        if part.role == "mentioned" and identity in present:
            continue
        if part.role != "mentioned":
            present.add(identity)
        key: tuple[str, str, Role] = (*identity, part.role)
        one = part.involvement
        if key not in found or one.certainty > found[key].certainty:
            found[key] = one
    return tuple(found.values())


def _wall_clock(video: Video, seconds: float) -> datetime | None:
    if video.recorded_at is None:
        return None
    return (video.recorded_at + timedelta(seconds=seconds)).astimezone(UTC)


def _distinct(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.strip() for word in words if word.strip()))
