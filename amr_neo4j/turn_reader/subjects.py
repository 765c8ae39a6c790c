"""Finds whom or what a clause is about."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.language_kit import NOTED, LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, join, plain
from amr_neo4j.turn_reader.mentions import MANY, SOMEBODY, THING, Mentions, Referent
from amr_neo4j.turn_reader.normalise import bare, is_name, split, trim

FRIEND, OTHER = "friend_of", "other"
"""Roles that need care. FRIEND is stated the other way round: (ana, friend_of, you). OTHER states nothing."""
_OF_FRIENDS = frozenset({FRIEND, "friend", "friends"})


@dataclass(slots=True)
class Subject:
    """Whom a clause is about.

    facts: what naming them states ("my sister Ana").
    guess: found by a pronoun or a lower-case name.
    role, owner: set for somebody else's relative whose name is not known ("his wife").
    """

    mention: Referent
    facts: list[Triple] = field(default_factory=list[Triple])
    guess: bool = False
    role: str = ""
    owner: str = ""


YOU = Referent(SPEAKER, "you")


def role_facts(role: str, name: str, owner: str = SPEAKER) -> list[Triple]:
    """Return the facts that a person has this role for the owner; none if the role is not a relation."""
    if role == OTHER:
        return []
    return [Triple(name, FRIEND, owner) if role == FRIEND else Triple(owner, role, name)]


def possessor(kit: LanguageKit, line: Line) -> str:
    """Return somebody else's possessive ("his", "their") among the last two words of a phrase; empty for none."""
    words = line.folded.split()[-2:]
    return next((word for word in reversed(words) if kit.patterns.other_possessives.fullmatch(f"{word} ")), "")


def subjects(kit: LanguageKit, line: Line, mentions: Mentions, relation: str) -> list[Subject]:
    """Return the subjects that a phrase names, one for each conjunct; none if one of them cannot be resolved.

    A relative of another subject ("Ruth and her husband") may stay unresolved.
    """
    found: list[Subject] = []
    for part in split(line, kit.patterns.joins):
        if found and (whose := kit.patterns.other_possessives.match(part.folded)):
            theirs = _of_another(kit, part.after(whose.end()), found[-1].mention)
            found += [theirs] if theirs and found[-1].mention is not YOU else []
            continue
        subject = _subject(kit, part, mentions, relation)
        if subject is None:
            return []
        found.append(subject)
    return found


def role_phrase(kit: LanguageKit, line: Line) -> tuple[str, Line] | None:
    """Return the role noun in "[older] sister Ana" and the name after it, which may be empty; None for no role."""
    words = line.folded.split()
    at = 0
    for number, word in enumerate(words[:3]):
        if word in kit.words.other_kin or word in kit.words.stopwords or genitive(kit, line.written.split()[number]):
            return None
        for length in (3, 2, 1):
            noun = " ".join(words[number : number + length])
            rest = line.after(at + len(noun) + 1)
            if noun in kit.roles and (not rest.folded or _is_name_after(kit, noun, rest)):
                return noun, rest
        at += len(word) + 1
    return None


def _is_name_after(kit: LanguageKit, noun: str, rest: Line) -> bool:
    """Return whether a name follows a role. After an article ("the director of the school") it needs a capital."""
    name = trim(kit, bare(kit, rest))
    if _is_what_somebody_does(kit, noun, name, rest):
        return False
    if _says_whose(kit, rest):
        return False
    if (
        kit.table.capitals_are_names
        and name.written == name.written.lower()
        and kit.patterns.articles.match(rest.folded)
    ):
        return False
    word = name.written.strip()
    return is_name(kit, name) and (word not in kit.words.conjugated or word in kit.words.first_names)


