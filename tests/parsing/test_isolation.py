import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from grooveseek.errors import Unparsable
from grooveseek.parsing.isolation import IsolatedRunner, ended_with, worker_command
from grooveseek.parsing.worker import MAX_TEXT
from tests.support.binary import FIXTURES, OPTIONS, make_case, minipdf
from tests.support.faulty_worker import COMMAND

MIB = 1 << 20
linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


@pytest.fixture
def runner() -> Iterator[IsolatedRunner]:
    with IsolatedRunner(memory_bytes=400 * MIB, seconds=20, command=COMMAND) as made:
        yield made


def title(runner: IsolatedRunner, data: bytes, path: str = "a.faulty") -> str:
    return runner.parse("faulty", {}, data, path).title


def reason(runner: IsolatedRunner, data: bytes) -> str:
    with pytest.raises(Unparsable) as refused:
        runner.parse("faulty", {}, data, "a.faulty")
    return str(refused.value)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pid: int) -> bool:
    deadline = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not is_running(pid)


def test_the_worker_is_started_once_and_serves_file_after_file(runner: IsolatedRunner) -> None:
    assert runner.worker_pid is None
    assert title(runner, b"one", "a/one.faulty") == "a/one.faulty"
    first = runner.worker_pid
    assert title(runner, b"two", "b/two.faulty") == "b/two.faulty"
    assert runner.worker_pid == first != os.getpid()


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (b"segfault", "crashed with SIGSEGV"),
        (b"abort", "crashed with SIGABRT"),
        (b"exit", "exit code 3"),
        (b"recurse", "RecursionError"),
        (b"raise", "ValueError: odd value"),
        (b"refuse", "is not to its taste"),
        (b"eat slowly", "needed more than 419,430,400 bytes of memory"),
        (b"eat at once", "needed more than 419,430,400 bytes of memory"),
        (b"lie: not json", "answer nonsense"),
        (b"lie: shape", "answer nonsense"),
        (b"lie: list", "answer nonsense"),
        (b"lie: endless", "over the cap"),
        (f"big {MAX_TEXT + 1}".encode(), "holds more than"),
    ],
)
def test_a_fault_costs_its_own_file_and_the_next_one_is_read(runner: IsolatedRunner, fault: bytes, told: str) -> None:
    assert told in reason(runner, fault)
    assert title(runner, b"fine") == "a.faulty"


@pytest.mark.parametrize("fault", [b"hang", b"hang held"])
def test_a_file_that_takes_too_long_is_given_up(fault: bytes) -> None:
    with IsolatedRunner(seconds=1, command=COMMAND) as runner:
        title(runner, b"warm")
        stuck = runner.worker_pid
        assert reason(runner, fault) == "took longer than 1 seconds to read"
        assert title(runner, b"fine") == "a.faulty"
        assert runner.worker_pid != stuck


@linux_only
def test_on_linux_the_worker_bounds_its_own_address_space(runner: IsolatedRunner) -> None:
    limit = int(reason(runner, b"tell the limit"))
    assert 400 * MIB < limit < 2000 * MIB


def test_where_the_system_enforces_nothing_the_parent_watches_the_memory() -> None:
    with IsolatedRunner(memory_bytes=300 * MIB, seconds=60, command=(*COMMAND, "unlimited")) as runner:
        assert reason(runner, b"eat slowly") == "needed more than 314,572,800 bytes of memory to read"


def test_what_native_code_prints_does_not_reach_the_answers(runner: IsolatedRunner, capfd) -> None:
    assert title(runner, b"print") == "a.faulty"
    assert title(runner, b"after") == "a.faulty"
    assert capfd.readouterr() == ("", "")


def test_a_crash_after_other_files_is_tried_once_more_in_a_fresh_process(runner: IsolatedRunner) -> None:
    title(runner, b"first")
    assert title(runner, b"crash as the second") == "a.faulty"


def test_a_file_that_crashes_a_fresh_process_too_is_given_up(runner: IsolatedRunner) -> None:
    title(runner, b"first")
    assert "crashed with SIGSEGV" in reason(runner, b"segfault")


def test_a_worker_that_died_between_files_is_replaced(runner: IsolatedRunner) -> None:
    title(runner, b"one")
    assert runner.worker_pid is not None
    os.kill(runner.worker_pid, signal.SIGKILL)
    assert title(runner, b"two") == "a.faulty"


def test_large_files_pass_both_ways(runner: IsolatedRunner) -> None:
    data = b"big " + str(20 * MIB).encode()
    assert len(runner.parse("faulty", {}, data, "a").chunks[0].content) == 20 * MIB
    assert title(runner, b"y" * 20 * MIB) == "a.faulty"


