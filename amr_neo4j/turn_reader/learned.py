"""Reads turns with a network beside the rules: it drops what they read wrongly, and adds what they do not know.

The network marks spans of the turn as objects of a relation and links each to its subject (after Su et al. 2022,
"Global Pointer"). What the rules read is dropped if the network finds it impossible. Only the surest of the network's
own findings are added, and they replace what somebody has said plainly only in a correction of the turn before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import erf, exp

import numpy as np

from amr_neo4j.domain.fact import NEW_CONFIDENCE, SPEAKER, StatedFact, Triple, TurnContext, Understood
from amr_neo4j.domain.ports import SpanModel
from amr_neo4j.domain.relations import FAVORITE, relation_kind
from amr_neo4j.domain.spans import Floats, SpanScores, SpanStatement
from amr_neo4j.language.languages import language
from amr_neo4j.language.stems import stems, words_in
from amr_neo4j.turn_reader.corrections import without_correction
from amr_neo4j.turn_reader.ellipsis import without_verb
from amr_neo4j.turn_reader.language_kit import LanguageKit, language_kit
from amr_neo4j.turn_reader.learned_wishes import may_be_meant, wish
from amr_neo4j.turn_reader.lines import Line, fold, plain
from amr_neo4j.turn_reader.mentions import MAN, WOMAN, Mentions
from amr_neo4j.turn_reader.normalise import bare, is_name
from amr_neo4j.turn_reader.prose import LIMIT
from amr_neo4j.turn_reader.reader import Reader, counts_what_follows
from amr_neo4j.turn_reader.reading import Reading
from amr_neo4j.turn_reader.subjects import capitalised
from amr_neo4j.turn_reader.understand import NO_CONTEXT, is_in_play, read_by_rules

IMPOSSIBLE = 0.005
"""A triple of the rules is dropped if the network gives it less."""
SURE = 0.9
"""A triple of the network is added if its score is higher."""
LIKELY = 0.5
"""A triple of the rules stays if the network gives it more than this in the clauses of its subject only."""
LIKELY_OF_OTHERS = frozenset({"lives_in", "owns", "likes"})
"""Relations of others that are added, in passing, above LIKELY, if the network sees nobody else whom they may be of.

Of 28 such facts of tests/gold/check and tests/gold/held, 24 are right (12 of 13, 12 of 15); of other relations, half.
"""
TAKEN_BACK = 0.7
"""An object that a turn names is taken back if the network gives its words more.

