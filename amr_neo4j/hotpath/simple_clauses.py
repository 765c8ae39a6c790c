"""Simple clauses of a longer one: one subject, one verb, one complement each, so that a frame can match it whole.

A clause that no frame matches is taken apart by its structure alone (Del Corro and Gemulla 2013 do it on a parse):
a subject's relative clause and its apposition, verbs that share a subject, a clause inside another, and the phrases
after a verb, one at a time. What the parts mean is left to the frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from amr_neo4j.hotpath.language_kit import LanguageKit
from amr_neo4j.hotpath.lines import Line, fold, join
from amr_neo4j.hotpath.normalise import is_name
from amr_neo4j.hotpath.word_classes import word_classes

_LONGEST = 60
"""Words of a clause that are taken apart."""
_MOST = 12
"""Simple clauses made of one."""
# An owned noun, maybe with a name; a noun with an article; a role with a name; a name; a pronoun.
_ONE = r"(?:D?P[AWFK]{0,2}[KW]M{0,3}|D[AW]{0,2}[KW]M{0,3}|KM{1,3}|M{1,3}|N)"
_SUBJECT = re.compile(rf"{_ONE}(?:J{_ONE})?")
_RELATIVE = re.compile(r"C?R([VA][^C]*?)(?:C(?=A*V)|(?=(?<=[WMKF])A*V)|C?$)|C[RD]([^CDN]+V)C(?=A*V)")
_ASIDE = re.compile(r"CD[^C]{1,8}C(?=A*V)")
_APPOSITION = re.compile(r"C(D?[^CVNR]{1,7})C(?=A*V)")
_NOUNS = frozenset("WKM")
_NOBODY = Line("", "")
_VERB = re.compile(r"A*V")
_AGAIN = re.compile(r"C?J[AC]*V")
_PHRASE = re.compile(r"O(?![OVC])")


def simple_clauses(kit: LanguageKit, line: Line) -> Iterator[list[Line]]:
    """The simple clauses that a line without a frame is made of: for each verb, first with all that follows, then with
    each phrase alone, each with its subject; never the line itself.
    """
    tokens = _tokens(line)
    if not 2 < len(tokens) <= _LONGEST or not kit.copula:
        return
    tags = word_classes(kit, tokens)
    seen = {line.folded}
    for group in islice(_found(kit, tokens, tags), _MOST):
        fresh = [clause for clause in group if clause.folded not in seen and len(clause.folded.split()) > 1]
        seen.update(clause.folded for clause in fresh)
        yield fresh


def without_nested(kit: LanguageKit, line: Line) -> tuple[Line, list[Line]]:
    """A sentence without what stands between its subjects and their verbs, and that as clauses of its own.

    "My sister who lives in Rome is a nurse" is "my sister is a nurse" and "my sister lives in Rome"; "my brother Tom,
    a chef, is ill" is "my brother Tom is ill" and "my brother Tom is a chef".
    """
    tokens = _tokens(line)
    if not 4 < len(tokens) <= _LONGEST or not kit.copula:
        return line, []
    tags = word_classes(kit, tokens)
    kept: list[Line] = []
    nested: list[Line] = []
    at = 0
    for match in _SUBJECT.finditer(tags):
        start, end = match.span()
        if start < at or (start and tags[start - 1] not in "CJXA") or match[0].startswith("D"):
            continue
        after, inner = _inner(kit, tokens, tags, end, join(*tokens[start:end]))
        if (match := _APPOSITION.match(tags, end)) and (name := _name(kit, tokens[slice(*match.span(1))])):
            kept += [*tokens[at:end], name]
            at = after
            continue
        if after > end and _VERB.match(tags, after):
            kept += tokens[at:end]
            nested += inner
            at = after
    return (join(*kept, *tokens[at:]), nested) if kept else (line, [])


def _name(kit: LanguageKit, tokens: list[Line]) -> Line | None:
    name = join(*tokens)
    return name if name.written[0].isupper() and is_name(kit, name) else None


def _tokens(line: Line) -> list[Line]:
    return [line.part(*match.span()) for match in re.finditer(r"[^ ]+ ", line.folded)]


def _found(kit: LanguageKit, tokens: list[Line], tags: str) -> Iterator[list[Line]]:
    at = 0
    while at < len(tags):
        verb = _own_verb(kit, tokens, tags, at)
        match = _SUBJECT.search(tags, at)
        if verb is not None and (match is None or verb <= match.start()):
            at = _stop(tags, verb + 1)
            yield from _verb_phrases(kit, _NOBODY, tokens, tags, verb, at)
            continue
        if match is None:
            return
        start, at = match.span()
        if start and not _may_begin(kit, tokens, tags, start):
            continue
        subject = join(*tokens[start:at])
        if kit.inverts and match[0] == "N" and tags[:start].endswith("V") and not _VERB.match(tags, at):
            end = _stop(tags, at)
            yield list(_complements(kit, join(tokens[start - 1], subject), tokens, tags, at, end))
            at = end
            continue
        end, inner = _inner(kit, tokens, tags, at, subject)
        yield from ([clause] for clause in inner)
        verb = _VERB.match(tags, end)
        if verb and not (kit.inverts and tags[verb.end() : verb.end() + 1] == "N"):
            at = _stop(tags, verb.end())
            yield from _verb_phrases(kit, subject, tokens, tags, end, at)


def _own_verb(kit: LanguageKit, tokens: list[Line], tags: str, at: int) -> int | None:
    """Where a verb stands without its subject: first, or with the speaker as its subject where a language drops it."""
    if at == 0 and _VERB.match(tags):
        return 0
    if not kit.table.drops_subject:
        return None
    for number in range(at, len(tags)):
        word = tokens[number].written.strip().lower()
        is_own = tags[number] == "V" and word in kit.own_verbs
        if word in kit.others_verbs and tags[:number].rstrip("A")[-1:] in _NOUNS:
            continue
        if is_own and _may_begin(kit, tokens, tags, number):
            while number > at and tags[number - 1] == "A":
                number -= 1
            return number
    return None


def _may_begin(kit: LanguageKit, tokens: list[Line], tags: str, start: int) -> bool:
    """Whether a clause may begin here: not in a condition, a wish, or what somebody else is said to say."""
    before = join(*tokens[:start])
    since = max(tags.rfind("C", 0, start), tags.rfind("J", 0, start)) + 1
    nearest = join(*tokens[since:start]) if since < start else Line("", "")
    if kit.conditions.search(nearest.folded) or kit.refuse_clause.search(before.folded):
        return False
    if start and (tags[start - 1] in "OPDX" or (tags[start] == "D" and tags[start - 1] not in "CJ")):
        return False
    said = tags[since:start]
    if "R" in said:
        return False
    return "V" not in said or "N" in said and any(word.folded.strip() in kit.speaker for word in tokens[since:start])


def _inner(kit: LanguageKit, tokens: list[Line], tags: str, at: int, subject: Line) -> tuple[int, list[Line]]:
    """Where a subject with what is said of it between commas ends, and that as clauses."""
    if match := _RELATIVE.match(tags, at):
        start, end = match.span(1 if match[1] else 2)
        return match.end(), [join(subject, *tokens[start:end])]
    if (match := _APPOSITION.match(tags, at)) and kit.copula:
        said = [*tokens[match.start(1) : match.end(1)]]
        return match.end(), [join(subject, kit.copula, *said)]
    return (match.end() if (match := _ASIDE.match(tags, at)) else at), []


def _stop(tags: str, at: int) -> int:
    """Where the next subject with a verb begins, or a comma before it."""
    while match := _SUBJECT.search(tags, at):
        if _VERB.match(tags, match.end()) and tags[match.start() - 1] not in "OPD":
            stop = match.start()
            while stop > at and tags[stop - 1] in "CJAX":
                stop -= 1
            return stop
        at = match.end()
    return len(tags)


def _verb_phrases(kit: LanguageKit, subject: Line, tokens: list[Line], tags: str, start: int, stop: int) -> Iterator[list[Line]]:
    """The verbs of one subject."""
    while start < stop:
        again = _AGAIN.search(tags, start, stop)
        yield list(_complements(kit, subject, tokens, tags, start, again.start() if again else stop))
        if again is None:
            return
        start = again.end() - 1


def _complements(kit: LanguageKit, subject: Line, tokens: list[Line], tags: str, start: int, end: int) -> Iterator[Line]:
    """One verb with all that follows, up to a comma, and with each phrase alone."""
    while end > start and tags[end - 1] in "CJ":
        end -= 1
    yield join(subject, *tokens[start:end])
    if (comma := tags.find("C", start, end)) > 0:
        end = comma
        yield join(subject, *tokens[start:end])
    verb = match.end() if (match := _VERB.match(tags, start)) else start
    phrases = [match.start() for match in _PHRASE.finditer(tags, verb, end)]
    if not phrases:
        return
    core = phrases[0]
    last = tokens[verb - 1] if verb > start else subject
    for begin, stop in pairwise([*phrases, end]):
        if core > verb:
            yield join(subject, *tokens[start:core], *tokens[begin:stop])
        is_dropped = core == verb or tags[verb] in "DPF" or not tags[verb:core].strip("A")
        if is_dropped and last.folded.split()[-1] not in kit.auxiliaries:
            yield join(subject, *tokens[start:verb], *tokens[begin:stop])
    if verb < core:
        yield join(subject, *tokens[start:core])
