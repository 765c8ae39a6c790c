"""Memory for asyncio: each call runs in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from types import TracebackType
from typing import Any, TypeVar

from amr_neo4j.live_chat.inject import Message
from amr_neo4j.live_chat.session import LiveChat, LiveTurn
from amr_neo4j.memory import Memory

T = TypeVar("T")


class AsyncChat:
    """A LiveChat whose calls are awaited."""

    def __init__(self, chat: LiveChat, run: Callable[..., Awaitable[Any]]) -> None:
        """Not called directly; see AsyncMemory.chat."""
        self.chat = chat
        self._run = run
        self._in_order = asyncio.Lock()

    async def observe(self, text: str, **arguments: Any) -> LiveTurn:
        """See LiveChat.observe. Turns of calls that are made at once are kept in the order of the calls."""
        called = self.chat.now()
        # The threads that run the calls may start in any order; this lock is given in the order of waiting.
        async with self._in_order:
            return await self._run(self.chat.observe_called, called, text, **arguments)

    async def inject(self, messages: Sequence[Message]) -> list[Message]:
        """See LiveChat.inject."""
        return await self._run(self.chat.inject, messages)


class AsyncMemory:
    """A Memory whose methods are awaited. Calls that are made at once run side by side, in threads.

    >>> async with await AsyncMemory.open(group="home") as m:
    ...     chat = await m.chat(user_id="anna", session_id="monday")
    ...     await chat.observe("I live in Seattle.")
    ...     answer = await m.ask("Where are the keys?")

    Live conversations have threads of their own and wait for no other call. A call that is cancelled while it waits
    for a thread is never made. One that runs goes on to its end, since a thread cannot be stopped half-way.
    """

    def __init__(self, memory: Memory, at_once: int) -> None:
        """Not called directly; see `open`."""
        self.memory = memory
        self._calls = ThreadPoolExecutor(at_once, thread_name_prefix="amr-memory")
        # Conversations do not wait behind a long call such as an ingest.
        self._chats = ThreadPoolExecutor(at_once, thread_name_prefix="amr-chat")

    @classmethod
    async def open(cls, *, at_once: int = 8, **arguments: Any) -> AsyncMemory:
        """See Memory.open. at_once: how many calls run at the same time; further ones wait, in their order."""
        return cls(await asyncio.to_thread(Memory.open, **arguments), at_once)

    async def __aenter__(self) -> AsyncMemory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Drop the calls that have not begun, wait for the others, and close the memory."""
        for threads in (self._calls, self._chats):
            await asyncio.to_thread(threads.shutdown, cancel_futures=True)
        await asyncio.to_thread(self.memory.close)

    def for_user(self, user_id: str) -> AsyncMemory:
        """See Memory.for_user. The view shares the threads of this memory; do not close it."""
        return self._view(self.memory.for_user(user_id))

    async def group(self, group_id: str) -> AsyncMemory:
        """See Memory.group. The view shares the threads of this memory; do not close it."""
        return self._view(await self.call(self.memory.group, group_id))

    def _view(self, memory: Memory) -> AsyncMemory:
        view = copy(self)
        view.memory = memory
        return view

    async def chat(self, **arguments: Any) -> AsyncChat:
        """See Memory.chat."""
        chat = await self.call(self.memory.chat, **arguments)
        return AsyncChat(chat, partial(_in, self._chats))

    async def call(self, method: Callable[..., T], *positional: Any, **arguments: Any) -> T:
        """Run a function in one of the memory's threads."""
        return await _in(self._calls, method, *positional, **arguments)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        """Return any other method of Memory as one that is awaited."""
        if name == "memory":  # not set yet: a copy is being made
            raise AttributeError(name)
        method = getattr(self.memory, name)
        if not callable(method):
            raise AttributeError(f"{name} is no method: use memory.{name}")  # noqa: TRY004
        return partial(self.call, method)


async def _in(threads: ThreadPoolExecutor, method: Callable[..., T], *positional: Any, **arguments: Any) -> T:
    return await asyncio.get_running_loop().run_in_executor(threads, partial(method, *positional, **arguments))