Chosen on tests/gold/held: of 20 objects above the first in 2,500 turns, 14 are labelled so and 4 more are meant so.
"""
_TURN_TOKENS, _CONTEXT_TOKENS, _CONTEXT_TURNS = 150, 100, 4
_LONGEST_TOKEN = 16  # characters
_MOST_TOKENS_OF_END = 12  # tokens of an object or a subject
_LEAST = -4.0  # score of a span that is looked at
_START, _BREAK = 0, 2  # ids of tokens
_PAUSES = re.compile(r"[,;:.!?–—]+")
_EDGES = ' .,;:!?…)"”»'
# A second relation between the same two is less likely, and so is a second number of one thing.
_SECOND, _SECOND_NUMBER = 0.3, 0.5
# A word for a role ("sister") adds this much to the score of that role, and more the nearer it is to the object.
_NAMED, _NAMED_NEAR, _NEAR = 1.5, 2.5, 30.0


@dataclass(frozen=True, slots=True)
class _Text:
    """Tokens of a turn and of the turns before it, newest first.

    turn_of: the index of each token's turn; -1 for separators.
    """

    turns: Sequence[str]
    ids: list[int]
    turn_of: list[int]
    spans: list[tuple[int, int]]

    def words(self, first: int, last: int) -> str:
        """Return the text from one token to another; the first token of all stands for the speaker."""
        if not first:
            return SPEAKER
        return self.turns[self.turn_of[first]][self.spans[first][0] : self.spans[last][1]].rstrip(_EDGES)


@dataclass(frozen=True)
class LearnedReader:
    """Reads by rules and with a network. Implements ports.StatementReader."""

    model: SpanModel

    def __call__(self, turn: str, language: str, context: TurnContext = NO_CONTEXT) -> Understood:
        """Read a turn.

        The rules alone read these: half a sentence, a turn that takes something back, a turn that asks memory to keep
        nothing of it, and a note about the user.
        """
        understood = read_by_rules(turn, language, context)
        if understood.continues or understood.forgets or understood.unremembered or understood.retracted:
            return understood
        kit = language_kit(language)
        if _is_about_user(kit, turn) or is_in_play(kit, turn, context.earlier):
            return understood
        if not understood.facts and (gone := self._wished_away(kit, turn, context)):
            return replace(understood, retracted=gone, forgets=True)
        scored = _scored(self.model, turn, context.earlier)
        # A pronoun that fits two people says nothing of either.
        unclear = {name for each in understood.unclear for name in each.people} - set(words_in(turn))
        found = [
            each
            for each in _found(self.model, kit, scored)
            if each.subject not in unclear
            and _fits_pronoun(kit, turn, each, context.earlier)
            and not (_has_the_role(kit, turn, each) or _is_former(kit, turn, each) or _counts(kit, turn, each))
        ]
        seen = _seen(self.model, turn)
        kept = [fact for fact in understood.facts if fact.span[1] > seen or self._stays(kit, turn, fact, found)]
        if len(kept) < len(understood.facts):
            has_context = bool(context.earlier or context.reply)
            # With the turns before, the network takes a turn that repeats one of them for nothing new. And it sees
            # no question that a turn answers ("In Porto."): what the turn alone does not state is left to the rules.
            alone = {fact.triple for fact in read_by_rules(turn, language).facts} if has_context else ()
            judged = [*found, *self._in_clauses(kit, turn)]
            judged += statements(self.model, kit, turn, ()) if has_context else ()
            kept = [
                fact
                for fact in understood.facts
                if fact in kept or (has_context and fact.triple not in alone) or self._stays(kit, turn, fact, judged)
            ]
        unmeant = [*Reader(kit).unmeant(turn)]
        current = [
            each
            for each in found
            if not (
                _is_over(kit, turn, each)
                or _is_denied(kit, turn, each)
                or _is_away(kit, turn, each)
                or _is_unmeant(each, unmeant)
                or _is_of_speaker_alone(kit, turn, each)
                or _is_owner(kit, turn, each)
            )
        ]
        kept = [_worded(kit, fact, current) for fact in kept if not _is_of_another(kit, fact, current)]
        new, gone = _corrected(kit, turn, context, list(_new(kit, understood.facts, kept, current)))
        facts = (*kept, *new)
        gone += _retracted(scored, language, context, facts, unmeant)
        return replace(understood, facts=facts, retracted=tuple(dict.fromkeys(gone)))

    def _in_clauses(self, kit: LanguageKit, turn: str) -> Iterator[SpanStatement]:
        """Yield what the network finds likely in each clause alone, where they have different subjects.

        Of "my sister sleeps and I live in Nice" as a whole it often sees one. A clause without a subject is read with
        those before it: "Kim lives in Oslo, works at Telenor, and I live in Rome".
        """
        line = kit.line(turn[:LIMIT])
        starts, ends = zip(*_cuts(kit, line), strict=True)
        about = [_first_person(kit, line.part(start, end)) for start, end in zip(starts, ends, strict=True)]
        if len({*about} - {""}) < 2:
            return
        begun, whose = 0, ""
        for who, start, end in zip(about, starts, ends, strict=True):
            begun, whose = (start, who) if who else (begun, whose)
            said = f"{_as_written(line.part(begun, end))}."
            for each in statements(self.model, kit, said, ()) if whose else ():
                if each.confidence > LIKELY and (each.subject == SPEAKER) == (whose == SPEAKER):
                    yield each

    def _wished_away(self, kit: LanguageKit, turn: str, context: TurnContext) -> tuple[Triple, ...]:
        """Return the believed facts that a turn asks memory to forget, in words that the rules do not know."""
        meant, least = may_be_meant(kit, turn, context)
        vector = self.model.meaning(turn) if meant else None
        return meant if vector is not None and wish(vector) > least else ()

    def _stays(self, kit: LanguageKit, turn: str, fact: StatedFact, found: Sequence[SpanStatement]) -> bool:
        """Return whether the network finds a fact possible, or cannot judge it better than the rules."""
        relation = fact.triple.relation
        if fact.strength == "momentary" or relation not in (*self.model.labels.types, *self.model.labels.which):
            return True
        triple = _canonical(kit, fact.triple)
        possible = [_canonical(kit, each[:3]) for each in found if each.confidence >= IMPOSSIBLE]
        if any(each == triple or _is_of_owner(kit, each, triple) or _names_part(each, triple) for each in possible):
            return True
        if relation == "is" and any(
            each.confidence > SURE and _begins(triple, _canonical(kit, each[:3])) for each in found
        ):
            return True  # the network saw "allergic" in "allergic to cats"
        return _is_elliptic(kit, turn, fact.triple) or _is_certain(
            kit, turn, fact.triple, is_role=relation in self.model.labels.which
        )


def _first_person(kit: LanguageKit, clause: Line) -> str:
    """Return the first word of a clause for somebody; `SPEAKER` for the speaker, empty for none."""
    # German may leave "ich" out, but "besitze" is also said of others: "er sagt, er besitze".
    own = kit.words.speaker if kit.inverts else kit.words.speaker | kit.verbs_of_speaker
    people = kit.roles.keys() | kit.words.kin | kit.words.several
    begun = capitalised(clause)
    if begun.folded and is_name(kit, begun) and own.isdisjoint(begun.folded.split()):
        return begun.folded
    return next((SPEAKER if word in own else word for word in clause.folded.split() if word in own | people), "")


def _as_written(clause: Line) -> str:
    return clause.written.replace("' ", "'").strip()


def _is_of_speaker_alone(kit: LanguageKit, turn: str, found: SpanStatement) -> bool:
    """Return whether the speaker's clause was given to the person before it: "my boss yodels, I live in Cork"."""
    if found.span is None or found.subject == SPEAKER:
        return False
    line = kit.line(turn[: found.span[0]])
    clause = line.after(max((match.end() for match in kit.patterns.any_break.finditer(line.folded)), default=0))
    return _first_person(kit, clause) == SPEAKER and fold(found.subject) not in clause.folded


