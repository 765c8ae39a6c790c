"""The content of a message for the OpenAI API: text, or text and attachments as content parts.

image_url and input_audio are OpenAI's; video_url is an extension of OpenRouter and vLLM. All carry the data as
base64, so nothing has to be hosted for the provider to fetch.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

from amr_neo4j.domain.chat import Attachment, Message

Part = dict[str, Any]
_AUDIO_FORMATS = {"audio/mpeg": "mp3", "audio/wav": "wav"}


def content(message: Message) -> str | list[Part]:
    """The content of a message: a string if there are no attachments, since not every server accepts parts."""
    if not message.shown:
        return message.text
    # Text before attachments, as providers recommend.
    return [_text(message.text), *(part for attachment in message.shown for part in _parts(attachment))]


def _parts(attachment: Attachment) -> Iterator[Part]:
    if attachment.caption:
        yield _text(attachment.caption)
    data = base64.b64encode(attachment.data).decode()
    kind = attachment.mime.partition("/")[0]
    if kind == "audio":
        yield {"type": "input_audio", "input_audio": {"data": data, "format": _AUDIO_FORMATS[attachment.mime]}}
    else:
        name = {"image": "image_url", "video": "video_url"}[kind]
        yield {"type": name, name: {"url": f"data:{attachment.mime};base64,{data}"}}


def _text(text: str) -> Part:
    return {"type": "text", "text": text}
