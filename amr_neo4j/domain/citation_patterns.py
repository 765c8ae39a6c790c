"""Regular expressions for every form in which models write citations, in any of the five languages.

The words are those of citation_words.yaml. `citation_form.py` compiles a pattern when it is first needed.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from amr_neo4j import tables

_AnyOf = Annotated[str, BeforeValidator(lambda words: f"(?:{'|'.join(words)})"), tables.ListOfTexts]


class _Words(tables.Table):
    """citation_words.yaml. Each list becomes one pattern.

    written_event, written_turn: the words with which citations are written, in all languages.
    """

    written_event: str
    written_turn: str
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
WRITTEN_EVENT, WRITTEN_TURN = _WORDS.written_event, _WORDS.written_turn
_WORD, _PLURAL, _NUMBERED_BY, _ARTICLE = _WORDS.event, _WORDS.events, _WORDS.number, _WORDS.articles
_FROM, _AND, _TO, _SOURCE, _COUNTED = _WORDS.since, _WORDS.joins, _WORDS.until, _WORDS.sources, _WORDS.counted
_NO = rf"(?:{_NUMBERED_BY}\s*|{_FROM}\s+)?"
# As `event_label` writes it, also without video and times.
_TIME = r"\d+:\d\d:\d\d(?:\.\d+)?"
_PLACE = rf"(?P<video>(?:(?!\[\s*{WRITTEN_EVENT}).)+?)\s*,\s*(?P<start>{_TIME})\s*[-–]\s*(?P<end>{_TIME})"
_EVENT = rf"\[\s*{WRITTEN_EVENT}\s+(?P<event>\d+)(?:\s*,\s*{_PLACE})?\s*\]"
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
_TURN_WRITTEN = rf"\[{WRITTEN_TURN} (?P<turn>\d+), (?P<whose>(?:(?!\bturns?\s+\d)[^\[\]\n]){{1,1000}})\]"
# Also "(turn 4)", "[turn 4, Anna]", "[session_2, turn 4]" and "[turns 4 and 5, session_2]".
_TURNS = rf"turns?[\s:_#]*(?P<turns>(?<=turns )\d+(?:\s*(?:[,;&]|\b{_AND}\b)\s*\d+)+|\d+)"
_SPOKEN_IN = r"(?!\s)(?:\([^()\[\]]*\)|[^\[\]()<>【】]){1,400}?"
_BESIDE_TURNS = rf"(?:\s*[,;]\s*(?P<after>{_SPOKEN_IN}))?"
_TURN = rf"[\[(<【]\s*{_LEAD}(?:(?!{_WORD}\W)(?P<before>{_SPOKEN_IN})[,;]\s*)?{_TURNS}{_BESIDE_TURNS}\s*[\])>】]"
CITATION = (
    rf"(?:\b{_SOURCE}\s*:\s*(?:-\s+)?|\b{_WORD}\s+(?=\[\s*#?\d))?(?P<mark>\({_LEAD}|[\[`]|\*\*?)?(?:{_EVENT}|{_TURN_WRITTEN}|{_TURN}"
    rf"|[\[【]\s*(?!turn\b){_LEAD}(?:[^\[\]()【】,;]{{1,60}},\s*(?={_WORD}\W))?(?P<square>(?:[^\W\d_]{{1,20}}[:._#-]?\s?)?{_numbers(_SINGLE)}|{_NAMED})\s*[\]】]"
    rf"|[(<{{]\s*(?P<round>{_LEAD}(?:{_NAMED}|#\d+)|{_LEADS}{_numbers(_ONE)})\s*[)>}}])(?:(?<=\])\((?:#|/|https?:)[^()\s]*\))?(?(mark)(?:[)\]`]|\*\*?))"
    rf"|(?:\A|(?<=\n)|(?<=[.!?*•–—-]\s))(?:\*\*)?(?:(?P<within>{_IN}\s*\b)|{_ARTICLE}\s*)?"
    rf"(?P<opening>{_NAMED_LIST})(?:\s*\([\d:.–-]+\))?"
    rf"(?:\*\*)?(?(within)(?=[,:]?\s)|(?=\s?:\s|\s[-–—]\s(?!\d)))"
)
# An event or a turn in the words of a sentence: "Event 55 shows the girl.", "as events 55 and 56 show",
# "In turn 4, Anna says it." A number after the verb "turn" is none: "they turn 4 pages".
MENTIONED = (
    rf"(?<![\w-])(?:{_NAMED_LIST}{_NO_TIME}"
    rf"|(?:(?<=\bin )|(?<=\bfrom )|(?<=\bthe )|(?<=\bsee )|(?<=\bof )|(?<=\bas )|(?<=\band )|(?:\A|(?<=\n)))"
    rf"turns?\s+{_listed(_ONE)}{_NO_TIME})"
)
# Several citations in one bracket: "[event 61, home, 00:00:20-00:00:22; event 62, home, 00:00:24-00:00:26]",
# "[turn 4, session_2, Anna; turn 6, session_2, Ben]".
SEVERAL = rf"\[\s*{_LEAD}(?:{_WORD}|turns?)[\s:_#]*\d[^\[\]]*\]"
JOINED = r"(?<=[\d.]);\s*(?=event\s+\d+\s*,[^\[\]]*\])|;\s*(?=event\s+\d+\s*\])|[,;]\s*(?=turn\s+\d+\b[^\[\]]*\])"
IN_NAMED = rf"{_NAMED_NUMBERS}|{_numbers(_ONE)}"
FROM_TO = rf"(\d+)(?:{_RANGE}#?(\d+))?"
BEGINS_NAMED = rf"{_WORD}[\s:_#-]*\d+"
# What stands between two citations of one claim.
_SPACE = r" \t\r\n,;|"
JOINT = rf"[{_SPACE}&]*{_AND}?[{_SPACE}]*"
# "Source: event 55", without brackets, as a sentence of its own. "She asks the source: event 55 is on ..." has none.
SOURCE_NAMED = (
    rf"((?:^|[.!?…)\"'”»])\*{{0,2}}\s{{0,3}})(?:[-•–—]\s{{1,3}})?\*{{0,2}}{_SOURCE}\*{{0,2}}\s?:\*{{0,2}}\s?"
    rf"({_NAMED_LIST}{_NO_TIME})\*{{0,2}}(?:(?:,\s*[\w.-]{{1,60}}(?:,\s*{_TIME}\s*[-–]\s*{_TIME})?)?\*{{0,2}}(?=[.;]?\s*$)|(?=[.;,:]))"
)
# <claim events="55">The girl calls.</claim>, <claim><text>The girl calls.</text><events>55, 56</events></claim>.
TAGGED = rf"<([a-z_]{{1,20}})\s+(?:{_WORD}|{_SOURCE}|ids?)=[\"']([^\"'<>]{{1,200}})[\"']\s*>([^<>]*)</\1\s*>"
TAGGED_EVENTS = rf"<({_WORD}|{_SOURCE})>\s*([^<>]{{1,200}}?)\s*</\1>"