def _retracted(
    scored: _Scored,
    language: str,
    context: TurnContext,
    facts: Sequence[StatedFact],
    unmeant: Sequence[tuple[int, int, bool]],
) -> tuple[Triple, ...]:
    """Return the user's known facts whose object the turn takes back: "Den Wohnwagen sind wir los".

    Relatives stay: "I gave Tom his ring back" ends nothing of what a brother Tom is to the user.
    """
    turn = scored.text.turns[0]
    named = [
        stems(words, language)
        for words, at in _taken_back(scored)
        if not any(start <= at < end for start, end, _ in unmeant)
        and _is_of_speaker(language_kit(language), turn, words, at)
    ]
    if not named:
        return ()
    known = context.believed or [
        fact.triple for turn in context.earlier for fact in read_by_rules(turn, language).facts
    ]
    stated = {fact.triple for fact in facts}
    return tuple(
        triple
        for triple in dict.fromkeys(known)
        if triple.subject == SPEAKER
        and triple not in stated
        and not _lasts(triple.relation)
        and any(words and stems(triple.object, language) <= words for words in named)
    )


def _is_of_speaker(kit: LanguageKit, turn: str, words: str, at: int) -> bool:
    """Whether the clause with an object is about the speaker alone, and denies nothing: not "My boss quit Google".

    words, at: the object and where it begins in the turn.
    """
    before, after = _PAUSES.split(turn[:at])[-1], _PAUSES.split(turn[at + len(words) :], maxsplit=1)[0]
    clause = before.split() + after.split()
    line = kit.line(" ".join(clause))
    is_over = kit.patterns.ended.search(line.folded) or kit.patterns.ended_if_denied.search(line.folded)
    if kit.patterns.negations.search(line.folded) and not is_over:  # "I didn't quit Google"
        return False
    said = set(line.folded.split())
    own = kit.words.speaker | kit.words.first_person | kit.words.possessive_words | kit.verbs_of_speaker
    names = {fold(word) for word in clause if word[0].isupper()} & kit.words.first_names
    somebody = kit.roles.keys() | kit.words.kin | {word for word, kind in kit.others.items() if kind in (MAN, WOMAN)}
    return not own.isdisjoint(said) and not names and somebody.isdisjoint(said - own)


def _lasts(relation: str) -> bool:
    """Whether the network's word ends no such relation: a brother stays one, a birthplace too. A husband does not."""
    kind = relation_kind(relation)
    # Homes and firms are left for the day, too: "I left Google at six". The rules know who moved or quit.
    return kind.is_for_life or relation in ("name", "born_in", "lives_in", "works_at")


def _is_of_owner(kit: LanguageKit, triple: Triple, other: Triple) -> bool:
    """Return whether a fact says of somebody what the other says of their relative: of "my sister's husband"."""
    is_relative = fold(triple.subject) in kit.roles  # "Declan" of "my cousin Declan" is no owner
    return is_relative and triple[1:] == other[1:] and triple.subject in re.split(r"\W+", other.subject)


def _is_of_another(kit: LanguageKit, fact: StatedFact, found: Sequence[SpanStatement]) -> bool:
    """Return whether the network is sure that somebody else is meant: "Leo lives with his mum in York"."""
    triple = _canonical(kit, fact.triple)
    if triple.subject == SPEAKER:
        return False
    same = [each for each in found if _canonical(kit, each[:3])[1:] == triple[1:]]
    return any(
        each.confidence > SURE and each.subject != SPEAKER and not _within(each.subject, triple.subject)
        for each in same
    ) and not any(each.confidence >= IMPOSSIBLE and each.subject == triple.subject for each in same)


def _worded(kit: LanguageKit, fact: StatedFact, found: Sequence[SpanStatement]) -> StatedFact:
    """Return a fact with its object cut to what the network is sure of, where the rules read too far.

    They may read "Aldi [at weekends]".
    """
    triple = _canonical(kit, fact.triple)
    if triple.subject == SPEAKER or triple.relation == "is":  # "allergic" is less than "allergic to cats"
        return fact
    ways = [each for each in found if each[:2] == triple[:2] and _begins(triple, _canonical(kit, each[:3]))]
    is_possible = any(_canonical(kit, each[:3]) == triple and each.confidence >= IMPOSSIBLE for each in found)
    best = next((each for each in ways if each.confidence > SURE), None)
    return fact if best is None or is_possible else replace(fact, triple=fact.triple._replace(object=best.object))


