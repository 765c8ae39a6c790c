"""Takes a long clause apart into simple ones of one subject, verb and complement, which frames can match whole.

A clause that no frame matches is taken apart by its structure alone (Del Corro and Gemulla 2013 do it on a parse):
a subject's relative clause and its apposition, verbs that share a subject, a clause inside another, and the phrases
after a verb, one at a time. What the parts mean is left to the frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.language_kit import LanguageKit, WordTag
from amr_neo4j.turn_reader.lines import Line, fold, join
from amr_neo4j.turn_reader.normalise import bare, edges, is_name
from amr_neo4j.turn_reader.subjects import looks_named

_MOST_WORDS_OF_CLAUSE = 60
"""A clause of more words is not taken apart."""
_MOST_GROUPS = 12
"""The most verbs of a clause that are read."""
_MOST_NAMES = 12
"""The most names of a line that are tried for each pattern of an apposition."""
# The letters in these expressions are those of WordTag.
# An owned noun, maybe with a name; a noun with an article; a role with a name; a name; a pronoun.
_ONE = r"(?:D?P[WF]{0,2}[KW](?:P[WF]?K)?M{0,3}|D[AW]{0,2}K(?:OPW?K)M{0,3}|D[AW]{0,2}[KW]M{0,3}|KM{1,3}|M{1,3}|N)"
_SUBJECT = re.compile(rf"{_ONE}(?:J{_ONE})?")
# ", who lives in Rome,"; "who lives in Rome [is]"; with the verb last, "die in Rom lebt".
_RELATIVE = re.compile(
    r"CR([VAN][^C]*)C(?!J)|C?R([VAW][^C]*?)(?:C(?=A*V)|(?=(?<=[WMKF])A*V)|C?$)|C[RD]([^CDN]+V)C(?=A*V)"
)
_ASIDE = re.compile(r"C[DX][^C]{1,8}C(?=A*V)")
_APPOSITION = re.compile(r"C(D?[^CVNR]{1,7})C(?=A*V)")
_NAMES = re.compile(r"C(M{1,3}(?:CM{1,3})*JM{1,3})C")
_VERB = re.compile(r"A*V")
_SECOND_VERB = re.compile(r"C?J[AC]*V")
_PHRASE = re.compile(r"O(?![OVC])")
_NOUNS = frozenset("WKM")
_NOBODY = Line("", "")
_EQUALS = Line("= ", "= ")
_NOUN_FOLLOWS = frozenset({WordTag.POSSESSIVE, WordTag.ARTICLE, WordTag.PREPOSITION, WordTag.NUMBER})
"""After a word of these classes, a word that may be a verb is a noun: "the drive"."""
_SUBJECTS = frozenset(
    {WordTag.PRONOUN, WordTag.NAME, WordTag.ROLE, WordTag.ADVERB, WordTag.CONJUNCTION, WordTag.RELATIVE}
)
_SHORTEST_PAST = 4


@dataclass(frozen=True)
class _Words:
    """The words of a line, and the letter of each one's class."""

    kit: LanguageKit
    each: list[Line]
    tags: str

    @classmethod
    def of(cls, kit: LanguageKit, line: Line) -> _Words:
        """Split a line. `tags` is empty if it has too few or too many words, or the language has no word lists."""
        each = [line.group(match) for match in re.finditer(r"[^ ]+ ", line.folded)]
        is_read = kit.copula is not None and 2 < len(each) <= _MOST_WORDS_OF_CLAUSE
        return cls(kit, each, _word_classes(kit, each) if is_read else "")

    def line(self, start: int, end: int) -> Line:
        return join(*self.each[start:end])

    def after_verb(self, start: int) -> int:
        """Return where a verb that begins at `start` ends; `start` if none begins there."""
        match = _VERB.match(self.tags, start)
        return match.end() if match else start


def simple_clauses(kit: LanguageKit, line: Line) -> Iterator[list[Line]]:
    """Yield the simple clauses of a line that fits no frame, each with its subject; never the line itself.

    Yields one list per verb: the clause with all phrases after the verb, then one clause for each of these phrases.
    """
    seen = {line.folded}
    for group in islice(_found(_Words.of(kit, line)), _MOST_GROUPS):
        fresh = [clause for clause in group if clause.folded not in seen and len(clause.folded.split()) > 1]
        seen.update(clause.folded for clause in fresh)
        yield fresh


