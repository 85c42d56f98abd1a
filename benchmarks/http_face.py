"""How fast diffx answers over HTTP: goals 16, 17 and 18, beside node's http and express.

    python3 benchmarks/http_face.py [--express FOLDER] [--rounds 9] [--seconds 1]

diffx answers one file's patch from SQLite, through routing and owner checks; the peers send the
same number of bytes from memory. Only the server under load runs, the others are stopped with
SIGSTOP; every round measures all of them in turn. Needs `wrk`, `node`, and a folder in which
`npm install express` was run (without --express it is run in a temporary one).
"""

import argparse
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
CONNECTIONS: Final = (1, 8, 64)
STREAMS: Final = 500
_MS: Final[Mapping[str, float]] = {"us": 1e-3, "ms": 1.0, "s": 1e3, "m": 6e4}
_FIGURE: Final = re.compile(r"^\s+(50|99)%\s+([\d.]+)(us|ms|s|m)$", re.MULTILINE)
_RATE: Final = re.compile(r"^Requests/sec:\s+([\d.]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Server:
    """One running server and the address that is asked for."""

    name: str
    process: subprocess.Popen[str]
    port: int
    path: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.path}"


@dataclass(slots=True)
class Load:
    """What one server did under one number of connections, round by round."""

    rates: list[float] = field(default_factory=list)
    p50: list[float] = field(default_factory=list)
    p99: list[float] = field(default_factory=list)


def main() -> int:
    """Measure and judge; 1 where a goal fails."""
    args = _arguments()
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="diffx-http-")))
        diffx, size = stack.enter_context(_subject(work / "state.db"))
        express = args.express or _installed_express(work)
        servers = [
            diffx,
            stack.enter_context(_peer("http", diffx.path, size)),
            stack.enter_context(_peer("express", diffx.path, size, str(express))),
        ]
        loads = _measure(servers, args.rounds, args.seconds)
        streams = _idle_streams(diffx)
    return _judge(loads, streams)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--express", type=Path)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=int, default=1)
    for tool in ("wrk", "node"):
        if shutil.which(tool) is None:
            raise SystemExit(f"{tool} is not installed; this benchmark needs it")
    return parser.parse_args()


def _installed_express(work: Path) -> Path:
    subprocess.run(
        ["npm", "install", "--silent", "--no-audit", "--prefix", str(work), "express@5"],
        check=True,
    )
    return work


@contextmanager
def _subject(database: Path) -> Iterator[tuple[Server, int]]:
    argv = [sys.executable, str(HERE / "http_subject.py"), str(database)]
    with _running(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        port, path, size = process.stdout.readline().split()
        yield Server("diffx", process, int(port), path), int(size)


@contextmanager
def _peer(kind: str, path: str, size: int, *more: str) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    argv = ["node", str(HERE / "http_peer.mjs"), kind, str(port), str(size), *more]
    with _running(argv) as process:
        _wait_for(port, process)
        yield Server(f"node {kind}" if kind == "http" else kind, process, port, path)


@contextmanager
def _running(argv: list[str], stdout: int | None = None) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(argv, stdout=stdout, text=True) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()


def _wait_for(port: int, process: subprocess.Popen[str]) -> None:
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            if process.poll() is not None:
                raise SystemExit("a peer did not start") from None
            time.sleep(0.02)
        else:
            return


def _measure(servers: list[Server], rounds: int, seconds: int) -> Mapping[tuple[str, int], Load]:
    loads = {(server.name, count): Load() for server in servers for count in CONNECTIONS}
    for turn in range(rounds):
        order = servers[turn % len(servers) :] + servers[: turn % len(servers)]
        for count in CONNECTIONS:
            for server in order:
                _only(server, servers)
                _wrk(server, count, seconds, loads[server.name, count])
    _only(servers[0], [])
    return loads


def _only(chosen: Server, servers: list[Server]) -> None:
    for server in servers:
        if server is not chosen:
            server.process.send_signal(signal.SIGSTOP)
    chosen.process.send_signal(signal.SIGCONT)


def _wrk(server: Server, count: int, seconds: int, load: Load) -> None:
    argv = ["wrk", "-t1", f"-c{count}", f"-d{seconds}s", "--latency", server.url]
    told = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    rate = _RATE.search(told)
    if rate is None or "Non-2xx" in told or "Socket errors" in told:
        raise SystemExit(f"{server.name} with {count} connections:\n{told}")
    latency = {kind: float(value) * _MS[unit] for kind, value, unit in _FIGURE.findall(told)}
    load.rates.append(float(rate[1]))
    load.p50.append(latency["50"])
    load.p99.append(latency["99"])


def _idle_streams(server: Server) -> tuple[float, int]:
    """Return KiB of resident memory per idle event stream, and the threads that 500 added."""
    before = _status(server)
    with ExitStack() as stack:
        for _ in range(STREAMS):
            sock = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), 5))
            host = f"127.0.0.1:{server.port}"
            sock.sendall(f"GET /api/v2/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            sock.recv(4096)
        time.sleep(1)
        after = _status(server)
    return (after[0] - before[0]) / STREAMS, after[1] - before[1]


def _status(server: Server) -> tuple[int, int]:
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in text.splitlines())
    return int(fields["VmRSS"].split()[0]), int(fields["Threads"])


def _judge(loads: Mapping[tuple[str, int], Load], streams: tuple[float, int]) -> int:
    for (name, count), load in loads.items():
        rate, p50, p99 = map(statistics.median, (load.rates, load.p50, load.p99))
        print(f"{name:10} c={count:<3} {rate:9.0f} req/s  p50 {p50:7.2f} ms  p99 {p99:7.2f} ms")
    ours, node = loads["diffx", 64], loads["node http", 64]
    spread = [late / usual for late, usual in zip(ours.p99, ours.p50, strict=True)]
    tails = statistics.median(ours.p99) / statistics.median(node.p99)
    codes = [
        _at_most("16", "p99 / p50 at c=64", statistics.median(spread), 5, 15),
        _at_most("16", "p99 / node http's p99 at c=64", tails, 1.0, 3.0),
    ]
    for count in CONNECTIONS:
        mine, theirs = loads["diffx", count].rates, loads["express", count].rates
        ratio = min(statistics.median(mine) / statistics.median(theirs), max(mine) / max(theirs))
        codes.append(_at_least("17", f"req/s / express at c={count}", ratio, 1.5, 1.0))
    codes.append(_at_most("18", "KiB per idle stream", streams[0], 4, 16))
    codes.append(_at_most("18", "threads added by 500 streams", streams[1], 0, 0))
    return max(codes)


def _at_most(number: str, what: str, value: float, goal: float, fail: float) -> int:
    return _told(number, what, value, f"<= {goal:g}", reached=value <= goal, failed=value > fail)


def _at_least(number: str, what: str, value: float, goal: float, fail: float) -> int:
    return _told(number, what, value, f">= {goal:g}", reached=value >= goal, failed=value < fail)


def _told(number: str, what: str, value: float, goal: str, *, reached: bool, failed: bool) -> int:
    verdict = "ok" if reached else "FAIL" if failed else "short of goal"
    print(f"goal {number}: {what}: {value:.2f} (goal {goal}) {verdict}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
