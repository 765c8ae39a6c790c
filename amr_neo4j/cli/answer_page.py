"""Shows an answer as pictures, or as one self-contained page that loads nothing from elsewhere."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from amr_neo4j.cli.printing import event_place, note, span
from amr_neo4j.domain.recall import Answer, Citation, Hit, TurnCitation
from amr_neo4j.errors import AmrError, InputError
from amr_neo4j.files import write_atomically
from amr_neo4j.language.grammar import Grammar
from amr_neo4j.language.languages import ENGLISH, language

if TYPE_CHECKING:
    from amr_neo4j.memory import Memory

# The width in pixels of pictures and clips in a page. A citation of 10 s then takes about 0.3 MB.
_WIDTH = 640
# A page with more clips is too large for a browser. Further citations get only their picture.
_MOST_CLIPS = 12
# A citation is of a part of its event if it is shorter by more than this many seconds.
_SAME_S = 0.05


def write_pictures(memory: Memory, answer: Answer, folder: Path) -> None:
    """Write event-<node_id>.jpg for each cited event. If there is no picture, standard error says why."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise InputError(f"{folder} is not a folder", hint="name a folder") from error
    for citation in _events(answer):
        file = folder / f"event-{citation.node_id}.jpg"
        try:
            memory.save_picture(citation.node_id, file)
        except AmrError as error:
            # The source file of one event may be gone. The others still get their pictures.
            note(f"no picture of event {citation.node_id}: {error.message}")
        else:
            note(f"wrote {file}")


def write_page(memory: Memory, answer: Answer, file: Path) -> None:
    """Write the page. An existing file is replaced as a whole. Raises InputError: the folder does not exist."""
    if not file.absolute().parent.is_dir():
        raise InputError(f"there is no folder {file.absolute().parent}", hint="create it first, or name another")
    # private: the page shows people and what they said.
    write_atomically(file, _page(memory, answer), private=True)
    note(f"wrote {file}")


def _events(answer: Answer) -> list[Citation]:
    """Return the events of videos cited, each once, in order."""
    # An answer may cite an event several times, for different words.
    return list({c.node_id: c for c in answer.citations if isinstance(c, Citation)}.values())


def _page(memory: Memory, answer: Answer) -> str:
    words = language(answer.language).answers
    page = _Page(memory, Grammar(words) if words else ENGLISH.grammar, memory.settings.language)
    cited = {citation.node_id for citation in answer.citations}
    hits = {hit.event.node_id: hit for hit in answer.evidence}
    shown = _events(answer)
    spoken = {c.node_id: c for c in answer.citations if isinstance(c, TurnCitation)}
    articles = [page.article(c, hits.get(c.node_id), has_clip=n < _MOST_CLIPS) for n, c in enumerate(shown)]
    articles += [_turn(citation, hits.get(node_id)) for node_id, citation in spoken.items()]
    say = page.grammar.say
    uncited = [hit for node_id, hit in hits.items() if node_id not in cited]
    others = [f"<li>{escape(event_place(hit.event))}: {page.told(hit.text, 'span')}</li>" for hit in uncited]
    return Template(Path(__file__).with_name("answer_page.html").read_text(encoding="utf-8")).substitute(
        language=escape(answer.language),
        question=escape(answer.question.text),
        answer=_linked(answer),
        confidence=escape(say("page_confidence", percent=round(answer.confidence * 100))),
        notes="\n".join(f'<p class="note">{escape(line)}</p>' for line in answer.notes),
        citations="\n".join(articles),
        stretch=page.stretch(answer),
        others=f"<h2>{escape(say('page_also'))}</h2>\n<ul>{''.join(others)}</ul>" if others else "",
        footer=escape(say("page_footer", group=memory.group_id)),
    )


def _linked(answer: Answer) -> str:
    """Return the text of the answer, with its citations as links to their articles."""
    # Escaped first, so that the links inserted below stay links. An event may be cited with several labels.
    linked = escape(answer.text)
    for label, citation in {escape(c.label): c for c in answer.citations}.items():
        linked = linked.replace(label, f'<a href="#{_anchor(citation)}">{label}</a>')
    return linked


def _anchor(citation: Citation | TurnCitation) -> str:
    # Turns have negative node_ids.
    return f"event-{citation.node_id}" if isinstance(citation, Citation) else f"turn{citation.node_id}"


