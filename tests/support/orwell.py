"""The examples of specification 004 8: two turns on George Orwell with a model's replies, and its long document."""

from __future__ import annotations

from typing import Any

TURNS: list[dict[str, Any]] = [
    {"actor": "user", "content": "George Orwell is a British author", "turn": 0, "at": "2024-01-01T10:00:00Z"},
    {"actor": "user", "content": "He is also known as Eric Blair", "turn": 1, "at": "2024-01-01T20:00:15+10:00"},
]
REPLIES: list[dict[str, Any]] = [
    {
        "mentions": [
            {"text": "George Orwell", "type": "PERSON"},
            {"text": "British author", "type": "PROFESSION"},
            {"text": "George Orwell", "type": "Person"},
        ],
        "relations": [
            {
                "type": "IS_A",
                "source": {"turn": 0, "text": "George Orwell"},
                "target": {"turn": 0, "text": "British author"},
                "description": "George Orwell is a British author",
                "confidence": 0.95,
            }
        ],
    },
    {
        "mentions": [{"text": "Eric Blair", "type": "PERSON"}, {"text": "He", "type": "PERSON"}],
        "relations": [
            {
                "type": "also known as",
                "source": {"turn": 0, "text": "George Orwell"},
                "target": {"turn": 1, "text": "Eric Blair"},
                "description": "George Orwell is also known as Eric Blair",
                "confidence": 0.9,
            }
        ],
    },
]
# (turn, type, text), and (type, source, target, turn), as specification 004 8.a has them.
MENTIONS = [(0, "PERSON", "George Orwell"), (0, "PROFESSION", "British author"), (1, "PERSON", "Eric Blair")]
RELATIONS = [
    ("IS_A", "George Orwell", "British author", 0),
    ("ALSO_KNOWN_AS", "George Orwell", "Eric Blair", 1),
]

_FIRST, _SECOND = "2024-01-01T10:00:00.000Z", "2024-01-01T10:00:15.000Z"
_LEARNT = "2025-02-12T10:32:54+10:00"


def _node(number: int, kind: str, text: str, turn: int) -> dict[str, Any]:
    times = {"validAt": (_FIRST, _SECOND)[turn], "createdAt": _LEARNT}
    named = {"id": f"mention_{number}", "type": kind, "mention": text}
    return named | {"episode_id": f"ep_turn_session_0_{turn}"} | times


def _wrote(number: int, target: int, text: str) -> dict[str, Any]:
    return {
        "id": f"edge_{number}",
        "sourceId": "mention_1",
        "targetId": f"mention_{target}",
        "type": "wrote",
        "content": {"type": "wrote", "description": f"Temporal relationship between George Orwell and {text}"},
        "metadata": {"episode_id": "ep_turn_session_0_1"},
        "validAt": _SECOND,
        "createdAt": _LEARNT,
    }


def _episode(turn: int, actor: str, content: str) -> dict[str, Any]:
    return {
        "id": f"ep_turn_session_0_{turn}",
        "type": "message",
        "actor": actor,
        "content": content,
        "metadata": {"session_id": "session_0", "turn_id": f"turn_{turn}"},
        "validAt": (_FIRST, _SECOND)[turn],
        "createdAt": _LEARNT,
    }


# The example of specification 004 8.b. Its second turn says "Animal Farm" too, and has no mention of it.
DOCUMENT: dict[str, Any] = {
    "nodes": [
        _node(1, "Person", "George Orwell", 0),
        _node(2, "Book", "Animal Farm", 0),
        _node(3, "Book", "1984", 1),
        _node(4, "Book", "Burmese Days", 1),
        _node(5, "Location", "British Burma", 1),
    ],
    "edges": [_wrote(1, 2, "Animal Farm"), _wrote(2, 3, "1984")],
    "episodes": [
        _episode(0, "user", "I'm interested in George Orwell's books, especially Animal Farm."),
        _episode(1, "assistant", "Animal Farm and 1984 are two of his most famous works..."),
    ],
}


_BLAIR = {"validAt": _FIRST, "createdAt": "2025-02-11T21:43:10.766Z"}
_LEARNT_LATER = {"validAt": "2024-01-01T10:00:00Z", "createdAt": "2025-02-12T10:27:47+10:00"}
_ORWELL = {"type": "Person", "mention": "George Orwell", "episode_id": "ep_turn_session_0_0"}
_ENDS = {"source": "mention_1", "target": "mention_2", "episode_id": "ep_turn_session_0_1"}
ABRIDGED: list[dict[str, Any]] = [
    {
        "nodes": [
            {
                "id": "mention_1",
                "type": "Person",
                "mention": "Eric Blair",
                "episode_id": "ep_turn_session_0_0",
                **_BLAIR,
            }
        ],
        "edges": [{"id": "edge_1", **_ENDS, "type": "pen_name", **_BLAIR}],
        "episodes": [
            {
                "id": "ep_turn_session_0_0",
                "type": "message",
                "actor": "user",
                "content": "Raw message text...",
                "metadata": {"session_id": "session_0", "turn_id": "turn_0"},
                **_BLAIR,
            }
        ],
    },
    {
        "nodes": [{"id": "mention_1", **_ORWELL, **_LEARNT_LATER}],
        "edges": [{"id": "edge_1", **_ENDS, "type": "worked_at", **_LEARNT_LATER}],
    },
]
"""The shorter examples of specification 004 5 and 4: both leave out mention_2, and the second its episodes."""
