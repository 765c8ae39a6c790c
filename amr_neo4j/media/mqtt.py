"""Subscribes to the messages of a camera system on an MQTT broker, in a session that outlives this process."""

from __future__ import annotations

import hashlib
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from amr_neo4j.domain.ports import Notify
from amr_neo4j.errors import AmrError, InputError, SourceLost
from amr_neo4j.extras import needs

if TYPE_CHECKING:
    from paho.mqtt.client import Client, MQTTMessage

Keep = Callable[[str, bytes], None]
"""Called with (topic, payload). Once it returns, the message is acknowledged, so it must be on disk by then."""
_SCHEMES = {"mqtt": 1883, "mqtts": 8883}
_TOPICS = ("events", "reviews", "tracked_object_update")
_BETWEEN_TRIES = (1, 60)
"""Seconds between two tries to reach a broker: at first, and after many that failed."""
_ENDS_S = 10.0
"""At the end, seconds to wait for a connection that is just being made. Then its thread is left behind."""
# What a broker answers to a name or password that it does not accept (MQTT 3.1.1: 4, 5).
_DENIED = ("Bad user name or password", "Not authorized")


@dataclass(frozen=True)
class Broker:
    """A broker and the topics to subscribe to.

    prefix: of the topics, as Frigate's setting `topic_prefix` says.
    shown: the address without the password.
    """

    host: str
    port: int
    prefix: str
    shown: str
    tls: bool
    username: str = ""
    password: str = field(default="", repr=False)

    @property
    def topics(self) -> list[str]:
        """The topics of Frigate that are read."""
        return [f"{self.prefix}/{topic}" for topic in _TOPICS]


def is_broker(place: str | Path) -> bool:
    """Return whether a place names an MQTT broker."""
    return isinstance(place, str) and place.lower().startswith(tuple(f"{scheme}://" for scheme in _SCHEMES))


def broker(place: str) -> Broker:
    """Return the broker of an address like mqtt://user:password@host:1883/frigate. Raises InputError."""
    try:
        parts = urlsplit(place)
        port = parts.port or _SCHEMES[parts.scheme.lower()]
    except ValueError as error:
        raise InputError(f"the address of the broker is not valid: {error}", hint="check the address") from error
    prefix = unquote(parts.path.strip("/")) or "frigate"
    if not parts.hostname or any(each in prefix for each in "#+"):
        raise InputError("the address of the broker is not complete", hint="write it like mqtt://host:1883/frigate")
    shown = f"{parts.scheme.lower()}://{parts.hostname}:{port}/{prefix}"
    name, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Broker(
        host=parts.hostname,
        port=port,
        prefix=prefix,
        shown=shown,
        tls=parts.scheme.lower() == "mqtts",
        username=name,
        password=password,
    )


class Subscription:
    """A subscription with quality of service 1. The broker keeps what comes while nobody is connected.

    A message is acknowledged once `keep` has returned, so a killed process gets it again.
    """

    def __init__(self, to: Broker, session: str, *, keep: Keep, notify: Notify) -> None:
        """session: what tells this subscriber from others; the same in every run.

        Raises ModelMissing: the extra mqtt is not installed.
        """
        with needs("mqtt"):
            from paho.mqtt.client import Client, MQTTv311  # noqa: PLC0415 (an extra)
            from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415 (an extra)
        self._to, self._keep, self._notify = to, keep, notify
        self._is_away = self._is_closing = self._was_there = False
        self.failed: AmrError | None = None
        self.arrived = Event()
        self._thread = Thread(target=self._run, daemon=True)
        client_id = f"amr-{hashlib.sha256(f'{session} {to.shown}'.encode()).hexdigest()[:16]}"
        self._client = Client(
            CallbackAPIVersion.VERSION2, client_id, clean_session=False, protocol=MQTTv311, manual_ack=True
        )
        if to.username:
            self._client.username_pw_set(to.username, to.password or None)
        if to.tls:
            self._client.tls_set()  # pyright: ignore[reportUnknownMemberType] (partly typed)
        self._client.reconnect_delay_set(*_BETWEEN_TRIES)
        self._client.on_connect = self._connected
        self._client.on_connect_fail = self._not_connected
        self._client.on_disconnect = self._disconnected
        self._client.on_subscribe = self._subscribed
        self._client.on_message = self._came

    def __enter__(self) -> Subscription:
        """Connect in a thread, which tries again until the broker answers."""
        self._client.connect_async(self._to.host, self._to.port)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closing = True
        until = time.monotonic() + _ENDS_S
        while self._thread.is_alive() and time.monotonic() < until:
            self._client.disconnect()  # again and again, since paho forgets it while it connects
            self._thread.join(0.2)

    def _run(self) -> None:
        try:
            self._client.loop_forever(retry_first_connection=True)
        except Exception as error:  # noqa: BLE001 - raised by the thread that waits for messages, which else waits for ever
            self._fail(SourceLost(f"{self._to.shown}: {error}", hint="check the address of the broker"))

    def _connected(self, client: Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            if str(reason) in _DENIED:
                self._fail(SourceLost(f"{self._to.shown}: {reason}", hint="check user and password of the address"))
            else:
                self._away(str(reason))
            return
        client.subscribe([(topic, 1) for topic in self._to.topics])

    def _subscribed(self, client: Client, data: Any, message: int, reasons: list[Any], properties: Any) -> None:
        if any(reason.is_failure for reason in reasons):
            self._fail(SourceLost(f"{self._to.shown}: a topic is refused", hint="allow the user to read its topics"))
        elif self._is_away or not self._was_there:
            self._notify(f"the MQTT broker {self._to.shown} is {'back' if self._was_there else 'there'}")
        self._is_away, self._was_there = False, True

    def _not_connected(self, client: Client, data: Any) -> None:
        # paho calls this where it handles the error, and does not pass it on.
        error = sys.exc_info()[1]
        self._away(getattr(error, "strerror", None) or str(error))

    def _disconnected(self, client: Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if not self._is_closing:
            self._away(str(reason))

    def _away(self, why: str) -> None:
        """Say once that the broker is away, until it is back."""
        if not (self._is_away or self.failed):
            self._is_away = True
            self._notify(f"the MQTT broker {self._to.shown} is away ({why}); it is tried again")

    def _came(self, client: Client, data: Any, message: MQTTMessage) -> None:
        if self._is_closing:  # the broker keeps what is not acknowledged
            return
        try:
            self._keep(message.topic, bytes(message.payload))
        except AmrError as error:  # such as a full disk: without an acknowledgement the broker keeps the message
            self._fail(error)
            return
        client.ack(message.mid, message.qos)
        self.arrived.set()

    def _fail(self, error: AmrError) -> None:
        """End the connection, and let the thread that waits for messages raise the error."""
        self.failed = error
        self._client.disconnect()
        self.arrived.set()
