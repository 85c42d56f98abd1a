"""A signal that another thread gets, as when two come together, ends the wait too."""

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.system

WAITING = """
import os, signal, threading
from diffx.server.signals import Stop, stop_on_signals
stop = Stop()
threading.Thread(target=threading.Event().wait, daemon=True).start()
# The kernel may give a signal to any thread; here it must give it to the other one.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
with stop_on_signals(stop):
    stop.arm()
    print("ready", flush=True)
    stop.wait()
os._exit(0)
"""


def test_a_signal_ends_the_wait_whichever_thread_gets_it() -> None:
    for _ in range(5):
        with subprocess.Popen([sys.executable, "-c", WAITING], stdout=subprocess.PIPE) as waiting:
            assert waiting.stdout is not None
            assert waiting.stdout.readline() == b"ready\n"
            waiting.send_signal(signal.SIGTERM)
            try:
                assert waiting.wait(60) == 0
            finally:
                waiting.kill()
