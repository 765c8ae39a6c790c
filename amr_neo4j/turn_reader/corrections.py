"""Reads corrections of what was said before: "I meant Lyon, not Paris", "make that six"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import chain

from amr_neo4j.domain.fact import StatedFact, Triple, meant
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.ellipsis import without_verb
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, join, plain
from amr_neo4j.turn_reader.normalise import Thing, edges, is_name, things, trim
from amr_neo4j.turn_reader.reading import SURE, Reading
from amr_neo4j.turn_reader.statements import ClauseStatement, fits_relation
from amr_neo4j.turn_reader.subjects import YOU, opening_noun, role_named

# Two spellings of a name share more than this part of their letters: "John", "Jon".
_ALIKE = 0.6
_MOST_WORDS_OF_VALUE = 4
"""Most words of a value before "sorry"."""
_LETTERS = re.compile(r"[^\W\d_](?:[ -]+[^\W\d_]){2,}")
"""A word that is spelt letter by letter."""
# A correction may end at one of this many commas at the start of a sentence.
_PAUSES = 4


def without_correction(kit: LanguageKit, line: Line, reading: Reading) -> Line:
    """Return the line without "no, sorry," at its start. Sets reading.corrects if there was one."""
    while (match := kit.patterns.corrects.match(line.folded)) and match.end():
        reading.corrects = True
        line = line.after(match.end())
    return line


def without_correction_at_end(kit: LanguageKit, line: Line, reading: Reading) -> Line:
    """Return a value without the "sorry" after it: "45, sorry." Sets reading.corrects if there was one.

    A capital at the beginning of a sentence does not show that a value is a name, so only a number, a date, a name
    that is known and one that is spelt like the name just said are taken for one. The reason may follow: "Garfield,
    sorry, autocorrect".
    """
    pauses = [*kit.clause_patterns.pauses.finditer(line.folded)]
    if not pauses or not without_verb(kit, line):
        return line
    value, said = edges(line.part(0, pauses[0].start())), Reading()
    words = value.folded.split()
    alike = any(
        triple.object != plain(value) and _are_spelt_alike(fold(triple.object), value.folded)
        for triple in reading.latest
    )
    if not alike:
        pauses, value = pauses[-1:], edges(line.part(0, pauses[-1].start()))
        words = value.folded.split()
    excuse = join(edges(line.after(pauses[0].end())), Line(", ", ", "))  # a "no" corrects only before a comma
    is_word = not without_correction(kit, excuse, said).folded or (alike and said.corrects)
    is_known = words and (
        alike
        or kit.value(trim(kit, value)) is not None
        or _is_dated(kit, value.folded)
        or " ".join(words[-2:]) in kit.words.towns
        or words[-1] in kit.words.towns | kit.words.first_names
    )
    if not (is_word and said.corrects and is_known and len(words) <= _MOST_WORDS_OF_VALUE):
        return line
    reading.corrects = True
    return value


def begun_correction(kit: LanguageKit, half: str) -> str:
    """Return the correction that the end of a turn opens: "no wait," of "I live in Rome, no wait,". Empty if none."""
    for tail in (half[match.end() :] for match in re.finditer(r",\s+|^", half)):
        reading = Reading()
        if not without_correction(kit, kit.line(tail), reading).folded.strip(" ,") and reading.corrects:
            return tail
    return ""


def corrects_to(kit: LanguageKit, line: Line, reading: Reading, *, takes_bare: bool) -> int:
    """Apply a correction at the start of a sentence; return where it ends: at a comma or at the end; 0 for none.

    takes_bare: whether the new value may stand alone: "No, Leeds."
    """
    ends = [match.end() for match in kit.clause_patterns.pauses.finditer(line.folded)][:_PAUSES]
    # The longest first, because a correction may itself contain a comma: "I meant Lyon, not Paris".
    for end in (len(line.folded), *reversed(ends)):
        any_case = end == len(line.folded) or line.written == line.folded
        if _correction(kit, edges(line.part(0, end)), reading, any_case=any_case, takes_bare=takes_bare):
            return end
    # "Sorry, I was half asleep: I meant Lyon."
    colon = line.folded.rfind(" : ") + 1 if reading.corrects else 0
    excused = edges(line.after(colon))
    if colon and _correction(kit, excused, reading, any_case=True, takes_bare=False):
        return len(line.folded)
    return 0


def _correction(kit: LanguageKit, line: Line, reading: Reading, *, any_case: bool, takes_bare: bool) -> bool:
    """Replace an earlier value if the line is a correction such as "I meant Lyon, not Paris"; return whether it was.

    any_case: whether the new value may be a word without a capital.
    takes_bare: whether the value alone is enough.
    """
    for pattern in kit.each.respellings:
        if (match := pattern.fullmatch(line.folded)) and _respell(kit, line, match, reading):
            return True
    for pattern in kit.each.corrections:
        match = pattern.fullmatch(line.folded)
        if match is None:
            continue
        new = line.group(match, "object")
        if not any_case and _is_lower(new) and kit.value(new) is None:
            continue
        old = line.group(match, "old") if "old" in match.re.groupindex and match["old"] else None
        said = line.part(0, match.start("object")).folded.replace(",", " ").split()
        is_bare = old is None and set(said) <= kit.words.prepositions
        is_said = reading.corrects or old is not None or _says_meant(kit, said, new)
        is_alone = is_bare and takes_bare and kit.words.finite.isdisjoint(new.folded.split())  # "No, my cousin."
        if (is_alone or not is_bare) and is_said and _replace_subject(kit, new, old, reading):
            return True
        if is_bare and not (takes_bare and _is_value(kit, new)):
            continue
        # "I meant Lyon" and no "not Leeds but London called".
        if not takes_bare and (old is not None and match.start("old") < match.start("object")):
            continue
        # "No, ten." and "I mean Leeds" are about what was said just before, and of no turn further back.
        is_near = is_bare or not (reading.corrects or old)
        corrects, reading.corrects = reading.corrects, reading.corrects or (is_said and _is_value(kit, new))
        if _replace(kit, new, old, reading, reading.latest if is_near else reading.earlier):
            return True
        reading.corrects = corrects
    return False


def _says_meant(kit: LanguageKit, said: Sequence[str], new: Line) -> bool:
    """Return whether a correction says that something else was meant, and has no verb after it: "I meant my son"."""
    meant = {fold(word) for word in language(kit.code).bullets.asking.meant}
    return not meant.isdisjoint(said) and kit.words.finite.isdisjoint(new.folded.split())


def _respell(kit: LanguageKit, line: Line, match: re.Match[str], reading: Reading) -> bool:
    """Correct the spelling of the latest name that is alike: "It's spelled Jon". Returns whether there is one."""
    new = _put_together(trim(kit, line.group(match, "object")))
    if not new.folded or not is_name(kit, new):
        return False
    known = [fact.triple for fact in reading.facts][::-1] + reading.earlier[::-1]
    for triple in known:
        kind = relation_kind(triple.relation)
        for part in ("object", "subject"):
            old = getattr(triple, part)
            is_person = part == "subject" or triple.relation == "name" or bool(kind.role)
            if not is_person or old == YOU.text or old == plain(new) or not _are_spelt_alike(fold(old), new.folded):
                continue
            named = [each for each in dict.fromkeys(known) if old in (each.subject, each.object)]
            fresh = [Triple(*(plain(new) if word == old else word for word in each)) for each in named]
            reading.corrects = True
            reading.retracted.extend(named)
            reading.facts = [fact for fact in reading.facts if fact.triple not in named]
            reading.facts.extend(StatedFact(each, SURE) for each in fresh)
            reading.stated = fresh
            return True
    return False


def _are_spelt_alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, one.strip(), other.strip(), autojunk=False).ratio() > _ALIKE


def _put_together(name: Line) -> Line:
    """Return a name that was spelt in letters as a word: "John" for "J-o-h-n"."""
    if not _LETTERS.fullmatch(name.written.strip()):
        return name
    word = f"{re.sub(r'[ -]', '', name.written).capitalize()} "
    return Line(word, fold(word))


def _is_value(kit: LanguageKit, line: Line) -> bool:
    """Return whether a phrase alone, after "no" or "sorry", can be a value rather than thanks or a question.

    It is a name, a number, a date, or a thing with an article: "No, el café".
    """
    words = line.folded.split()
    if not kit.words.title.isdisjoint(words) or kit.patterns.negations.search(line.folded):
        return False  # "No, Mr Smith." speaks to somebody, "No, God no." refuses
    if (
        kit.value(trim(kit, line)) is not None
        or _is_dated(kit, line.folded)
        or line.folded.strip() in kit.words.towns
    ):
        return True
    is_noun = kit.table.capitals_are_nouns and words[0] not in kit.words.names_anywhere
    if line.written[0].isupper():
        return not is_noun
    article = kit.patterns.articles.match(line.folded)
    return article is not None and kit.patterns.indefinite.match(line.folded) is None


def _replace_subject(kit: LanguageKit, new: Line, old: Line | None, reading: Reading) -> bool:
    """Correct whom the latest statement is about: "Sorry, I meant my brother". Returns whether it was corrected.

    old: whom it was about, if that is said ("I said sister, but I meant my cousin").
    """
    if kit.clause_patterns.pauses.search(new.folded):
        return False  # what follows the pause is a clause of its own
    who, whose = _relative(kit, new, reading), old and _relative(kit, old, reading)
    latest = reading.stated
    if not who or not latest or (old and not whose):
        return False
    subject = latest[-1].subject
    if subject == who or (whose and whose != subject):
        return False
    if relation_kind(latest[-1].relation).role:
        return False  # "My boss is Tom. Sorry, I meant my brother": not clear which of the two was wrong
    fresh = [triple._replace(subject=who) for triple in latest if triple.subject == subject]
    gone = [triple for triple in latest if triple.subject == subject]
    reading.corrects = True
    reading.retracted.extend(gone)
    reading.facts = [fact for fact in reading.facts if fact.triple not in gone]
    reading.facts.extend(StatedFact(triple, SURE) for triple in fresh)
    reading.stated = fresh
    return True


def _relative(kit: LanguageKit, line: Line, reading: Reading) -> str:
    """Return the name of the relative that a phrase is ("my brother Tom"), else the noun; empty for no relative."""
    owned = kit.patterns.possessives.match(line.folded)
    rest = trim(kit, line.after(owned.end() if owned else 0))
    return (role_named(kit, rest, reading.mentions) or "") if opening_noun(kit, rest) else ""


def _replace(kit: LanguageKit, new: Line, old: Line | None, reading: Reading, earlier: list[Triple]) -> bool:
    """Replace the latest value that `new` can stand for; return whether there was one. old: the value, if it is said.

    earlier: what the turns before have stated, as far as it may be meant. Without `old` the turn must have said that
        something was wrong.
    """
    if old is None and not reading.corrects:
        return False
    # With a verb it is a sentence of its own and no value.
    if any(word in kit.words.finite for word in new.folded.split()):
        return False
    said = [fact.triple for fact in reading.facts]
    is_definite = old is None and kit.patterns.articles.match(new.folded) is not None
    # The latest first: first what this turn has stated, then what the turns before have.
    for triple in chain(reversed(said), reversed(earlier)):
        objects = {thing.text for thing in things(kit, old, triple.relation)} if old else {triple.object}
        if triple.relation == "age" and old is not None:
            objects = {str(kit.value(trim(kit, old)))}
        news = things(kit, new, triple.relation)
        named = (triple._replace(object=each) for each in objects)
        is_meant = any(meant(each, (*said, *reading.earlier)) == [triple] for each in named)
        # "Hugo is a vet." "No, the other twin." is about somebody else.
        if (
            (is_definite and triple.relation == "is")
            or not is_meant
            or not news
            or not _alike(kit, new, news[0].line, triple)
        ):
            continue
        if old is None and not said and _count_alike(kit, new, news[0].line, reading.latest) > 1:
            return False  # "My son is 20 and my daughter 18." "Sorry, 21."
        text = _in_place_of(kit, triple, news[0])
        # A friend's name is the subject: (ana, friend_of, you).
        fresh = triple._replace(object=text) if triple.relation != "friend_of" else triple._replace(subject=text)
        reading.corrects = True
        reading.retracted.append(triple)
        reading.facts = [fact for fact in reading.facts if fact.triple != triple]
        reading.facts.append(StatedFact(fresh, SURE))
        reading.stated = [fresh]
        if relation_kind(fresh.relation).place:
            reading.mentions.place = fresh.object  # "been there three years" may follow
        return True
    return False


def _count_alike(kit: LanguageKit, said: Line, line: Line, stated: list[Triple]) -> int:
    """Return how many of the stated values a new one could replace. said, line: as in `_alike`."""
    return sum(_alike(kit, said, line, triple) for triple in {*stated})


def _in_place_of(kit: LanguageKit, triple: Triple, new: Thing) -> str:
    """Return the corrected object of a fact. A new day keeps the time of day: "friday at 5" becomes "monday at 5"."""
    if relation_kind(triple.relation).object == "NUMBER":
        return str(kit.value(new.line))
    if triple.relation == "time" and kit.words.dates.issuperset(new.line.folded.split()):
        return " ".join(new.text if fold(word) in kit.words.dates else word for word in triple.object.split())
    return new.text


def _alike(kit: LanguageKit, said: Line, line: Line, triple: Triple) -> bool:
    """Whether a new value is of the same kind as a fact's object, such as a number or a name, and can replace it.

    said: the words of the value as they were said.
    line: the cleaned value.
    """
    is_number = kit.value(line) is not None
    measure = relation_kind(triple.relation).object
    if measure == "NUMBER":
        return is_number
    is_dated, was_dated = _is_dated(kit, said.folded), _is_dated(kit, fold(triple.object))
    if measure == "TIME":
        return fits_relation(kit, line, triple.relation) or (is_dated and was_dated)
    if is_dated and not was_dated:
        return False
    kind = relation_kind(triple.relation)
    is_common = _is_lower(line) and line.folded.strip() in kit.words.never_name
    if kind.is_name and (is_common or line.folded.strip() in kit.roles):
        return False
    no_places = kit.words.first_names | kit.words.is_always
    if kind.somewhere and line.folded.strip() in no_places - kit.words.towns:
        return False  # "I live in Leeds." "Sorry, Ben.", "No, English."
    is_person = triple.relation == "name" or bool(kind.role)
    return not is_number and (not is_person or is_name(kit, line))


def _is_dated(kit: LanguageKit, text: str) -> bool:
    """Return whether a folded phrase names a day or a month. Those that are also first names do not count."""
    words = [*text.split(), *(word.removesuffix("s") for word in text.split())]  # "on Mondays"
    return not (kit.words.dates - kit.words.first_names).isdisjoint(words)


def take_back_replaced(made: ClauseStatement, reading: Reading) -> None:
    """Retract the earlier facts that a new statement replaces.

    It does in a correction, and if the same person was first mentioned by a role and is now known by name.
    """
    for new in made.triples:
        for old in reading.earlier:
            corrects = reading.corrects and old != new and _replaces(new, old)
            if corrects or _is_of_same_person(new, old, reading):
                reading.retracted.append(old)


def corrected_event(triple: Triple, reading: Reading) -> Triple:
    """Return a triple; if a correction states the time of an event, with the event that was mentioned before.

    "The exam is at 5." "No, the test is at 6." corrects the time of the exam.
    """
    old = [said for said in reading.earlier if said.relation == triple.relation]
    if not reading.corrects or relation_kind(triple.relation).object != "TIME" or not old:
        return triple
    if any(said.subject == triple.subject for said in old):
        return triple
    return triple._replace(subject=old[-1].subject)


def _replaces(new: Triple, old: Triple) -> bool:
    """Return whether a correction that states `new` takes back `old`."""
    if new.relation in ("owns", "has") and old[1:] == new[1:]:
        return True
    is_single = relation_kind(new.relation).single or bool(relation_kind(new.relation).role)
    return is_single and old[:2] == new[:2]


def _is_of_same_person(new: Triple, old: Triple, reading: Reading) -> bool:
    """Return whether both state the same single-valued relation of one person, first by role and then by name.

    (sister, lives_in, rome) and later (ana, lives_in, bari), where Ana is the sister. False if several named persons
    have the role, because the earlier fact may be about another one of them.
    """
    if not relation_kind(new.relation).single or new.relation != old.relation or new.subject == old.subject:
        return False
    if reading.mentions.named.get(fold(old.subject)) != new.subject:
        return False
    roles = {said.relation for said in reading.earlier if (said.subject, said.object) == (YOU.text, new.subject)}
    having = {said.object for said in reading.earlier if said.subject == YOU.text and said.relation in roles}
    return having <= {new.subject}


def _is_lower(name: Line) -> bool:
    """Return whether the last word has no capital."""
    return bool(name.folded) and not name.written.split()[-1][0].isupper()