@dataclass(frozen=True)
class _Page:
    """Writes the parts of a page.

    grammar: of the answer's language.
    footage: code of that of the analyses.
    """

    memory: Memory
    grammar: Grammar
    footage: str

    def told(self, text: str, tag: str = "p") -> str:
        """Return words of an analysis, marked as being in its language."""
        return f'<{tag} lang="{escape(self.footage)}">{escape(text)}</{tag}>'

    def article(self, citation: Citation, hit: Hit | None, *, has_clip: bool) -> str:
        summary = self.told(hit.event.summary_text) if hit else ""
        said = "".join(self.told(f"“{line}”") for line in hit.event.dialogue_snippets) if hit else ""
        how = "".join(f'<p class="how">{escape(line)}</p>' for line in self._how(hit)) if hit else ""
        body = self._shown(citation, has_clip)
        head = f'<article id="{_anchor(citation)}">\n<h2>{escape(citation.label)}</h2>'
        return f"{head}\n{summary}{said}{body}{how}</article>"

    def stretch(self, answer: Answer) -> str:
        """Return what is around the cited events, in order of time, with those as links to their articles."""
        cited = {citation.node_id for citation in answer.citations}
        if not answer.shows_more_around:
            return ""
        lines: list[str] = []
        for line in answer.stretch.lines:
            text = escape(line.text)
            if not line.citation:
                lines.append(f"<h3>{text}</h3>")
            elif line.citation.node_id in cited:
                lines.append(f'<p class="cited"><a href="#{_anchor(line.citation)}">{text}</a></p>')
            else:
                lines.append(f"<p>{text}</p>")
        head = f"<h2>{escape(self.grammar.say('page_around'))}</h2>"
        return f'<article class="stretch">\n{head}\n' + "\n".join(lines) + "</article>"

    def _shown(self, citation: Citation, has_clip: bool) -> str:
        """Return the picture and the clip, or why there are none."""
        say, memory = self.grammar.say, self.memory
        with tempfile.TemporaryDirectory() as folder:
            still, clip = Path(folder) / "still.jpg", Path(folder) / "clip.mp4"
            try:
                there = memory.filmed(citation.node_id)
                into = citation.time_start - there.video_start
                # Of quoted words: their second. Else the event's moment with most boxes.
                is_part = citation.time_end - citation.time_start < there.end - there.start - _SAME_S
                second = (citation.time_start + citation.time_end) / 2 if is_part else None
                memory.save_picture(citation.node_id, still, second=second, width=_WIDTH)
                if has_clip:
                    memory.save_clip(citation.node_id, clip, width=_WIDTH)
            except AmrError as error:
                if not still.exists():
                    return f'<p class="missing">{escape(say("page_no_picture", reason=error.message))}</p>'
                missing = escape(say("page_no_clip", reason=error.message))
                return f'{self._figure(still, citation)}<p class="missing">{missing}</p>'
            film = ""
            if clip.exists():
                # The clip begins a second before the event: it plays from the second that is cited.
                begin = min(1.0, there.start) + into
                film = (
                    f'<video controls preload="metadata" src="{_data(clip, "video/mp4")}#t={begin:.2f}" '
                    f'title="{escape(citation.label)}"></video>'
                )
            return f'<div class="shown">{self._figure(still, citation)}{film}</div>'

    def _figure(self, still: Path, citation: Citation) -> str:
        seconds = span(citation.time_start, citation.time_end)
        caption = escape(self.grammar.say("page_of", span=seconds, video=citation.video_id))
        return (
            f'<figure><img alt="{caption}" src="{_data(still, "image/jpeg")}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )

    def _how(self, hit: Hit) -> Iterator[str]:
        """Yield how it was found, and the path that led to it."""
        if hit.ranks:
            ranked = ", ".join(f"{retriever} #{rank}" for retriever, rank in hit.ranks.items())
            yield self.grammar.say("page_found", rankings=ranked)
        is_walked = hit.path and hit.path.edges
        yield self.grammar.say("page_path", trail=hit.trail) if is_walked else self.grammar.say("page_unwalked")


def _turn(citation: TurnCitation, hit: Hit | None) -> str:
    head = f'<article id="{_anchor(citation)}">\n<h2>{escape(citation.label)}</h2>'
    said = f'<p class="how">{citation.valid_at:%Y-%m-%d %H:%M %Z}</p>' if citation.valid_at else ""
    return f"{head}\n{f'<p>“{escape(hit.event.summary_text)}”</p>' if hit else ''}{said}</article>"


def _data(file: Path, kind: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"
