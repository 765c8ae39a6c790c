"""Selects the part of a turn that is read: the prose that somebody wrote, not what they pasted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import pairwise

LIMIT = 3000
"""The most characters of a turn that are read, so that a pasted megabyte costs no time."""

LONGEST = 400
"""The most characters of a sentence that are read."""

STRAIGHT_QUOTES = str.maketrans("’´`", "'''")
"""Maps the apostrophes that people type to the straight one. The length of a text stays the same."""

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_INLINE = re.compile(r"`[^`\n]*`")
_QUOTE = re.compile(r"[\"“”„«»‟]([^\"“”„«»‟\n]*)[\"“”„«»‟]|‚([^‘\n]*)‘|‘([^’\n]*)’")
_PASTED = re.compile(
    r"^\s*(?:>|\||[•▪◦‣]|#!|//|/\*|\$ |<\w+|</|\{|\}|@\w+\(|(?:from|to|subject|date|cc|von|an|betreff|de|asunto|objet"
    r"|oggetto|sent|re|fwd|wg|aw)\s*:|-----|\d{4}-\d\d-\d\d[ T](?:\d|\[?(?:error|warn|info|debug|fatal|trace)\b)"
    r"|\[\d|\d\d:\d\d:\d\d|\[?(?:error|warn(?:ing)?|info"
    r"|debug|fatal|trace|traceback|exception)\b\]?[\s:]|(?:def|class|import|function|const|let|var|return|select"
    r"|insert|update)\s+[\w*]+\s*[({=;:]|at \w+[.\w]*\()",
    re.IGNORECASE,
)
# What a program prints stands after a command, up to an empty line before one that is not indented.
_COMMAND = re.compile(
    r"^[ \t]*(?:\$ [a-z]|[\w.-]+@[\w.-]+:\S*[$#] |PS [A-Z]:\\)(?:(?!\n\s*\n(?![ \t\n])).)*", re.MULTILINE | re.DOTALL
)
_MAIL_HEADER = re.compile(
    r"^(?:from|to|subject|date|cc|sent|von|an|betreff|gesendet|datum|de|para|asunto|fecha|objet|à|envoyé|da|a|oggetto)"
    r"\s*: *\S.*$",
    re.IGNORECASE | re.MULTILINE,
)
# A line of a pasted conversation. These are somebody else's words, and may be orders in the name of the system.
_ROLE = re.compile(r"^\s*[\[<#*]*(?:system|assistant|user|human|ai|developer|tool)[\]>*]*\s*:", re.IGNORECASE)
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f\u200b-\u200f\ufeff]")
_MACHINE = re.compile(
    r"\w+\(\w*\)|[\w-]+=[\w\"'/.]+|[{}<>;]{2,}|/\w+/\w+|https?://|\w+::\w+|\berror \d{3}\b|==", re.I
)
# An emoji ends a sentence. A flag does not: it stands beside the name of a place.
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\U0001f3fb-\U0001f3ff]+")
_FLAG = re.compile("[\U0001f1e6-\U0001f1ff]+")
_END = re.compile(r"[.!?…]+[\"')\]]*(?=\s|$)|\n+")


def prose(text: str, speaker: frozenset[str] = frozenset(), verbs: frozenset[str] = frozenset()) -> str:
    """Return the part of a turn that states things: no code, log lines, mail headers, quoted or pasted lines,
    bullets.

    Reads at most LIMIT characters. Quotations of more than four words are cut. Shorter ones are mostly titles; they
    stay, without their quotation marks, unless they are speech: "I live in Rome" begins with a word of `speaker` and
    has words without a capital; the title "I Am Legend" has none. Titles begin with a word of `verbs`, too ("Vivo per
    lei"). So it begins speech only where a sentence begins and a comma follows: "Vivo a Roma", dice lui.
    """
    text = _before_mail(_CONTROL.sub("", text[:LIMIT].replace("\r\n", "\n").replace("\r", "\n")))
    text = _EMOJI.sub("\n", _FLAG.sub(" ", text))
    text = _COMMAND.sub("", _INLINE.sub(" ", _FENCE.sub(" ", text))).translate(STRAIGHT_QUOTES)
    text = _QUOTE.sub(partial(_short_quotation, speaker, verbs), text)
    return "\n".join(line for line in text.split("\n") if not _is_pasted(line))


def sentences(text: str, abbreviations: frozenset[str]) -> Iterator[str]:
    """Yield the sentences of prose, each with its final mark; of a longer one, the first LONGEST characters.

    abbreviations: in lower case, with their full stop, which does not end a sentence.
    """
    start = 0
    for end in _END.finditer(text):
        words = text[start : end.end()].split()
        if words and _is_abbreviation(words[-1], abbreviations):
            continue
        yield _cut(text[start : end.end()])
        start = end.end()
    yield _cut(text[start:])


def _cut(sentence: str) -> str:
    sentence = sentence.strip()
    return sentence if len(sentence) <= LONGEST else sentence[:LONGEST].rpartition(" ")[0]


def _is_abbreviation(word: str, abbreviations: frozenset[str]) -> bool:
    bare = word.lower().lstrip("(\"'")
    return bare in abbreviations or (len(bare) == 2 and bare[1] == "." and word[0].isupper())


def _short_quotation(speaker: frozenset[str], verbs: frozenset[str], quote: re.Match[str]) -> str:
    """Return what replaces a quotation: a short one without its marks, or "…" for a longer one or speech."""
    inside = next((group for group in quote.groups() if group is not None), "")
    before, after = quote.string[: quote.start()].rstrip(), quote.string[quote.end() :].lstrip()
    words = inside.split()
    first, apostrophe, _ = words[0].lower().partition("'") if words else ("", "", "")
    begins = not speaker.isdisjoint({first, f"{first}{apostrophe}"})  # "I'm", "j'ai"
    is_sentence = after.startswith(",") and (not before or before.endswith((".", "!", "?", "\n")))
    begins = begins or (is_sentence and first in verbs)
    speaks = len(words) > 1 and begins and not all(word[0].isupper() for word in words[1:])
    is_speech = before.endswith((":", ",")) or len(words) > 4 or speaks
    return " … " if is_speech else f" {inside} "


def _before_mail(text: str) -> str:
    """Return the text before a pasted mail. Two header lines in a row begin one: a single one may be prose."""
    headers = list(_MAIL_HEADER.finditer(text))
    for first, second in pairwise(headers):
        if second.start() - first.end() == 1:
            return text[: first.start()]
    return text


def _is_pasted(line: str) -> bool:
    return bool(_PASTED.match(line) or _ROLE.match(line) or _MACHINE.search(line))


def question_at_end(text: str) -> str:
    """Return the question that a reply ends with; empty if it ends with none."""
    said = [sentence for sentence in sentences(prose(text[-LONGEST:]), frozenset()) if sentence]
    return said[-1] if said and said[-1].endswith("?") else ""