def genitive(kit: LanguageKit, written: str) -> str:
    """Return the noun of a German genitive before a role: "eva" for "Evas [Mann]"; empty for no such."""
    word = fold(written)
    if not kit.table.capitals_are_nouns or not written[:1].isupper() or not word.endswith(("s", "x", "z")):
        return ""
    if (
        word in kit.words.stopwords
        or word in kit.words.possessive_words
        or kit.patterns.articles.fullmatch(f"{word} ")
    ):
        return ""
    if word in kit.words.first_names:
        return word
    nouns = [word.removesuffix(ending) for ending in ("s", "es") if word.endswith(ending)]
    if role := next((noun for noun in nouns if noun in kit.roles), ""):  # "Opas", "Mannes"
        return role
    return "" if word in kit.roles else word.removesuffix("s")  # "mein Boss", "mein Spitz"


def _says_whose(kit: LanguageKit, rest: Line) -> bool:
    """Return whether "of" follows a role: "mari d' Eva", "sœur de Lyon". rest: what follows the role."""
    of = frozenset(language(kit.code).bullets.asking.of)
    if kit.table.capitals_are_nouns:  # "der" may go with a name: "mein Bruder der Max"
        of -= kit.words.articles
    return rest.folded.split()[0].rstrip("'") in of if rest.folded.strip() else False


def role_opening(kit: LanguageKit, line: Line) -> tuple[str, Line] | None:
    """Return the role and the name that begin a longer phrase: "wife Ana wants to kill me"; None for no such."""
    words = line.folded.split(maxsplit=3)
    for length in (3, 2, 1):
        noun = " ".join(words[:length])
        if noun in kit.roles:
            rest = line.after(len(noun) + 1)
            name = _opening_name(kit, bare(kit, rest))
            if _says_whose(kit, rest) or (
                name.folded.strip() in kit.roles and genitive(kit, line.written.split()[0])
            ):
                return None  # "Opas Hund"
            is_named = name.folded and is_name(kit, name) and not _is_what_somebody_does(kit, noun, name, rest)
            return (noun, name) if is_named else None
    return None


def _is_what_somebody_does(kit: LanguageKit, noun: str, name: Line, phrase: Line) -> bool:
    """Return whether a capitalised word after a role is a language, an instrument or a sport, and so no name.

    "I speak English, my wife French", "ich spiele Klavier, mein Bruder Gitarre". A dog may be called Polo, and "el
    Checo" is a nickname.

    phrase: the name with its article.
    """
    if relation_kind(kit.roles[noun]).role == "pet" or name.folded.strip() in kit.words.first_names:
        return False
    has_article = kit.patterns.articles.match(phrase.folded) is not None
    if has_article and name.written[:1].isupper() and not kit.table.capitals_are_nouns:
        return False
    return kit.clause_patterns.listed.fullmatch(name.folded) is not None


def does_something(kit: LanguageKit, line: Line) -> bool:
    """Return whether an unknown word follows a role: "cousin yodels", not "cousin Declan" or "boss at".

    It is mostly a verb. Names have a capital or are known.
    """
    words, at, roles = line.folded.split(), 0, kit.roles.keys() | kit.words.kin | kit.words.several
    for number, word in enumerate(words):
        nouns = (" ".join(words[number : number + length]) for length in (3, 2, 1))
        if noun := next((each for each in nouns if each in roles), ""):
            rest = bare(kit, line.after(at + len(noun) + 1))
            more = rest.after(len(_opening_name(kit, rest).folded)).folded.split()
            return bool(more) and more[0] not in kit.words.closed and more[0].isalpha()
        at += len(word) + 1
    return False


def role_named(kit: LanguageKit, line: Line, mentions: Mentions) -> str | None:
    """Return the name of the person whose role begins a phrase ("sister Ana"), or the role if there is no name."""
    if named := role_opening(kit, line):
        return plain(named[1])
    noun = opening_noun(kit, line)
    return mentions.called(noun, line) if noun and noun not in kit.words.several else None


def opening_noun(kit: LanguageKit, line: Line) -> str:
    """Return the role noun that begins a phrase; empty for none."""
    words = line.folded.split()[:3]
    nouns = (" ".join(words[:length]) for length in (3, 2, 1))
    return next((noun for noun in nouns if noun in kit.roles), "")


