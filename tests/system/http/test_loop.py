import queue
import threading
from functools import partial

import pytest

from diffx.httpapi.loop import Loop

pytestmark = pytest.mark.system


def test_no_call_is_ever_left_waiting_whoever_asks_meanwhile() -> None:
    loop = Loop()
    over = threading.Event()
    late: list[int] = []

    def turn() -> None:
        while not over.is_set():
            loop.turn(timeout_s=600)  # far longer than any call may wait

    def ask() -> None:
        answers: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in range(3_000):
            loop.call(partial(answers.put, number))
            try:
                answers.get(timeout=60)
            except queue.Empty:
                late.append(number)
                return

    turning = threading.Thread(target=turn)
    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in (turning, *asking):
        thread.start()
    for thread in asking:
        thread.join()
    over.set()
    loop.call(lambda: None)
    turning.join()
    loop.close()

    assert not late
