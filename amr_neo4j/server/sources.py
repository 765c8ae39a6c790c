"""Which live sources a client may name: only those of the hosts in the setting serve_sources."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import urlsplit

from amr_neo4j.media.live_address import FOR_CLIENTS
from amr_neo4j.server.problems import Refused


def check_source(url: str, allowed: Iterable[str]) -> None:
    """Check the address of a live source. Raises Refused: its host may not be read, or has a private address.

    allowed: names of hosts, whose addresses must be public; and networks, such as 192.168.1.0/24.
    """
    names, networks = set[str](), list[ipaddress.IPv4Network | ipaddress.IPv6Network]()
    for each in allowed:
        try:
            networks.append(ipaddress.ip_network(each))
        except ValueError:
            names.add(each.lower())
    parts, addresses = None, set[str]()
    with suppress(ValueError, OSError):
        parts = urlsplit(url)
        if parts.scheme in FOR_CLIENTS and parts.hostname:
            addresses = {str(each[4][0]) for each in socket.getaddrinfo(parts.hostname, parts.port)}
    is_named = bool(parts) and parts.hostname in names

    def is_allowed(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
        return any(address in network for network in networks) or (is_named and address.is_global)

    if not addresses or not all(map(is_allowed, map(ipaddress.ip_address, addresses))):
        hint = f"the server's setting serve_sources names hosts and networks; schemes: {', '.join(FOR_CLIENTS)}"
        raise Refused(403, "this source may not be read", hint=hint)