def without_nested(kit: LanguageKit, line: Line) -> tuple[Line, list[Line]]:
    """Return (the sentence without the phrases between subjects and verbs, those phrases as clauses of their own).

    "My sister who lives in Rome is a nurse" is "my sister is a nurse" and "my sister lives in Rome"; "my brother Tom,
    a chef, is ill" is "my brother Tom is ill" and "my brother Tom is a chef".
    """
    words = _Words.of(kit, line)
    kept: list[Line] = []
    nested: list[Line] = []
    at = 0
    for match in _SUBJECT.finditer(words.tags):
        start, end = match.span()
        is_owned = "P" in match[0]
        if start < at or (start and words.tags[start - 1] not in "CJXA") or (match[0][0] == "D" and not is_owned):
            continue
        after, name, inner = _between(words, start, end)
        if end < after < len(words.tags):
            kept += [words.line(at, end), name]
            nested += inner
            at = after
    return (join(*kept, words.line(at, len(words.each))), nested) if kept else (line, [])


def _between(words: _Words, start: int, end: int) -> tuple[int, Line, list[Line]]:
    """Return (end of what stands between a subject and its verb, the name that it gives, clauses that it states)."""
    if match := _NAMES.match(words.tags, end):
        return match.end(), _NOBODY, [join(words.line(start, end), _EQUALS, words.line(*match.span(1)))]
    if (match := _APPOSITION.match(words.tags, end)) and (name := _name(words, *match.span(1))):
        if "O" in words.tags[start:end]:  # "la mère de mon mari, Odette": the mother is
            return match.end(), _NOBODY, [join(words.line(start, end), _EQUALS, name)]
        return match.end(), name, []
    after, inner = _inner(words, end, words.line(start, end))
    return after, _NOBODY, inner


def _name(words: _Words, start: int, end: int) -> Line | None:
    """Return the name that stands between commas, also "a Mr Pritchard"; None if it is not a name."""
    is_titled = words.tags[start] == "D" and words.each[start + 1].folded.strip() in words.kit.words.title
    name = words.line(start + is_titled, end)
    return name if name.written[0].isupper() and is_name(words.kit, name) else None


def _found(words: _Words) -> Iterator[list[Line]]:
    kit, tags, at = words.kit, words.tags, 0
    while at < len(tags):
        verb = _own_verb(words, at)
        match = _SUBJECT.search(tags, at)
        if verb is not None and (match is None or verb <= match.start()):
            at = _stop(tags, verb + 1)
            yield from _verb_phrases(words, _NOBODY, verb, at)
            continue
        if match is None:
            return
        start, at = match.span()
        if start and not _may_begin(words, start):
            continue
        subject = words.line(start, at)
        if kit.inverts and match[0] == "N" and tags[:start].endswith("V") and words.after_verb(at) == at:
            end = _stop(tags, at)
            yield list(_complements(words, join(words.each[start - 1], subject), at, end))
            at = end
            continue
        end, inner = _inner(words, at, subject)
        yield from ([clause] for clause in inner)
        after = words.after_verb(end)
        if after > end and not (kit.inverts and tags[after : after + 1] == "N"):
            at = _stop(tags, after)
            yield from _verb_phrases(words, subject, end, at)


def _own_verb(words: _Words, at: int) -> int | None:
    """Return where a verb without a subject begins; None for none.

    That is at the start of the line, or at a verb of the speaker if the language leaves out "I".
    """
    if at == 0 and _VERB.match(words.tags):
        return 0
    if not words.kit.table.drops_subject:
        return None
    for number in range(at, len(words.tags)):
        word = words.each[number].written.strip().lower()
        before = words.tags[at:number].rstrip("A")
        is_others = word in words.kit.words.others_verbs and before[-1:] in _NOUNS
        is_own = words.tags[number] == "V" and word in words.kit.words.own_verbs and not is_others
        if is_own and _may_begin(words, number):
            return at + len(before)
    return None


def _may_begin(words: _Words, start: int) -> bool:
    """Return whether a clause may begin here: not in a condition, a wish, or what somebody else is said to say."""
    kit, tags = words.kit, words.tags
    since = max(tags.rfind("C", 0, start), tags.rfind("J", 0, start)) + 1
    if kit.patterns.conditions.search(words.line(since, start).folded) or kit.patterns.refuse_clause.search(
        words.line(0, start).folded
    ):
        return False
    if start and (tags[start - 1] in "OPDX" or (tags[start] == "D" and tags[start - 1] not in "CJ")):
        return False
    before = tags[since:start]
    is_of_speaker = any(word.folded.strip() in kit.words.speaker for word in words.each[since:start])
    return "R" not in before and ("V" not in before or is_of_speaker)


