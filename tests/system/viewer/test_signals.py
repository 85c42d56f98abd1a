"""Signals that come together end the wait as one does."""

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.system

WAITING = """
import os, threading
from diffx.server.signals import Stop, stop_on_signals
stop = Stop()
for _ in range(8):
    threading.Thread(target=threading.Event().wait, daemon=True).start()
with stop_on_signals(stop):
    stop.arm()
    print("ready", flush=True)
    stop.wait()
os._exit(0)
"""


def test_two_signals_at_once_end_the_wait_whichever_thread_gets_them() -> None:
    for _ in range(15):
        with subprocess.Popen([sys.executable, "-c", WAITING], stdout=subprocess.PIPE) as waiting:
            assert waiting.stdout is not None
            assert waiting.stdout.readline() == b"ready\n"
            waiting.send_signal(signal.SIGINT)
            waiting.send_signal(signal.SIGTERM)
            try:
                waiting.wait(20)
            finally:
                waiting.kill()