def test_threads_may_share_a_runner(runner: IsolatedRunner) -> None:
    titles: list[str] = []
    threads = [
        threading.Thread(target=lambda n=n: titles.extend(title(runner, b"x", f"{n}-{m}") for m in range(5)))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(titles) == sorted(f"{n}-{m}" for n in range(4) for m in range(5))


@linux_only
def test_closing_leaves_no_process_and_a_later_file_starts_another(runner: IsolatedRunner) -> None:
    title(runner, b"one")
    pid = runner.worker_pid
    assert pid is not None
    runner.close()
    assert not is_running(pid)
    assert title(runner, b"two") == "a.faulty"


@linux_only
@pytest.mark.parametrize("fault", [b"idle", b"hang", pytest.param(b"hang held", marks=pytest.mark.slow)])
def test_a_killed_parent_leaves_no_worker_behind(fault: bytes) -> None:
    program = textwrap.dedent(
        f"""
        from grooveseek.parsing.isolation import IsolatedRunner
        runner = IsolatedRunner(seconds=2, command={COMMAND!r})
        runner.parse("faulty", {{}}, b"warm", "a")
        print(runner.worker_pid, flush=True)
        {"input()" if fault == b"idle" else f'runner.parse("faulty", {{}}, {fault!r}, "a")'}
        """
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stdin=subprocess.PIPE, env=environment
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        time.sleep(0.5)  # long enough for the worker to be in the middle of it
        parent.kill()
    assert wait_until_gone(pid)


@linux_only
def test_a_runner_that_nobody_closes_ends_its_worker_with_the_interpreter() -> None:
    program = f"""if True:
        from grooveseek.parsing.isolation import IsolatedRunner
        runner = IsolatedRunner(command={COMMAND!r})
        runner.parse("faulty", {{}}, b"warm", "a")
        print(runner.worker_pid)
        """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, env=environment, check=True, timeout=120
    )
    assert not is_running(int(done.stdout))
    assert done.stderr == b""


def test_a_worker_that_cannot_start_says_so() -> None:
    with IsolatedRunner(command=(sys.executable, "-c", "raise SystemExit(7)")) as runner:
        assert reason(runner, b"x") == "could not be read: the parser process did not start (exit code 7)"
    with IsolatedRunner(command=("/nowhere/python",)) as runner:
        assert "the parser process did not start" in reason(runner, b"x")


def test_the_worker_imports_nothing_from_the_current_folder(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lxml", "json", "queue", "pypdfium2"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)")
    monkeypatch.chdir(tmp_path)
    with IsolatedRunner() as runner:
        data = (FIXTURES / "pdf" / "two_columns.pdf").read_bytes()
        assert runner.parse("pdf", OPTIONS, data, "a.pdf").title == "Harbour notes"


@linux_only
def test_the_worker_gets_no_secrets_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with IsolatedRunner(command=COMMAND) as runner:
        title(runner, b"warm")
        assert b"sk-secret" not in Path(f"/proc/{runner.worker_pid}/environ").read_bytes()


def test_case_c35_bombs_cost_no_memory_and_name_the_cap(tmp_path) -> None:
    folder = make_case("C35", tmp_path, "60")
    with IsolatedRunner(memory_bytes=300 * MIB, seconds=60) as runner:
        for name in ("bomb.docx", "bomb.xlsx", "styled.xlsx"):
            path = folder / name
            with pytest.raises(Unparsable, match=r"inflates to more than 52,428,800 bytes.*max_decompressed_size"):
                runner.parse(path.suffix[1:], OPTIONS, path.read_bytes(), name)
        corners = runner.parse("xlsx", OPTIONS, (folder / "corners.xlsx").read_bytes(), "corners.xlsx")
        assert "agouti" in corners.chunks[0].content


def test_a_page_that_inflates_without_end_is_stopped_by_the_memory_cap() -> None:
    writer = minipdf()
    deflater = zlib.compressobj(9)
    bomb = b"".join(deflater.compress(bytes(MIB)) for _ in range(600)) + deflater.flush()
    data = writer.build([{"content": b"mark"}]).replace(
        b"<< /Length 4 >>\nstream\nmark", b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s" % (len(bomb), bomb)
    )
    assert len(data) < 2 * MIB
    with IsolatedRunner(memory_bytes=200 * MIB, seconds=120) as runner:
        with pytest.raises(Unparsable, match=r"memory to read|parser process end"):
            runner.parse("pdf", OPTIONS, data, "bomb.pdf")
        good = (FIXTURES / "pdf" / "two_columns.pdf").read_bytes()
        assert runner.parse("pdf", OPTIONS, good, "good.pdf").title == "Harbour notes"


def test_five_hundred_pages_pass_in_bounded_memory() -> None:
    writer = minipdf()
    lines = [f"line {n} of words about the harbour, its cranes and the tide tables" for n in range(40)]
    data = writer.build([{"content": writer.lines([f"page {number}", *lines])} for number in range(1, 501)])
    with IsolatedRunner(memory_bytes=160 * MIB, seconds=120) as runner:
        parsed = runner.parse("pdf", OPTIONS, data, "book.pdf")
    assert {chunk.heading for chunk in parsed.chunks} == {f"p.{number}" for number in range(1, 501)}


def test_the_real_worker_reads_every_format() -> None:
    with IsolatedRunner() as runner:
        for name in (
            "office/libreoffice.docx",
            "office/libreoffice.pptx",
            "office/libreoffice.xlsx",
            "pdf/japanese.pdf",
        ):
            path = FIXTURES / name
            parsed = runner.parse(path.suffix[1:], OPTIONS, path.read_bytes(), name)
            assert parsed.chunks


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-11, "crashed with SIGSEGV"),
        (-200, "crashed with signal 200"),
        (1, "exit code 1"),
        (0xC0000005, "exit code 0xc0000005"),
    ],
)
def test_return_codes_are_put_in_words(code: int, words: str) -> None:
    assert ended_with(code) == words


def test_the_command_bars_the_current_folder_from_the_import_path() -> None:
    assert "-P" in worker_command()
