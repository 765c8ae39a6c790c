"""Drops dangling local ids from a model's analysis, so that each remaining one refers to one listed person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count

from amr_neo4j.domain.analysis import AnalysedEvent, Character, ClipAnalysis, NotedAnalysis, SpeakerTurn, StatedAction
from amr_neo4j.ingest.local_ids import id_key, ids_in, is_local_id, is_voice_id, leading_id
from amr_neo4j.ingest.voice_attribution import known_voices
from amr_neo4j.language.languages import Language


def without_dangling_ids(noted: NotedAnalysis, language: Language) -> NotedAnalysis:
    """Return the analysis without ids that refer to no listed person or to several, with a note for each.

    Ids are matched in any spelling.
    """
    # First, so that every id below refers to one character.
    people, doubles = _with_own_ids(noted.analysis.characters)
    check = _References(noted.analysis.model_copy(update={"characters": people}), language)
    resolved = check.resolved()
    return noted.but(resolved, *doubles, *check.notes)


def _with_own_ids(people: Sequence[Character]) -> tuple[tuple[Character, ...], list[str]]:
    """Return (the characters, each with an id of its own; notes). Characters that share an id get new ones."""
    by_id: dict[str, dict[str, Character]] = {}
    for person in people:
        # A character who is listed twice in the same words is one character.
        by_id.setdefault(id_key(person.local_character_id), {}).setdefault(person.name_or_description.strip(), person)
    distinct, notes = list[Character](), list[str]()
    for same in by_id.values():
        for number, (words, person) in enumerate(same.items(), start=1):
            shared = person.local_character_id.strip()
            own = f"{shared}.{number}" if len(same) > 1 else person.local_character_id
            distinct.append(person.model_copy(update={"local_character_id": own}))
            if own != person.local_character_id:
                notes.append(f"{shared} is the id of several characters; “{words}” is now {own}")
    return tuple(distinct), notes


class _References:
    """Maps the actors and speakers that events name to local ids. A name without one is dropped, with a note."""

    def __init__(self, analysis: ClipAnalysis, language: Language) -> None:
        self._analysis = analysis
        self._language = language
        self._listed = {id_key(c.local_character_id): c.local_character_id.strip() for c in analysis.characters}
        self._described = [c.name_or_description.strip() for c in analysis.characters]
        self._voices = known_voices(analysis, language)
        heard = {id_key(turn.speaker_id) for turn in analysis.speaker_turns}
        # Lazily, because most analyses need no new voice.
        self._unused_voices = (f"S{n}" for n in count(1) if not {f"s{n}"} & (heard | {*self._listed, *self._voices}))
        self._renamed: dict[str, str] = {}
        self.notes: list[str] = []

    def resolved(self) -> ClipAnalysis:
        given = self._analysis
        parts = {
            "characters": tuple(self._character(person) for person in given.characters),
            "speaker_turns": tuple(
                turn for n, each in enumerate(given.speaker_turns, start=1) for turn in self._turns(each, n)
            ),
            "events": tuple(self._event(event, f"event {n}") for n, event in enumerate(given.events, start=1)),
        }
        return given.model_copy(update=parts)

    def _character(self, person: Character) -> Character:
        """Return the character, without its voice if several characters claim that voice."""
        own, voice = person.local_character_id.strip(), id_key(person.speaker_id)
        if not voice or self._voices.get(voice) == own:
            return person
        # A model may repeat the character's own id as its voice. Nothing is lost then, so there is no note.
        if voice != id_key(own):
            self.notes.append(f"{own}: the voice {person.speaker_id} is not of this character alone; dropped")
        return person.model_copy(update={"speaker_id": ""})

    def _turns(self, turn: SpeakerTurn, number: int) -> Iterator[SpeakerTurn]:
        """Yield the turn once for each of its speakers."""
        where = f"speaker turn {number}"
        said_by = (self._speaker(words, where) for words in self._ids(turn.speaker_id, where))
        # The words are worth keeping even if nobody knows who says them.
        for who in [*filter(None, said_by)] or [""]:
            yield turn.model_copy(update={"speaker_id": who})

    def _event(self, event: AnalysedEvent, where: str) -> AnalysedEvent:
        actors = dict.fromkeys(who for words in event.actors for who in self._actors(words, where))
        actions = [each for action in event.actions for each in self._actions(action, f"{where}, {action.verb}")]
        return event.model_copy(update={"actors": tuple(actors), "actions": tuple(actions)})

    def _actions(self, action: StatedAction, where: str) -> Iterator[StatedAction]:
        """Yield the action once for each of its actors."""
        # The object was acted on, whoever did it.
        for who in self._actors(action.actor, where) or [""]:
            yield action.model_copy(update={"actor": who})

    def _actors(self, words: str, where: str) -> list[str]:
        return [who for part in self._ids(words, where) if (who := self._actor(part, where))]

    def _ids(self, words: str, where: str) -> list[str]:
        found = ids_in(words, self._listed)
        if found != [words.strip()]:
            self.notes.append(f"{where}: “{words}” is read as {', '.join(found)}")
        return found

    def _actor(self, who: str, where: str) -> str:
        """Return the local id of an actor, or the words themselves; empty if they refer to nobody who is listed."""
        key = id_key(who)
        if found := self._listed.get(key) or (self._voices.get(key) if leading_id(who) else ""):
            return found
        if who in self._described:
            return self._one(who, where)
        return self._dropped(who, where) if leading_id(who) or self._language.is_unknown(who) else who

    def _speaker(self, who: str, where: str) -> str:
        """Return the local id of a speaker, or the words themselves; empty if they refer to nobody.

        A label of another form (SPEAKER_00) becomes a new voice id.
        """
        key = id_key(who)
        if key in self._listed or key in self._voices:
            return self._listed.get(key, who)
        if who in self._described:
            return self._one(who, where)
        # A voice need not be listed as a character, because nobody may be seen to speak.
        if is_voice_id(who):
            return key.upper()
        # An id such as C7 that nobody is listed under is a slip of the model.
        if who and (is_local_id(who) or self._language.is_indistinct(who)):
            return self._dropped(who, where)
        return self._voice(who, where) if leading_id(who) else who

    def _one(self, described: str, where: str) -> str:
        several = self._described.count(described) > 1 and not self._language.person_key(described).is_name
        return self._dropped(described, where, "fits several listed characters") if several else described

    def _voice(self, label: str, where: str) -> str:
        """Return a new voice id, such as S2, for a label that means something within this clip only."""
        if id_key(label) not in self._renamed:
            self._renamed[id_key(label)] = voice = next(self._unused_voices)
            self.notes.append(f"{where}: {label} is not a listed character; kept as voice {voice}")
        return self._renamed[id_key(label)]

    def _dropped(self, who: str, where: str, why: str = "is not a listed character") -> str:
        self.notes.append(f"{where}: {who} {why}; dropped")
        return ""
