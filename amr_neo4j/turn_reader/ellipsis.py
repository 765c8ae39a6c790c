"""Reads clauses that leave out what the one before said: "my uncle too", "my brother in Paris"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.relations import RelationKind, relation_kind
from amr_neo4j.language.stems import stems
from amr_neo4j.turn_reader.frames import Found
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, join, plain
from amr_neo4j.turn_reader.mentions import MAN, WOMAN, Mentions, Referent
from amr_neo4j.turn_reader.normalise import bare, trim
from amr_neo4j.turn_reader.statements import ClauseStatement
from amr_neo4j.turn_reader.subjects import YOU, role_opening, subjects

_MOST_WORDS_OF_REMNANT = 12
"""Most words of an elliptic clause."""
_VERB_BY = 4
"""A clause that begins with a subject pronoun has its verb within this many words."""


def without_verb(kit: LanguageKit, line: Line) -> bool:
    """Return whether a clause may be elliptic: short and without a finite verb."""
    words = line.folded.split()
    pronouns = kit.words.speaker | kit.others.keys()
    if (
        words
        and words[0] in kit.words.nominative
        and any(word in kit.words.verbs - pronouns for word in words[1:_VERB_BY])
    ):
        return False
    return 0 < len(words) <= _MOST_WORDS_OF_REMNANT and not any(
        word in kit.words.finite and word not in pronouns for word in words
    )


def is_echo(kit: LanguageKit, line: Line) -> bool:
    """Return whether a clause says that the same is true of somebody else: "my uncle too"."""
    return without_verb(kit, line) and any(pattern.fullmatch(line.folded) for pattern in kit.each.echoes)


def echo(
    kit: LanguageKit, ways: Sequence[Line], stated: Sequence[Triple], mentions: Mentions
) -> ClauseStatement | None:
    """Return what "my uncle too" states after a statement: the same facts of another person; None if not an echo.

    ways: variants of the clause; each leaves out more of its introductory words than the one before.
    stated: the latest statement.
    """
    same = [triple for triple in _latest(stated) if _is_shared(relation_kind(triple.relation))]
    if not same:
        return None
    for line in dict.fromkeys(ways):
        for match in _matches(kit.each.echoes, line):
            who = subjects(kit, line.group(match, "subject"), mentions, same[0].relation)
            others = [subject.mention for subject in who if subject.mention.text != same[0].subject]
            if not others or len(others) < len(who) or not all(_is_person(kit, one, mentions) for one in others):
                continue
            return ClauseStatement(
                [triple._replace(subject=one.text) for one in others for triple in same],
                [fact for subject in who for fact in subject.facts],
                others[-1],
                guess=any(subject.guess for subject in who),
            )
    return None


def gapped(kit: LanguageKit, line: Line, relation: str) -> Iterator[Found]:
    """Yield the frames by which a clause without a verb states this relation: "my brother in Paris" for lives_in."""
    words = line.folded.split()
    if len(words) < 2 or not without_verb(kit, line):
        return
    if not kit.patterns.remnants.match(line.folded) and words[0] not in kit.roles:
        return
    if any(word.endswith(kit.table.past_endings or ("\0",)) for word in words[1:]):
        return
    if not kit.words.quoting_verbs.isdisjoint(words[1:]):  # "mi jefe escribió"
        return
    if words[0] in kit.words.speaker or words[0] in kit.others:
        is_open = words[1] in kit.words.stopwords or kit.patterns.number.match(f"{words[1]} ") is not None
        if not is_open:
            return
    owned = kit.patterns.possessives.match(line.folded)
    role = role_opening(kit, line.after(owned.end())) if owned else None
    is_all = role is not None and len(f"{role[0]} {role[1].folded}") >= len(line.folded) - (
        owned.end() if owned else 0
    )
    if not is_all:
        yield from kit.frames.gapped("called" if relation_kind(relation).role else relation, line)


def completed(kit: LanguageKit, line: Line, stated: Triple) -> Line | None:
    """Return "my son is allergic to cats" for "my son to cats" after "she is allergic to eggs"; None for no such."""
    words, named = line.folded.split(), stated.object.split()
    at = next((n for n, word in enumerate(words) if word in kit.words.closed_prepositions), 0)
    before = next((n for n, word in enumerate(named) if fold(word) in kit.words.closed_prepositions), 0)
    if not (at and before and kit.copula and stated.relation == "is" and without_verb(kit, line)):
        return None
    if not kit.patterns.remnants.match(line.folded) or words[0] in kit.words.speaker:
        return None
    cut, state = sum(len(word) + 1 for word in words[:at]), " ".join([*named[:before], ""])
    return join(line.part(0, cut), kit.copula, Line(state, fold(state)), line.after(cut))


def over(kit: LanguageKit, line: Line, known: Sequence[Triple]) -> list[Triple]:
    """Return the facts that a phrase takes back, those whose object it names: "vegetarian no longer"."""
    words = f" {plain(trim(kit, bare(kit, line)))} "
    return [
        triple for triple in known if f" {triple.object} " in words and not relation_kind(triple.relation).individual
    ]


def over_with(kit: LanguageKit, line: Line, known: Collection[Triple]) -> list[Triple]:
    """Return the user's known facts that a clause says to be over, in an idiom that no frame has.

    The clause names the value beside the idiom, and nothing else: "that's me done at Asda", "kaffee hab ich mir
    abgewöhnt". Nothing ends in "We haven't called it a day", "I'm done with the Asda report" and "I'm done at Asda at
    ten".
    """
    searched = ((over, idioms.search(line.folded), words) for over, (idioms, words) in kit.over_with.items())
    found = [(over, words) for over, match, words in searched if match and not _is_denied(kit, line, match)]
    if not found or kit.patterns.refuse_clause.search(line.folded) or kit.patterns.conditions.match(line.folded):
        return []
    gone: list[Triple] = []
    for over, of_idiom in found:
        kind = relation_kind(over[0])
        is_succeeded = kind.succeeded and not kind.bond  # "Nadia left, it's Phil now" names another
        for triple in known:
            if triple.subject != YOU.text or triple.relation not in over:
                continue
            rest = _content(kit, line.without(kit.patterns.recent).without(kit.patterns.lasting), of_idiom)
            if over == ("plays_sport",):  # "I hung up my boots" names no sport
                is_over = not rest and sum(each[:2] == triple[:2] for each in known) == 1
            elif is_succeeded:
                is_over = stems(triple.object, kit.code) <= stems(line.written, kit.code)
            else:
                is_over = _is_all(kit, rest, triple) and not _is_for_today(kit, line)
                is_over = is_over and not (kind.main and _is_placed(kit, line, triple.object))
            if is_over and (is_succeeded or not _names_another(kit, line, triple.object)):
                gone.append(triple)
    return list(dict.fromkeys(gone))


def _is_denied(kit: LanguageKit, line: Line, match: re.Match[str]) -> bool:
    return kit.patterns.negations.search(line.part(0, match.start()).folded) is not None


def _is_all(kit: LanguageKit, words: Collection[str], triple: Triple) -> bool:
    """Return whether some words name the object of a fact and nothing else: not "Ben's homework".

    Of what somebody likes or does, they may be its noun: "coffee" for "black coffee".
    """
    named, near = stems(triple.object, kit.code), stems(" ".join(words), kit.code)
    return bool(near) and (near == named or (relation_kind(triple.relation).main and near <= named))


def _is_placed(kit: LanguageKit, line: Line, value: str) -> bool:
    """Return whether a line says where or when a thing is: "the coffee on the table"."""
    named = stems(value, kit.code)
    words = list(zip(line.written.split(), line.folded.split(), strict=True))
    at = next((at for at, (written, _) in enumerate(words) if stems(written, kit.code) & named), len(words))
    return not kit.words.closed_prepositions.isdisjoint(word for _, word in words[at + 1 :])


def _content(kit: LanguageKit, line: Line, but: Collection[str]) -> list[str]:
    """Return the words of a line, in lower case, without function words, dates and some others."""
    words = zip(line.written.split(), line.folded.split(), strict=True)
    vague = kit.words.stopwords | kit.words.dates | kit.words.last | kit.words.closed_prepositions
    return [written.lower() for written, word in words if word not in vague and word not in but and word[0].isalpha()]


def _is_for_today(kit: LanguageKit, line: Line) -> bool:
    """Return whether work is over for the day: "I'm done at Asda at ten"; a last day is one for good."""
    words = line.folded.split()
    is_numbered = any(word[0].isdecimal() or word in kit.numerals for word in words)
    return kit.words.last.isdisjoint(words) and (is_numbered or not kit.words.today.isdisjoint(words))


def _names_another(kit: LanguageKit, line: Line, value: str) -> bool:
    """Return whether a clause names somebody besides the speaker and a value: "My sister is done with Asda"."""
    pronouns = {word for word, kind in kit.others.items() if kind in (MAN, WOMAN)} & kit.words.nominative
    somebody = kit.roles.keys() | kit.words.kin | (pronouns - kit.words.articles)
    own = {*fold(value).split()}
    words = list(zip(line.written.split(), line.folded.split(), strict=True))
    names = {word for written, word in words if written[0].isupper()} & (kit.words.first_names - kit.words.towns)
    return not ((somebody & {word for _, word in words}) | names).issubset(own)


def _is_person(kit: LanguageKit, mention: Referent, mentions: Mentions) -> bool:
    """Return whether a mention can be a person who does the same, rather than a thing for which the same is true."""
    is_known = mention is YOU or mention.role or mentions.knows(mention.text) or fold(mention.text) in kit.roles
    return bool(is_known) or not {fold(mention.text).split()[0]}.isdisjoint(kit.words.first_names | kit.words.kin)


def _is_shared(kind: RelationKind) -> bool:
    return not kind.individual and not kind.role


def _latest(stated: Sequence[Triple]) -> list[Triple]:
    """Return the last facts that were stated, as far as they are about one subject; quantities are left out."""
    facts = [triple for triple in stated if triple.relation != "quantity"]
    return [triple for triple in facts if triple.subject == facts[-1].subject]


def _matches(patterns: Sequence[re.Pattern[str]], line: Line) -> Iterator[re.Match[str]]:
    return (match for pattern in patterns if (match := pattern.fullmatch(line.folded)))
