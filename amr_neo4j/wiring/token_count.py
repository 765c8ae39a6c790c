"""Counts tokens as OpenAI's models do where tiktoken and its file are on this machine; else estimates them."""

from __future__ import annotations

import hashlib
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from amr_neo4j.domain.budget import CountTokens, estimated_tokens

_ENCODING = "o200k_base"
_FILE = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
_CACHES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")


def token_counter() -> CountTokens:
    """tiktoken's count with o200k_base where its file is in TIKTOKEN_CACHE_DIR, else estimates. Downloads nothing."""
    folder = next((os.environ[name] for name in _CACHES if os.environ.get(name)), "")
    if not folder or not (Path(folder) / hashlib.sha1(_FILE.encode(), usedforsecurity=False).hexdigest()).is_file():
        return estimated_tokens
    try:
        tiktoken: Any = import_module("tiktoken")
    except ImportError:
        return estimated_tokens
    encoding = tiktoken.get_encoding(_ENCODING)
    return lambda text: len(encoding.encode(text, disallowed_special=()))
