"""A message as the OpenAI API takes it: text, or text with what it shows as content parts.

image_url and input_audio are OpenAI's own; video_url is how OpenRouter and vLLM take a film. All carry the bytes as
base64, so that nothing has to lie where a provider could fetch it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from amr_neo4j.domain.chat import Attachment, Message

Part = dict[str, Any]
_SOUND_FORMATS = {"audio/mpeg": "mp3", "audio/wav": "wav"}


def content(message: Message) -> str | list[Part]:
    """Of a message with nothing to show the text alone: not every server takes parts."""
    if not message.shown:
        return message.text
    # the words come first: providers advise so
    return [_text(message.text), *(part for shown in message.shown for part in _parts(shown))]


def _parts(shown: Attachment) -> Iterator[Part]:
    if shown.caption:
        yield _text(shown.caption)
    data = base64.b64encode(shown.data).decode()
    kind = shown.mime.partition("/")[0]
    if kind == "audio":
        yield {"type": "input_audio", "input_audio": {"data": data, "format": _SOUND_FORMATS[shown.mime]}}
    else:
        name = {"image": "image_url", "video": "video_url"}[kind]
        yield {"type": name, name: {"url": f"data:{shown.mime};base64,{data}"}}


def _text(text: str) -> Part:
    return {"type": "text", "text": text}