def _inner(words: _Words, at: int, subject: Line) -> tuple[int, list[Line]]:
    """Return (where a subject ends, including what is said of it between commas; the same as clauses)."""
    if match := _RELATIVE.match(words.tags, at):
        start, end = next(span for span in map(match.span, (1, 2, 3)) if span[0] >= 0)
        return match.end(), [join(subject, words.line(start, end))]
    if (match := _APPOSITION.match(words.tags, at)) and words.kit.copula:
        return match.end(), [join(subject, words.kit.copula, words.line(*match.span(1)))]
    return (match.end() if (match := _ASIDE.match(words.tags, at)) else at), []


def _stop(tags: str, at: int) -> int:
    """Return where the next subject with a verb begins, or a comma or conjunction before it."""
    while match := _SUBJECT.search(tags, at):
        if _VERB.match(tags, match.end()) and tags[match.start() - 1] not in "OPD":
            stop = match.start()
            while stop > at and tags[stop - 1] in "CJAX":
                stop -= 1
            return stop
        at = match.end()
    return len(tags)


def _verb_phrases(words: _Words, subject: Line, start: int, stop: int) -> Iterator[list[Line]]:
    """Yield the simple clauses of each verb of one subject."""
    while start < stop:
        again = _SECOND_VERB.search(words.tags, start, stop)
        yield list(_complements(words, subject, start, again.start() if again else stop))
        if again is None:
            return
        start = again.end() - 1


def _complements(words: _Words, subject: Line, start: int, end: int) -> Iterator[Line]:
    """Yield clauses of one verb: with all that follows it, then up to a comma, then with each phrase alone."""
    tags = words.tags
    while end > start and tags[end - 1] in "CJ":
        end -= 1
    yield join(subject, words.line(start, end))
    if (comma := tags.find("C", start, end)) > 0:
        end = comma
        yield join(subject, words.line(start, end))
    verb = words.after_verb(start)
    phrases = [match.start() for match in _PHRASE.finditer(tags, verb, end)]
    if not phrases:
        return
    core = phrases[0]
    may_drop = _may_drop(words, join(subject, words.line(start, verb)), verb, core)
    for begin, stop in pairwise([*phrases, end]):
        if core > verb:
            yield join(subject, words.line(start, core), words.line(begin, stop))
        if may_drop:
            yield join(subject, words.line(start, verb), words.line(begin, stop))
    if verb < core:
        yield join(subject, words.line(start, core))


def _may_drop(words: _Words, opening: Line, verb: int, core: int) -> bool:
    """Whether what stands between a verb and its first phrase may be cut: adverbs or an object, but no participle."""
    is_auxiliary = bool(opening.folded) and opening.folded.split()[-1] in words.kit.words.auxiliaries
    return not words.tags[verb:core].strip("A") or (words.tags[verb] in "DPF" and not is_auxiliary)


def _word_classes(kit: LanguageKit, tokens: Sequence[Line]) -> str:
    """Return the letter of each word's class (see WordTag): "PKRVOM" for "my sister who lives in Rome"."""
    tags = ""
    is_informal = all(token.written == token.folded for token in tokens)
    for number, token in enumerate(tokens):
        letter = _class_of(kit, token, tags, is_first=number == 0, is_informal=is_informal)
        if letter == WordTag.VERB and _is_genitive(kit, tokens, number):
            letter = WordTag.POSSESSIVE
        tags += letter
    return tags


def _is_genitive(kit: LanguageKit, tokens: Sequence[Line], number: int) -> bool:
    """Return whether a word that may be a verb ("'s") is a genitive, since a relative follows: "Tom 's sister"."""
    is_written_so = kit.words.genitive.issuperset((tokens[number].folded.strip(),))
    near = [token.folded.strip() for token in tokens[number + 1 : number + 3]]
    return (
        is_written_so and bool(near) and near[0] not in kit.words.articles and not kit.roles.keys().isdisjoint(near)
    )