def _opening_name(kit: LanguageKit, line: Line) -> Line:
    """Return the name that begins a phrase: words with capitals, else a first name, or a title and a name."""
    name = capitalised(line)
    words = line.folded.split(maxsplit=2)
    if name.folded or not words:
        return name
    if len(words) > 1 and words[0] in kit.words.title and words[1] not in kit.words.stopwords:
        return line.part(0, len(words[0]) + len(words[1]) + 2)
    after = (kit.words.finite | kit.words.nominative) - kit.words.speaker  # "ma nièce danse je souris" names nobody
    is_informal = line.written == line.folded and len(words) > 1 and words[1] in after
    if words[0] in kit.words.first_names or (is_informal and _may_be_name(kit, words[0])):
        return line.part(0, len(words[0]) + 1)
    return name


def _may_be_name(kit: LanguageKit, word: str) -> bool:
    """Return whether a lower-case word between a role and a verb may be a name rather than an adverb."""
    return word not in kit.words.adverbs and not word.endswith(kit.endings.adverb_endings)


def looks_named(kit: LanguageKit, name: Line) -> bool:
    """Return whether a name has a capital, or is a known one."""
    words = name.folded.split()
    return name.written.split()[-1][0].isupper() or words[0] in kit.words.first_names or words[0] in kit.words.title


def capitalised(line: Line) -> Line:
    """Return up to three words with capitals that begin a line; "d'" may stand between: "Marie d' Ormesson"."""
    end, words = 0, line.written.split(maxsplit=4)[:4]
    for at, word in enumerate(words):
        is_particle = end and word == "d'" and words[at + 1 : at + 2] and words[at + 1][0].isupper()
        if not is_particle and (not word[0].isupper() or (at == 3 and "d'" not in words)):
            break
        end += len(word) + 1
    return line.part(0, end)


def mention_of(kit: LanguageKit, noun: str, text: str) -> Referent:
    """Return a mention of somebody in a role.

    noun: the folded word for the role.
    text: the name or the noun.
    """
    is_group = noun in kit.words.several and fold(text) == noun
    return Referent(text, MANY if is_group else kit.genders.get(noun, SOMEBODY), kit.roles[noun])


def _subject(kit: LanguageKit, line: Line, mentions: Mentions, relation: str) -> Subject | None:
    """Return the subject that one conjunct names; None if it names none or it cannot be resolved."""
    line, kind = trim(kit, line), relation_kind(relation)
    word = line.folded.strip()
    if not word:
        return None
    if word in kit.words.speaker:
        return Subject(YOU)
    if word in kit.others:
        mention = mentions.meant(word, THING if kind.subject == "EVENT" else kit.others[word])
        return Subject(mention, guess=True) if mention else None
    if word.split()[0] in kit.words.never_subject:
        return None
    if belongs := kit.patterns.other_possessives.match(line.folded):
        owner = mentions.meant(belongs[0].strip(), kit.others.get(belongs[0].strip(), SOMEBODY))
        return _of_another(kit, line.after(belongs.end()), owner)
    return _noun_phrase(kit, line, mentions, relation)


def _noun_phrase(kit: LanguageKit, line: Line, mentions: Mentions, relation: str) -> Subject | None:
    """Return the subject that a noun phrase or a name means; None if it means a stranger or cannot be a subject."""
    kind = relation_kind(relation)
    article = kit.patterns.articles.match(line.folded)
    # Italian puts an article before "my": "la mia vicina".
    if article and kit.patterns.possessives.match(line.folded, article.end()):
        line = line.after(article.end())
    owned = kit.patterns.possessives.match(line.folded)
    opening = owned or article
    rest = line.after(opening.end()) if opening else line
    first = rest.folded.split(maxsplit=1)[0] if rest.folded.strip() else ""
    if not first or (
        first in kit.words.never_subject and not (owned and (first in kit.words.kin or first in kit.roles))
    ):
        return None
    if (article or owned) and (chained := _chained(kit, rest, mentions)):
        return chained
    of_place = _of_place(kit, rest) if owned else None
    if kind.subject != "EVENT" and (role := of_place or role_phrase(kit, rest)):
        # "Kids" without "my" are nobody's in particular.
        is_nobody = not opening and role[0] in kit.words.several and not role[1].folded
        return None if is_nobody else _in_role(kit, *role, mentions, rest)
    if owned or (article and (kind.of_things or relation == "called")):
        # "Der Hund von Ben" is not the speaker's.
        is_of_another = not owned and _says_whose(kit, rest.after(len(opening_noun(kit, rest)) + 1))
        return None if is_of_another else _owned(kit, rest, mentions, relation)
    is_named = rest.written[0].isupper() or first in kit.words.first_names or mentions.knows(plain(rest))
    if article and not is_named and relation not in _OF_FRIENDS:
        return None
    return _named(kit, rest, mentions, relation)