def _is_elliptic(kit: LanguageKit, turn: str, triple: Triple) -> bool:
    """Return whether a clause without a verb states a fact, with the verb of another: "my husband from Norway".

    The network finds nothing in it.
    """
    line = kit.line(turn[:LIMIT])
    clauses = (line.part(start, end) for start, end in _cuts(kit, line) if start)
    subject, named = fold(triple.subject), fold(triple.object)
    return triple.subject != SPEAKER and any(
        subject in clause.folded and named in clause.folded and without_verb(kit, clause) for clause in clauses
    )


def _cuts(kit: LanguageKit, line: Line) -> list[tuple[int, int]]:
    """Return where each part of a line between two conjunctions or commas begins and ends."""
    breaks = [match.span() for match in kit.patterns.any_break.finditer(line.folded)]
    cuts = zip([0, *(end for _, end in breaks)], [*(start for start, _ in breaks), len(line.folded)], strict=True)
    return [cut for cut in cuts if cut[0] < cut[1]]


def _names_part(triple: Triple, other: Triple) -> bool:
    """Return whether a fact is the other one of a shorter name: "siobhán" of "siobhán o'rourke-lee"."""
    return triple[1:] == other[1:] and other.subject.startswith(f"{triple.subject} ")


def _begins(triple: Triple, other: Triple) -> bool:
    """Return whether the object of one fact begins with that of another about the same."""
    return triple[:2] == other[:2] and triple.object.startswith(f"{other.object} ")


def _is_over(kit: LanguageKit, turn: str, found: SpanStatement) -> bool:
    """Return whether a clause tells in the past what holds now, such as a home: "before that I was at Opel"."""
    kind = relation_kind(found.relation)
    is_now = kind.single or (bool(kind.role) and not kind.is_for_life)  # "I had a dog called Max"
    if found.span is None or not is_now or kind.happened:
        return False
    start, end = found.span
    # "Then at BP," has the verb of the clause before.
    clause, past = turn[start:end], language(kit.code).bullets.asking.past
    for part in reversed(re.split(r"[,;:.!?]", turn[:start])):
        clause = f"{part} {clause}"
        if not kit.words.verbs.isdisjoint(kit.line(clause).folded.split()):
            break
    return not past.isdisjoint(words_in(clause))


def _fits_pronoun(kit: LanguageKit, turn: str, found: SpanStatement, earlier: Sequence[str]) -> bool:
    """Return whether somebody of an earlier turn may be the "he" or "she" of this one: no cousin Anna is "he"."""
    subject = found.subject
    if subject == SPEAKER or found.span is None or fold(subject) in fold(turn):
        return True
    genders = {kit.others[word] for word in words_in(turn[: found.span[0]]) if word in kit.others} & {MAN, WOMAN}
    if len(genders) != 1:
        return True
    role = re.compile(rf"(\w+)\W+{re.escape(fold(subject))}\b")
    roles = (match[1] for text in earlier for match in role.finditer(fold(text)))
    known = {kit.genders[word] for word in roles if word in kit.genders}
    known = known or {Mentions(women=kit.words.women, men=kit.words.men).kind_of(fold(subject).split()[0])}
    return known.isdisjoint({MAN, WOMAN}) or not known.isdisjoint(genders)


def _is_denied(kit: LanguageKit, turn: str, found: SpanStatement) -> bool:
    """Return whether a clause denies what has one value at a time or who somebody is: "My name isn't Bob"."""
    kind = relation_kind(found.relation)
    if found.span is None or not (kind.single or kind.role):
        return False
    line = kit.line(turn[: found.span[1]])
    clause = line.after(max((match.end() for match in kit.patterns.any_break.finditer(line.folded)), default=0))
    return kit.patterns.negations.search(clause.folded) is not None


def _is_away(kit: LanguageKit, turn: str, found: SpanStatement) -> bool:
    """Return whether a home is a stay, in a clause that speaks of a journey or a hospital."""
    if found.span is None or found.relation != "lives_in" or found.subject != SPEAKER:
        return False
    start, end = found.span
    clause = f"{_PAUSES.split(turn[:start])[-1]}{turn[start:end]}{_PAUSES.split(turn[end:], maxsplit=1)[0]}"
    return kit.patterns.trips.search(kit.line(clause).folded) is not None


def _is_former(kit: LanguageKit, turn: str, found: SpanStatement) -> bool:
    """Return whether the turn says that somebody was this: "my late husband", "my ex". A father stays one."""
    kind, line = relation_kind(found.relation), kit.line(turn)
    return any(
        kit.roles[match["role"].strip()] == found.relation
        and not (kind.is_for_life and match["word"] in kit.words.deceased)
        for match in kit.role_patterns.former.finditer(line.folded)
    )


