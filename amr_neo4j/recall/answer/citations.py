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
from typing import Any, Protocol, cast

from amr_neo4j.domain.citation_form import (
    Cited,
    citations_in,
    in_brackets,
    mentioned_in,
    one_in_each_bracket,
    runs_of_citations,
    sources_in_brackets,
    with_brackets,
    without_citations,
)
from amr_neo4j.domain.event import Event
from amr_neo4j.domain.ports import Shape
from amr_neo4j.domain.recall import TurnCitation, citation
from amr_neo4j.domain.replies import AnswerClaim, AnswerReply
from amr_neo4j.domain.timestamps import clock
from amr_neo4j.errors import ModelFailed
from amr_neo4j.language.languages import abbreviated_titles

# What may stand around a claim.
_AROUND_CLAIM = " \t\r\n,;|"
_QUOTED_LINE = re.compile(r"^[ \t]{0,3}(?:>[ \t]?)+", re.MULTILINE)
_LIST_MARK = re.compile(r"^[-*•–—:]\s+(?=\S)")
_NUMBER_OF_ITEM = re.compile(r"^[ \t]*(\d{1,2})[.)][ \t]+(?=\S)", re.MULTILINE)
# A line of a table that cites nothing, above one of dashes with bars.
_TABLE_HEAD = re.compile(
    r"^(?=[^\n]*\|)(?![^\n]*[\[(]\s*(?:[^\W\d]+\s)?\d)[^\n]*\n(?=[-:| \t]{3,500}$)(?=[^\n|]*\|)[^\n]*$", re.MULTILINE
)
_BULLET = re.compile(r"(?:^|\n)\s*(?:[-*•–—]|\d{1,2}[.)])?\s*$")
_SENTENCE_END = re.compile(r"[.!?…:][\"'”»)]*\s*$")
_CLAIM_END = re.compile(r"(?P<said>.*[^.!?\s])\s*(?P<end>[.!?]+)$", re.S)
_FULL_STOP = re.compile(r"\s*([.!?]+)")
_TAG = re.compile(r"</?(?:final_?)?(?:answer|claims?|text|response|output|result|reply)>", re.IGNORECASE)
# The rest of a sentence, and the rest of the reply. The lookahead requires a word first, so that a long line without
# one is not tried at every position.
_TO_SENTENCE_END = re.compile(r"(?=[^.!?]*\w)[^.!?]*[.!?]+(?=\s|$)")
_TO_END = re.compile(r"(?=[^.!?]*\w)[^.!?]*$")
_ENDS_OF_SENTENCE = ".!?…\"'”»)* \t\r\n"
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
# If the prompt template opens the thinking, the model writes only the closing tag.
_THINKING_END = "</think>"


class Read(Protocol):
    """Reads the JSON object of a reply, with small slips mended. Raises ValueError if there is none."""

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

    A claim without events cites nothing in the context, and callers leave it out.

    context: {node_id: event}.
    read: reads JSON.

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
        said = text.rpartition(_THINKING_END)[2]
        if whole := citations_in(said):
            yield from _of_prose(said[: whole[-1].end], context)
        raise
    yield from _of_prose(text.rpartition(_THINKING_END)[2], context)


def _of_prose(text: str, context: Mapping[int, Event]) -> Iterator[Checked]:
    """Yield the claims of prose. A line without a citation continues in the next line."""
    text = _TABLE_HEAD.sub("", _QUOTED_LINE.sub("", _TAG.sub("\n", with_brackets(text))))
    text = sources_in_brackets(text)
    # The numbers of lists go. "10. Juli" is the begin of a claim.
    numbers = [int(number) for number in _NUMBER_OF_ITEM.findall(text)]
    if len(numbers) > 1 and all(then in (1, number + 1) for number, then in pairwise(numbers)):
        text = _NUMBER_OF_ITEM.sub("", text)
    text = _citing_what_it_mentions(text, context)
    rest = ""
    for line in text.split("\n"):
        claims, rest = _of_line(f"{rest}\n{line}" if rest else line, context)
        yield from claims
    if re.search(r"\w", rest):
        yield Checked(rest.strip(), ())


