from __future__ import annotations

import threading

import pytest
from grooveseek.errors import ServiceError
from grooveseek.tray.control import Control
from grooveseek.tray.health import Dot
from tests.support.status_server import StatusServer


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Manager:
    """The one method of a backend that the menu uses."""

    def __init__(self, problem: str = "") -> None:
        self.started: list[str] = []
        self.problem = problem

    def start(self, name: str) -> None:
        if self.problem:
            raise ServiceError(self.problem)
        self.started.append(name)


def control(bind: str, clock: Clock, **parts: object) -> Control:
    return Control(**{"name": "work", "bind": bind, "backend": Manager(), "clock": clock, **parts})  # type: ignore[arg-type]


def test_the_dot_follows_a_real_server_through_its_life():
    clock, dots = Clock(), []
    with StatusServer() as server:
        tray = control(server.bind, clock)
        dots.append(tray.health.dot)
        tray.poll_when_due()
        dots.append(tray.health.dot)
        server.answer(indexing=True)
        clock.now += 4.9
        assert tray.poll_when_due() == pytest.approx(0.1)
        dots.append(tray.health.dot)  # not asked again yet
        clock.now += 0.1
        assert tray.poll_when_due() == pytest.approx(5.0)
        dots.append(tray.health.dot)
    for _ in range(11):
        clock.now += 5
        tray.poll_when_due()
    dots.append(tray.health.dot)
    clock.now += 5
    tray.poll_when_due()
    dots.append(tray.health.dot)
    assert dots == [Dot.GRAY, Dot.GREEN, Dot.GREEN, Dot.YELLOW, Dot.GRAY, Dot.RED]


def test_a_stop_ends_the_server_and_is_no_fault_afterwards():
    clock, ended = Clock(), []
    with StatusServer() as server:

        def stop_at(bind: str) -> int:
            ended.append(bind)
            return 1

        tray = control(server.bind, clock, stop_at=stop_at)
        tray.stop()
    for _ in range(20):
        clock.now += 5
        tray.poll_when_due()
    assert (ended, tray.health.dot, tray.sentence) == ([server.bind], Dot.GRAY, "work: stopped")


def test_a_start_goes_through_the_service_manager_and_polls_at_once():
    clock = Clock()
    with StatusServer() as server:
        tray = control(server.bind, clock)
        server.code = 500
        tray.poll_when_due()
        tray.start()
        server.code = 200
        tray.poll_when_due()
    assert tray.backend.started == ["work"]  # type: ignore[attr-defined]
    assert tray.health.dot is Dot.GREEN


@pytest.mark.parametrize("answers", [True, False])
def test_a_restart_stops_only_what_answers(answers: bool):
    stopped: list[str] = []
    with StatusServer() as server:
        server.code = 200 if answers else 503
        tray = control(server.bind, Clock(), stop_at=lambda bind: stopped.append(bind) or 1)
        tray.restart()
    assert stopped == ([server.bind] if answers else [])
    assert tray.backend.started == ["work"]  # type: ignore[attr-defined]


def test_what_went_wrong_is_said_and_the_dot_stays_as_it_was():
    with StatusServer() as server:
        tray = control(server.bind, Clock(), backend=Manager("systemd says no."))
        tray.poll_when_due()
        tray.start()
        assert (tray.sentence, tray.health.dot) == ("systemd says no.", Dot.GREEN)
        tray.stop_at = lambda _: 1
        tray.stop()
        assert tray.sentence == "work: stopped"


def test_a_second_action_while_one_is_under_way_is_refused():
    running, go_on, stopped = threading.Event(), threading.Event(), []

    def slow(bind: str) -> int:
        stopped.append(bind)
        running.set()
        assert go_on.wait(30)
        return 1

    tray = control("127.0.0.1:9", Clock(), stop_at=slow)
    thread = threading.Thread(target=tray.stop)
    thread.start()
    assert running.wait(30)
    assert tray.sentence == "work: stopping"
    tray.stop()
    tray.start()
    go_on.set()
    thread.join(30)
    assert (len(stopped), tray.backend.started) == (1, [])  # type: ignore[attr-defined]


def test_an_answer_from_before_a_stop_says_nothing_about_after_it():
    tray = control("127.0.0.1:9", Clock(), stop_at=lambda _: 1)

    def ask(bind: str):
        from grooveseek.service.probe import ServerStatus

        tray.stop()
        return ServerStatus(version="1", pid=10, uptime=1, indexing=False, documents=3, chunks=9)

    tray.ask = ask
    tray.poll_when_due()
    assert tray.health.dot is Dot.GRAY


@pytest.mark.parametrize(
    ("bind", "page"),
    [("0.0.0.0:3100", "http://127.0.0.1:3100/ui"), ("[::1]:31", "http://[::1]:31/ui"), ("[::]:1", "http://[::1]:1/ui")],
)
def test_the_page_is_one_this_machine_can_open(bind: str, page: str):
    assert control(bind, Clock()).page == page
