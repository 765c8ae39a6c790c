"""Splits a chat model's answer into claims, and checks their citations against the context that it was shown.

The prompt asks for JSON. Models that cannot write it answer in prose, so both are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Annotated, Any, Protocol, cast

from pydantic import BeforeValidator

from amr_neo4j import tables
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.ports import Shape
from amr_neo4j.domain.recall import TurnCitation, citation
from amr_neo4j.domain.replies import AnswerClaim, AnswerReply
from amr_neo4j.domain.timestamps import clock
from amr_neo4j.errors import ModelFailed
from amr_neo4j.language.languages import abbreviated_titles

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


_WORDS = tables.load("amr_neo4j.language", "citation_words.yaml", _Words)
_WORD, _PLURAL, _NUMBERED_BY, _ARTICLE = _WORDS.event, _WORDS.events, _WORDS.number, _WORDS.articles
_FROM, _AND, _TO, _SOURCE, _COUNTED = _WORDS.since, _WORDS.joins, _WORDS.until, _WORDS.sources, _WORDS.counted
_NO = rf"(?:{_NUMBERED_BY}\s*|{_FROM}\s+)?"
# The forms of the prompt: "[event 12, kitchen, 00:12:31-00:12:44]", also without video and times, and
# "[turn 4, session_2, Anna]".
_TIME = r"\d+:\d\d:\d\d(?:\.\d+)?"
_EVENT = rf"\[\s*event\s+(\d+)(?:\s*,\s*((?:(?!\[\s*event).)+?)\s*,\s*({_TIME})\s*[-–]\s*({_TIME}))?\s*\]"
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
# Also "(turn 4)", "[turn 4, Anna]", "[session_2, turn 4]" and "[turns 4 and 5, session_2]".
_TURNS = rf"turns?[\s:_#]*((?<=turns )\d+(?:\s*(?:[,;&]|\b{_AND}\b)\s*\d+)+|\d+)"
_SPOKEN_IN = r"((?!\s)(?:\([^()\[\]]*\)|[^\[\]()<>【】]){1,400}?)"
_TURN = rf"[\[(<【]\s*{_LEAD}(?:(?!{_WORD}\W){_SPOKEN_IN}[,;]\s*)?{_TURNS}(?:\s*[,;]\s*{_SPOKEN_IN})?\s*[\])>】]"
_CITATION = re.compile(
    rf"(?:\b{_SOURCE}\s*:\s*(?:-\s+)?|\b{_WORD}\s+(?=\[\s*#?\d))?(?P<mark>\({_LEAD}|[\[`]|\*\*?)?(?:{_EVENT}|{_TURN}"
    rf"|[\[【]\s*(?!turn\b){_LEAD}(?:[^\[\]()【】,;]{{1,60}},\s*(?={_WORD}\W))?((?:[^\W\d_]{{1,20}}[:._#-]?\s?)?{_numbers(_SINGLE)}|{_NAMED})\s*[\]】]"
    rf"|[(<{{]\s*({_LEAD}(?:{_NAMED}|#\d+)|{_LEADS}{_numbers(_ONE)})\s*[)>}}])(?:(?<=\])\((?:#|/|https?:)[^()\s]*\))?(?(mark)(?:[)\]`]|\*\*?))"
    rf"|(?:\A|(?<=\n)|(?<=[.!?*•–—-]\s))(?:\*\*)?(?:(?P<within>{_IN}\s*\b)|{_ARTICLE}\s*)?"
    rf"({_NAMED_LIST})(?:\s*\([\d:.–-]+\))?"
    rf"(?:\*\*)?(?(within)(?=[,:]?\s)|(?=\s?:\s|\s[-–—]\s(?!\d)))",
    re.IGNORECASE,
)
# An event or a turn in the words of a sentence: "Event 55 shows the girl.", "as events 55 and 56 show",
# "In turn 4, Anna says it." A number behind the verb "turn" is none: "they turn 4 pages".
_MENTIONED = re.compile(
    rf"(?<![\w-])(?:{_NAMED_LIST}{_NO_TIME}"
    rf"|(?:(?<=\bin )|(?<=\bfrom )|(?<=\bthe )|(?<=\bsee )|(?<=\bof )|(?<=\bas )|(?<=\band )|(?:\A|(?<=\n)))"
    rf"turns?\s+{_listed(_ONE)}{_NO_TIME})",
    re.IGNORECASE,
)
# Several citations in one bracket: "[event 61, home, 00:00:20-00:00:22; event 62, home, 00:00:24-00:00:26]",
# "[turn 4, session_2, Anna; turn 6, session_2, Ben]".
_SEVERAL = re.compile(rf"\[\s*{_LEAD}(?:{_WORD}|turns?)[\s:_#]*\d[^\[\]]*\]", re.IGNORECASE)
_JOINED = re.compile(
    r"(?<=[\d.]);\s*(?=event\s+\d+\s*,[^\[\]]*\])|;\s*(?=event\s+\d+\s*\])|[,;]\s*(?=turn\s+\d+\b[^\[\]]*\])",
    re.IGNORECASE,
)
_IN_NAMED = re.compile(rf"{_NAMED_NUMBERS}|{_numbers(_ONE)}", re.IGNORECASE)
_FROM_TO = re.compile(rf"(\d+)(?:{_RANGE}#?(\d+))?", re.IGNORECASE)
# A longer range is a slip.
_LONGEST_RANGE = 50
_BEGINS_NAMED = re.compile(rf"{_WORD}[\s:_#-]*\d+", re.IGNORECASE)
# What may stand around a claim, and between two citations of one.
_BETWEEN = " \t\r\n,;|"
_JOINT = re.compile(rf"[{_BETWEEN}&]*{_AND}?[{_BETWEEN}]*", re.IGNORECASE)
_QUOTED_LINE = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)+", re.MULTILINE)
# "Source: event 55", without brackets, as a sentence of its own. "She asks the source: event 55 is on ..." has none.
_SOURCE_NAMED = re.compile(
    rf"((?:^|[.!?…)\"'”»])\*{{0,2}}\s{{0,3}})(?:[-•–—]\s{{1,3}})?\*{{0,2}}{_SOURCE}\*{{0,2}}\s?:\*{{0,2}}\s?"
    rf"({_NAMED_LIST}{_NO_TIME})\*{{0,2}}(?:(?:,\s*[\w.-]{{1,60}}(?:,\s*{_TIME}\s*[-–]\s*{_TIME})?)?\*{{0,2}}(?=[.;]?\s*$)|(?=[.;,:]))",
    re.IGNORECASE | re.MULTILINE,
)
_LIST_MARK = re.compile(r"^[-*•–—:]\s+(?=\S)")
_NUMBERED = re.compile(r"^[ \t]*(\d{1,2})[.)][ \t]+(?=\S)", re.MULTILINE)
# A line of a table that cites nothing, above one of dashes with bars.
_TABLE_HEAD = re.compile(
    r"^(?=[^\n]*\|)(?![^\n]*[\[(]\s*(?:[^\W\d]+\s)?\d)[^\n]*\n(?=[-:| \t]{3,500}$)(?=[^\n|]*\|)[^\n]*$", re.MULTILINE
)
_BULLET = re.compile(r"(?:^|\n)\s*(?:[-*•–—]|\d{1,2}[.)])?\s*$")
_SENTENCE_END = re.compile(r"[.!?…:][\"'”»)]*\s*$")
_CLAIM_END = re.compile(r"(?P<said>.*[^.!?\s])\s*(?P<end>[.!?]+)$", re.S)
_MARK = re.compile(r"\s*([.!?]+)")
# <claim events="55">The girl calls.</claim>, <claim><text>The girl calls.</text><events>55, 56</events></claim>.
_TAGGED = re.compile(
    rf"<([a-z_]{{1,20}})\s+(?:{_WORD}|{_SOURCE}|ids?)=[\"']([^\"'<>]{{1,200}})[\"']\s*>([^<>]*)</\1\s*>",
    re.IGNORECASE,
)
_TAGGED_EVENTS = re.compile(rf"<({_WORD}|{_SOURCE})>\s*([^<>]{{1,200}}?)\s*</\1>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:final_?)?(?:answer|claims?|text|response|output|result|reply)>", re.IGNORECASE)
# The rest of a sentence, and the rest of the reply. The lookahead requires a word first, so that a long line without
# one is not tried at every position.
_TO_SENTENCE_END = re.compile(r"(?=[^.!?]*\w)[^.!?]*[.!?]+(?=\s|$)")
_TO_END = re.compile(r"(?=[^.!?]*\w)[^.!?]*$")
_ENDS = ".!?…\"'”»)* \t\r\n"
# A line that ends within a sentence.
_BROKEN_LINE = re.compile(r"(?<=[^\W\d_A-Z,])\n(?=[^\W\dA-ZÀ-Þ_])")
# The end of a sentence before another one, and the word before it.
_NEXT_SENTENCE = re.compile(r"(?P<word>(?<!\w)\w*)(?P<end>(?<![.!?])[.!?]+[\"'”»]*)(?=\s+\*{0,2}[^\W\da-zà-ÿ_])")
# The words up to the last comma: the clause of one citation, where the next clause has its own.
_TO_COMMA = re.compile(r"(?=[^.!?]*\w)[^.!?]*(?=[,;][^,;]*$)")
# A reply in JSON begins like this, perhaps within a code fence, or has this after some words.
_JSON = re.compile(
    r"\A\s*(?:```|\{|\[\s*\{)|\{\s*[\"']?(?:answerable|claims)(?=\W)|[\"'](?:answerable|claims)[\"']\s*:"
)
_LONGEST_BEGIN = 40
_CLAIMS = re.compile(r'"claims"\s*:\s*\[|^[^\w{]*\[\s*(?=\{)')
_ANSWERABLE = re.compile(r'"answerable"\s*:\s*true\b')
# A model whose template opens its thinking writes the end of it alone.
_THINKING_END = "</think>"


class Read(Protocol):
    """Reads the JSON object of a reply, with small slips mended. Raises ValueError: there is none."""

    def __call__(self, text: str, shape: type[Shape], /) -> Shape: ...


@dataclass(frozen=True)
class Checked:
    """A claim of an answer with the events it cites.

    removed: its citations that are not in the context.
    refuses: the model says that the context does not hold the answer.
    """

    text: str
    events: tuple[Event, ...]
    removed: tuple[str, ...] = ()
    refuses: bool = False


def checked(pieces: Iterable[str], context: Mapping[int, Event], read: Read) -> Iterator[Checked]:
    """Yield the claims of an answer that arrives in pieces, each as soon as it is complete, with citations checked.

    context: {node_id: event}. read: reads JSON.
    A claim without events cites nothing in the context, and callers leave it out.

    Claims in JSON are yielded as they arrive, and prose at its end: what comes before JSON is no answer.
    """
    text, more = "", iter(pieces)
    try:
        for piece in more:
            text += piece
            # What came before was looked at with the piece before.
            if begin := _JSON.search(text, max(0, len(text) - len(piece) - _LONGEST_BEGIN)):
                yield from _of_json(chain([text[begin.start() :]], more), context, read)
                return
    except ModelFailed:
        # Of prose that breaks off, the claims that are complete are kept.
        whole = [*_CITATION.finditer(text.rpartition(_THINKING_END)[2])]
        if whole:
            yield from _of_prose(text.rpartition(_THINKING_END)[2][: whole[-1].end()], context)
        raise
    yield from _of_prose(text.rpartition(_THINKING_END)[2], context)


def _of_prose(text: str, context: Mapping[int, Event]) -> Iterator[Checked]:
    """Yield the claims of prose. A line without a citation continues in the next line."""
    text = _TABLE_HEAD.sub("", _QUOTED_LINE.sub("", _without_tags(text)))
    text = _SOURCE_NAMED.sub(r"\1[\2]", text)
    # The numbers of lists go. "10. Juli" is the begin of a claim.
    numbers = [int(number) for number in _NUMBERED.findall(text)]
    if len(numbers) > 1 and all(then in (1, number + 1) for number, then in pairwise(numbers)):
        text = _NUMBERED.sub("", text)
    text = _citing_what_it_mentions(text, context)
    rest = ""
    for line in text.split("\n"):
        claims, rest = _of_line(f"{rest}\n{line}" if rest else line, context)
        yield from claims
    if re.search(r"\w", rest):
        yield Checked(rest.strip(), ())


def _without_tags(text: str) -> str:
    """Return a reply in XML as prose with citations."""
    text = _TAGGED.sub(lambda tagged: f"\n{tagged[3].strip()} {_label(tagged[2])}\n", text)
    return _TAG.sub("\n", _TAGGED_EVENTS.sub(lambda tagged: f" {_label(tagged[2])}", text))


def _citing_what_it_mentions(text: str, context: Mapping[int, Event]) -> str:
    """Return a text in which sentences that only mention events, as "Event 55 shows the girl.", also cite them.

    Citations of other forms before or behind such a sentence stay as they are.
    """
    lines = _BROKEN_LINE.sub(" ", text).splitlines(keepends=True)
    sentences = [sentence for line in lines for sentence in _sentences(line)]
    texts: list[str] = []
    for sentence, after in zip(sentences, [*sentences[1:], ""], strict=False):
        is_cited = _CITATION.search(sentence) or (after and not re.search(r"\w", _CITATION.sub("", after)))
        labels = [] if is_cited else _mentioned(sentence, context)
        end = len(sentence.rstrip(_ENDS))
        texts.append(f"{sentence[:end]} {' '.join(labels)}{sentence[end:]}" if labels else sentence)
    return "".join(texts)


def _mentioned(sentence: str, context: Mapping[int, Event]) -> list[str]:
    """Return citations of the events and turns that the words of a sentence name, if the context has one of them."""
    cited = [f"[{found[0]}]" for found in _MENTIONED.finditer(sentence)]
    return cited if any(_events(found, context)[0] for label in cited for found in _CITATION.finditer(label)) else []


def _sentences(line: str) -> list[str]:
    """Return the sentences of a line, each with the space before it."""
    sentences: list[str] = []
    while end := _end_of_sentence(line):
        sentences.append(line[:end])
        line = line[end:]
    return [*sentences, line]


def _of_json(pieces: Iterable[str], context: Mapping[int, Event], read: Read) -> Iterator[Checked]:
    """Yield the claims of {"answerable": true, "claims": [{"text": "...", "events": ["event 12"]}]}.

    Claims are yielded as they arrive if the reply says before them that it is answerable.
    """
    text, at, shown = "", 0, 0
    for piece in pieces:
        text += piece
        if not at and (begin := _CLAIMS.search(text)) and _ANSWERABLE.search(text, 0, begin.start()):
            at = begin.end()
        while at and (end := _end_of_object(text, at)):
            with suppress(ValueError):
                yield _claim(read(text[at:end], AnswerClaim), context)
                shown += 1
            at = end
    reply = AnswerReply()
    with suppress(ValueError):
        reply = read(text, AnswerReply)
    if not reply.answerable:
        yield Checked(text.strip(), (), refuses=True)
    elif shown or reply.claims:
        yield from (_claim(claim, context) for claim in reply.claims[shown:])
    else:
        try:
            yield _claim(read(text, AnswerClaim), context)
        except ValueError:
            yield from _of_prose(_strings(text), context)


def _strings(text: str) -> str:
    """Return the prose of a reply within a fence, or in JSON such as {"answer": "On the fridge [event 61]."}."""
    plain = re.sub(r"```\w*", "", text)
    try:
        reply: Any = json.loads(plain)
    except ValueError:
        return "" if "{" in plain else plain  # broken JSON is not for people
    named = cast(dict[str, Any], reply) if isinstance(reply, dict) else {}
    return "\n".join(value for value in named.values() if isinstance(value, str))


def _end_of_object(text: str, at: int) -> int:
    """Return where the JSON object that begins at `at` ends; 0 if there is no whole one yet."""
    start = text.find("{", at)
    if start < 0 or text[at:start].strip(_BETWEEN):
        return 0
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except ValueError:
        return 0


def _claim(claim: AnswerClaim, context: Mapping[int, Event]) -> Checked:
    labels = [_label(each) for each in claim.events]
    if not labels and not _CITATION.search(claim.text):
        labels = _mentioned(claim.text, context)
    cited = [*_CITATION.finditer(_apart(claim.text)), *_CITATION.finditer(_apart(" ".join(labels)))]
    words = _CITATION.sub("", _apart(claim.text))  # some models cite within the text as well
    return _look_up(" ".join(words.split()), cited, context)


def _label(cited: str) -> str:
    """Return a citation of a JSON reply in brackets: "61", "event 61" or "event 61 (home)"."""
    label = f"[event {cited}]" if cited.isdecimal() else f"[{cited.strip('[]() ')}]"
    named = _BEGINS_NAMED.match(cited)
    return label if named is None or _CITATION.search(label) else f"[{named[0]}]"


def _of_line(text: str, context: Mapping[int, Event]) -> tuple[list[Checked], str]:
    """Return (the claims of a line, the rest that continues in the next line).

    Citations stand at the end of claims, as the prompt asks, or at the start: "[event 55] The girl leaves."
    """
    text = _apart(text)
    runs = _runs(text)
    if not runs:
        return [], text
    # Text and runs alternate: words[0], runs[0], words[1], ... words[-1].
    edges = [0, *chain.from_iterable((run[0].start(), run[-1].end()) for run in runs), len(text)]
    words = [text[start:end] for start, end in list(pairwise(edges))[::2]]
    ends_in_words = bool(words[-1].strip(_BETWEEN + ".!?"))
    if not ends_in_words and not any(each.strip(_BETWEEN) for each in words[:-1]):
        return [], text  # citations alone: what they belong to follows
    is_within = any(run[0]["within"] for run in runs)  # "In event 55, the girl leaves."
    is_ahead = not is_within and (
        (_BULLET.search(words[0]) and (ends_in_words or (len(runs) > 1 and _BULLET.fullmatch(words[0]))))
        or (
            ends_in_words
            and all(_SENTENCE_END.search(each) for each in words[:-1])
            and _shared(runs, words[1:], context) > _shared(runs, words[:-1], context)
        )
    )
    if is_ahead:
        if not ends_in_words:  # a citation after the last claim belongs to it
            runs, words = [*runs[:-2], [*runs[-2], *runs[-1]]], words[:-1]
        before = words[0].strip(_BETWEEN)
        uncited = [] if _BULLET.fullmatch(words[0]) else [Checked(before, ())]
        return [*uncited, *(_look_up(after, run, context) for run, after in zip(runs, words[1:], strict=True))], ""
    claims: list[Checked] = []
    rest, ahead = words[0], list[re.Match[str]]()
    for run, after in zip(runs, words[1:], strict=True):
        is_last, mark = run is runs[-1], _MARK.match(after)
        goes_on = _TO_SENTENCE_END.match(after) or (_TO_END if is_last else _TO_COMMA).match(after)
        if run[-1]["within"]:
            end = _end_of_sentence(after)
            before = "" if _BULLET.fullmatch(rest) else rest.strip(_BETWEEN)
            claims += [Checked(before, ())] if before else []
            if end is None and not is_last:  # a citation at the end of its sentence follows
                rest, ahead = after, run
                continue
            owned = end if end and not is_last else len(after)
            claims.append(_look_up(after[:owned], run, context))
            rest = after[owned:]
            continue
        cited, ahead = [*ahead, *run], []
        if goes_on and not mark and _shared([cited], [goes_on[0]], context) > _shared([cited], [rest], context):
            # "According to [event 55], the girl leaves.": the citation stands within its claim.
            claims.append(_look_up(rest, cited, context, goes_on[0]))
            rest = after[goes_on.end() :]
        else:
            claims.append(_look_up(rest, cited, context, mark[1] if mark else ""))
            rest = after[mark.end() :] if mark else after
    return claims, rest.strip(_BETWEEN)


def _end_of_sentence(text: str) -> int | None:
    """Return where the first sentence ends, if another one follows. The stop of "Dr." and "J." ends none."""
    for found in _NEXT_SENTENCE.finditer(text):
        word = found["word"]
        abbreviated = (len(word) == 1 and word.isalpha()) or not abbreviated_titles().isdisjoint(
            {word, word.casefold()}
        )
        if not (abbreviated and found["end"] == "."):
            return found.end()
    return None


def _apart(text: str) -> str:
    """Return a text in which each citation has its own bracket."""
    return _SEVERAL.sub(lambda several: _JOINED.sub("] [", several[0]), text)


def _runs(text: str) -> list[list[re.Match[str]]]:
    """Return the citations of a text, those together that have nothing between them."""
    runs: list[list[re.Match[str]]] = []
    for match in _CITATION.finditer(text):
        if runs and _JOINT.fullmatch(text, runs[-1][-1].end(), match.start()):
            runs[-1].append(match)
        else:
            runs.append([match])
    return runs


def _shared(runs: Sequence[Sequence[re.Match[str]]], words: Sequence[str], context: Mapping[int, Event]) -> int:
    """Return how many words the cited events share with the text beside their citations."""
    shared = 0
    for run, text in zip(runs, words, strict=True):
        cited = (event for match in run for event in _events(match, context)[0])
        said = {word for event in cited for word in _words(" ".join([event.summary_text, *event.dialogue_snippets]))}
        shared += len(said & _words(text))
    return shared


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _look_up(words: str, cited: Sequence[re.Match[str]], context: Mapping[int, Event], mark: str = "") -> Checked:
    """Return a claim with the events that it cites. mark: the punctuation after its citations, or further words."""
    words = _LIST_MARK.sub("", words.strip(_BETWEEN))
    events: dict[int, Event] = {}  # a model may cite one event twice for a claim
    removed: list[str] = []
    for match in cited:
        found, is_whole = _events(match, context)
        events |= {event.node_id: event for event in found}
        if not is_whole:
            removed.append(match[0])
    if not words.strip(".!?"):  # citations without a claim
        return Checked(" ".join(match[0] for match in cited), (), tuple(removed))
    # The full stop of the claim follows its citations.
    claim = _CLAIM_END.match(words)
    labels = (citation(event).label for event in events.values())
    said, end = (claim["said"], claim["end"]) if claim else (words, "")
    return Checked(" ".join([said, *labels]) + (end or mark or "."), tuple(events.values()), tuple(removed))


def _events(found: re.Match[str], context: Mapping[int, Event]) -> tuple[list[Event], bool]:
    """Return (the events that a citation names and the context has, whether that is all that it names)."""
    _, exact, video, start, end, before, turn, after, bracketed, round_, _, headed = found.groups()
    if turn is not None:
        turns = [_turn(int(number), f"{before or ''},{after or ''}", context) for number in re.findall(r"\d+", turn)]
        return [event for event in turns if event], all(turns)
    if exact is not None:
        event = context.get(int(exact))
        stated = (video, start, end)
        if event is None or (video and stated != (event.video_id, clock(event.time_start), clock(event.time_end))):
            return [], False
        return [event], True
    named = _IN_NAMED.search(bracketed or round_ or headed)
    numbers = dict.fromkeys(chain.from_iterable(map(_range, _FROM_TO.finditer(named[0])))) if named else {}
    ends = [int(number) for number in re.findall(r"\d+", named[0])] if named else []
    known = [context[number] for number in numbers if number in context]
    return known, all(end in context for end in ends)


def _range(found: re.Match[str]) -> Sequence[int]:
    """Return the numbers from the first to the last one of "55-57" or "55 to 57"; of "55" that one."""
    first, last = int(found[1]), int(found[2] or found[1])
    return range(first, last + 1) if first <= last <= first + _LONGEST_RANGE else (first, last)


def _turn(number: int, stated: str, context: Mapping[int, Event]) -> Event | None:
    """Return the only turn of this number that fits what is stated: its session, its speaker, both or neither."""
    turns = [(event, citation(event)) for event in context.values()]
    fitting = [
        event
        for event, cited in turns
        if isinstance(cited, TurnCitation) and cited.turn == number and _is_in(stated, cited)
    ]
    return fitting[0] if len(fitting) == 1 else None


def _is_in(stated: str, cited: TurnCitation) -> bool:
    session, actor = _parts(cited.session_id), _parts(cited.actor)
    return _parts(stated) in (session | actor, session, actor, set())


def _parts(stated: str) -> set[str]:
    """Return the parts between commas, in lower case: {"session 2", "anna"} for "session_2, Anna"."""
    return {" ".join(re.findall(r"[^\W_]+", part)) for part in re.split("[,;]", stated.casefold())} - {""}
