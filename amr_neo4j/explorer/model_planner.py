"""A chat model as the planner. In one dialogue, it returns a decision per turn as strict JSON (specification 003)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite
from pathlib import PurePath

from amr_neo4j.domain.chat import CHARACTERS_PER_TOKEN, Attachment, Message, Prompt, Usage
from amr_neo4j.domain.exploration import Decision, ProposedPath, Span, Visit
from amr_neo4j.domain.ports import ChatModel, Counting
from amr_neo4j.domain.replies import PathDecision, PathReply
from amr_neo4j.errors import CostLimit, ModelFailed, ReplyCut, RequestModerated, UnusableReply
from amr_neo4j.explorer.policy import Policy
from amr_neo4j.explorer.tree import next_free
from amr_neo4j.prompts.library import Plain, prompt, prompt_part
from amr_neo4j.threads import side_by_side

# Characters of a rationale in the summary of older turns.
_LONGEST_REASON = 300
# Characters of a reply that could not be read, in the tree.
_LONGEST_RAW = 20_000
# The confidence of a decision that states none: neither doubt, which would end the run, nor a promise.
_UNSTATED = 0.5
# The most first paths that are asked for, however many looks there are. A reply with many more would be cut off.
_MOST_FIRST = 100
# The most ranges not looked at yet that the model is told.
_MOST_RANGES = 40
# Errors of one reply or one segment, after which the next may go well: they end one path, and not the exploration.
_OF_ONE_REPLY = (ReplyCut, RequestModerated, UnusableReply)


@dataclass(frozen=True)
class VideoFacts:
    """What the model is told about the video before it sees any of it.

    unheard: whether it has sound that the model which looks does not get.
    """

    duration_s: float
    width: int
    height: int
    fps: float
    unheard: bool = False


class ModelPlanner:
    """Decides by asking a chat model."""

    def __init__(
        self,
        model: ChatModel,
        counting: Counting,
        question: str,
        *,
        video: VideoFacts,
        policy: Policy,
        anchors: Sequence[ProposedPath] = (),
        budget: int = 100_000,
    ) -> None:
        """anchors: ranges where memory expects the answer; the model is told of them.
        budget: the tokens that a request may have. Near this limit, older turns are summarised.
        """
        self._model, self._counting, self._policy = model, counting, policy
        known = "\n".join(f"{each.start_s:g}-{each.end_s:g} s: {each.strategy}" for each in anchors)
        root = prompt(
            "explore",
            question=question,
            memory=known,
            seconds=round(video.duration_s, 3),
            width=video.width,
            height=video.height,
            fps=round(video.fps, 3),
            unheard=Plain(prompt_part("explore", "unheard") if video.unheard else ""),
            limit=policy.per_expand_limit,
            first=min(policy.root_limit, _MOST_FIRST),
            depth=policy.max_depth,
        )
        self._dialogue = PlannerDialogue(root, budget)

    def resume(self, root: Decision, visits: Sequence[tuple[Visit, Decision]]) -> None:
        """Take up an earlier run: its first reply, and each of its turns as one line, without the pictures."""
        self._dialogue.open(_reply(root))
        self._dialogue.take_up([DialogueTurn("", "", line=_line(visit, decision)) for visit, decision in visits])

    def begin(self) -> Decision:
        """Ask for the first paths."""
        decision, reply = self._ask(self._dialogue.root)
        self._dialogue.open(reply)
        return decision

    def decide(self, visits: Sequence[Visit]) -> list[Decision]:
        """Ask about each visit. Several visits are asked about side by side, each on its own fork of the dialogue."""
        turns = [self._turn(visit) for visit in visits]
        prompts = [self._dialogue.asking(turn) for turn in turns]
        ask = partial(self._ask, one_path=True)
        answers = side_by_side(ask, prompts)
        # Only after all replies, so that no fork of the dialogue sees another one of the same batch.
        for visit, turn, (decision, reply) in zip(visits, turns, answers, strict=True):
            # Messages that led to no usable reply would spoil the next one as well.
            if decision.failed:
                continue
            self._dialogue.add(DialogueTurn(turn.tool, turn.ask, turn.shown, reply, _line(visit, decision)))
        return [decision for decision, _ in answers]

    def conclude(self, why: str) -> Decision:
        """Ask for the best answer that can be given from what was seen."""
        decision, _ = self._ask(self._dialogue.asking(DialogueTurn("", prompt_part("explore", "end"))))
        return decision

    def more(self, unseen: Sequence[Span], looks: int) -> list[Decision]:
        """Ask for further first paths."""
        ranges = ", ".join(f"{each.start_s:g}-{each.end_s:g}" for each in unseen[:_MOST_RANGES])
        turn = DialogueTurn("", prompt_part("explore", "more", unseen=Plain(ranges), looks=min(looks, _MOST_FIRST)))
        decision, reply = self._ask(self._dialogue.asking(turn))
        line = prompt_part("explore", "more_earlier", decision=Plain(decision.kind))
        self._dialogue.add(DialogueTurn("", turn.ask, reply=reply, line=line))
        return [decision]

    def _ask(self, asked: Prompt, one_path: bool = False) -> tuple[Decision, str]:
        """Return (the decision, the reply). A call that fails becomes a failed decision, so that its cost counts.

        one_path: where only the reply fails, only the path that it is about ends.
        """
        with self._counting() as calls:
            try:
                reply, repairs = self._model.ask(asked, PathDecision, _check)
            except ModelFailed as error:
                kind = "discard" if one_path and isinstance(error, _OF_ONE_REPLY) else "terminate"
                raw = error.text if isinstance(error, (ReplyCut, UnusableReply)) else ""
                why = "max_cost" if isinstance(error, CostLimit) else "model_failed"
                return Decision(kind, str(error), failed=why, raw=raw[:_LONGEST_RAW], usage=Usage.of(calls)), ""
        return _decision(reply, repairs, Usage.of(calls)), reply.model_dump_json()

    def _turn(self, visit: Visit) -> DialogueTurn:
        ask = prompt_part(
            "explore",
            "node",
            id=Plain(visit.node_id),
            depth=visit.depth,
            most=self._policy.max_depth,
            may=Plain(self._may(visit)),
        )
        seen = prompt_part("explore", "seen", seen=visit.look.text) if visit.look.text else ""
        said = prompt_part("explore", "said", said="\n".join(visit.look.said)) if visit.look.said else ""
        return DialogueTurn(_tool_result(visit), "\n\n".join(filter(None, [seen, said, ask])), visit.look.attachments)

    def _may(self, visit: Visit) -> str:
        if not visit.may_expand:
            return prompt_part("explore", "may_not_expand")
        child = Plain(next_free(visit.node_id, ()))
        return prompt_part("explore", "may_expand", child=child, limit=self._policy.per_expand_limit)


def _tool_result(visit: Visit) -> str:
    """Return what the clip tool returned, in words. If the model sees no pictures, this is all it learns of the
    segment.
    """
    segment = visit.segment
    return prompt_part(
        "explore",
        "tool",
        id=Plain(visit.node_id),
        path=Plain(PurePath(segment.path).name),
        start=round(segment.span.start_s, 3),
        end=round(segment.span.end_s, 3),
        duration=round(segment.span.seconds, 3),
        kbytes=round(segment.size_bytes / 1000, 1),
    )


def _check(reply: PathDecision) -> None:
    """Raises ValueError, worded for the model: the reply lacks what its decision needs."""
    if reply.decision == "answer" and not reply.direct_answer.strip():
        raise ValueError("decision is answer and direct_answer is empty")
    if reply.decision == "expand" and not reply.proposed_paths:
        raise ValueError("decision is expand and proposed_paths is empty")


def _reply(decision: Decision) -> str:
    """Return a decision in the form of the reply that it was made of."""
    paths = [PathReply.model_validate(vars(each)) for each in decision.paths]
    reply = PathDecision(decision=decision.kind, rationale=decision.rationale, proposed_paths=paths)
    return reply.model_copy(update={"confidence": decision.confidence}).model_dump_json()


def _decision(reply: PathDecision, repairs: Sequence[str], usage: Usage) -> Decision:
    notes = [*repairs]
    if reply.confidence is None:
        confidence = _UNSTATED
        notes.append(f"no confidence was stated; taken as {confidence:g}")
    else:
        confidence = _share(reply.confidence)
        if confidence != reply.confidence:
            notes.append(f"confidence {reply.confidence:g} is not from 0 to 1; taken as {confidence:g}")
    paths = tuple(
        ProposedPath(each.id, each.strategy, each.start_s, each.end_s, _share(each.score))
        for each in reply.proposed_paths
    )
    is_answer = reply.decision == "answer"
    return Decision(
        kind=reply.decision,
        rationale=reply.rationale,
        paths=paths if reply.decision == "expand" else (),
        answer=reply.direct_answer.strip() if is_answer else "",
        confidence=confidence,
        notes=tuple(notes),
        usage=usage,
        # The model is asked to name the path and the seconds that show its answer as the only proposed path.
        node=paths[0].id if is_answer and paths else "",
        span=_span(paths[0]) if is_answer and paths else None,
    )


def _span(path: ProposedPath) -> Span | None:
    try:
        return Span(path.start_s, path.end_s)
    except ValueError:
        return None


def _share(number: float) -> float:
    """Return a number from 0 to 1. Larger ones up to 100 are per cent."""
    if not isfinite(number):
        return 0.0
    return min(1.0, max(0.0, number / 100 if 1 < number <= 100 else number))


def _line(visit: Visit, decision: Decision) -> str:
    """Return the turn in one line, for the summary of older turns."""
    return prompt_part(
        "explore",
        "earlier",
        id=Plain(visit.node_id),
        start=round(visit.span.start_s, 3),
        end=round(visit.span.end_s, 3),
        decision=Plain(decision.kind),
        confidence=round(decision.confidence, 2),
        rationale=Plain(" ".join(decision.rationale.split())[:_LONGEST_REASON]),
    )


_KEPT_WHOLE = 2
"""The last turns, this many, are never summarised."""
_SUMMARISE_FROM = 0.85
"""Older turns are summarised once the dialogue has more than this share of the budget."""


@dataclass(frozen=True)
class DialogueTurn:
    """A turn of the dialogue, about one path.

    tool: what the clip tool returned.
    ask: the question to the model.
    shown: what the model is shown of the segment.
    reply: the model's reply.
    line: the turn in one line, for the summary of older turns.
    """

    tool: str
    ask: str
    shown: tuple[Attachment, ...] = ()
    reply: str = ""
    line: str = ""

    @property
    def tokens(self) -> int:
        """About how many tokens it takes."""
        return _tokens(self.tool + self.ask + self.reply) + sum(each.tokens for each in self.shown)


class PlannerDialogue:
    """The dialogue so far.

    summarised: how many of its first turns are shortened to one line each.
    """

    def __init__(self, root: Prompt, budget: int) -> None:
        """root: the rules and the question.

        budget: about how many tokens a request may have.
        """
        self._root, self._budget = root, budget
        self._opening = ""
        self._turns: list[DialogueTurn] = []
        self.summarised = 0

    @property
    def root(self) -> Prompt:
        """The first request."""
        return self._root

    def open(self, reply: str) -> None:
        """Keep the reply to the first request."""
        self._opening = reply

    def take_up(self, turns: Sequence[DialogueTurn]) -> None:
        """Keep the turns of an earlier run, of which only the line is known."""
        self._turns = [*turns]
        self.summarised = len(self._turns)

    def add(self, turn: DialogueTurn) -> None:
        """Keep a turn with its reply."""
        self._turns.append(turn)

    def asking(self, turn: DialogueTurn) -> Prompt:
        """Return the request for a further turn. The turn is not kept."""
        self._shorten(turn.tokens)
        said = [self._opening] + ([self._summary()] if self.summarised else [])
        messages = [*self._root.messages]
        for each in (*self._turns[self.summarised :], turn):
            # What the tool returned goes into one message with the assistant's last reply: many servers refuse two
            # messages of one speaker in a row.
            messages.append(Message("assistant", "\n\n".join(filter(None, [*said, each.tool]))))
            messages.append(Message("user", each.ask, each.shown))
            said = [each.reply]
        return replace(self._root, messages=tuple(messages))

    def _shorten(self, coming: int) -> None:
        """Summarise the oldest turns until the request fits the budget; never the last ones."""
        while (
            self._size() + coming > self._budget * _SUMMARISE_FROM
            and len(self._turns) - self.summarised > _KEPT_WHOLE
        ):
            self.summarised += 1

    def _size(self) -> int:
        fixed = sum(_tokens(message.text) for message in self._root.messages) + _tokens(self._opening)
        lines = sum(_tokens(turn.line) for turn in self._turns[: self.summarised])
        return fixed + lines + sum(turn.tokens for turn in self._turns[self.summarised :])

    def _summary(self) -> str:
        return prompt_part(
            "explore", "summary", lines="\n".join(turn.line for turn in self._turns[: self.summarised])
        )


def _tokens(text: str) -> int:
    return len(text) // CHARACTERS_PER_TOKEN + 1
