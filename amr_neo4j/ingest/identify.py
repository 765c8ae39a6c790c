"""Gives an id to people who are described and not named: one id per person in the whole video.

"girl in black hoodie" becomes girl_black_hoodie (specification 000 I.3.2). A model chooses, and is shown the ids in
use. Without a model, or if it fails, the id is made from the description.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import count, islice

from amr_neo4j.domain.analysis import Character, ClipAnalysis, NotedAnalysis
from amr_neo4j.domain.folding import folded_words
from amr_neo4j.domain.ports import ChatModel
from amr_neo4j.domain.replies import ShortIds
from amr_neo4j.errors import CostLimit, ModelFailed
from amr_neo4j.ingest.local_ids import id_key, is_local_id
from amr_neo4j.language.languages import Language
from amr_neo4j.prompts.library import prompt

# The model is shown this many of the ids in use, those seen latest, so that the prompt does not grow with the video.
_IDS_SHOWN = 200


class PersonIdentifier:
    """Assigns the person ids of one video, clip by clip in order of time."""

    def __init__(self, in_use: Mapping[str, str], model: ChatModel | None, language: Language) -> None:
        """in_use: {person_id: the description it was assigned to} of this video so far, the person seen last at the
        end.
        """
        self._in_use = dict(in_use)
        self._model = model
        self._language = language

    def identify(self, noted: NotedAnalysis) -> NotedAnalysis:
        """Return the analysis with a person_id for everybody who is described.

        If the model fails, ids are made by rules, with a note. Ids that an earlier run assigned stay.
        """
        strangers = [person for person in noted.analysis.characters if self._is_described(person)]
        ids = {person.local_character_id: person.person_id for person in strangers if person.person_id}
        # Equal words need no model.
        self._add_seen_before([person for person in strangers if person.local_character_id not in ids], ids)
        new = [person for person in strangers if person.local_character_id not in ids]
        asked, notes = self._asked(new, noted.analysis)
        for person in new:
            given = asked.get(id_key(person.local_character_id), "")
            own, why = self._choose(given, person.name_or_description, ids.values())
            ids[person.local_character_id] = own
            if why:
                notes.append(f"{person.local_character_id}: {why}; the id is {own}")
        for person in strangers:
            self._see(ids[person.local_character_id], person.name_or_description)
        return noted.but(_with_ids(noted.analysis, ids), *notes)

    def _add_seen_before(self, people: Sequence[Character], ids: dict[str, str]) -> None:
        """Give people whose description was seen before the id that it had then.

        Each id goes to one person. If a description had several ids, the shortest goes first.
        """
        wanted = {folded_words(person.name_or_description) for person in people}
        in_use = [(person_id, folded_words(words)) for person_id, words in self._in_use.items()]
        known = [(person_id, words) for person_id, words in in_use if words in wanted]
        known.sort(key=lambda one: (len(one[0]), one[0]))
        for person in people:
            words, taken = folded_words(person.name_or_description), {*ids.values()}
            free = (person_id for person_id, described in known if described == words and person_id not in taken)
            if own := next(free, ""):
                ids[person.local_character_id] = own

    def _choose(self, given: str, description: str, taken: Collection[str]) -> tuple[str, str]:
        """Return (an id that nobody else in the clip has, why it is not the given one).

        The reason is empty if it is the given one.
        given: the model's id; empty if there is none.
        taken: the ids of the others.
        """
        plain = own = self._language.person_key(description).person_id
        why = ""
        if given:
            own = given if given in self._in_use else self._language.short_id(given)
            if own not in self._in_use and self._is_vague(own):
                own, why = plain, f"{given} is not the id of one person"
        # The analysis lists two people, so they are two, even if the model gives both the same id.
        if own in taken:
            own, why = plain, why or f"{own} is another person of this clip"
        if own in taken:
            numbered = (f"{plain}_{n}" for n in count(2))
            own = next(other for other in numbered if other not in taken and other not in self._in_use)
        return own, why

    def _see(self, person_id: str, description: str) -> None:
        """Move the id to the end of those in use. It keeps its first description."""
        self._in_use[person_id] = self._in_use.pop(person_id, description)

    def _asked(self, people: Sequence[Character], analysis: ClipAnalysis) -> tuple[dict[str, str], list[str]]:
        """Return ({key of the local id: the model's id}, notes). If the model fails, there are no ids and a note
        says why.
        """
        if not (people and self._model):
            return {}, []
        known = [f"{person_id}: {words}" for person_id, words in self._in_use.items()]
        asked = prompt(
            "persons",
            known="\n".join(islice(known, max(0, len(known) - _IDS_SHOWN), None)) or "none",
            clip=" ".join([analysis.clip_summary, *(event.summary for event in analysis.events)]),
            people="\n".join(f"{person.local_character_id}: {person.name_or_description}" for person in people),
        )
        try:
            reply, slips = self._model.ask(asked, ShortIds)
        # It is a ModelFailed too, but it must end the run.
        except CostLimit:
            raise
        except ModelFailed as error:
            return {}, [f"person ids are made from descriptions: {error.message}"]
        # Reversed, so that the first of several answers for one person remains.
        answers = {id_key(given.local_character_id): given.person_id for given in reversed(reply.persons)}
        return answers, list(slips)

    def _is_described(self, person: Character) -> bool:
        words = person.name_or_description.strip()
        return not (is_local_id(words) or self._language.person_key(words).is_name)

    def _is_vague(self, person_id: str) -> bool:
        """Return whether an id could be anybody's: c1, unknown, person_1."""
        return is_local_id(person_id) or self._language.is_indistinct(re.sub(r"\d+$", "", person_id))


def _with_ids(analysis: ClipAnalysis, ids: Mapping[str, str]) -> ClipAnalysis:
    people = analysis.characters
    known = [person.model_copy(update={"person_id": ids.get(person.local_character_id, "")}) for person in people]
    return analysis.model_copy(update={"characters": tuple(known)})