def _citing_what_it_mentions(text: str, context: Mapping[int, Event]) -> str:
    """Return a text in which sentences that only mention events, as "Event 55 shows the girl.", also cite them.

    Citations of other forms before or after such a sentence stay as they are.
    """
    lines = _BROKEN_LINE.sub(" ", text).splitlines(keepends=True)
    sentences = [sentence for line in lines for sentence in _sentences(line)]
    texts: list[str] = []
    for sentence, after in zip(sentences, [*sentences[1:], ""], strict=False):
        is_cited = citations_in(sentence) or (after and not re.search(r"\w", without_citations(after)))
        labels = [] if is_cited else _mentioned(sentence, context)
        end = len(sentence.rstrip(_ENDS_OF_SENTENCE))
        texts.append(f"{sentence[:end]} {' '.join(labels)}{sentence[end:]}" if labels else sentence)
    return "".join(texts)


def _mentioned(sentence: str, context: Mapping[int, Event]) -> list[str]:
    """Return citations of the events and turns that the words of a sentence name, if the context has one of them."""
    labels = mentioned_in(sentence)
    return labels if any(_events(cited, context)[0] for label in labels for cited in citations_in(label)) else []


def _sentences(line: str) -> list[str]:
    """Return the sentences of a line, each with the space before it."""
    sentences: list[str] = []
    while end := _end_of_sentence(line):
        sentences.append(line[:end])
        line = line[end:]
    return [*sentences, line]


