"""The form of a citation in text: how it is written, and every form in which models write it back.

"[event 12, kitchen, 00:12:31-00:12:44]", "[turn 4, session_2, Anna]". prompts/answer.yaml shows models both.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Annotated

from pydantic import BeforeValidator

from amr_neo4j import tables
from amr_neo4j.domain.timestamps import clock


def event_label(node_id: int, video_id: str, start: float, end: float) -> str:
    """Return the citation of an event. start, end: seconds of the video."""
    return f"[event {node_id}, {video_id}, {clock(start)}-{clock(end)}]"


def short_event_label(node_id: int) -> str:
    """Return the citation of an event under a heading with its video and time: "[event 12]"."""
    return f"[event {node_id}]"


def turn_label(turn: int, spoken_in: str) -> str:
    """Return the citation of a turn. spoken_in: its session and speaker, without square brackets."""
    return f"[turn {turn}, {spoken_in}]"


@dataclass(frozen=True)
class Cited:
    """A citation that was found in a text.

    text: as it is written, from `start` to `end` of the text.
    opens: it stands before its claim: "In event 55, the girl leaves."
    events: the numbers of the events that it names, those within a range ("55-57") too.
    written: the numbers of events that it writes out.
    place: (video, start, end) of its event, as written; None if it states none.
    turns: the numbers of the turns that it names. spoken_in: what it states of their session and speakers.
    """

    text: str
    start: int
    end: int
    opens: bool = False
    events: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    place: tuple[str, str, str] | None = None
    turns: tuple[int, ...] = ()
    spoken_in: str = ""


def citations_in(text: str) -> list[Cited]:
    """Return the citations of a text in their order."""
    return [_cited(found) for found in _compiled(_CITATION).finditer(text)]


def runs_of_citations(text: str) -> list[list[Cited]]:
    """Return the citations of a text, those together that have nothing between them."""
    runs: list[list[Cited]] = []
    for cited in citations_in(text):
        if runs and _compiled(_JOINT).fullmatch(text, runs[-1][-1].end, cited.start):
            runs[-1].append(cited)
        else:
            runs.append([cited])
    return runs


def without_citations(text: str) -> str:
    """Return a text without its citations, in whatever form."""
    return _compiled(_CITATION).sub("", text)


def without_labels(text: str) -> str:
    """Return a text without the citations that `event_label` and `turn_label` write."""
    return re.sub(r"\[.*?\]", "", text)


def mentioned_in(sentence: str) -> list[str]:
    """Return citations of the events and turns that the words of a sentence name ("Event 55 shows the girl.")."""
    return [f"[{found[0]}]" for found in _compiled(_MENTIONED).finditer(sentence)]


def with_brackets(text: str) -> str:
    """Return prose in which what tags (<events>55</events>) or "Source: event 55" cite stands in brackets."""
    text = _compiled(_TAGGED).sub(lambda found: f"\n{found[3].strip()} {in_brackets(found[2])}\n", text)
    return _compiled(_TAGGED_EVENTS).sub(lambda found: f" {in_brackets(found[2])}", text)


def sources_in_brackets(text: str) -> str:
    """Return prose in which the event of a sentence such as "Source: event 55." stands in brackets."""
    return _compiled(_SOURCE_NAMED).sub(r"\1[\2]", text)


def in_brackets(cited: str) -> str:
    """Return a citation of a JSON reply in brackets: "61", "event 61" or "event 61 (home)"."""
    label = f"[event {cited}]" if cited.isdecimal() else f"[{cited.strip('[]() ')}]"
    named = _compiled(_BEGINS_NAMED).match(cited)
    return label if named is None or _compiled(_CITATION).search(label) else f"[{named[0]}]"


def one_in_each_bracket(text: str) -> str:
    """Return a text in which each citation has its own bracket."""
    return _compiled(_SEVERAL).sub(lambda several: _compiled(_JOINED).sub("] [", several[0]), text)


def _cited(found: re.Match[str]) -> Cited:
    text, start, end, opens = found[0], found.start(), found.end(), bool(found["within"])
    if found["turn"]:
        return Cited(text, start, end, opens, turns=(int(found["turn"]),), spoken_in=found["whose"])
    if found["turns"]:
        spoken_in = f"{found['before'] or ''},{found['after'] or ''}"
        return Cited(text, start, end, opens, turns=_numbers_in(found["turns"]), spoken_in=spoken_in)
    if found["event"]:
        number = (int(found["event"]),)
        place = (found["video"], found["start"], found["end"]) if found["video"] else None
        return Cited(text, start, end, opens, events=number, written=number, place=place)
    named = _compiled(_IN_NAMED).search(found["square"] or found["round"] or found["opening"])
    if named is None:
        return Cited(text, start, end, opens)
    events = dict.fromkeys(chain.from_iterable(map(_range, _compiled(_FROM_TO).finditer(named[0]))))
    return Cited(text, start, end, opens, events=tuple(events), written=_numbers_in(named[0]))


def _numbers_in(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def _range(found: re.Match[str]) -> Sequence[int]:
    """Return the numbers from the first to the last one of "55-57" or "55 to 57"; of "55" that one."""
    first, last = int(found[1]), int(found[2] or found[1])
    return range(first, last + 1) if first <= last <= first + _LONGEST_RANGE else (first, last)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Only answers of models need the patterns, and to compile them takes longer than most commands.
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


# The patterns. They read in any of the five languages by the words of citation_words.yaml.

_AnyOf = Annotated[str, BeforeValidator(lambda words: f"(?:{'|'.join(words)})"), tables.ListOfTexts]


class _Words(tables.Table):
    """citation_words.yaml, each list as one pattern."""

    event: _AnyOf
    events: _AnyOf
    number: _AnyOf
    since: _AnyOf
    joins: _AnyOf
    until: _AnyOf
    sources: _AnyOf
    leads: _AnyOf
    within: _AnyOf
    articles_within: _AnyOf
    articles: _AnyOf
    counted: _AnyOf


_WORDS = tables.load("amr_neo4j.domain", "citation_words.yaml", _Words)
_WORD, _PLURAL, _NUMBERED_BY, _ARTICLE = _WORDS.event, _WORDS.events, _WORDS.number, _WORDS.articles
_FROM, _AND, _TO, _SOURCE, _COUNTED = _WORDS.since, _WORDS.joins, _WORDS.until, _WORDS.sources, _WORDS.counted
_NO = rf"(?:{_NUMBERED_BY}\s*|{_FROM}\s+)?"
# As `event_label` writes it, also without video and times.
_TIME = r"\d+:\d\d:\d\d(?:\.\d+)?"
_PLACE = rf"(?P<video>(?:(?!\[\s*event).)+?)\s*,\s*(?P<start>{_TIME})\s*[-–]\s*(?P<end>{_TIME})"
_EVENT = rf"\[\s*event\s+(?P<event>\d+)(?:\s*,\s*{_PLACE})?\s*\]"
# Models also write "[61]", "(see event 61)", "[event_61, home]", "[events 61, 62]", "(Ereignis 61)",
# "**[event 61]**", "[home, event 61]", "Sources: [event 61]", and "Event 61: Keys lie on the fridge." A number alone
# is a citation in square brackets only, because "(1984)" may be a year. "(event 61, 00:41)" names a time.
_NO_TIME = rf"(?!\d|:\d|\.\d|\s*{_COUNTED}\b)"
# "[event 55, 10-12 pm]" names a time, too.
_NO_SPAN = rf"(?!\s*[-–]\s*\d+\s*{_COUNTED}\b)"
# "Event 55 to event 57", "event 55-57" and "events 55 to 57" name a range. "Event 55 to 57 guests" names one event.
_DASH = rf"\s*(?:[-–]\s*|\b{_TO}\s+{_WORD}\s+)"
_RANGE = rf"\s*(?:[-–]|\b{_TO}\b)\s*(?:{_WORD}\s+)?"
_ONE, _ONE_OF_SEVERAL = (rf"#?\d{{1,19}}(?:{joint}#?\d{{1,19}}{_NO_TIME})?" for joint in (_DASH, _RANGE))
_SINGLE = r"#?\d{1,19}"


def _numbers(one: str) -> str:
    """Return a pattern of numbers in a bracket: "55", "55, 56" and "55; event 56"."""
    # No two \s* stand side by side: with them, a list that does not end takes twice as long for each number.
    joint = rf"(?:[,;&](?:\s*\b{_AND}\b)?|\b{_AND}\b)"
    return rf"{one}(?:\s*{joint}\s*(?:{_WORD}\s+)?{one}{_NO_TIME}{_NO_SPAN})*"


def _listed(one: str) -> str:
    """Return a pattern of "55", "55 and event 56", "55, 56 and 57". "In event 55, 3 people ..." names one event."""
    return (
        rf"{one}(?:(?:\s*,\s*{one})*\s*(?:,\s*)?(?:&|\b{_AND}\b)\s*"
        rf"(?:(?:{_ARTICLE}\s*)?{_WORD}\s+)?{one}){{0,20}}"
    )


_SEPARATOR = rf"(?:[\s:_#-]*{_NO})"
_NAMED_NUMBERS = rf"(?:{_PLURAL}{_SEPARATOR}{_numbers(_ONE_OF_SEVERAL)}|{_WORD}{_SEPARATOR}{_numbers(_ONE)})"
_NAMED = rf"{_NAMED_NUMBERS}(?:(?:\s*[,;|]|\s+(?:[-–]|at))\s*[^\[\]()【】]+?)?"
_LEADS = rf"(?:{_WORDS.leads}|{_SOURCE})(?:\s*[.:])?\s+"
_LEAD = rf"(?:{_LEADS})?"
_NAMED_LIST = rf"(?:{_PLURAL}\s+{_NO}{_listed(_ONE_OF_SEVERAL)}|{_WORD}\s+{_NO}{_listed(_ONE)})"
# "In event 55, the girl ...", at the start of a sentence.
_IN = rf"{_WORDS.within}(?:\s*{_WORDS.articles_within})?"
# As `turn_label` writes it, whatever its session and speaker are called ("turn_2"), but not two turns in a bracket.
_TURN_WRITTEN = r"\[turn (?P<turn>\d+), (?P<whose>(?:(?!\bturns?\s+\d)[^\[\]\n]){1,1000})\]"
# Also "(turn 4)", "[turn 4, Anna]", "[session_2, turn 4]" and "[turns 4 and 5, session_2]".
_TURNS = rf"turns?[\s:_#]*(?P<turns>(?<=turns )\d+(?:\s*(?:[,;&]|\b{_AND}\b)\s*\d+)+|\d+)"
_SPOKEN_IN = r"(?!\s)(?:\([^()\[\]]*\)|[^\[\]()<>【】]){1,400}?"
_BESIDE_TURNS = rf"(?:\s*[,;]\s*(?P<after>{_SPOKEN_IN}))?"
_TURN = rf"[\[(<【]\s*{_LEAD}(?:(?!{_WORD}\W)(?P<before>{_SPOKEN_IN})[,;]\s*)?{_TURNS}{_BESIDE_TURNS}\s*[\])>】]"
_CITATION = (
    rf"(?:\b{_SOURCE}\s*:\s*(?:-\s+)?|\b{_WORD}\s+(?=\[\s*#?\d))?(?P<mark>\({_LEAD}|[\[`]|\*\*?)?(?:{_EVENT}|{_TURN_WRITTEN}|{_TURN}"
    rf"|[\[【]\s*(?!turn\b){_LEAD}(?:[^\[\]()【】,;]{{1,60}},\s*(?={_WORD}\W))?(?P<square>(?:[^\W\d_]{{1,20}}[:._#-]?\s?)?{_numbers(_SINGLE)}|{_NAMED})\s*[\]】]"
    rf"|[(<{{]\s*(?P<round>{_LEAD}(?:{_NAMED}|#\d+)|{_LEADS}{_numbers(_ONE)})\s*[)>}}])(?:(?<=\])\((?:#|/|https?:)[^()\s]*\))?(?(mark)(?:[)\]`]|\*\*?))"
    rf"|(?:\A|(?<=\n)|(?<=[.!?*•–—-]\s))(?:\*\*)?(?:(?P<within>{_IN}\s*\b)|{_ARTICLE}\s*)?"
    rf"(?P<opening>{_NAMED_LIST})(?:\s*\([\d:.–-]+\))?"
    rf"(?:\*\*)?(?(within)(?=[,:]?\s)|(?=\s?:\s|\s[-–—]\s(?!\d)))"
)
# An event or a turn in the words of a sentence: "Event 55 shows the girl.", "as events 55 and 56 show",
# "In turn 4, Anna says it." A number behind the verb "turn" is none: "they turn 4 pages".
_MENTIONED = (
    rf"(?<![\w-])(?:{_NAMED_LIST}{_NO_TIME}"
    rf"|(?:(?<=\bin )|(?<=\bfrom )|(?<=\bthe )|(?<=\bsee )|(?<=\bof )|(?<=\bas )|(?<=\band )|(?:\A|(?<=\n)))"
    rf"turns?\s+{_listed(_ONE)}{_NO_TIME})"
)
# Several citations in one bracket: "[event 61, home, 00:00:20-00:00:22; event 62, home, 00:00:24-00:00:26]",
# "[turn 4, session_2, Anna; turn 6, session_2, Ben]".
_SEVERAL = rf"\[\s*{_LEAD}(?:{_WORD}|turns?)[\s:_#]*\d[^\[\]]*\]"
_JOINED = r"(?<=[\d.]);\s*(?=event\s+\d+\s*,[^\[\]]*\])|;\s*(?=event\s+\d+\s*\])|[,;]\s*(?=turn\s+\d+\b[^\[\]]*\])"
_IN_NAMED = rf"{_NAMED_NUMBERS}|{_numbers(_ONE)}"
_FROM_TO = rf"(\d+)(?:{_RANGE}#?(\d+))?"
# The most events of a range. A longer one is taken for a slip: only its ends count.
_LONGEST_RANGE = 50
_BEGINS_NAMED = rf"{_WORD}[\s:_#-]*\d+"
# What stands between two citations of one claim.
_SPACE = r" \t\r\n,;|"
_JOINT = rf"[{_SPACE}&]*{_AND}?[{_SPACE}]*"
# "Source: event 55", without brackets, as a sentence of its own. "She asks the source: event 55 is on ..." has none.
_SOURCE_NAMED = (
    rf"((?:^|[.!?…)\"'”»])\*{{0,2}}\s{{0,3}})(?:[-•–—]\s{{1,3}})?\*{{0,2}}{_SOURCE}\*{{0,2}}\s?:\*{{0,2}}\s?"
    rf"({_NAMED_LIST}{_NO_TIME})\*{{0,2}}(?:(?:,\s*[\w.-]{{1,60}}(?:,\s*{_TIME}\s*[-–]\s*{_TIME})?)?\*{{0,2}}(?=[.;]?\s*$)|(?=[.;,:]))"
)
# <claim events="55">The girl calls.</claim>, <claim><text>The girl calls.</text><events>55, 56</events></claim>.
_TAGGED = rf"<([a-z_]{{1,20}})\s+(?:{_WORD}|{_SOURCE}|ids?)=[\"']([^\"'<>]{{1,200}})[\"']\s*>([^<>]*)</\1\s*>"
_TAGGED_EVENTS = rf"<({_WORD}|{_SOURCE})>\s*([^<>]{{1,200}}?)\s*</\1>"