def _counts(kit: LanguageKit, turn: str, found: SpanStatement) -> bool:
    """Return whether an age counts what follows it: "30 años de experiencia"."""
    after = kit.line(turn[found.span[1] :]) if found.span and found.relation == "age" else None
    return after is not None and counts_what_follows(kit, after.folded.split())


def _has_the_role(kit: LanguageKit, turn: str, found: SpanStatement) -> bool:
    """Return whether a statement takes whose relative is meant for the relative: Paul in "le chien de Paul".

    Or whether it takes Paul's dog for the speaker's. "Soy amigo de Paco" makes Paco a friend, too.
    """
    kind, of = relation_kind(found.relation), language(kit.code).bullets.asking.of
    is_role = found.subject == SPEAKER and kind.role
    words = words_in(kit.line(turn).folded)
    owned = [at for at in range(1, len(words) - 1) if words[at] in of and words[at - 1] in kit.roles]
    copula = kit.speaker_copula.folded.split()[-1:] if kit.speaker_copula else []
    if kind.mutual and any(copula == words[start : start + 1] for at in owned for start in range(max(0, at - 4), at)):
        return False
    named = words_in(fold(found.object if is_role else found.subject))[:1]
    places = [at for at, word in enumerate(words) if [word] == named]
    if places and all(at - 1 in owned for at in places):
        return True
    own = [at for at, word in enumerate(words) if kit.roles.get(word) == found.relation] if is_role else []
    return bool(own) and all(at + 1 in owned and words[at + 2] in kit.words.first_names for at in own)


def _is_owner(kit: LanguageKit, turn: str, found: SpanStatement) -> bool:
    """Return whether what is said of a relative is taken for the owner's: "Carla's mother lives in Turin"."""
    words = words_in(kit.line(turn).folded)
    places = [at for at, word in enumerate(words) if [word] == words_in(fold(found.subject))[:1]]
    return bool(places) and all(_owns_next(kit, words, at) for at in places)


def _owns_next(kit: LanguageKit, words: Sequence[str], at: int) -> bool:
    """Return whether a word is the owner of a relative: "[Carla] 's mother", "die Freundin meines [Bruders]"."""
    after, before = words[at + 1 : at + 3], words[max(0, at - 2) : at]
    if (
        len(after) > 1
        and f"'{after[0]}" in kit.words.genitive
        and (after[1] in kit.roles or after[1] in kit.words.kin)
    ):
        return True
    is_genitive = kit.table.capitals_are_nouns and len(before) > 1 and before[1].endswith(("s", "r"))
    return is_genitive and before[0] in kit.roles and kit.patterns.possessives.match(f"{before[1]} ") is not None


def _is_unmeant(found: SpanStatement, unmeant: Iterable[tuple[int, int, bool]]) -> bool:
    """Return whether a statement stands in a story, a quotation or, if it could replace another, in a wish."""
    single = relation_kind(found.relation).single
    spans = ((start, end) for start, end, is_wish in unmeant if single or not is_wish)
    return found.span is not None and any(start <= found.span[0] < end for start, end in spans)


def _is_about_user(kit: LanguageKit, turn: str) -> bool:
    """Return whether a turn is a note about the user ("The user lives in Oslo"). The network has seen none."""
    return not kit.words.user_alone.isdisjoint(kit.line(turn[:LIMIT]).folded.split())


def _is_certain(kit: LanguageKit, turn: str, triple: Triple, *, is_role: bool) -> bool:
    """Return whether the rules are right more often than the network: ages, favourites, closed lists, and names.

    A capital shows a name. In German, where all nouns have one, it shows only names of people.
    """
    relation, named = triple.relation, triple.object
    if relation == "age" or relation.startswith(FAVORITE):
        return True
    if relation == "is":
        return fold(named) in kit.words.is_always | kit.words.occupations
    if is_role or (relation_kind(relation).proper and not kit.table.capitals_are_nouns):
        written = re.search(rf"(?<!\w){re.escape(named)}(?!\w)", turn, re.IGNORECASE)
        return written is not None and written[0].split()[-1][0].isupper()  # "la dottoressa Conti"
    return False


def _new(
    kit: LanguageKit, read: Sequence[StatedFact], kept: Sequence[StatedFact], found: Sequence[SpanStatement]
) -> Iterator[StatedFact]:
    """Yield what the network is sure of and the rules do not say.

    read, kept: the facts of the rules, and those of them that stay. One that was dropped for a word too many or too
        few is yielded with the network's words.
    """
    said = [_canonical(kit, fact.triple) for fact in kept]
    # A quantity does not say whose things it counts, so only what the speaker has is counted.
    of_others = {
        each.object for each in (*said, *found) if each.subject != SPEAKER and each.relation in ("has", "owns")
    }
    for each in found:
        triple = _canonical(kit, each[:3])
        if each.relation == "quantity" and not of_others.isdisjoint((each.subject, triple.subject)):
            continue
        is_said = any(
            _overlap(triple, other) or _is_same(triple, other) or _is_of_owner(kit, triple, other) for other in said
        )
        is_likely = _is_likely(each, found, said)
        if not (each.confidence > SURE or is_likely) or each.span is None or is_said:
            continue
        same = (
            fact for fact in read if fact.triple[:2] == each[:2] and _overlap(triple, _canonical(kit, fact.triple))
        )
        if reworded := next(same, None):
            yield replace(reworded, triple=Triple(*each[:3]))
        else:
            start, end = each.span
            strength = "passing" if relation_kind(each.relation).single or is_likely else "plain"
            yield StatedFact(Triple(*each[:3]), NEW_CONFIDENCE, span=(start, end), strength=strength)