def _of_place(kit: LanguageKit, line: Line) -> tuple[str, Line] | None:
    """Return the role noun in "sœur de Lyon", without a name; None for no such."""
    noun = opening_noun(kit, line)
    after = line.after(len(noun) + 1)
    if not noun or noun in kit.words.several or not _says_whose(kit, after):
        return None
    return (noun, Line("", "")) if capitalised(bare(kit, after)).folded else None


def _chained(kit: LanguageKit, line: Line, mentions: Mentions) -> Subject | None:
    """Return a relative of the speaker's relative, who has no role for the speaker: "brother 's wife Ana".

    Without a name it is "brother's wife", so that nothing is stated about the speaker's own wife.
    """
    for pattern in kit.each.chains:
        match = pattern.match(line.folded)
        if match is None:
            continue
        owner, rest = line.group(match, "owner"), line.after(match.end())
        is_owner_last = match.end("owner") == match.end()
        if is_owner_last:  # "el marido de mi hermana Eva": the name is the sister's
            owner, rest = join(owner, rest), Line("", "")
        name = trim(kit, bare(kit, rest))
        whose = role_phrase(kit, owner) or role_phrase(kit, _without_genitive(owner))
        if whose is None or (name.folded and not (is_name(kit, name) and looks_named(kit, name))):
            continue
        noun, theirs = match["role"].strip(), plain(trim(kit, bare(kit, whose[1]))) if whose[1].folded else ""
        facts = role_facts(kit.roles[whose[0]], theirs) if theirs else []
        theirs = theirs or mentions.called(whose[0], owner)
        gender = kit.genders.get(noun, SOMEBODY)
        if name.folded:
            facts += role_facts(kit.roles[noun], plain(name), theirs)
            return Subject(Referent(plain(name), gender), facts)
        role, link = line.spelling(noun), line.part(match.end("role"), max(match.end("role"), match.start("owner")))
        kept = [word for word in link.written.lower().split() if fold(word) not in kit.words.possessives]
        text = plain(join(line.part(0, match.end("role")), link, owner)) if is_owner_last else f"{theirs}'s {role}"
        if is_owner_last and facts and kept:  # "marido de eva", who is a sister
            text = " ".join([role, *kept, theirs])
        return Subject(Referent(text, gender), facts, role=kit.roles[noun], owner=theirs)
    return None


def owner_of(kit: LanguageKit, line: Line, mentions: Mentions) -> Referent | None:
    """Return whose relative is meant by "hermana Carmen", "Bruders" or "Eva": Carmen, the brother, Eva.

    None if the phrase is neither a relative nor a name.
    """
    for way in (line, _without_genitive(line)):
        if whose := role_phrase(kit, way):
            noun, name = whose
            text = plain(trim(kit, bare(kit, name))) if name.folded else mentions.called(noun, way)
            return mention_of(kit, noun, text)
    return Referent(plain(line), SOMEBODY) if is_name(kit, line) else None


def _without_genitive(line: Line) -> Line:
    """Cut the ending of a German genitive: "[meines] Bruders", "[meines] Mannes"."""
    cut = re.sub(r"e?s (?=$)", " ", line.folded)
    return line if cut == line.folded else Line(f"{line.written[: len(cut) - 1]} ", cut)