def _of_json(pieces: Iterable[str], context: Mapping[int, Event], read: Read) -> Iterator[Checked]:
    """Yield the claims of {"answerable": true, "claims": [{"text": "...", "events": ["event 12"]}]}.

    If "answerable" comes first in the reply, each claim is yielded as it arrives; otherwise all at the end.
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
    if start < 0 or text[at:start].strip(_AROUND_CLAIM):
        return 0
    try:
        return json.JSONDecoder().raw_decode(text, start)[1]
    except ValueError:
        return 0


def _claim(claim: AnswerClaim, context: Mapping[int, Event]) -> Checked:
    labels = [in_brackets(each) for each in claim.events]
    if not labels and not citations_in(claim.text):
        labels = _mentioned(claim.text, context)
    text = one_in_each_bracket(claim.text)
    cited = [*citations_in(text), *citations_in(one_in_each_bracket(" ".join(labels)))]
    words = without_citations(text)  # some models cite within the text as well
    return _look_up(" ".join(words.split()), cited, context)


def _of_line(text: str, context: Mapping[int, Event]) -> tuple[list[Checked], str]:
    """Return (the claims of a line, the rest that continues in the next line).

    Citations stand at the end of claims, as the prompt asks, or at the start: "[event 55] The girl leaves."
    """
    text = one_in_each_bracket(text)
    runs = runs_of_citations(text)
    if not runs:
        return [], text
    # Text and runs alternate: words[0], runs[0], words[1], ... words[-1].
    edges = [0, *chain.from_iterable((run[0].start, run[-1].end) for run in runs), len(text)]
    words = [text[start:end] for start, end in list(pairwise(edges))[::2]]
    ends_in_words = bool(words[-1].strip(_AROUND_CLAIM + ".!?"))
    if not ends_in_words and not any(each.strip(_AROUND_CLAIM) for each in words[:-1]):
        return [], text  # citations alone: what they belong to follows
    if _stand_ahead(runs, words, context, ends_in_words=ends_in_words):
        return _claims_after(runs, words, context, ends_in_words=ends_in_words), ""
    return _claims_before(runs, words, context)


def _stand_ahead(
    runs: Sequence[Sequence[Cited]], words: Sequence[str], context: Mapping[int, Event], *, ends_in_words: bool
) -> bool:
    """Return whether the citations of a line stand ahead of their claims: "[event 55] The girl leaves."

    runs, words: as `_of_line` splits the line.
    ends_in_words: words follow the last citation.
    """
    if any(run[0].opens for run in runs):  # "In event 55, the girl leaves."
        return False
    if _BULLET.search(words[0]) and (ends_in_words or (len(runs) > 1 and _BULLET.fullmatch(words[0]))):
        return True
    return (
        ends_in_words
        and all(_SENTENCE_END.search(each) for each in words[:-1])
        and _shared(runs, words[1:], context) > _shared(runs, words[:-1], context)
    )


def _claims_after(
    runs: list[list[Cited]], words: list[str], context: Mapping[int, Event], *, ends_in_words: bool
) -> list[Checked]:
    """Return the claims of a line whose citations stand ahead of them."""
    if not ends_in_words:  # a citation after the last claim belongs to it
        runs, words = [*runs[:-2], [*runs[-2], *runs[-1]]], words[:-1]
    before = words[0].strip(_AROUND_CLAIM)
    uncited = [] if _BULLET.fullmatch(words[0]) else [Checked(before, ())]
    return [*uncited, *(_look_up(after, run, context) for run, after in zip(runs, words[1:], strict=True))]


def _claims_before(
    runs: Sequence[list[Cited]], words: Sequence[str], context: Mapping[int, Event]
) -> tuple[list[Checked], str]:
    """Return (the claims of a line, the rest without a citation).

    Its citations stand after or within their claims, or open them as in "In event 55, ...".
    """
    claims: list[Checked] = []
    rest, ahead = words[0], list[Cited]()
    for run, after in zip(runs, words[1:], strict=True):
        is_last, mark = run is runs[-1], _FULL_STOP.match(after)
        goes_on = _TO_SENTENCE_END.match(after) or (_TO_END if is_last else _TO_COMMA).match(after)
        if run[-1].opens:
            end = _end_of_sentence(after)
            before = "" if _BULLET.fullmatch(rest) else rest.strip(_AROUND_CLAIM)
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
    return claims, rest.strip(_AROUND_CLAIM)


def _end_of_sentence(text: str) -> int | None:
    """Return where the first sentence ends, if another one follows.

    The stop of "Dr." and "J." does not end a sentence.
    """
    for found in _NEXT_SENTENCE.finditer(text):
        word = found["word"]
        abbreviated = (len(word) == 1 and word.isalpha()) or not abbreviated_titles().isdisjoint(
            {word, word.casefold()}
        )
        if not (abbreviated and found["end"] == "."):
            return found.end()
    return None


def _shared(runs: Sequence[Sequence[Cited]], words: Sequence[str], context: Mapping[int, Event]) -> int:
    """Return how many words the cited events share with the text beside their citations."""
    shared = 0
    for run, text in zip(runs, words, strict=True):
        cited = (event for each in run for event in _events(each, context)[0])
        said = {word for event in cited for word in _words(" ".join([event.summary_text, *event.dialogue_snippets]))}
        shared += len(said & _words(text))
    return shared


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def _look_up(words: str, cited: Sequence[Cited], context: Mapping[int, Event], mark: str = "") -> Checked:
    """Return a claim with the events that it cites. mark: the punctuation after its citations, or further words."""
    words = _LIST_MARK.sub("", words.strip(_AROUND_CLAIM))
    events: dict[int, Event] = {}  # a model may cite one event twice for a claim
    removed: list[str] = []
    for each in cited:
        found, is_whole = _events(each, context)
        events |= {event.node_id: event for event in found}
        if not is_whole:
            removed.append(each.text)
    if not words.strip(".!?"):  # citations without a claim
        return Checked(" ".join(each.text for each in cited), (), tuple(removed))
    # The full stop of the claim follows its citations.
    claim = _CLAIM_END.match(words)
    labels = (citation(event).label for event in events.values())
    said, end = (claim["said"], claim["end"]) if claim else (words, "")
    return Checked(" ".join([said, *labels]) + (end or mark or "."), tuple(events.values()), tuple(removed))


def _events(cited: Cited, context: Mapping[int, Event]) -> tuple[list[Event], bool]:
    """Return (the events that a citation names and the context has, whether that is all that it names)."""
    if cited.turns:
        turns = [_turn(number, cited.spoken_in, context) for number in cited.turns]
        return [event for event in turns if event], all(turns)
    known = [context[number] for number in cited.events if number in context]
    if cited.place and [cited.place] != [
        (event.video_id, clock(event.time_start), clock(event.time_end)) for event in known
    ]:
        return [], False
    return known, all(number in context for number in cited.written)


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