def _is_likely(each: SpanStatement, found: Iterable[SpanStatement], said: Iterable[Triple]) -> bool:
    """Return whether an uncertain fact about another person is of a kind that is right often enough."""
    rivals = [*said, *(Triple(*one[:3]) for one in found if one.relation == each.relation and one.confidence > 0.1)]
    return (
        each.relation in LIKELY_OF_OTHERS
        and each.subject != SPEAKER
        and LIKELY < each.confidence <= SURE
        and not any(one.object == each.object and one.subject != each.subject for one in rivals)
    )


def _corrected(
    kit: LanguageKit, turn: str, context: TurnContext, found: list[StatedFact]
) -> tuple[list[StatedFact], list[Triple]]:
    """Return what the network found, and what that corrects: "Sorry, 1948 I mean" after a year of birth.

    Elsewhere a value of the network is too weak to replace one that was stated.
    """
    reading = Reading()
    without_correction(kit, kit.line(turn[:LIMIT]), reading)
    if not (reading.corrects and context.earlier):
        return found, []
    latest = [fact.triple for fact in read_by_rules(context.earlier[-1], kit.code).facts]
    facts: list[StatedFact] = []
    gone: list[Triple] = []
    for fact in found:
        single = relation_kind(fact.triple.relation).single
        old = [each for each in latest if single and each[:2] == fact.triple[:2] and each != fact.triple]
        facts.append(replace(fact, strength="plain") if old else fact)
        gone += old
    return facts, gone


@dataclass(frozen=True, slots=True)
class _Scored:
    """What the network says of a turn.

    begins, ends: the tokens of each span.
    of_type: spans x types.
    """

    text: _Text
    scores: SpanScores
    begins: np.ndarray
    ends: np.ndarray
    of_type: np.ndarray


def _scored(model: SpanModel, turn: str, earlier: Sequence[str]) -> _Scored:
    text = _tokens(model, turn, earlier)
    segments = [min(turn, 1) + 1 if turn >= 0 else 0 for turn in text.turn_of]
    segments[0] = 0
    scores = model.scores(text.ids, segments)
    begins, ends = _places(text)
    objects = _products(_turned(scores.begin), _turned(scores.end)) / 8
    of_type = objects[begins, ends][:, None] + scores.begin_type[begins] + scores.end_type[ends] + model.labels.tb
    return _Scored(text, scores, begins, ends, of_type)


def _taken_back(scored: _Scored) -> list[tuple[str, int]]:
    """Return (the words of an object that the turn takes back, where they begin).

    Objects of earlier turns do not count: the network took a home back for a journey that the turn was about.
    """
    text, back = scored.text, scored.of_type[:, -1:]
    found: list[tuple[str, int]] = []
    for place, _ in _chosen(back, scored.begins, scored.ends):
        begin, end = int(scored.begins[place]), int(scored.ends[place])
        if begin and text.turn_of[begin] == 0 and back[place, 0] > TAKEN_BACK:
            found.append((text.words(begin, end), text.spans[begin][0]))
    return found


def statements(model: SpanModel, kit: LanguageKit, turn: str, earlier: Sequence[str]) -> list[SpanStatement]:
    """Return what the network finds in a turn, the surest first."""
    return _found(model, kit, _scored(model, turn, earlier))


def _found(model: SpanModel, kit: LanguageKit, scored: _Scored) -> list[SpanStatement]:
    found = dict[Triple, SpanStatement]()
    for each in _statements(model, kit, scored):
        triple = Triple(*each[:3])
        is_water = triple.relation == "lives_in" and fold(triple.object) in kit.words.waters
        if triple.subject and triple.object and triple.subject != triple.object and not is_water:
            found[triple] = max(found.get(triple, each), each, key=lambda one: one.confidence)
    kept: list[SpanStatement] = []
    for each in sorted(found.values(), key=lambda one: -one.confidence):
        kept.append(each._replace(confidence=each.confidence * _damping(each, kept)))
    return sorted(kept, key=lambda one: -one.confidence)


def _damping(each: SpanStatement, surer: Sequence[SpanStatement]) -> float:
    damping = 1.0
    if any(
        one.subject == each.subject and one.relation != each.relation and _within(one.object, each.object)
        for one in surer
    ):
        damping *= _SECOND
    if relation_kind(each.relation).once and any(each[:2] == one[:2] or each[1:3] == one[1:3] for one in surer):
        damping *= _SECOND_NUMBER
    return damping