def _of_another(kit: LanguageKit, line: Line, owner: Referent | None) -> Subject | None:
    """Return somebody else's relative, who has no role for the speaker."""
    role = role_phrase(kit, line)
    if role is None or owner is None:
        return None
    gender = kit.genders.get(role[0], SOMEBODY)
    if not role[1].folded:
        named = Referent(line.spelling(_shortest(kit, role[0])), gender)
        return Subject(named, guess=True, role=kit.roles[role[0]], owner=owner.text)
    name = plain(trim(kit, bare(kit, role[1])))
    return Subject(Referent(name, gender), role_facts(kit.roles[role[0]], name, owner.text), guess=True)


def _in_role(kit: LanguageKit, noun: str, rest: Line, mentions: Mentions, phrase: Line) -> Subject:
    """Return a relative of the speaker as a subject. rest: the name after the role noun; may be empty."""
    if rest.folded:
        name = plain(trim(kit, bare(kit, rest)))
        mentions.name(kit.roles[noun], noun, name)
        return Subject(mention_of(kit, noun, name), role_facts(kit.roles[noun], name))
    return Subject(mention_of(kit, noun, mentions.named.get(noun, phrase.spelling(_shortest(kit, noun)))))


def _shortest(kit: LanguageKit, noun: str) -> str:
    """Return the word of "hermana mayor" or "petite sœur" that names the role by itself."""
    words = noun.split()
    return next((word for word in (words[0], words[-1]) if kit.roles.get(word) == kit.roles[noun]), noun)


def shortened(kit: LanguageKit, line: Line) -> Line:
    """Cut what tells a thing from others: "the drive [to my folks]"."""
    match = kit.cuts["subject"].search(line.folded, 1)
    return trim(kit, line.part(0, match.start())) if match and match.start() else line


def _owned(kit: LanguageKit, line: Line, mentions: Mentions, relation: str) -> Subject | None:
    """Return the subject of a phrase after "my" or an article: a relative or a thing of the speaker's."""
    line = shortened(kit, line)
    words = line.folded.split()
    if line.folded.strip() in kit.roles:
        return _in_role(kit, line.folded.strip(), Line("", ""), mentions, line)
    if len(words) == 2 and words[1] in kit.words.first_names:
        return Subject(Referent(words[1] if words[1].isascii() else plain(line).split()[1], SOMEBODY))
    if line.folded.strip() in kit.words.kin:
        return Subject(Referent(mentions.named.get(line.folded.strip(), plain(line)), SOMEBODY))
    if words[0] in kit.words.kin:
        name = line.after(len(words[0]) + 1)
        is_named = bool(name.folded) and name.written[0].isupper() and is_name(kit, name)
        return Subject(Referent(plain(name) if is_named else mentions.called(words[0], line), SOMEBODY))
    never = kit.words.finite | kit.words.speaker | kit.words.possessive_words
    if len(words) > 4 or relation in ("is", "friends") or any(word in never for word in words):
        return None
    text = plain(line)
    return Subject(Referent(mentions.named.get(text, text), THING))


def _named(kit: LanguageKit, line: Line, mentions: Mentions, relation: str) -> Subject | None:
    """Return the subject of a phrase without "my": something mentioned before, a thing, or a name that is known."""
    text = plain(line)
    if text == NOTED:
        return Subject(Referent(NOTED, SOMEBODY))
    if mentions.knows(text):
        return Subject(next(mention for mention in mentions.stack if mention.text == text))
    if relation_kind(relation).of_things:
        line = shortened(kit, line)
        text = plain(line)
        words = line.folded.split()
        opens = line.written.split()[0] in kit.words.conjugated and (len(words) > 1 or kit.table.drops_subject)
        is_thing = (
            not opens
            and len(words) <= 3
            and not any(word in kit.words.finite | kit.words.stopwords for word in words)
        )
        return Subject(Referent(text, THING), guess=True) if is_thing else None
    if not is_name(kit, line) or relation == "called":
        return None
    is_introduced = (
        relation in _OF_FRIENDS
        or mentions.introduced(line.folded.split()[0])
        or line.folded.strip() in (kit.words.names_anywhere if line.written[0].isupper() else kit.words.first_names)
    )
    return Subject(Referent(text, SOMEBODY), guess=not line.written[0].isupper()) if is_introduced else None
