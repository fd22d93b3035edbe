from __future__ import annotations

import pytest
from grooveseek.service.probe import ServerStatus
from grooveseek.tray.health import PATIENCE, Dot, Health


def status(*, indexing: bool = False) -> ServerStatus:
    return ServerStatus(version="1", pid=10, uptime=1, indexing=indexing, documents=3, chunks=9)


def after(health: Health, *answers: ServerStatus | None) -> Health:
    for answer in answers:
        health = health.polled(answer)
    return health


def test_nothing_is_known_before_the_first_poll():
    assert Health().dot is Dot.GRAY


@pytest.mark.parametrize(("indexing", "dot"), [(False, Dot.GREEN), (True, Dot.YELLOW)])
def test_an_answer_is_green_or_yellow_while_it_indexes(indexing: bool, dot: Dot):
    assert after(Health(), status(indexing=indexing)).dot is dot


def test_the_twelfth_failed_poll_in_a_row_is_red_and_none_before():
    dots = [after(Health(), status(), *[None] * count).dot for count in range(1, 14)]
    assert dots == [Dot.GRAY] * 11 + [Dot.RED] * 2
    assert PATIENCE == 12


def test_an_answer_in_between_starts_the_count_anew():
    assert after(Health(), *[None] * 11, status(), *[None] * 11).dot is Dot.GRAY
    assert after(Health(), *[None] * 30, status()).dot is Dot.GREEN


def test_silence_after_a_stop_is_no_fault_and_an_answer_ends_that():
    stopped = after(Health(), status()).told_to_stop()
    assert after(stopped, *[None] * 40).dot is Dot.GRAY
    assert after(stopped, *[None] * 40, status(), *[None] * 12).dot is Dot.RED


def test_a_start_gives_a_minute_anew():
    down = after(Health(), *[None] * 12)
    assert [down.dot, down.told_to_start().dot, after(down.told_to_start(), *[None] * 12).dot] == [
        Dot.RED,
        Dot.GRAY,
        Dot.RED,
    ]


def test_every_state_has_words_of_its_own():
    states = [
        Health(),
        after(Health(), status()),
        after(Health(), status(indexing=True)),
        after(Health(), *[None] * 12),
        Health().told_to_stop(),
    ]
    assert [state.sentence("work") for state in states] == [
        "work: no answer yet",
        "work: running, 3 documents",
        "work: indexing, 3 documents",
        "work: down",
        "work: stopped",
    ]