def _class_of(  # noqa: PLR0911 (one return for each class)
    kit: LanguageKit, token: Line, before: str, *, is_first: bool, is_informal: bool
) -> WordTag:
    word, written = token.folded.strip(), token.written.strip()
    if not any(letter.isalnum() for letter in word):
        return WordTag.CONJUNCTION if word == "&" else WordTag.COMMA
    if (
        before[-1:] in _SUBJECTS
        and written.lower() not in kit.words.closed_written
        and written.lower() in kit.words.verbs
    ):
        return WordTag.VERB  # compared with accents: the French verb "a" is not the preposition "à"
    for letter, words in kit.closed_classes.items():
        if word in words:
            return letter
    is_capital = written[0].isupper() and not (is_first and not is_informal and word in kit.words.verbs)
    if word in kit.words.between:
        return WordTag.ADVERB
    if not is_capital and before[-1:] not in _NOUN_FOLLOWS and _may_be_verb(kit, written.lower(), before):
        return WordTag.VERB
    if word in kit.numerals or word.isdecimal():
        return WordTag.NUMBER
    if word in kit.roles:
        return WordTag.ROLE
    if (is_capital and not (is_first and word in kit.words.never_name)) or word in kit.words.first_names:
        return WordTag.NAME
    return WordTag.OTHER


def _may_be_verb(kit: LanguageKit, word: str, before: str) -> bool:
    is_past = bool(kit.table.past_endings) and word.endswith(kit.table.past_endings) and len(word) > _SHORTEST_PAST
    return word in kit.words.verbs or (is_past and before[-1:] in _SUBJECTS)


def is_owner(kit: LanguageKit, before: str) -> bool:
    """Return whether a relative's "of" comes before a phrase: "la mère de [mon mari]".

    In German a genitive follows the relative: "die Mutter [meines Mannes]".

    before: the folded text before it.
    """
    words = before.split()[-2:]
    of = frozenset(language(kit.code).bullets.asking.of)
    *_, role, last = ("", "", *words)
    return (role in kit.roles and last.rstrip("'") in of) or (kit.table.capitals_are_nouns and last in kit.roles)


def without_apposition(kit: LanguageKit, line: Line) -> Line:
    """Put a name that commas set off from its role where the frames expect it.

    "My sister, Ana, lives in Rome" and "Ana, my sister, lives in Rome" both become "my sister Ana lives in Rome".
    """
    patterns = (
        kit.role_patterns.role_then_name,
        kit.role_patterns.name_then_role,
        kit.role_patterns.name_after,
    )
    for pattern in patterns:
        line = _with_name_joined(kit, line, pattern)
    return line


def _with_name_joined(kit: LanguageKit, line: Line, pattern: re.Pattern[str]) -> Line:
    at = 0
    for _ in range(_MOST_NAMES):
        match = pattern.search(line.folded, at)
        if match is None:
            break
        name = _without_fillers(kit, edges(line.group(match, "name")))
        at = match.start("name") + 1  # it must advance: a name may stand at the start
        if pattern is kit.role_patterns.role_then_name and is_owner(kit, line.folded[: match.start("role")]):
            continue  # "la mère de mon mari, Odette": the mother is
        if not name.folded or not is_name(kit, bare(kit, name)) or not looks_named(kit, bare(kit, name)):
            continue
        # "I work with Ana, my sister": a preposition or another function word before the name, or a known first name,
        # shows where the name begins.
        before = line.folded[: match.start("name")].split()[-1:]
        is_apart = kit.words.stopwords.issuperset(before) or fold(name.written).split()[0] in kit.words.first_names
        if pattern is kit.role_patterns.name_after and not (is_apart or kit.words.prepositions.issuperset(before)):
            continue
        role = line.group(match, "role")
        is_subject = line.folded[match.end() :].split(" ", 1)[0] in kit.words.verbs
        # If the phrase continues as a subject, the comma after it is removed too. Otherwise the comma still ends the
        # phrase.
        end = match.end() if is_subject or kit.patterns.possessives.match(role.folded) else match.end("name")
        text = line.written[: match.start()] + role.written + name.written + line.written[end:]
        line = Line(text, fold(text))
    return line


def _without_fillers(kit: LanguageKit, name: Line) -> Line:
    """Return the name without fillers before it: "Mostly Rex, my dog" is about Rex."""
    while len(words := name.folded.split(maxsplit=1)) > 1 and words[0] in kit.words.fillers:
        name = name.after(len(words[0]) + 1)
    return name