def _seen(model: SpanModel, turn: str) -> int:
    """Return how many characters of a turn the network sees. It says nothing about the characters after them."""
    spans = model.tokens(turn[: _TURN_TOKENS * _LONGEST_TOKEN]).spans
    return len(turn) if len(spans) <= _TURN_TOKENS else spans[_TURN_TOKENS - 1][1]


def _tokens(model: SpanModel, turn: str, earlier: Sequence[str]) -> _Text:
    turns = [turn, *reversed(earlier[-_CONTEXT_TURNS:])]
    text = _Text(turns, [_START], [0], [(0, 0)])
    room = _TURN_TOKENS
    for number, each in enumerate(turns):
        tokens = model.tokens(each[: room * _LONGEST_TOKEN])
        ids, spans = tokens.ids[:room], tokens.spans[:room]
        text.ids.extend((*ids, _BREAK))
        text.turn_of.extend((*[number] * len(ids), -1))
        text.spans.extend((*spans, (0, 0)))
        room = _CONTEXT_TOKENS if not number else room - len(ids) - 1
        if room <= 0:
            break
    return text


def _statements(model: SpanModel, kit: LanguageKit, scored: _Scored) -> Iterator[SpanStatement]:
    labels, text, scores = model.labels, scored.text, scored.scores
    begins, ends, of_type = scored.begins, scored.ends, scored.of_type
    subjects = _products(_turned(scores.subject_begin), _turned(scores.subject_end)) / 8
    *_, retract = range(len(labels.types))
    named = _named_roles(kit, text)
    is_linked = np.array([turn >= 0 for turn in text.turn_of])
    chosen = [each for each in _chosen(of_type[:, :retract], begins, ends) if of_type[each[0], retract] < 0]
    if not chosen:
        return
    places, kinds = np.array(chosen).T
    links = scores.link_begin[begins[places]] + scores.link_end[ends[places]] + labels.lt[kinds]
    to_subjects = np.where(is_linked, _products(links, scores.link_to) / 16 + labels.lb[0], -np.inf)
    for (place, kind), link, to in zip(chosen, links, to_subjects, strict=True):
        begin, end = int(begins[place]), int(ends[place])
        relation, share = labels.types[kind], 1.0
        if relation in ("ROLE", "FAV"):
            relation, share = _which(model, link, relation, _nearness(named, text, begin))
        best = int(to.argmax())
        spoken, start = text.words(begin, end), text.turn_of[begin]
        for subject in np.flatnonzero(to > 0).tolist() or [best]:
            last = _subject_end(subjects, text, subject)
            is_within = subject <= begin <= last and (begin or subject)
            if (is_within and subject != best) or not (begin or subject):
                continue
            whose = text.words(subject, last)
            if not _may_have(kit, relation, whose):
                continue
            yield SpanStatement(
                _cleaned(kit, whose),
                relation,
                _object(kit, relation, spoken),
                _share(of_type[place, kind]) * share * _share(to[subject]),
                (text.spans[begin][0], text.spans[end][1]) if begin and not start else None,
            )


def _may_have(kit: LanguageKit, relation: str, subject: str) -> bool:
    """Return whether a relation fits such a subject: "Lea's exam" has no age, and Lea has no time."""
    whose = relation_kind(relation).subject
    words = set(words_in(subject)) - kit.words.possessive_words
    roles = {word for word in words if word in kit.words.kin or word in kit.roles}
    if whose == "EVENT":
        return subject == SPEAKER or not words - roles <= kit.words.first_names
    is_owned = "s" in words or (subject[:1].islower() and not words.isdisjoint(language(kit.code).bullets.asking.of))
    return whose != "PERSON" or not is_owned or not roles <= kit.words.first_names


def _places(text: _Text) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the last token of each span within one turn. The first span is the speaker's."""
    turn_of = np.array([*text.turn_of, *[-1] * _MOST_TOKENS_OF_END])
    firsts = np.arange(1, len(text.ids))
    lasts = firsts[:, None] + np.arange(_MOST_TOKENS_OF_END)
    is_within = (turn_of[firsts] >= 0)[:, None] & (turn_of[lasts] == turn_of[firsts][:, None])
    return np.insert(np.repeat(firsts, is_within.sum(axis=1)), 0, 0), np.insert(lasts[is_within], 0, 0)


