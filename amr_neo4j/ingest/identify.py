"""Short ids for people who are described, not named: the same person has the same id in the whole video.

"girl in black hoodie" -> girl_black_hoodie (seed 000, I.3.2). A model is shown the ids in use; without one, or where
it fails, the id is made of the description (language/persons.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from amr_neo4j.domain.analysis import Character, ClipAnalysis, Told
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import ShortIds
from amr_neo4j.errors import CostLimit, ModelFailed
from amr_neo4j.ingest.local_ids import is_local_id
from amr_neo4j.language.persons import person_key
from amr_neo4j.prompts.library import prompt

# So many ids in use are shown, the latest.
_SHOWN = 200


class Identities:
    """The people of one video, clip by clip in order of time."""

    def __init__(self, in_use: Mapping[str, str], model: ChatModel | None) -> None:
        """in_use: person_id -> the description that it was given for, of this video so far."""
        self._in_use = dict(in_use)
        self._model = model

    def identify(self, told: Told) -> Told:
        """The same, with a person_id on everybody who is described; falls back to the rules with a note.

        Who has one, by an earlier run, keeps it.
        """
        strangers = [person for person in told.analysis.characters if _is_described(person)]
        ids = self._seen_before(strangers) | self._given_before(strangers)
        new = [person for person in strangers if person.local_character_id not in ids]
        asked, notes = self._asked(new, told.analysis)
        for person in new:
            local_id, described = person.local_character_id, person.name_or_description
            given = asked.get(local_id, "")
            if given in ids.values():
                notes.append(f"{local_id}: {given} is somebody else of this clip; told apart by the description")
            ids[local_id] = given if given and given not in ids.values() else person_key(described).person_id
            self._in_use.setdefault(ids[local_id], described)
        return told.but(_with_ids(told.analysis, ids), *notes)

    def _given_before(self, people: Iterable[Character]) -> dict[str, str]:
        known = {person.local_character_id: person for person in people if person.person_id}
        for person in known.values():
            self._in_use.setdefault(person.person_id, person.name_or_description)
        return {local_id: person.person_id for local_id, person in known.items()}

    def _seen_before(self, people: Iterable[Character]) -> dict[str, str]:
        """By local id, the ids of those who are described in words that one was given for."""
        by_words = {_plain(words): person_id for person_id, words in self._in_use.items()}
        found = ((person.local_character_id, by_words.get(_plain(person.name_or_description))) for person in people)
        return {local_id: person_id for local_id, person_id in found if person_id}

    def _asked(self, people: Sequence[Character], analysis: ClipAnalysis) -> tuple[dict[str, str], list[str]]:
        """What the model calls them, by local id; none where it fails, with a note."""
        if not (people and self._model):
            return {}, []
        known = [f"{person_id}: {words}" for person_id, words in self._in_use.items()]
        asked = prompt(
            "persons",
            known="\n".join(islice(known, max(0, len(known) - _SHOWN), None)) or "none",
            clip=" ".join([analysis.clip_summary, *(event.summary for event in analysis.events)]),
            people="\n".join(f"{person.local_character_id}: {person.name_or_description}" for person in people),
        )
        try:
            reply, slips = self._model.ask_leniently(asked, ShortIds)
        except CostLimit:
            raise
        except ModelFailed as error:
            return {}, [f"people are told apart by their descriptions: {error.message}"]
        return {given.local_character_id: given.person_id for given in reply.persons}, list(slips)


def _with_ids(analysis: ClipAnalysis, ids: Mapping[str, str]) -> ClipAnalysis:
    people = analysis.characters
    known = [person.model_copy(update={"person_id": ids.get(person.local_character_id, "")}) for person in people]
    return analysis.model_copy(update={"characters": tuple(known)})


def _is_described(person: Character) -> bool:
    words = person.name_or_description.strip()
    return not (is_local_id(words) or person_key(words).is_name)


def _plain(words: str) -> str:
    return " ".join(words.casefold().split())
