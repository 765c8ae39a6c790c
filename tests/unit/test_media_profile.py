"""How clips are sent: each model family in its own format, unless the settings override it."""

from __future__ import annotations

from typing import Any

import pytest

from amr_neo4j.media.clip_attachments import MediaProfile, media_profile
from amr_neo4j.model_roles import AnalyseRole
from amr_neo4j.models.opener import endpoint
from amr_neo4j.settings import load


def way(provider: str, model: str, **analyse: Any) -> MediaProfile:
    given = load(provider=provider, api_key="k", analyse={"model": model, **analyse})
    to = endpoint(given, "analyse")
    assert to
    return media_profile(to.base_url, to.model, given.analyse)


@pytest.mark.parametrize(
    ("provider", "model", "send", "sound"),
    [
        ("openrouter", AnalyseRole().model, "film", True),
        ("openrouter", "openai/gpt-4o", "frames", False),
        ("openrouter", "qwen/qwen2.5-vl-72b-instruct", "frames", False),
        ("openai", "openai/gpt-4o", "frames", False),
        ("https://generativelanguage.googleapis.com/v1beta/openai", "gemini-2.5-pro", "frames", True),
        ("vllm", "Qwen/Qwen2.5-VL-7B-Instruct", "film", False),
        ("vllm", "llava-hf/llava-1.5-7b-hf", "frames", False),
        ("ollama", "qwen2.5vl:7b", "frames", False),
        ("http://127.0.0.1:8080/v1", "gemma-3-4b-it", "frames", False),
        ("https://models.example/v1", "anything", "frames", False),
    ],
)
def test_each_model_family_has_its_media_format(provider: str, model: str, send: str, sound: bool) -> None:
    assert (way(provider, model).send, way(provider, model).sound) == (send, sound)


def test_a_setting_overrides_the_family() -> None:
    family, chosen = way("openai", "gpt-4o"), way("openai", "gpt-4o", send="film", width=100, max_kbytes=50)
    assert chosen == family.model_copy(update={"send": "film", "width": 100, "max_kbytes": 50})


def test_tokens_are_estimated_per_picture_or_per_second() -> None:
    frames = MediaProfile(
        send="frames", frames=4, width=64, sound=False, max_kbytes=1, tokens_frame=100, tokens_second=7
    )
    assert frames.tokens(10) == 400
    assert frames.model_copy(update={"sound": True}).tokens(10) == 470
    assert frames.model_copy(update={"send": "film"}).tokens(10) == 70