def _chosen(of_type: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> list[tuple[int, int]]:
    """Return (number of a span, number of its type), the best first; spans of one type do not overlap."""
    places, kinds = np.nonzero(of_type > _LEAST)
    chosen: list[tuple[int, int]] = []
    for number in np.argsort(-of_type[places, kinds], kind="stable").tolist():
        place, kind = int(places[number]), int(kinds[number])
        if not any(
            kind == other and ends[place] >= begins[taken] and begins[place] <= ends[taken] for taken, other in chosen
        ):
            chosen.append((place, kind))
    return chosen


def _subject_end(subjects: np.ndarray, text: _Text, subject: int) -> int:
    if not subject:
        return 0
    last = subject + 1
    while last < min(subject + _MOST_TOKENS_OF_END, len(text.ids)) and text.turn_of[last] == text.turn_of[subject]:
        last += 1
    return subject + int(subjects[subject, subject:last].argmax())


def _products(rows: Floats, others: Floats) -> Floats:
    """Return the product of each row with each of the others, shape (rows, others).

    `@` would wake a thread on each core for these few numbers, and a turn took twice as long where they were busy.
    """
    return np.einsum("rk,ok->ro", rows, others)


def _turned(rows: Floats) -> Floats:
    """Turn pairs of columns by an angle that grows with the token's position (Su et al. 2021, "RoFormer")."""
    width = rows.shape[1]
    turns = 1e4 ** (-np.arange(0, width, 2, dtype=np.float64) / width)
    angles = np.outer(np.arange(len(rows), dtype=np.float64), turns)
    sine, cosine = np.sin(angles), np.cos(angles)
    even, odd = rows[:, 0::2], rows[:, 1::2]
    return np.stack([even * cosine - odd * sine, even * sine + odd * cosine], axis=-1).reshape(rows.shape)


def _which(model: SpanModel, link: Floats, kind: str, nearness: Mapping[str, float]) -> tuple[str, float]:
    """Return (which role or favourite an object is of, its probability)."""
    labels = model.labels
    active = link * 0.5 * (1 + np.array([erf(each / 2**0.5) for each in link.tolist()]))
    near = np.array([nearness.get(each, 0.0) for each in labels.which])
    scores = _products(labels.sub, active[None])[:, 0] + labels.subb + near
    scores = np.where([(kind == "FAV") == each.startswith(FAVORITE) for each in labels.which], scores, -99.0)
    shares = np.exp(scores - scores.max())
    best = int(shares.argmax())
    return labels.which[best], float(shares[best] / shares.sum())


def _named_roles(kit: LanguageKit, text: _Text) -> list[tuple[str, int, int]]:
    """Return (role or favourite, turn, character) of each word for a role or a favourite."""
    pattern, label_of = _role_words(kit.code)
    return [
        (label_of[match[0]], number, match.start())
        for number, turn in enumerate(text.turns)
        for match in pattern.finditer(fold(turn))
    ]


@cache
def _role_words(language: str) -> tuple[re.Pattern[str], dict[str, str]]:
    kit = language_kit(language)
    label_of = {**kit.roles, **{word: f"{FAVORITE}{what}" for word, what in kit.favorites.items()}}
    words = "|".join(map(re.escape, sorted(label_of, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)"), label_of


def _nearness(named: Sequence[tuple[str, int, int]], text: _Text, begin: int) -> dict[str, float]:
    turn, place = text.turn_of[begin], text.spans[begin][0]
    nearness: dict[str, float] = {}
    for label, number, at in named:
        near = _NAMED_NEAR * exp(-abs(at - place) / _NEAR) if number == turn else 0.0
        nearness[label] = max(nearness.get(label, 0.0), _NAMED + near)
    return nearness


def _object(kit: LanguageKit, relation: str, spoken: str) -> str:
    """Return an object as it stands in a triple. Ages and quantities are digits."""
    if relation in ("age", "quantity"):
        words = spoken.split()
        values = (kit.value(kit.line(word)) for word in words)
        return next((str(value) for value in values if value is not None), spoken.lower())
    return _cleaned(kit, spoken)


def _cleaned(kit: LanguageKit, spoken: str) -> str:
    return spoken if spoken == SPEAKER else plain(bare(kit, kit.line(spoken)))


def _canonical(kit: LanguageKit, triple: Sequence[str]) -> Triple:
    """Return a triple in which only what it says counts: no articles, and a number of days or weeks in digits."""
    subject, relation, named = triple
    first, _, rest = named.partition(" ")
    value = kit.numerals.get(fold(first)) if relation == "duration" and rest else None
    named = named if value is None else f"{value} {rest}"
    return Triple(_cleaned(kit, subject), relation, _cleaned(kit, named))


def _overlap(one: Triple, other: Triple) -> bool:
    """Return whether two triples have one relation, and one's object has the other's in it."""
    return one.relation == other.relation and _within(one.object, other.object)


def _is_same(one: Triple, other: Triple) -> bool:
    """Return whether two triples have the same subject and object.

    If both relations are roles, the second object may have a title: "Conti", "dottoressa Conti".
    """
    are_roles = relation_kind(one.relation).is_role and relation_kind(other.relation).is_role
    return one.subject == other.subject and (
        one.object == other.object or (are_roles and other.object.split()[1:] == one.object.split())
    )


def _within(one: str, other: str) -> bool:
    return one in other or other in one


def _share(score: float) -> float:
    return 1 / (1 + exp(-min(max(float(score), -30.0), 30.0)))
