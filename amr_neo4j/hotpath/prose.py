"""What of a turn is read: the prose somebody wrote, not what they pasted."""

from __future__ import annotations

import re
from collections.abc import Iterator

LIMIT = 3000
"""Characters of a turn that are looked at; what follows is left alone, so that a pasted megabyte costs nothing."""

LONGEST = 400
"""Characters of a sentence that are read."""

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_INLINE = re.compile(r"`[^`\n]*`")
_QUOTE = re.compile(r"[\"“”„«»‟]([^\"“”„«»‟\n]*)[\"“”„«»‟]|‚([^‘\n]*)‘|‘([^’\n]*)’")
_PASTED = re.compile(
    r"^\s*(?:>|\||[•▪◦‣]|#!|//|/\*|\$ |<\w+|</|\{|\}|@\w+\(|(?:from|to|subject|date|cc|von|an|betreff|de|asunto|objet"
    r"|oggetto|sent|re|fwd|wg|aw)\s*:|-----|\d{4}-\d\d-\d\d[ T]\d|\[\d|\d\d:\d\d:\d\d|\[?(?:error|warn(?:ing)?|info"
    r"|debug|fatal|trace|traceback|exception)\b\]?[\s:]|(?:def|class|import|function|const|let|var|return|select"
    r"|insert|update)\s+[\w*]+\s*[({=;:]|at \w+[.\w]*\()",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"\w+\(\w*\)|[\w-]+=[\w\"'/.]+|[{}<>;]{2,}|/\w+/\w+|https?://|\w+::\w+|\berror \d{3}\b|==", re.I
)
_END = re.compile(r"[.!?…]+[\"')\]]*(?=\s|$)|\n+|[\U0001F300-\U0001FAFF☀-➿]+")


def prose(text: str) -> str:
    """The part of a turn that states things: no code, log lines, mail headers, quoted or pasted lines, bullets.

    At most LIMIT characters are read. Quotations of more than four words are cut; shorter ones, titles, lose their
    marks.
    """
    text = _INLINE.sub(" ", _FENCE.sub(" ", text[:LIMIT])).replace("’", "'").replace("´", "'").replace("`", "'")
    text = _QUOTE.sub(_short_quotation, text)
    return "\n".join(line for line in text.split("\n") if not _is_pasted(line))


def sentences(text: str, abbreviations: frozenset[str]) -> Iterator[str]:
    """The sentences of prose, each with its mark; of one that never ends, the first LONGEST characters."""
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


def _short_quotation(quote: re.Match[str]) -> str:
    inside = next((group for group in quote.groups() if group is not None), "")
    before = quote.string[: quote.start()].rstrip()
    is_speech = before.endswith((":", ",")) or len(inside.split()) > 4
    return " … " if is_speech else f" {inside} "


def _is_pasted(line: str) -> bool:
    return bool(_PASTED.match(line) or _MACHINE.search(line))
