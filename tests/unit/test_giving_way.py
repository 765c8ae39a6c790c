"""Compiling rules behind a conversation makes room for what somebody waits for."""

from __future__ import annotations

from threading import Event

from amr_neo4j.app.background import GivingWay
from amr_neo4j.turn_reader.understand import Understander


class Waits(Event):
    """An event that counts how often it is waited for, and does not take the time."""

    def __init__(self) -> None:
        super().__init__()
        self.times = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.times += 1
        return self.is_set()


def waits(took: float, ran: float, pieces: int) -> int:
    """How often work gives way if each piece takes `took` seconds, of which it runs `ran`."""
    wall, processor = [0.0], [0.0]
    gives_way, hurried = GivingWay(lambda: wall[0], lambda: processor[0]), Waits()
    for _ in range(pieces):
        gives_way(hurried)
        wall[0] += took
        processor[0] += ran
    return hurried.times


def test_work_that_has_the_processor_does_not_wait() -> None:
    assert waits(took=0.02, ran=0.02, pieces=50) == 0


def test_work_that_shares_the_processor_waits_between_its_pieces() -> None:
    assert waits(took=0.04, ran=0.02, pieces=51) == 50


def test_short_pieces_are_taken_together() -> None:
    assert waits(took=0.002, ran=0.001, pieces=51) <= 10


def test_it_does_not_wait_for_ever_on_a_machine_that_is_always_busy() -> None:
    assert waits(took=0.04, ran=0.02, pieces=5001) <= 240


def test_rules_are_compiled_with_room_between_them_until_somebody_waits_for_them() -> None:
    entered = Event()

    def give_way(hurried: Event) -> None:
        entered.set()
        hurried.wait(60)

    understander = Understander(["en"], give_way)
    assert entered.wait(60)
    understander.ready()  # returns, although each piece would wait for a minute
    assert understander.understand("I live in Ghent.").facts[0].triple.object == "ghent"
