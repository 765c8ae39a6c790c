"""How long people are in view: from their coming to their going, over the clips between."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from amr_neo4j.language.nouns import Observation
from amr_neo4j.recall.evidence.candidate import Candidate
from amr_neo4j.recall.evidence.watched import deeds, of_films, people_in, people_meant, unseen
from amr_neo4j.recall.question.parsed import ParsedQuestion

# Of somebody whose going was not seen, a shorter time says only that they were there.
SHORTEST_SEC = 1.0


@dataclass(frozen=True)
class Visit:
    """A time during which one person is in view. has_ended: an event tells of their going; else it may have gone on.

    events: in their order, at least one; seconds: from the first one's start to the going, or to the last one's end.
    """

    events: tuple[Candidate, ...]
    has_ended: bool

    @property
    def seconds(self) -> float:
        last = self.events[-1].event
        whole = len(self.events) == 1 or not self.has_ended
        return (last.time_end if whole else last.time_start) - self.events[0].event.time_start


def asks_for_visits(parsed: ParsedQuestion) -> bool:
    """Whether it asks how long people are there, and not how long they do something."""
    asking = parsed.language.asking
    about = bool(asking.anybody.search(parsed.main.text)) or any(w.describes_person for w in parsed.main.words)
    stays = all(parsed.language.scenes.stays in word.forms for word in deeds(parsed))
    anywhere = not asking.in_part.search(parsed.main.text)
    return about and stays and anywhere and bool(asking.of_state.search(parsed.whole.text))


def visits_asked_for(parsed: ParsedQuestion, found: Iterable[Candidate]) -> list[Visit]:
    """The visits of those whom a question describes, in their order."""
    films = of_films(found)
    looks = {word.word for word in parsed.main.words if word.describes_person}
    known = {who for c in films if looks.issuperset(unseen(parsed, c)) for who in people_meant(parsed, c)}
    found_visits = [visit for who in known for visit in _visits(who, films)]
    lasting = [visit for visit in found_visits if visit.has_ended or visit.seconds >= SHORTEST_SEC]
    return sorted(lasting, key=lambda visit: films.index(visit.events[0]))


def _visits(who: str, films: Sequence[Candidate]) -> Iterator[Visit]:
    """The visits of one person. A cut to another view ends what is known of who is there."""
    of_video: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in films:
        if who in people_in(candidate) or _cuts(candidate):
            of_video[candidate.event.video_id].append(candidate)
    for video in of_video.values():
        yield from _of_one_video(who, video)


def _of_one_video(who: str, events: Sequence[Candidate]) -> Iterator[Visit]:
    open_: list[Candidate] = []
    for candidate in events:
        done = {action.verb for action in candidate.event.actions if action.actor == who}
        if open_ and (_cuts(candidate) or done & candidate.language.scenes.comes):
            yield Visit(tuple(open_), has_ended=False)
            open_ = []
        if _cuts(candidate):
            continue
        open_.append(candidate)
        if done & candidate.language.scenes.goes:
            yield Visit(tuple(open_), has_ended=True)
            open_ = []
    if open_:
        yield Visit(tuple(open_), has_ended=False)


def _cuts(candidate: Candidate) -> bool:
    return candidate.event.summary_text == candidate.language.scenes.observed(Observation("cut"))
